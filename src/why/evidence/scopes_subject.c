#include "why/evidence/scopes.h"

#include <math.h>
#include <string.h>

/* --- Times ----------------------------------------------------------------------------------- */

const struct kg_profile_figures *kg_scope_figures(const struct kg_scope_subject *subject,
                                                  size_t row)
{
    return &subject->view.profile->rows[row].figures;
}

double kg_scope_part(const struct kg_scope_subject *subject, size_t row)
{
    const uint64_t calls = kg_scope_figures(subject, row)->calls;
    return calls ? subject->view.rows[row].calls / (double)calls : 0;
}

double kg_scope_gpu_time(const struct kg_scope_subject *subject, size_t row)
{
    const struct kg_profile_figures *figures = kg_scope_figures(subject, row);
    return (figures->gpu_ns + figures->transfer_ns) * kg_scope_part(subject, row);
}

double kg_scope_time(const struct kg_scope_subject *subject, size_t row)
{
    const bool waits = kg_scope_waits(subject->view.profile, row);
    return subject->on_gpu && !waits ? kg_scope_gpu_time(subject, row) * subject->gpu_scale
                                     : subject->view.rows[row].total_ns * subject->scale;
}

double kg_scope_ratio(double a, double b)
{
    return kg_known(a) && kg_known(b) ? a / b : NAN;
}

/* of  facts of the case, or NULL */
static void scales_find(struct kg_scope_subject *subject, const struct kg_facts *of)
{
    const struct kg_scope_view *view = &subject->view;
    /* The cost of a scope is an estimate. For tiny scopes, it could exceed the whole. */
    const double cost_ns = fmin(view->cost_ns, view->wall_ns / 2);
    const double recorded_ns = (view->wall_ns - cost_ns) / view->calls;
    const double gpu_ns =
        view->root == KG_SCOPE_NONE ? 0 : kg_scope_gpu_time(subject, view->root) / view->calls;
    double scale = of ? kg_scope_ratio(kg_facts_call_ns(of), recorded_ns) : NAN;
    double gpu_scale = of ? kg_scope_ratio(of->traits.time_ns, gpu_ns) : NAN;
    if (view->root == KG_SCOPE_NONE)
        scale = fmin(scale, 1);
    subject->on_gpu = kg_known(gpu_ns) && gpu_ns > KG_SCOPE_MOSTLY * recorded_ns;
    subject->scale = (kg_known(scale) ? scale : 1) / view->calls;
    subject->gpu_scale = (kg_known(gpu_scale) ? gpu_scale : 1) / view->calls;
}

double kg_scope_calls(const struct kg_scope_subject *subject, size_t row)
{
    return subject->view.rows[row].calls / subject->view.calls;
}

/* --- Bytes ----------------------------------------------------------------------------------- */

/* Bytes that other threads moved in scopes of the row's name, in proportion to the row's part of
 * the calls. */
static double others_bytes(const struct kg_scope_subject *subject, size_t row)
{
    const struct kg_scope_view *view = &subject->view;
    double bytes = 0, calls = 0;
    if (!kg_scope_shared(view, row))
        return 0;
    for (size_t i = 0; i < view->profile->row_count; i++) {
        const struct kg_profile_figures *figures = kg_scope_figures(subject, i);
        const struct kg_scope_row *had = &view->rows[i];
        if (view->names[i] != view->names[row] || !figures->calls)
            continue;
        bytes += (double)figures->bytes * (had->all_calls - had->calls) / (double)figures->calls;
        calls += had->calls;
    }
    return calls > 0 ? bytes * view->rows[row].calls / calls : 0;
}

double kg_scope_bytes(const struct kg_scope_subject *subject, size_t row)
{
    const struct kg_profile_figures *figures = kg_scope_figures(subject, row);
    if (!figures->bytes)
        return NAN;
    return ((double)figures->bytes * kg_scope_part(subject, row) + others_bytes(subject, row)) /
           subject->view.calls;
}

/* --- Rows ------------------------------------------------------------------------------------ */

size_t kg_scope_kind(const struct kg_scope_subject *subject, size_t row)
{
    return subject->view.profile->rows[row].path.kind;
}

struct kg_scope_rows kg_scope_rows_at(const struct kg_scope_subject *subject, size_t row)
{
    const struct kg_profile *profile = subject->view.profile;
    return (struct kg_scope_rows){.first = row == KG_SCOPE_NONE ? 0 : row,
                                  .end = kg_scope_end(profile, row),
                                  .whole = row == subject->view.root};
}

bool kg_scope_is_wait(const struct kg_scope_subject *subject, size_t row)
{
    const struct kg_profile *profile = subject->view.profile;
    return subject->view.rows[row].calls > 0 && kg_scope_kind(subject, row) == KGATE_SCOPE_WAIT &&
           !kg_scope_waits(profile, kg_scope_parent(profile, row));
}

bool kg_scope_is_region(const struct kg_scope_subject *subject, size_t row)
{
    return subject->view.rows[row].calls > 0 && kg_scope_kind(subject, row) == KGATE_SCOPE_PARALLEL;
}

/* --- The whole ------------------------------------------------------------------------------- */

/* The outermost row of this name; KG_SCOPE_NONE: there is none. */
static size_t root_find(const struct kg_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->row_count; i++) {
        const struct kg_profile_path *path = &profile->rows[i].path;
        if (path->parent == i && !path->span && !strcmp(path->name, name))
            return i;
    }
    return KG_SCOPE_NONE;
}

void kg_scope_subject_open(const struct kg_profile *profile, const struct kg_facts *of, size_t root,
                           const struct kg_suggest_settings *settings,
                           struct kg_scope_subject *subject)
{
    *subject = (struct kg_scope_subject){.settings = settings};
    if (of)
        root = root_find(profile, of->operation);
    kg_scope_view_make(profile, of ? of->operation : NULL, root, &subject->view);
    if (subject->view.calls > 0)
        scales_find(subject, of);
}
