#include "why/evidence/scopes.h"

#include <math.h>
#include <string.h>

#include "profiler/read/profile.h"

void kg_scopes_of_case(const struct kg_profile *profile, const struct kg_suggest_settings *settings,
                       struct kg_facts *facts)
{
    struct kg_scope_subject subject;
    kg_scope_subject_open(profile, facts, KG_SCOPE_NONE, settings, &subject);
    if (subject.view.calls > 0)
        kg_scope_profile_fill(&subject, subject.view.root, facts);
    kg_scope_view_free(&subject.view);
}

/* --- One scope ------------------------------------------------------------------------------- */

/* Time between the row's calls, in no other scope. The cost of a scope is an estimate, and
 * processors read the clock out of order. So tiny calls have no such time (NaN). */
static double between_find(const struct kg_scope_subject *subject, size_t row, size_t parent)
{
    enum { COSTS_LEAST = 10 };
    const struct kg_scope_view *view = &subject->view;
    const double inside_ns = view->rows[parent].total_ns - view->rows[parent].self_ns;
    const double between_ns = view->rows[parent].self_ns * subject->scale;
    const double least_ns = COSTS_LEAST * view->scope_cost_ns * kg_scope_calls(subject, row);
    return view->rows[row].total_ns >= KG_SCOPE_MOSTLY * inside_ns &&
                   kg_scope_time(subject, row) + between_ns >= least_ns
               ? between_ns
               : NAN;
}

/* Sets the number of calls, their mean time, and the time between them. */
static void calls_fill(const struct kg_scope_subject *subject, size_t row, struct kg_facts *facts)
{
    const struct kg_scope_view *view = &subject->view;
    const size_t parent = kg_scope_parent(view->profile, row);
    const bool outermost = parent == KG_SCOPE_NONE || row == view->root;
    const double around = outermost ? view->calls : view->rows[parent].calls;
    if (row == view->root || kg_scope_is_region(subject, row) || kg_scope_waits(view->profile, row))
        return;
    facts->calls = kg_scope_ratio(view->rows[row].calls, around);
    facts->call_ns = kg_scope_ratio(kg_scope_time(subject, row), kg_scope_calls(subject, row));
    if (!outermost && !subject->on_gpu && !kg_scope_is_region(subject, parent))
        facts->between_ns = between_find(subject, row, parent);
}

/* Sets the time in the scope itself. Scopes that wait or start threads have none: their time
 * depends on others. */
static void self_fill(const struct kg_scope_subject *subject, size_t row, struct kg_facts *facts)
{
    if (row == subject->view.root || subject->on_gpu || kg_scope_is_region(subject, row) ||
        kg_scope_waits(subject->view.profile, row))
        return;
    facts->self_ns = subject->view.rows[row].self_ns * subject->scale;
    facts->self_share = kg_scope_ratio(facts->self_ns, facts->whole_ns);
}

static void roof_fill(const struct kg_scope_subject *subject, const struct kg_facts *of,
                      struct kg_facts *facts)
{
    struct kg_traits *traits = &facts->traits;
    if (subject->on_gpu) {
        traits->bandwidth_ceiling_bytes_per_s = of ? of->traits.bandwidth_ceiling_bytes_per_s : NAN;
    } else if (subject->ceilings && kg_known(traits->working_set_bytes)) {
        const enum kg_cache_level level =
            kg_cpu_level(subject->ceilings, traits->working_set_bytes, traits->threads);
        traits->level = level;
        traits->bandwidth_ceiling_bytes_per_s =
            kg_cpu_bandwidth(subject->ceilings, level, traits->threads);
    } else {
        traits->bandwidth_ceiling_bytes_per_s = facts->memory_ceiling_bytes_per_s;
    }
    traits->bandwidth_share =
        kg_scope_ratio(traits->bytes_per_s, traits->bandwidth_ceiling_bytes_per_s);
    if (kg_known(traits->bandwidth_share))
        traits->roof_ns = traits->time_ns * traits->bandwidth_share;
}

static void traits_fill(const struct kg_scope_subject *subject, const struct kg_facts *of,
                        size_t row, struct kg_facts *facts)
{
    const struct kg_scope_view *view = &subject->view;
    const struct kg_profile_figures *figures = kg_scope_figures(subject, row);
    const double part = kg_scope_part(subject, row);
    struct kg_traits *traits = &facts->traits;
    traits->time_ns = kg_scope_time(subject, row);
    traits->threads =
        of && kg_known(of->traits.threads) ? of->traits.threads : facts->scope_threads;
    traits->cpu_ns = figures->cpu_ns * part * subject->scale;
    traits->bytes = kg_scope_bytes(subject, row);
    traits->bytes_per_s = kg_scope_ratio(traits->bytes, traits->time_ns) * 1e9;
    traits->working_set_bytes = kg_scope_ratio(traits->bytes, kg_scope_calls(subject, row));
    if (figures->peak_bytes) {
        traits->peak_bytes = (double)figures->peak_bytes;
        traits->allocated_bytes = (double)figures->allocated_bytes * part / view->calls;
    }
    if (kg_scope_gpu_time(subject, row) > 0) {
        traits->gpu_ns = figures->gpu_ns * part * subject->gpu_scale;
        traits->transfer_ns = figures->transfer_ns * part * subject->gpu_scale;
    }
    if (row != view->root || !of)
        roof_fill(subject, of, facts);
}

/* Copies the machine's facts from the case, or takes them from the ceilings. */
static void machine_fill(const struct kg_scope_subject *subject, const struct kg_facts *of,
                         struct kg_facts *facts)
{
    const struct kg_cpu_ceilings *ceilings = subject->ceilings;
    if (of) {
        facts->machine_cores = of->machine_cores;
        facts->vector_lanes = of->vector_lanes;
        facts->thread_scaling = of->thread_scaling;
        facts->fork_join_ns = of->fork_join_ns;
        facts->barrier_ns = of->barrier_ns;
        facts->page_fault_ns = of->page_fault_ns;
        facts->memory_ceiling_bytes_per_s = of->memory_ceiling_bytes_per_s;
        facts->gpu_launch_ns = of->gpu_launch_ns;
        facts->gpu_memory_bytes = of->gpu_memory_bytes;
    } else if (ceilings) {
        facts->machine_cores = ceilings->all.threads;
        facts->vector_lanes =
            kg_scope_ratio(ceilings->one.vector_flops_per_s, ceilings->one.scalar_flops_per_s);
        facts->fork_join_ns = ceilings->fork_join_ns;
        facts->barrier_ns = ceilings->barrier_ns;
        facts->page_fault_ns = ceilings->page_fault_ns;
        facts->memory_ceiling_bytes_per_s =
            kg_cpu_bandwidth(ceilings, KG_LEVEL_MEMORY, facts->scope_threads);
    }
}

/* Sets the facts of a scope that no measured case explains. */
static void program_fill(const struct kg_scope_subject *subject, size_t row, struct kg_facts *facts)
{
    const struct kg_profile *profile = subject->view.profile;
    const struct kg_profile_figures *figures = kg_scope_figures(subject, row);
    const size_t end = kg_scope_end(profile, row);
    uint64_t inner_bytes = 0;
    for (size_t i = row + 1; i < end; i++)
        if (profile->rows[i].figures.peak_bytes > inner_bytes)
            inner_bytes = profile->rows[i].figures.peak_bytes;
    if (inner_bytes < figures->peak_bytes / 2)
        facts->held_bytes = (double)figures->peak_bytes;
    if (end > row + 1 || kg_scope_waits(profile, row) || kg_scope_is_region(subject, row))
        return;
    facts->leaf_calls = (double)figures->calls;
    facts->max_ns = figures->max_ns;
    facts->p99_ns = figures->p99_ns;
}

static const char *device_of(const struct kg_scope_subject *subject, const struct kg_facts *of,
                             size_t row)
{
    const char *device = subject->view.profile->rows[row].path.device;
    if (of)
        return of->device;
    return subject->on_gpu || (device && !strcmp(device, "cuda")) ? "cuda" : "cpu";
}

/* "case;outer;inner". A command's recorded paths lack the case, so it is added. */
static const char *operation_of(const struct kg_scope_subject *subject, const struct kg_facts *of,
                                size_t row, struct kg_arena *arena)
{
    const char *path = kg_profile_path_text(arena, subject->view.profile, row);
    return path && of && subject->view.root == KG_SCOPE_NONE
               ? kg_arena_printf(arena, "%s;%s", of->operation, path)
               : path;
}

static void scope_fill(struct kg_scope_subject *subject, const struct kg_facts *of, size_t row,
                       struct kg_arena *arena, struct kg_facts *facts)
{
    const struct kg_scope_view *view = &subject->view;
    const double shared = view->balances[view->names[row]].threads;
    kg_facts_clear(facts);
    facts->kind = KG_OPERATION_SCOPE;
    facts->operation = operation_of(subject, of, row, arena);
    facts->whole =
        of ? of->operation : kg_arena_copy(arena, view->profile->rows[view->root].path.name);
    facts->device = device_of(subject, of, row);
    facts->workload = of ? of->workload : NULL;
    facts->whole_cores_busy = of ? of->traits.cores_busy : NAN;
    facts->whole_roof_ns = of ? of->traits.roof_ns : NAN;
    facts->whole_ns = of ? of->traits.time_ns : kg_scope_time(subject, view->root);
    facts->scope_threads = row == view->root ? view->threads : fmax(1, shared);
    machine_fill(subject, of, facts);
    traits_fill(subject, of, row, facts);
    calls_fill(subject, row, facts);
    self_fill(subject, row, facts);
    if (!of)
        program_fill(subject, row, facts);
    kg_scope_profile_fill(subject, row, facts);
}

/* --- All scopes ------------------------------------------------------------------------------ */

/* Whether the row is the scope that `run --profile` puts around a call on the GPU. */
static bool is_wrapper(const struct kg_scope_subject *subject, const struct kg_facts *of,
                       size_t row)
{
    const struct kg_profile *profile = subject->view.profile;
    return of && kg_scope_parent(profile, row) == subject->view.root &&
           subject->view.root != KG_SCOPE_NONE &&
           !strcmp(profile->rows[row].path.name, KG_PROFILE_STREAM_SCOPE);
}

static bool is_reported(const struct kg_scope_subject *subject, const struct kg_facts *of,
                        size_t row, double least_ns)
{
    if (!(subject->view.rows[row].calls > 0) || kg_scope_kind(subject, row) == KGATE_SCOPE_PROFILER)
        return false;
    if (row == subject->view.root)
        return !of;
    const bool large = !of && (double)kg_scope_figures(subject, row)->peak_bytes >
                                  (double)subject->settings->memory_bytes;
    return !is_wrapper(subject, of, row) && (large || kg_scope_time(subject, row) >= least_ns);
}

/* Adds the scopes of one whole. */
static void scopes_add(struct kg_scope_subject *subject, const struct kg_facts *of,
                       double least_share, struct kg_arena *arena, struct kg_facts_list *list)
{
    const struct kg_scope_rows part = kg_scope_rows_at(subject, subject->view.root);
    const double whole_ns = of ? of->traits.time_ns : kg_scope_time(subject, subject->view.root);
    if (!kg_known(whole_ns))
        return;
    for (size_t i = part.first; i < part.end; i++) {
        if (!is_reported(subject, of, i, least_share * whole_ns))
            continue;
        kg_arena_grow(arena, &list->of, list->count, &list->capacity, sizeof *list->of);
        scope_fill(subject, of, i, arena, &list->of[list->count]);
        list->count++;
    }
}

/* Whether the first thread of a process called the row. Other threads' outermost scopes belong
 * to a larger whole. */
static bool is_whole(const struct kg_profile *profile, size_t row)
{
    const struct kg_profile_path *path = &profile->rows[row].path;
    if (path->parent != row || path->span || path->kind == KGATE_SCOPE_PROFILER)
        return false;
    uint64_t first = 0;
    for (size_t i = 0; i < profile->share_count; i++) {
        const struct kg_profile_share *share = &profile->shares[i];
        if (!i || share->process != share[-1].process)
            first = share->thread;
        if (share->row == row && share->thread == first)
            return true;
    }
    return false;
}

/* The profile's outermost rows are sorted by total time, largest first. */
void kg_scopes_find(const struct kg_profile *profile, const struct kg_facts *of,
                    const struct kg_suggest_settings *settings,
                    const struct kg_cpu_ceilings *ceilings, double least_share,
                    struct kg_arena *arena, struct kg_facts_list *list)
{
    enum { WHOLES_MOST = 200 };
    size_t wholes = 0;
    for (size_t i = 0; i < profile->row_count && wholes < WHOLES_MOST; i++) {
        struct kg_scope_subject subject;
        if (of ? i > 0 : !is_whole(profile, i))
            continue;
        wholes++;
        kg_scope_subject_open(profile, of, i, settings, &subject);
        subject.ceilings = ceilings;
        if (subject.view.calls > 0)
            scopes_add(&subject, of, least_share, arena, list);
        kg_scope_view_free(&subject.view);
    }
}
