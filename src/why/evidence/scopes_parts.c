#include "why/evidence/scopes.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* --- Waiting and parallel regions ------------------------------------------------------------ */

static void waits_find(const struct kg_scope_subject *subject, struct kg_scope_rows part,
                       struct kg_facts *facts)
{
    double count = 0, wait_ns = 0;
    for (size_t i = part.first; i < part.end; i++) {
        if (!kg_scope_is_wait(subject, i))
            continue;
        count += kg_scope_calls(subject, i);
        wait_ns += subject->view.rows[i].total_ns * subject->scale;
    }
    if (!(count > 0))
        return;
    facts->wait_count = count;
    facts->wait_ns = wait_ns;
}

/* Balance of a part: how threads shared its work, summed over its names. */
static struct kg_scope_balance balance_find(const struct kg_scope_subject *subject,
                                            struct kg_scope_rows part)
{
    const struct kg_scope_view *view = &subject->view;
    struct kg_scope_balance sum = {0};
    for (size_t i = part.first; i < part.end; i++) {
        const struct kg_scope_balance *of = &view->outer[view->names[i]];
        if (!view->is_outer[i] || !(of->threads > 1 && of->first_ns > 0))
            continue;
        const double share = view->rows[i].total_ns / of->first_ns;
        sum.threads = fmax(sum.threads, of->threads);
        sum.first_ns += share * of->first_ns;
        sum.busiest_ns += share * of->busiest_ns;
        sum.even_ns += share * of->even_ns;
    }
    for (size_t i = 0; i < view->name_count && part.whole && view->alone; i++) {
        const struct kg_scope_balance *of = &view->outer[i];
        if (!(of->threads > 1) || of->first_ns > 0)
            continue;
        sum.threads = fmax(sum.threads, of->threads);
        sum.busiest_ns += of->busiest_ns;
        sum.even_ns += of->even_ns;
    }
    return sum;
}

static bool is_in_region(const struct kg_scope_subject *subject, size_t row)
{
    const struct kg_profile *profile = subject->view.profile;
    for (; row != KG_SCOPE_NONE; row = kg_scope_parent(profile, row))
        if (kg_scope_is_region(subject, row))
            return true;
    return false;
}

/* The most that starting and joining threads may cost per region: waking threads that sleep, or many empty regions. */
static const double START_MOST_NS = 100e3, STARTS_MOST = 50;

/* CPU time of a region on the first threads, outside of the scopes inside it; NaN: not measured. */
static double own_cpu(const struct kg_scope_subject *subject, size_t region)
{
    const struct kg_profile *profile = subject->view.profile;
    double cpu_ns = kg_scope_figures(subject, region)->cpu_ns * kg_scope_part(subject, region);
    for (size_t i = region + 1; i < kg_scope_end(profile, region); i++)
        if (kg_scope_parent(profile, i) == region)
            cpu_ns -= kg_scope_figures(subject, i)->cpu_ns * kg_scope_part(subject, i);
    return isnan(cpu_ns) ? NAN : fmax(0, cpu_ns);
}

/* Limits the time of regions. While other programs have the CPUs, a region also waits for them: this is no cost of the
 * region. */
static double regions_limit(double found_ns, double count, double cpu_ns,
                            const struct kg_facts *facts)
{
    const double empty_ns = kg_known(facts->fork_join_ns) ? facts->fork_join_ns : 0;
    const double by_count = count * fmax(START_MOST_NS, STARTS_MOST * empty_ns);
    const double by_cpu = isfinite(cpu_ns) ? fmax(cpu_ns, 2 * count * empty_ns) : INFINITY;
    return fmin(found_ns, fmin(by_count, by_cpu));
}

/* A region's own time includes waits for a busier thread. Such a wait is no overhead, so kgate
 * subtracts it, except waits that were recorded as scopes. */
static void regions_find(const struct kg_scope_subject *subject, struct kg_scope_rows part,
                         const struct kg_scope_balance *balance, struct kg_facts *facts)
{
    const struct kg_scope_view *view = &subject->view;
    double count = 0, self_ns = 0, waited_ns = 0, cpu_ns = 0;
    for (size_t i = part.first; i < part.end; i++) {
        if (kg_scope_is_region(subject, i)) {
            count += kg_scope_calls(subject, i);
            self_ns += view->rows[i].self_ns;
            cpu_ns += own_cpu(subject, i);
        } else if (kg_scope_is_wait(subject, i) && is_in_region(subject, i)) {
            waited_ns += view->rows[i].total_ns;
        }
    }
    if (!(count > 0))
        return;
    const double explained_ns = fmax(0, balance->busiest_ns - balance->first_ns - waited_ns);
    facts->parallel_count = count;
    facts->parallel_ns = regions_limit(fmax(0, self_ns - explained_ns) * subject->scale, count,
                                       cpu_ns * subject->scale, facts);
}

static void imbalance_fill(const struct kg_scope_subject *subject,
                           const struct kg_scope_balance *balance, struct kg_facts *facts)
{
    if (!(balance->threads > 1 && balance->even_ns > 0))
        return;
    facts->imbalance = fmax(1, balance->busiest_ns / balance->even_ns);
    facts->imbalance_ns = fmax(0, balance->busiest_ns - balance->even_ns) * subject->scale;
}

/* --- Work of threads ------------------------------------------------------------------------- */

/* Marks the scopes of the first thread around shared work, if no recorded parallel region lies
 * between. Their own time is work or waiting for other threads: unknown. */
static void forks_mark(const struct kg_scope_view *view, bool *forks)
{
    const struct kg_profile *profile = view->profile;
    for (size_t i = 0; i < profile->row_count; i++) {
        if (!(view->rows[i].calls > 0) || !kg_scope_shared(view, i))
            continue;
        for (size_t at = kg_scope_parent(profile, i);
             at != KG_SCOPE_NONE && profile->rows[at].path.kind != KGATE_SCOPE_PARALLEL &&
             !kg_scope_shared(view, at);
             at = kg_scope_parent(profile, at))
            forks[at] = true;
    }
    if (view->root != KG_SCOPE_NONE && !view->regions && !kg_scope_shared(view, view->root))
        forks[view->root] = true;
}

/* Whether threads other than the calling one recorded scopes. */
static bool has_others(const struct kg_scope_view *view)
{
    for (size_t i = 0; i < view->profile->row_count; i++)
        if (view->rows[i].all_calls > view->rows[i].calls)
            return true;
    return false;
}

static void busy_find(struct kg_scope_subject *subject, struct kg_facts *facts)
{
    struct kg_scope_view *view = &subject->view;
    const struct kg_profile *profile = view->profile;
    bool *forks = kg_arena_alloc(&view->arena, profile->row_count, sizeof *forks);
    double busy_ns = 0;
    if (!has_others(view) || !view->alone)
        return;
    forks_mark(view, forks);
    for (size_t i = 0; i < profile->row_count; i++) {
        const size_t kind = kg_scope_kind(subject, i);
        if (kind == KGATE_SCOPE_PROFILER || kind == KGATE_SCOPE_PARALLEL ||
            kg_scope_waits(profile, i))
            continue;
        busy_ns += view->rows[i].all_self_ns - (forks[i] ? view->rows[i].self_ns : 0);
    }
    if (busy_ns > 0)
        facts->thread_busy_ns = busy_ns * subject->scale;
}

/* --- Scopes that could be fused -------------------------------------------------------------- */

/* A scope that memory limits. */
struct candidate {
    size_t parent;
    double calls;
    double time_ns, bytes;
};

static int candidate_compare(const void *one, const void *other)
{
    const struct candidate *a = one, *b = other;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    return (a->calls > b->calls) - (a->calls < b->calls);
}

static bool candidate_find(const struct kg_scope_subject *subject, const struct kg_facts *facts,
                           size_t row, struct candidate *candidate)
{
    const bool on_gpu = subject->on_gpu && kg_known(facts->traits.bandwidth_ceiling_bytes_per_s);
    const double ceiling =
        on_gpu ? facts->traits.bandwidth_ceiling_bytes_per_s : facts->memory_ceiling_bytes_per_s;
    if (!(subject->view.rows[row].calls > 0) || kg_scope_kind(subject, row) != KGATE_SCOPE_COMPUTE)
        return false;
    *candidate = (struct candidate){
        .parent = kg_scope_parent(subject->view.profile, row),
        .calls = subject->view.rows[row].calls,
        .time_ns = kg_scope_time(subject, row),
        .bytes = kg_scope_bytes(subject, row),
    };
    return kg_known(ceiling) && kg_scope_ratio(candidate->bytes, candidate->time_ns) * 1e9 >=
                                    subject->settings->bound_share * ceiling;
}

/* Adds siblings that are called equally often and that memory limits. Each may read the data
 * that the previous one wrote. */
static void group_add(const struct candidate *group, size_t count, struct kg_facts *facts)
{
    double largest = 0;
    if (count < 2)
        return;
    if (!kg_known(facts->fusible_count))
        facts->fusible_count = facts->fusible_ns = facts->fused_bytes = facts->separate_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        facts->fusible_ns += group[i].time_ns;
        facts->separate_bytes += group[i].bytes;
        largest = fmax(largest, group[i].bytes);
    }
    facts->fusible_count += (double)count;
    facts->fused_bytes += largest;
}

static void fusible_find(struct kg_scope_subject *subject, struct kg_scope_rows part,
                         struct kg_facts *facts)
{
    struct candidate *found = kg_alloc(part.end - part.first + 1, sizeof *found);
    size_t count = 0;
    for (size_t i = part.first; i < part.end; i++)
        if (i != subject->view.root && (part.whole || i != part.first))
            count += candidate_find(subject, facts, i, &found[count]);
    qsort(found, count, sizeof *found, candidate_compare);
    for (size_t from = 0, next; from < count; from = next) {
        for (next = from + 1; next < count && !candidate_compare(&found[from], &found[next]);)
            next++;
        group_add(&found[from], next - from, facts);
    }
    free(found);
}

/* --- A scope --------------------------------------------------------------------------------- */

/* Facts of a case, or of any outermost scope. */
static void whole_find(struct kg_scope_subject *subject, struct kg_facts *facts)
{
    const struct kg_scope_rows part = kg_scope_rows_at(subject, subject->view.root);
    const struct kg_scope_balance balance = balance_find(subject, part);
    facts->scope_threads = subject->view.threads;
    waits_find(subject, part, facts);
    regions_find(subject, part, &balance, facts);
    imbalance_fill(subject, &balance, facts);
    busy_find(subject, facts);
    fusible_find(subject, part, facts);
}

/* Balance of the scope itself, reduced to this row's part of the first thread's time. */
static struct kg_scope_balance own_balance(const struct kg_scope_subject *subject, size_t row)
{
    const struct kg_scope_view *view = &subject->view;
    struct kg_scope_balance own = view->balances[view->names[row]];
    const double share = fmin(1, view->rows[row].total_ns / own.first_ns);
    own.first_ns *= share;
    own.busiest_ns *= share;
    own.even_ns *= share;
    return own;
}

void kg_scope_profile_fill(struct kg_scope_subject *subject, size_t row, struct kg_facts *facts)
{
    if (row == subject->view.root) {
        whole_find(subject, facts);
        return;
    }
    const struct kg_scope_rows part = kg_scope_rows_at(subject, row);
    const struct kg_scope_balance inside = balance_find(subject, part);
    const struct kg_scope_balance own = own_balance(subject, row);
    waits_find(subject, part, facts);
    regions_find(subject, part, &inside, facts);
    imbalance_fill(subject, &own, facts);
    fusible_find(subject, part, facts);
}
