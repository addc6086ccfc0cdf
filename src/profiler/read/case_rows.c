#include "profiler/read/case_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A share of the time from which on it is on the GPU. */
static const double MOSTLY = 0.5;

static double gpu_time(const struct kg_profile_figures *figures)
{
    return figures->gpu_ns + figures->transfer_ns;
}

/* Total of the scopes directly inside a case that was still open when the recording ended. */
static double inner_total(const struct kg_case_rows *rows)
{
    double total = 0;
    for (size_t i = rows->first + 1; i < rows->end; i++)
        if (rows->profile->rows[i].path.parent == rows->first)
            total += rows->profile->rows[i].figures.total_ns;
    return total;
}

/* Whether other threads, which a parallel region started, have a part in the case. */
static bool has_elsewhere(const struct kg_case_rows *rows)
{
    for (size_t i = rows->first; i < rows->end; i++)
        if (rows->profile->rows[i].figures.elsewhere_ns > 0)
            return true;
    return false;
}

static void own_fill(struct kg_case_rows *rows)
{
    const struct kg_profile_row *all = rows->profile->rows;
    const bool split = has_elsewhere(rows);
    for (size_t i = rows->first; i < rows->end; i++) {
        const struct kg_profile_figures *figures = &all[i].figures;
        double *own = &rows->own_ns[i - rows->first];
        *own = rows->on_gpu ? gpu_time(figures)
               : split      ? figures->total_ns - figures->elsewhere_ns
                            : figures->self_ns;
        /* Both times include the inner scopes': subtract them from the parent's, filled before. */
        if ((rows->on_gpu || split) && i > rows->first)
            rows->own_ns[all[i].path.parent - rows->first] -= *own;
    }
}

static void measure(struct kg_case_rows *rows)
{
    const struct kg_profile_figures *figures = &rows->profile->rows[rows->first].figures;
    rows->total_ns = figures->calls ? figures->total_ns : inner_total(rows);
    rows->on_gpu = gpu_time(figures) > MOSTLY * rows->total_ns;
    if (rows->on_gpu)
        rows->total_ns = gpu_time(figures);
    own_fill(rows);
}

double kg_case_rows_share(const struct kg_case_rows *rows, size_t row)
{
    return fmax(0, rows->own_ns[row - rows->first]) / rows->total_ns;
}

static int named_compare(const void *one, const void *other)
{
    const struct kg_named_row *a = one, *b = other;
    const int names = strcmp(a->name, b->name);
    return names ? names : (a->row > b->row) - (a->row < b->row);
}

void kg_named_rows_sort(struct kg_named_row *named, size_t count)
{
    qsort(named, count, sizeof *named, named_compare);
}

bool kg_is_label(const struct kg_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->process_count; i++)
        if (profile->processes[i].label && !strcmp(profile->processes[i].label, name))
            return true;
    return false;
}

/* A scope without inner scopes has no components. OpenMP's threads, for example, have such outermost
 * scopes. */
static bool is_case(const struct kg_case_rows *rows)
{
    const struct kg_profile_path *path = &rows->profile->rows[rows->first].path;
    return !path->span && path->kind != KGATE_SCOPE_PROFILER &&
           (rows->end > rows->first + 1 || kg_is_label(rows->profile, path->name));
}

bool kg_case_rows_start(const struct kg_profile *profile, struct kg_case_rows *rows)
{
    *rows = (struct kg_case_rows){.profile = profile,
                                  .own_ns = kg_alloc(profile->row_count + 1, sizeof *rows->own_ns)};
    return rows->own_ns != NULL;
}

bool kg_case_rows_next(struct kg_case_rows *rows)
{
    const struct kg_profile *profile = rows->profile;
    while (rows->end < profile->row_count) {
        rows->first = rows->end++;
        while (rows->end < profile->row_count && profile->rows[rows->end].path.parent != rows->end)
            rows->end++;
        if (!is_case(rows))
            continue;
        measure(rows);
        if (rows->total_ns > 0)
            return true;
    }
    return false;
}

void kg_case_rows_free(struct kg_case_rows *rows)
{
    free(rows->own_ns);
    rows->own_ns = NULL;
}
