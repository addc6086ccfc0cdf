#include "profiler/read/profile_sum.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/grow.h"
#include "profiler/read/scan.h"

/* Room for one more item. */
#define ROOM(items, count, capacity, err)                                                          \
    (kg_grow(&(items), (count), &(capacity), sizeof *(items)) || kg_error_memory(err))

/* Adds up to INT64_MAX, the greatest number that a file can hold. */
static void add_bounded(uint64_t *sum, uint64_t more)
{
    *sum = more < INT64_MAX - *sum ? *sum + more : INT64_MAX;
}

/* --- Processes ------------------------------------------------------------------------------- */

static bool text_keep(struct kg_sum *sum, const char **text, struct kg_error *err)
{
    if (!*text)
        return true;
    size_t length = 0;
    while ((*text)[length])
        length++;
    *text = kg_strings_keep(&sum->strings, *text, length);
    return *text ? true : kg_error_memory(err);
}

static bool process_begin(void *user, size_t index, const struct kg_profile_process *process,
                          struct kg_error *err)
{
    struct kg_sum *sum = user;
    struct kg_profile_process copy = *process;
    (void)index;
    if (!ROOM(sum->processes, sum->process_count, sum->process_capacity, err) ||
        !text_keep(sum, &copy.label, err) || !text_keep(sum, &copy.program, err) ||
        !text_keep(sum, &copy.host, err))
        return false;
    sum->processes[sum->process_count++] = copy;
    return true;
}

/* --- Threads --------------------------------------------------------------------------------- */

/* Of several names the last one. */
static bool thread_name(void *user, size_t process, uint32_t thread, uint64_t system_id,
                        const char *name, struct kg_error *err)
{
    struct kg_sum *sum = user;
    struct kg_sum_named named = {process, thread, system_id < INT64_MAX ? system_id : INT64_MAX,
                                 name};
    uint64_t *place = kg_map_at(&sum->named_by_thread, (uint64_t)process << 32 | thread);
    if (!place)
        return kg_error_memory(err);
    if (!*place)
        *place = sum->named_count + 1;
    if (!ROOM(sum->named, *place - 1, sum->named_capacity, err) ||
        !text_keep(sum, &named.name, err))
        return false;
    sum->named[*place - 1] = named;
    if (*place > sum->named_count)
        sum->named_count++;
    return true;
}

static bool thread_add(struct kg_sum_threads *threads, const struct kg_sum_thread *more,
                       struct kg_error *err)
{
    uint64_t *place = kg_map_at(&threads->map, (uint64_t)more->owner << 32 | more->thread);
    if (!place)
        return kg_error_memory(err);
    if (!*place) {
        *place = UINT64_MAX; /* of no item, should there be no room for one */
        if (!ROOM(threads->items, threads->count, threads->capacity, err))
            return false;
        threads->items[threads->count++] = (struct kg_sum_thread){.owner = more->owner,
                                                                  .thread = more->thread,
                                                                  .start_ns = more->start_ns,
                                                                  .end_ns = more->end_ns};
        *place = threads->count;
    }
    struct kg_sum_thread *item = &threads->items[*place - 1];
    item->calls += more->calls;
    item->total_ns += more->total_ns;
    item->start_ns = fmin(item->start_ns, more->start_ns);
    item->end_ns = fmax(item->end_ns, more->end_ns);
    return true;
}

/* Moves a path's calls on the current thread into `threads`. */
static bool thread_flush(struct kg_sum *sum, size_t path, struct kg_error *err)
{
    struct kg_sum_entries *entries = sum->paths[path].entries;
    if (!entries->thread_calls)
        return true;
    const struct kg_sum_thread had = {.owner = path,
                                      .thread = entries->thread,
                                      .calls = entries->thread_calls,
                                      .total_ns = entries->thread_ns,
                                      .start_ns = entries->thread_start_ns,
                                      .end_ns = entries->thread_end_ns};
    entries->thread_ns = 0;
    entries->thread_calls = 0;
    return thread_add(&sum->threads, &had, err);
}

/* Adds one more thread of the current process. */
static void balance_add(struct kg_sum_balance *balance, double total_ns)
{
    balance->process_threads++;
    balance->process_total_ns += total_ns;
    if (total_ns > balance->process_busiest_ns)
        balance->process_busiest_ns = total_ns;
}

/* Adds a process after its last thread. A second call for a process adds nothing. */
static void balance_finish(struct kg_sum_balance *balance)
{
    const uint64_t threads = balance->process_threads;
    if (!threads)
        return;
    balance->threads += threads;
    if (threads > balance->threads_most)
        balance->threads_most = threads;
    balance->busiest_ns += balance->process_busiest_ns;
    balance->even_ns += balance->process_total_ns / (double)threads;
    balance->process_threads = 0;
    balance->process_total_ns = balance->process_busiest_ns = 0;
}

static struct kg_sum_balance *path_balance(const struct kg_sum *sum, size_t item)
{
    return &sum->paths[sum->threads.items[item].owner].entries->balance;
}

static struct kg_sum_balance *name_balance(const struct kg_sum *sum, size_t item)
{
    return &sum->names[sum->name_threads.items[item].owner].balance;
}

bool kg_sum_is_inner(const struct kg_sum *sum, size_t index)
{
    const struct kg_sum_path *path = &sum->paths[index];
    for (size_t at = index; sum->paths[at].path.parent != at;) {
        at = sum->paths[at].path.parent;
        const struct kg_sum_path *around = &sum->paths[at];
        if (around->name == path->name && around->entries && around->entries->calls)
            return true;
    }
    return false;
}

/* Stores a path's calls on a thread, and adds them to the calls of the path's name. */
static bool thread_keep(struct kg_sum *sum, size_t process, const struct kg_sum_thread *item,
                        struct kg_error *err)
{
    const struct kg_sum_path *path = &sum->paths[item->owner];
    struct kg_sum_thread named = *item;
    named.owner = path->name;
    if (kg_sum_is_inner(sum, item->owner))
        named.total_ns = 0;
    if (!ROOM(sum->thread_shares, sum->thread_share_count, sum->thread_share_capacity, err) ||
        !thread_add(&sum->name_threads, &named, err))
        return false;
    sum->thread_shares[sum->thread_share_count++] =
        (struct kg_profile_share){.row = item->owner,
                                  .process = process,
                                  .thread = item->thread,
                                  .calls = item->calls,
                                  .total_ns = item->total_ns,
                                  .start_ns = fmax(0, item->start_ns),
                                  .end_ns = fmax(0, item->end_ns)};
    return true;
}

/* Whether no recorded path is around a path. */
static bool is_outermost(const struct kg_sum *sum, size_t index)
{
    for (size_t at = index; sum->paths[at].path.parent != at;) {
        at = sum->paths[at].path.parent;
        if (sum->paths[at].entries && sum->paths[at].entries->calls)
            return false;
    }
    return true;
}

/* Adds the process's wall time in scopes: the outermost ones of its busiest thread. */
static bool wall_add(struct kg_sum *sum, struct kg_error *err)
{
    double most_ns = 0;
    for (size_t i = 0; i < sum->threads.count; i++) {
        struct kg_sum_thread item = sum->threads.items[i];
        if (sum->paths[item.owner].path.span || !is_outermost(sum, item.owner))
            continue;
        item.owner = 0;
        if (!thread_add(&sum->outermost, &item, err))
            return false;
    }
    for (size_t i = 0; i < sum->outermost.count; i++)
        most_ns = fmax(most_ns, sum->outermost.items[i].total_ns);
    sum->wall_ns += most_ns;
    sum->outermost.count = 0;
    kg_map_clear(&sum->outermost.map);
    return true;
}

/* The threads of a process are known: their balance by path and by name. A span is on no thread: it
 * may end on another one than it began on, and be one of many at a time. */
static bool threads_finish(struct kg_sum *sum, size_t process, struct kg_error *err)
{
    if (!wall_add(sum, err))
        return false;
    for (size_t i = 0; i < sum->threads.count; i++) {
        const struct kg_sum_thread *item = &sum->threads.items[i];
        if (sum->paths[item->owner].path.span)
            continue;
        balance_add(path_balance(sum, i), item->total_ns);
        if (!thread_keep(sum, process, item, err))
            return false;
    }
    for (size_t i = 0; i < sum->name_threads.count; i++)
        balance_add(name_balance(sum, i), sum->name_threads.items[i].total_ns);
    for (size_t i = 0; i < sum->threads.count; i++)
        balance_finish(path_balance(sum, i));
    for (size_t i = 0; i < sum->name_threads.count; i++)
        balance_finish(name_balance(sum, i));
    sum->threads.count = sum->name_threads.count = 0;
    kg_map_clear(&sum->threads.map);
    kg_map_clear(&sum->name_threads.map);
    return true;
}

static bool process_end(void *user, size_t index, const struct kg_profile_process *process,
                        struct kg_error *err)
{
    struct kg_sum *sum = user;
    struct kg_profile_process *known = &sum->processes[index];
    known->wall_ns = process->wall_ns;
    known->threads = process->threads;
    known->complete = process->complete;
    known->losses = process->losses;
    for (size_t i = 0; i < sum->touched_count; i++) {
        const size_t path = sum->touched[i];
        struct kg_sum_entries *entries = sum->paths[path].entries;
        if (!thread_flush(sum, path, err) ||
            !ROOM(sum->shares, sum->share_count, sum->share_capacity, err))
            return false;
        sum->shares[sum->share_count++] = (struct kg_sum_share){
            path, index, .calls = entries->process_calls, .total_ns = entries->process_ns};
        entries->process_calls = 0;
        entries->process_ns = 0;
    }
    sum->touched_count = 0;
    return threads_finish(sum, index, err);
}

/* --- Paths ----------------------------------------------------------------------------------- */

static bool name_find(struct kg_sum *sum, const char *text, size_t *index, struct kg_error *err)
{
    uint64_t *place = kg_map_at(&sum->name_by_text, (uint64_t)(uintptr_t)text);
    if (!place)
        return kg_error_memory(err);
    if (!*place) {
        *place = UINT64_MAX;
        if (!ROOM(sum->names, sum->name_count, sum->name_capacity, err))
            return false;
        sum->names[sum->name_count++] = (struct kg_sum_name){.name = text};
        *place = sum->name_count;
    }
    *index = *place - 1;
    return true;
}

static bool path_add(void *user, size_t index, const struct kg_profile_path *path,
                     struct kg_error *err)
{
    struct kg_sum *sum = user;
    struct kg_sum_path copy = {.path = *path};
    if (!ROOM(sum->paths, sum->path_count, sum->path_capacity, err) ||
        !text_keep(sum, &copy.path.name, err) || !text_keep(sum, &copy.path.device, err) ||
        !text_keep(sum, &copy.path.backend, err) || !text_keep(sum, &copy.path.file, err) ||
        !name_find(sum, copy.path.name, &copy.name, err))
        return false;
    sum->paths[index] = copy;
    sum->path_count++;
    return true;
}

static struct kg_sum_entries *entries_make(struct kg_sum *sum, size_t path, struct kg_error *err)
{
    struct kg_sum_entries *entries = calloc(1, sizeof *entries);
    if (!entries) {
        kg_error_memory(err);
        return NULL;
    }
    entries->min_ns = INFINITY;
    entries->cpu_ns = NAN;
    sum->paths[path].entries = entries;
    return entries;
}

/* --- Entries --------------------------------------------------------------------------------- */

/* Running mean and squares (Welford 1962). */
static void moments_add(struct kg_sum_entries *entries, double value)
{
    const double off = value - entries->mean_ns;
    entries->calls++;
    entries->mean_ns += off / (double)entries->calls;
    entries->squares += off * (value - entries->mean_ns);
    entries->total_ns += value;
    if (value < entries->min_ns)
        entries->min_ns = value;
    if (value > entries->max_ns)
        entries->max_ns = value;
}

static void rest_add(struct kg_sum_entries *entries, const struct kg_profile_entry *entry,
                     bool transfer)
{
    const bool on_gpu = !isnan(entry->gpu_ns);
    entries->overhead_ns += entry->overhead_ns;
    entries->started_ns += entry->started ? entry->duration_ns : 0;
    entries->elsewhere_ns += entry->elsewhere ? entry->duration_ns : 0;
    entries->unfinished += entry->unfinished;
    add_bounded(&entries->bytes, entry->bytes);
    add_bounded(&entries->allocated_bytes, entry->allocated_bytes);
    if (entry->peak_bytes > entries->peak_bytes)
        entries->peak_bytes = entry->peak_bytes;
    if (entry->device_peak_bytes > entries->device_peak_bytes)
        entries->device_peak_bytes = entry->device_peak_bytes;
    if (!isnan(entry->cpu_ns))
        entries->cpu_ns = entry->cpu_ns + (isnan(entries->cpu_ns) ? 0 : entries->cpu_ns);
    if (transfer)
        entries->transfer_ns += on_gpu ? entry->gpu_ns : entry->duration_ns;
    else if (on_gpu)
        entries->gpu_ns += entry->gpu_ns;
}

/* Adds an entry to the calls on the current thread. */
static void thread_entry_add(struct kg_sum_entries *entries, const struct kg_profile_entry *entry)
{
    const double end_ns = entry->start_ns + entry->duration_ns;
    if (!entries->thread_calls || entry->start_ns < entries->thread_start_ns)
        entries->thread_start_ns = entry->start_ns;
    if (!entries->thread_calls || end_ns > entries->thread_end_ns)
        entries->thread_end_ns = end_ns;
    entries->thread_calls++;
    entries->thread_ns += entry->duration_ns;
}

/* Threads of a parallel region may have other parts of the work, one thread's calls after the other's.
 * Blocks are of calls that follow each other. */
static void block_add(struct kg_sum_entries *entries, const struct kg_profile_entry *entry)
{
    if (entry->elsewhere && entries->blocks_own)
        return;
    if (!entry->elsewhere && !entries->blocks_own)
        entries->blocks = (struct kg_blocks){0};
    entries->blocks_own = !entry->elsewhere;
    kg_blocks_add(&entries->blocks, entry->duration_ns);
}

static bool entry_add(void *user, const struct kg_profile_entry *entry, struct kg_error *err)
{
    struct kg_sum *sum = user;
    const struct kg_sum_path *path = &sum->paths[entry->path];
    struct kg_sum_entries *entries = path->entries;
    if (!entries && !(entries = entries_make(sum, entry->path, err)))
        return false;
    if (!entries->process_calls) {
        if (!ROOM(sum->touched, sum->touched_count, sum->touched_capacity, err))
            return false;
        sum->touched[sum->touched_count++] = entry->path;
    }
    if (entries->thread != entry->thread && !thread_flush(sum, entry->path, err))
        return false;
    entries->thread = entry->thread;
    thread_entry_add(entries, entry);
    entries->process_calls++;
    entries->process_ns += entry->duration_ns;
    sum->entry_count++;
    moments_add(entries, entry->duration_ns);
    rest_add(entries, entry, path->path.kind == KGATE_SCOPE_TRANSFER);
    if (entry->process == 0)
        block_add(entries, entry);
    return kg_histogram_add(&entries->histogram, entry->duration_ns) || kg_error_memory(err);
}

/* Two sets of moments as one (Chan, Golub and LeVeque 1979). */
bool kg_sum_merge(struct kg_sum_entries *sum, const struct kg_sum_entries *more,
                  struct kg_error *err)
{
    const double before = (double)sum->calls, added = (double)more->calls, all = before + added;
    const double off = more->mean_ns - sum->mean_ns;
    if (!more->calls)
        return true;
    sum->calls += more->calls;
    sum->mean_ns += off * added / all;
    sum->squares += more->squares + off * off * before * added / all;
    sum->total_ns += more->total_ns;
    sum->elsewhere_ns += more->elsewhere_ns;
    sum->min_ns = fmin(sum->min_ns, more->min_ns);
    sum->max_ns = fmax(sum->max_ns, more->max_ns);
    sum->unfinished += more->unfinished;
    add_bounded(&sum->bytes, more->bytes);
    add_bounded(&sum->allocated_bytes, more->allocated_bytes);
    if (more->peak_bytes > sum->peak_bytes)
        sum->peak_bytes = more->peak_bytes;
    if (more->device_peak_bytes > sum->device_peak_bytes)
        sum->device_peak_bytes = more->device_peak_bytes;
    if (!isnan(more->cpu_ns))
        sum->cpu_ns = more->cpu_ns + (isnan(sum->cpu_ns) ? 0 : sum->cpu_ns);
    return kg_histogram_merge(&sum->histogram, &more->histogram) || kg_error_memory(err);
}

/* --- The whole ------------------------------------------------------------------------------- */

struct kg_profile_visitor kg_sum_visitor(struct kg_sum *sum)
{
    sum->strings.arena = &sum->arena;
    return (struct kg_profile_visitor){.user = sum,
                                       .process = process_begin,
                                       .path = path_add,
                                       .thread = thread_name,
                                       .entry = entry_add,
                                       .process_end = process_end};
}

void kg_sum_free(struct kg_sum *sum)
{
    for (size_t i = 0; i < sum->path_count; i++)
        if (sum->paths[i].entries)
            kg_histogram_free(&sum->paths[i].entries->histogram);
    for (size_t i = 0; i < sum->path_count; i++)
        free(sum->paths[i].entries);
    free(sum->paths);
    free(sum->names);
    free(sum->processes);
    free(sum->shares);
    free(sum->thread_shares);
    free(sum->touched);
    free(sum->named);
    kg_map_free(&sum->named_by_thread);
    free(sum->threads.items);
    free(sum->name_threads.items);
    free(sum->outermost.items);
    kg_map_free(&sum->outermost.map);
    kg_map_free(&sum->threads.map);
    kg_map_free(&sum->name_threads.map);
    kg_map_free(&sum->name_by_text);
    kg_strings_free(&sum->strings);
    kg_arena_free(&sum->arena);
    *sum = (struct kg_sum){0};
}

/* --- A whole recording ----------------------------------------------------------------------- */

bool kg_profile_read_file(int file, const char *path, struct kg_profile *profile,
                          struct kg_error *err)
{
    struct kg_sum sum = {0};
    const struct kg_profile_visitor visitor = kg_sum_visitor(&sum);
    *profile = (struct kg_profile){0};
    const bool good =
        kg_profile_scan_file(file, path, &visitor, err) && kg_sum_finish(&sum, profile, NULL, err);
    kg_sum_free(&sum);
    return good;
}

bool kg_profile_read(const char *path, struct kg_profile *profile, struct kg_error *err)
{
    *profile = (struct kg_profile){0};
    const int file = kg_profile_open(path, err);
    if (file < 0)
        return false;
    const bool good = kg_profile_read_file(file, path, profile, err);
    close(file);
    return good;
}
