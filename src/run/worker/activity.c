#include "run/worker/activity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/statistics/stats.h"
#include "run/worker/gpu_inspect.h"

static int by_start(const void *a, const void *b)
{
    const struct kg_activity *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

/* The classes of time of a call; the first one wins if several overlap. */
enum rank { RANK_KERNEL, RANK_TRANSFER, RANK_OTHER, RANKS };
static const enum rank rank_of[] = {[KG_ACTIVITY_KERNEL] = RANK_KERNEL,
                                    [KG_ACTIVITY_TO_DEVICE] = RANK_TRANSFER,
                                    [KG_ACTIVITY_TO_HOST] = RANK_TRANSFER,
                                    [KG_ACTIVITY_OTHER] = RANK_OTHER};

/* Time during which any activity of the ranks from `highest` to `lowest` ran. `of` by start. */
static double covered_ns(const struct kg_activity *of, size_t count, enum rank highest,
                         enum rank lowest)
{
    uint64_t until = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        const enum rank rank = rank_of[of[i].kind];
        if (rank < highest || rank > lowest || of[i].end_ns <= until)
            continue;
        sum += of[i].end_ns - (of[i].start_ns > until ? of[i].start_ns : until);
        until = of[i].end_ns;
    }
    return (double)sum;
}

/* Time from the first start to the last end. The activities must be sorted by start. */
static double span_ns(const struct kg_activity *of, size_t count)
{
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++)
        last = of[i].end_ns > last ? of[i].end_ns : last;
    return count ? (double)(last - of[0].start_ns) : 0;
}

static double bytes_of(const struct kg_activity *of, size_t count, enum kg_activity_kind kind)
{
    double bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (of[i].kind == kind)
            bytes += (double)of[i].bytes;
    return bytes;
}

static double pageable_bytes_of(const struct kg_activity *of, size_t count)
{
    double bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (of[i].pageable)
            bytes += (double)of[i].bytes;
    return bytes;
}

/* Figures of each call. */
enum figure {
    KERNEL_NS,
    TRANSFER_NS,
    HIDDEN_NS,
    OTHER_NS,
    GAP_NS,
    TO_DEVICE,
    TO_HOST,
    PAGEABLE,
    FIGURES
};

static void call_figures(const struct kg_activity *of, size_t count, double figures[FIGURES])
{
    double covered[RANKS];
    for (enum rank rank = 0; rank < RANKS; rank++)
        covered[rank] = covered_ns(of, count, RANK_KERNEL, rank);
    figures[KERNEL_NS] = covered[RANK_KERNEL];
    figures[TRANSFER_NS] = covered[RANK_TRANSFER] - covered[RANK_KERNEL];
    figures[HIDDEN_NS] = covered_ns(of, count, RANK_TRANSFER, RANK_TRANSFER) - figures[TRANSFER_NS];
    figures[OTHER_NS] = covered[RANK_OTHER] - covered[RANK_TRANSFER];
    figures[GAP_NS] = span_ns(of, count) - covered[RANK_OTHER];
    figures[TO_DEVICE] = bytes_of(of, count, KG_ACTIVITY_TO_DEVICE);
    figures[TO_HOST] = bytes_of(of, count, KG_ACTIVITY_TO_HOST);
    figures[PAGEABLE] = pageable_bytes_of(of, count);
}

static void figures_take(const struct kg_activity *of, size_t count, const uint64_t *marks,
                         struct kg_trace *trace)
{
    double by_figure[FIGURES][KG_TRACED_CALLS], figures[FIGURES];
    size_t at = 0;
    for (size_t call = 0; call < KG_TRACED_CALLS; call++) {
        const size_t first = at;
        while (at < count && of[at].start_ns < marks[call + 1])
            at++;
        call_figures(of + first, at - first, figures);
        for (size_t f = 0; f < FIGURES; f++)
            by_figure[f][call] = figures[f];
    }
    for (size_t f = 0; f < FIGURES; f++) {
        kg_sort(by_figure[f], KG_TRACED_CALLS);
        figures[f] = kg_median_sorted(by_figure[f], KG_TRACED_CALLS);
    }
    trace->launches = (double)count / KG_TRACED_CALLS;
    trace->kernel_ns = figures[KERNEL_NS];
    trace->transfer_ns = figures[TRANSFER_NS];
    trace->hidden_ns = figures[HIDDEN_NS];
    trace->other_ns = figures[OTHER_NS];
    trace->gap_ns = figures[GAP_NS];
    trace->to_device_bytes = figures[TO_DEVICE];
    trace->to_host_bytes = figures[TO_HOST];
    trace->pageable_bytes = figures[PAGEABLE];
}

/* Sums over all calls. */
static void kernel_add(struct kg_trace *trace, const struct kg_activity *activity,
                       struct kg_arena *arena)
{
    const char *name = activity->name ? activity->name : "a kernel without a name";
    size_t k = 0;
    while (k < trace->kernel_count && strcmp(trace->kernels[k].name, name) != 0)
        k++;
    struct kg_kernel_use *use = &trace->kernels[k];
    if (k == trace->kernel_count) {
        *use = (struct kg_kernel_use){.name = kg_arena_copy(arena, name)};
        trace->kernel_count++;
    }
    use->launches++;
    use->gpu_ns += (double)(activity->end_ns - activity->start_ns);
    if (activity->blocks * activity->threads > use->blocks * use->threads) {
        use->blocks = activity->blocks;
        use->threads = activity->threads;
        use->registers = activity->registers;
        use->shared_bytes = activity->shared_bytes;
        use->local_bytes = activity->local_bytes;
    }
    use->occupancy = use->waves = NAN;
}

static size_t names_count(const struct kg_activity *of, size_t count)
{
    size_t different = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        if (of[i].kind != KG_ACTIVITY_KERNEL)
            continue;
        while (before < i && (of[before].kind != KG_ACTIVITY_KERNEL || !of[before].name ||
                              !of[i].name || strcmp(of[before].name, of[i].name) != 0))
            before++;
        different += before == i;
    }
    return different;
}

static void kernels_take(const struct kg_activity *of, size_t count, struct kg_arena *arena,
                         struct kg_trace *trace)
{
    trace->kernels = kg_arena_alloc(arena, names_count(of, count), sizeof *trace->kernels);
    for (size_t i = 0; i < count; i++)
        if (of[i].kind == KG_ACTIVITY_KERNEL)
            kernel_add(trace, &of[i], arena);
    for (size_t k = 0; k < trace->kernel_count; k++) {
        trace->kernels[k].launches /= KG_TRACED_CALLS;
        trace->kernels[k].gpu_ns /= KG_TRACED_CALLS;
    }
}

static bool is_timed(const struct kg_activity *activity)
{
    return activity->start_ns && activity->end_ns >= activity->start_ns;
}

/* Copies the activities that began during the calls, in order. Sets *untimed to the number of
 * activities without times. */
static size_t calls_select(const struct kg_activities *activities, struct kg_activity *sorted,
                           size_t *untimed)
{
    size_t count = 0;
    *untimed = 0;
    for (size_t i = 0; i < activities->count; i++) {
        const struct kg_activity *activity = &activities->of[i];
        if (!is_timed(activity))
            (*untimed)++;
        else if (activity->start_ns >= activities->marks[0] &&
                 activity->start_ns < activities->marks[KG_TRACED_CALLS])
            sorted[count++] = *activity;
    }
    qsort(sorted, count, sizeof *sorted, by_start);
    return count;
}

static const char *why_not(const struct kg_activities *activities, size_t untimed,
                           struct kg_arena *arena)
{
    if (activities->dropped)
        return kg_arena_printf(arena, "CUPTI had no room for %llu records of device activity",
                               (unsigned long long)activities->dropped);
    if (untimed)
        return kg_arena_printf(arena, "CUPTI has no times of %zu of %zu records", untimed,
                               activities->count);
    return "CUPTI recorded no activity of the calls on the device";
}

void kg_activities_summarize(const struct kg_activities *activities, struct kg_arena *arena,
                             struct kg_trace *trace)
{
    size_t untimed;
    *trace = (struct kg_trace)KG_TRACE_NONE;
    struct kg_activity *sorted = kg_alloc(activities->count + 1, sizeof *sorted);
    const size_t count = calls_select(activities, sorted, &untimed);
    if (!count || untimed || activities->dropped) {
        trace->reason = why_not(activities, untimed, arena);
    } else {
        trace->source = KG_TRACE_OF_CUPTI;
        figures_take(sorted, count, activities->marks, trace);
        kernels_take(sorted, count, arena, trace);
    }
    free(sorted);
}

/* --- Two views of the same calls -------------------------------------------------------------- */

static double either(double first, double second)
{
    return isnan(first) ? second : first;
}

static bool same_shape(const struct kg_kernel_use *a, const struct kg_kernel_use *b)
{
    return a->blocks == b->blocks && a->threads == b->threads && a->registers == b->registers &&
           a->shared_bytes == b->shared_bytes;
}

/* Whether the recording made the name up because the driver gave none. */
static bool is_made_up(const struct kg_kernel_use *use)
{
    return strncmp(use->name, "kernel ", 7) == 0;
}

static const struct kg_kernel_use *use_find(const struct kg_trace *recorded,
                                            const struct kg_kernel_use *seen)
{
    for (size_t i = 0; i < recorded->kernel_count; i++)
        if (!strcmp(recorded->kernels[i].name, seen->name))
            return &recorded->kernels[i];
    for (size_t i = 0; i < recorded->kernel_count; i++)
        if (is_made_up(&recorded->kernels[i]) && same_shape(&recorded->kernels[i], seen))
            return &recorded->kernels[i];
    return NULL;
}

/* Takes the figures of the recording that CUPTI's records lack. */
static void use_complete(struct kg_kernel_use *use, const struct kg_kernel_use *recorded)
{
    use->blocks = either(recorded->blocks, use->blocks);
    use->threads = either(recorded->threads, use->threads);
    use->registers = either(recorded->registers, use->registers);
    use->shared_bytes = either(recorded->shared_bytes, use->shared_bytes);
    use->local_bytes = either(recorded->local_bytes, use->local_bytes);
    use->occupancy = recorded->occupancy;
    use->waves = recorded->waves;
}

/* The reasons of both sources. Their launches can differ: calls vary, and CUPTI can miss some work. */
static const char *reasons_join(const struct kg_trace *recorded, const struct kg_trace *seen,
                                struct kg_arena *arena)
{
    if (recorded->reason && seen->reason)
        return kg_arena_printf(arena, "%s; %s", recorded->reason, seen->reason);
    if (recorded->source && seen->source && seen->launches != recorded->launches)
        return kg_arena_printf(
            arena, "CUPTI recorded %.4g launches per call; the recorded graph of a call has %.4g",
            seen->launches, recorded->launches);
    return recorded->reason ? recorded->reason : seen->reason;
}

void kg_traces_join(const struct kg_trace *recorded, const struct kg_trace *seen,
                    struct kg_arena *arena, struct kg_trace *joined)
{
    *joined = seen->source ? *seen : *recorded;
    joined->reason = reasons_join(recorded, seen, arena);
    if (!recorded->source || !seen->source)
        return;
    joined->source = KG_TRACE_OF_GRAPH ", " KG_TRACE_OF_CUPTI;
    joined->kernels = kg_arena_alloc(arena, seen->kernel_count, sizeof *joined->kernels);
    for (size_t i = 0; i < seen->kernel_count; i++) {
        const struct kg_kernel_use *found = use_find(recorded, &seen->kernels[i]);
        joined->kernels[i] = seen->kernels[i];
        if (found)
            use_complete(&joined->kernels[i], found);
    }
}
