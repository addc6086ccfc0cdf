/* From sums to a profile: figures with the inner scopes, shares, rounds, and the order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/read/profile_sum.h"

/* Rounds of all rows together. */
enum { ROUNDS_MOST = 1 << 24 };

/* A path with its inner scopes. A path without calls was still open when the recording ended; it
 * gets the sums of its inner scopes. */
struct inclusive {
    double total_ns;
    double inner_ns; /* total_ns of the scopes directly inside */
    double gpu_ns, inner_gpu_ns;
    double transfer_ns, inner_transfer_ns;
    double overhead_ns, inner_overhead_ns;
    uint64_t device_peak_bytes; /* the most here and inside */
    double paused_ns;           /* time in "(profiler)" scopes inside, at any depth */
    size_t child, next;         /* first inner path, next path beside it, in order; NONE: no more */
};
#define NONE ((size_t)-1)

struct ranked {
    bool labelled; /* comes before all paths without a label */
    double ns;
    size_t index;
};

struct work {
    const struct kg_sum *sum;
    struct kg_profile *profile;
    struct inclusive *paths;
    struct ranked *order;
    size_t *rows;  /* of each path */
    size_t *which; /* the path of each row */
    size_t first;  /* outermost path */
};

static const struct kg_sum_entries no_entries = {.cpu_ns = NAN};

static const struct kg_sum_entries *entries_of(const struct kg_sum_path *path)
{
    return path->entries ? path->entries : &no_entries;
}

/* --- Inner scopes ---------------------------------------------------------------------------- */

/* A scope's own GPU time lasts from its start to its end on the stream. It includes inner scopes
 * there. The maximum counts no time twice, and still includes inner scopes on other streams. Copies
 * have a figure of their own. */
static void include_gpu(struct inclusive *path, const struct kg_sum_entries *own, bool transfer)
{
    path->gpu_ns = fmax(path->inner_gpu_ns, own->gpu_ns - path->inner_transfer_ns);
    path->transfer_ns =
        transfer ? fmax(path->inner_transfer_ns, own->transfer_ns) : path->inner_transfer_ns;
}

static void include(struct work *work, size_t index)
{
    const struct kg_sum_path *path = &work->sum->paths[index];
    const struct kg_sum_entries *own = entries_of(path);
    struct inclusive *at = &work->paths[index];
    const bool pause = path->path.kind == KGATE_SCOPE_PROFILER;
    at->total_ns = own->calls ? own->total_ns : at->inner_ns;
    at->overhead_ns = pause        ? at->total_ns
                      : own->calls ? own->overhead_ns + at->paused_ns
                                   : at->inner_overhead_ns;
    include_gpu(at, own, path->path.kind == KGATE_SCOPE_TRANSFER);
    if (own->device_peak_bytes > at->device_peak_bytes)
        at->device_peak_bytes = own->device_peak_bytes;
    if (path->path.parent == index)
        return;
    /* Time on the threads of a parallel region passes beside the region's own. */
    const double beside_ns = own->started_ns;
    struct inclusive *parent = &work->paths[path->path.parent];
    parent->inner_ns += at->total_ns - beside_ns;
    parent->inner_gpu_ns += at->gpu_ns;
    parent->inner_transfer_ns += at->transfer_ns;
    parent->inner_overhead_ns += at->overhead_ns;
    if (at->device_peak_bytes > parent->device_peak_bytes)
        parent->device_peak_bytes = at->device_peak_bytes;
    parent->paused_ns += pause ? at->total_ns - beside_ns : at->paused_ns;
}

/* --- The order ------------------------------------------------------------------------------- */

static int ranked_compare(const void *one, const void *other)
{
    const struct ranked *a = one, *b = other;
    if (a->labelled != b->labelled)
        return a->labelled ? -1 : 1;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static bool is_labelled(const struct kg_sum *sum, const struct kg_profile_path *path)
{
    for (size_t i = 0; i < sum->process_count; i++)
        if (sum->processes[i].label && !strcmp(sum->processes[i].label, path->name))
            return true;
    return false;
}

/* Paths beside each other are ranked by total. Cases of a suite are ranked by the time per call,
 * because kgate records each case for the same time. */
static struct ranked rank_of(const struct work *work, size_t index)
{
    const struct kg_sum_path *path = &work->sum->paths[index];
    const uint64_t calls = entries_of(path)->calls;
    const double total_ns = work->paths[index].total_ns;
    if (path->path.parent != index || !calls || !is_labelled(work->sum, &path->path))
        return (struct ranked){false, total_ns, index};
    return (struct ranked){true, total_ns / (double)calls, index};
}

/* Hangs each path into its parent's list, from the smallest to the largest, each in front. */
static void children_sort(struct work *work)
{
    const size_t count = work->sum->path_count;
    for (size_t i = 0; i < count; i++) {
        work->order[i] = rank_of(work, i);
        work->paths[i].child = work->paths[i].next = NONE;
    }
    qsort(work->order, count, sizeof *work->order, ranked_compare);
    work->first = NONE;
    for (size_t i = count; i--;) {
        const size_t index = work->order[i].index, parent = work->sum->paths[index].path.parent;
        size_t *list = parent == index ? &work->first : &work->paths[parent].child;
        work->paths[index].next = *list;
        *list = index;
    }
}

/* Gives each path its row: itself, then those inside, then the next one beside it. */
static void rows_number(struct work *work)
{
    size_t row = 0;
    for (size_t at = work->first; at != NONE;) {
        work->which[row] = at;
        work->rows[at] = row++;
        if (work->paths[at].child != NONE) {
            at = work->paths[at].child;
            continue;
        }
        while (work->paths[at].next == NONE && work->sum->paths[at].path.parent != at)
            at = work->sum->paths[at].path.parent;
        at = work->paths[at].next;
    }
}

/* --- Figures --------------------------------------------------------------------------------- */

/* The figures that need only a path's own entries, or a name's. */
static struct kg_profile_figures own_figures(const struct kg_sum_entries *entries)
{
    const double calls = (double)entries->calls;
    struct kg_profile_figures figures = {
        .calls = entries->calls,
        .total_ns = entries->total_ns,
        .elsewhere_ns = entries->elsewhere_ns,
        .cpu_ns = entries->cpu_ns,
        .bytes = entries->bytes,
        .allocated_bytes = entries->allocated_bytes,
        .peak_bytes = entries->peak_bytes,
        .device_peak_bytes = entries->device_peak_bytes,
        .unfinished = entries->unfinished,
        .threads = entries->balance.threads,
        .threads_most = entries->balance.threads_most,
        .busiest_thread_ns = entries->balance.busiest_ns,
        .even_thread_ns = entries->balance.even_ns,
    };
    if (!entries->calls)
        return figures;
    figures.mean_ns = entries->total_ns / calls;
    figures.min_ns = entries->min_ns;
    figures.max_ns = entries->max_ns;
    figures.standard_deviation_ns = entries->calls > 1 ? sqrt(entries->squares / (calls - 1)) : 0;
    double *const quantiles[] = {&figures.p50_ns, &figures.p95_ns, &figures.p99_ns};
    static const double shares[] = {0.5, 0.95, 0.99};
    for (size_t i = 0; i < 3; i++) {
        const double value = kg_histogram_quantile(&entries->histogram, shares[i]);
        *quantiles[i] = fmin(fmax(value, figures.min_ns), figures.max_ns);
    }
    return figures;
}

/* The share of the wall time. Threads of a parallel region work beside the thread that started it. Of
 * other threads the busiest one counts. */
static double share_of(const struct work *work, const struct kg_profile_figures *figures)
{
    const double wall_ns = figures->elsewhere_ns > 0 ? figures->total_ns - figures->elsewhere_ns
                                                     : figures->busiest_thread_ns;
    return work->sum->wall_ns > 0 ? wall_ns / work->sum->wall_ns : 0;
}

static void row_fill(const struct work *work, size_t index, struct kg_profile_row *row)
{
    const struct kg_sum_path *path = &work->sum->paths[index];
    const struct inclusive *inclusive = &work->paths[index];
    row->path = path->path;
    row->path.parent = work->rows[path->path.parent];
    row->figures = own_figures(entries_of(path));
    row->figures.self_ns = fmax(0, row->figures.total_ns - inclusive->inner_ns);
    row->figures.share = path->path.span ? 0 : share_of(work, &row->figures);
    row->figures.gpu_ns = inclusive->gpu_ns;
    row->figures.transfer_ns = inclusive->transfer_ns;
    row->figures.overhead_ns = inclusive->overhead_ns;
    row->figures.device_peak_bytes = inclusive->device_peak_bytes;
}

/* --- Rounds ---------------------------------------------------------------------------------- */

/* Blocks of some calls stand for all calls: the factor to their mean. */
static double blocks_scale(const struct kg_profile_figures *figures, const double *means,
                           size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += means[i];
    return figures->elsewhere_ns > 0 && sum > 0 ? figures->mean_ns * (double)count / sum : 1;
}

static bool rounds_blocks(struct work *work, size_t index, struct kg_profile_row *row,
                          struct kg_error *err)
{
    const struct kg_sum_entries *entries = entries_of(&work->sum->paths[index]);
    double means[KG_PROFILE_BLOCKS];
    size_t count = kg_blocks_means(&entries->blocks, KG_PROFILE_BLOCKS, means);
    if (count < 2) {
        count = 1;
        means[0] = row->figures.mean_ns;
    }
    row->rounds_ns = kg_arena_alloc(&work->profile->arena, count, sizeof *row->rounds_ns);
    row->calls = kg_arena_alloc(&work->profile->arena, 1, sizeof *row->calls);
    if (!row->rounds_ns || !row->calls)
        return kg_error_memory(err);
    const double scale = blocks_scale(&row->figures, means, count);
    for (size_t i = 0; i < count; i++)
        row->rounds_ns[i] = means[i] * scale * (double)row->figures.calls;
    row->calls[0] = (double)row->figures.calls;
    row->round_count = count;
    row->process_count = 1;
    return true;
}

static bool rounds_processes(struct work *work, struct kg_error *err)
{
    const struct kg_sum *sum = work->sum;
    const size_t count = sum->process_count, rows = work->profile->row_count;
    if (rows > ROUNDS_MOST / count)
        return kg_error_set(err, KG_ERROR_USAGE, "%zu paths in %zu processes are too many", rows,
                            count);
    double *rounds = kg_arena_alloc(&work->profile->arena, 2 * rows * count, sizeof *rounds);
    if (!rounds)
        return kg_error_memory(err);
    for (size_t i = 0; i < rows; i++) {
        struct kg_profile_row *row = &work->profile->rows[i];
        row->rounds_ns = rounds + 2 * i * count;
        row->calls = row->rounds_ns + count;
        row->round_count = row->process_count = count;
    }
    for (size_t i = 0; i < sum->share_count; i++) {
        const struct kg_sum_share *share = &sum->shares[i];
        const struct kg_profile_row *row = &work->profile->rows[work->rows[share->path]];
        row->rounds_ns[share->process] = share->total_ns;
        row->calls[share->process] = (double)share->calls;
    }
    return true;
}

static bool rows_make(struct work *work, struct kg_error *err)
{
    struct kg_profile *profile = work->profile;
    const size_t count = work->sum->path_count;
    profile->rows = kg_arena_alloc(&profile->arena, count, sizeof *profile->rows);
    if (!profile->rows)
        return kg_error_memory(err);
    profile->row_count = count;
    for (size_t i = 0; i < count; i++) {
        row_fill(work, work->which[i], &profile->rows[i]);
        if (work->sum->process_count == 1 &&
            !rounds_blocks(work, work->which[i], &profile->rows[i], err))
            return false;
    }
    return work->sum->process_count == 1 || rounds_processes(work, err);
}

/* --- Threads --------------------------------------------------------------------------------- */

static int share_compare(const void *one, const void *other)
{
    const struct kg_profile_share *a = one, *b = other;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static bool shares_make(struct work *work, struct kg_error *err)
{
    const struct kg_sum *sum = work->sum;
    struct kg_profile *profile = work->profile;
    const size_t count = sum->thread_share_count;
    profile->shares = kg_arena_alloc(&profile->arena, count, sizeof *profile->shares);
    if (!profile->shares)
        return kg_error_memory(err);
    for (size_t i = 0; i < count; i++) {
        profile->shares[i] = sum->thread_shares[i];
        profile->shares[i].row = work->rows[sum->thread_shares[i].row];
    }
    qsort(profile->shares, count, sizeof *profile->shares, share_compare);
    profile->share_count = count;
    return true;
}

/* --- Names ----------------------------------------------------------------------------------- */

/* The sum of a name's paths. */
struct named {
    struct kg_sum_entries entries;
    double all_ns; /* with calls inside itself */
    double self_ns, share, gpu_ns, transfer_ns, overhead_ns;
};

static bool named_add(const struct work *work, struct named *named, size_t index,
                      struct kg_error *err)
{
    const struct kg_sum_path *path = &work->sum->paths[index];
    const struct kg_profile_figures *figures = &work->profile->rows[work->rows[index]].figures;
    struct named *name = &named[path->name];
    if (!name->entries.calls) {
        name->entries.cpu_ns = NAN;
        name->entries.min_ns = INFINITY;
    }
    const struct kg_sum_entries before = name->entries;
    if (!kg_sum_merge(&name->entries, entries_of(path), err))
        return false;
    name->all_ns += figures->total_ns;
    if (figures->device_peak_bytes > name->entries.device_peak_bytes)
        name->entries.device_peak_bytes = figures->device_peak_bytes;
    name->self_ns += figures->self_ns;
    /* Calls inside a scope of the same name are part of that scope: their time, and all figures that
     * grow with it, are already counted. */
    if (kg_sum_is_inner(work->sum, index)) {
        name->entries.total_ns = before.total_ns;
        name->entries.elsewhere_ns = before.elsewhere_ns;
        name->entries.cpu_ns = before.cpu_ns;
        name->entries.bytes = before.bytes;
        name->entries.allocated_bytes = before.allocated_bytes;
        return true;
    }
    name->share += figures->share;
    name->gpu_ns += figures->gpu_ns;
    name->transfer_ns += figures->transfer_ns;
    name->overhead_ns += figures->overhead_ns;
    return true;
}

static void name_fill(const struct kg_sum_name *source, struct named *named,
                      struct kg_profile_name *name)
{
    named->entries.balance = source->balance;
    name->name = source->name;
    name->figures = own_figures(&named->entries);
    name->figures.mean_ns = named->all_ns / (double)named->entries.calls;
    name->figures.self_ns = named->self_ns;
    name->figures.share = named->share;
    name->figures.gpu_ns = named->gpu_ns;
    name->figures.transfer_ns = named->transfer_ns;
    name->figures.overhead_ns = named->overhead_ns;
}

/* Names that were called, by total. */
static bool names_sort(struct work *work, struct named *named, struct kg_error *err)
{
    struct kg_profile *profile = work->profile;
    const struct kg_sum *sum = work->sum;
    size_t count = 0;
    for (size_t i = 0; i < sum->name_count; i++)
        if (named[i].entries.calls)
            work->order[count++] = (struct ranked){false, named[i].entries.total_ns, i};
    qsort(work->order, count, sizeof *work->order, ranked_compare);
    profile->names = kg_arena_alloc(&profile->arena, count, sizeof *profile->names);
    if (!profile->names)
        return kg_error_memory(err);
    profile->name_count = count;
    for (size_t i = 0; i < count; i++) {
        const size_t index = work->order[i].index;
        name_fill(&sum->names[index], &named[index], &profile->names[i]);
    }
    return true;
}

static bool names_make(struct work *work, struct kg_error *err)
{
    const struct kg_sum *sum = work->sum;
    struct named *named = calloc(sum->name_count + 1, sizeof *named);
    bool good = true;
    if (!named)
        return kg_error_memory(err);
    for (size_t i = 0; i < sum->path_count && good; i++)
        good = named_add(work, named, i, err);
    good = good && names_sort(work, named, err);
    for (size_t i = 0; i < sum->name_count; i++)
        kg_histogram_free(&named[i].entries.histogram);
    free(named);
    return good;
}

/* --- The whole ------------------------------------------------------------------------------- */

static bool facts_make(struct work *work, struct kg_error *err)
{
    const struct kg_sum *sum = work->sum;
    struct kg_profile *profile = work->profile;
    const size_t count = sum->process_count;
    profile->processes = kg_arena_alloc(&profile->arena, count, sizeof *profile->processes);
    if (!profile->processes)
        return kg_error_memory(err);
    if (count)
        memcpy(profile->processes, sum->processes, count * sizeof *profile->processes);
    profile->process_count = count;
    profile->entry_count = sum->entry_count;
    for (size_t i = 0; i < count; i++)
        profile->wall_ns += profile->processes[i].wall_ns;
    return true;
}

static bool finish(struct work *work, struct kg_error *err)
{
    if (!work->paths || !work->order || !work->rows || !work->which)
        return kg_error_memory(err);
    for (size_t i = work->sum->path_count; i--;)
        include(work, i);
    children_sort(work);
    rows_number(work);
    return facts_make(work, err) && rows_make(work, err) && shares_make(work, err) &&
           names_make(work, err);
}

bool kg_sum_finish(struct kg_sum *sum, struct kg_profile *profile, size_t **rows,
                   struct kg_error *err)
{
    const size_t count = sum->path_count + 1;
    struct work work = {.sum = sum,
                        .profile = profile,
                        .paths = calloc(count, sizeof *work.paths),
                        .order = calloc(count, sizeof *work.order),
                        .rows = calloc(count, sizeof *work.rows),
                        .which = calloc(count, sizeof *work.which)};
    *profile = (struct kg_profile){.arena = sum->arena};
    sum->arena = (struct kg_arena){0};
    const bool good = finish(&work, err);
    if (!good)
        kg_profile_free(profile);
    free(work.paths);
    free(work.order);
    free(work.which);
    if (good && rows)
        *rows = work.rows;
    else
        free(work.rows);
    return good;
}
