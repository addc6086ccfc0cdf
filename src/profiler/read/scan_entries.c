/* The entries of a recording, which take most of its bytes. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "profiler/read/scan_state.h"
#include "profiler/record/pack.h"

/* Some four years. No profile lasts so long; a longer time is damage. */
static const double TIME_MOST_NS = 0x1p57;

enum {
    FLAGS_KNOWN =
        KG_ENTRY_UNFINISHED | KG_ENTRY_SPAN | KG_ENTRY_USAGE | KG_ENTRY_GPU | KG_ENTRY_DEVICE
};

static uint64_t bounded(uint64_t value)
{
    return value < INT64_MAX ? value : INT64_MAX;
}

/* Ticks of the clock as ns since the process's first reading. */
static double moment_ns(const struct kg_scan *scan, uint64_t ticks)
{
    return (double)(int64_t)(ticks - scan->first_ticks) * scan->ns_per_tick;
}

static bool usage_read(const struct kg_scan *scan, const struct kg_entry *slot, uint64_t where,
                       struct kg_profile_entry *entry, struct kg_error *err)
{
    struct kg_entry_usage usage;
    memcpy(&usage, slot, sizeof usage);
    entry->allocated_bytes = bounded(usage.allocated_bytes);
    entry->peak_bytes = bounded(usage.peak_bytes);
    entry->device_peak_bytes = bounded(usage.device_peak_bytes);
    if (usage.cpu_ns != UINT64_MAX)
        entry->cpu_ns = (double)usage.cpu_ns;
    return !(entry->cpu_ns > TIME_MOST_NS) ||
           kg_scan_damaged(scan, where, err, "an impossible CPU time");
}

static bool gpu_read(const struct kg_scan *scan, const struct kg_entry *slot, uint64_t where,
                     struct kg_profile_entry *entry, struct kg_error *err)
{
    struct kg_entry_gpu gpu;
    memcpy(&gpu, slot, sizeof gpu);
    entry->gpu_ns = (double)gpu.duration_ns;
    entry->stream = gpu.stream;
    if (gpu.start)
        entry->gpu_start_ns = moment_ns(scan, gpu.start);
    return !(entry->gpu_ns > TIME_MOST_NS || fabs(entry->gpu_start_ns) > TIME_MOST_NS) ||
           kg_scan_damaged(scan, where, err, "an impossible GPU time");
}

static bool path_of(struct kg_scan *scan, const struct kg_scan_thread *thread,
                    const struct kg_entry *slot, uint64_t where, struct kg_profile_entry *entry,
                    struct kg_error *err)
{
    entry->started = entry->elsewhere = false;
    if (__builtin_expect(slot->nested_flags >> 24 & KG_ENTRY_SPAN, 0))
        return kg_scan_span(scan, slot->node, where, &entry->path, err);
    if (!slot->node || slot->node >= thread->node_count)
        return kg_scan_damaged(scan, where, err, "unknown path %" PRIu32, slot->node);
    const struct kg_scan_node *node = &thread->nodes[slot->node];
    entry->path = node->path - 1;
    entry->started = node->started;
    entry->elsewhere = node->elsewhere;
    return true;
}

static bool times_read(struct kg_scan *scan, const struct kg_entry *slot, uint64_t where,
                       struct kg_profile_entry *entry, struct kg_error *err)
{
    entry->start_ns = moment_ns(scan, slot->start);
    entry->duration_ns = (double)slot->duration * scan->ns_per_tick;
    const double end_ns = entry->start_ns + entry->duration_ns;
    if (!(fabs(entry->start_ns) <= TIME_MOST_NS && entry->duration_ns <= TIME_MOST_NS))
        return kg_scan_damaged(scan, where, err, "an impossible time");
    if (entry->start_ns < scan->first_ns)
        scan->first_ns = entry->start_ns;
    if (end_ns > scan->last_ns)
        scan->last_ns = end_ns;
    return true;
}

/* Fills an entry from its slots. The caller has set its process and thread. */
static bool entry_read(struct kg_scan *scan, const struct kg_scan_thread *thread,
                       const struct kg_entry *slots, uint64_t where, struct kg_profile_entry *entry,
                       struct kg_error *err)
{
    const unsigned flags = slots->nested_flags >> 24;
    entry->unfinished = flags & KG_ENTRY_UNFINISHED;
    entry->nested = slots->nested_flags & KG_ENTRY_NESTED_MOST;
    entry->overhead_ns = (double)entry->nested * scan->process->scope_cost_ns;
    entry->bytes = bounded(slots->bytes);
    entry->allocated_bytes = entry->peak_bytes = entry->device_peak_bytes = entry->stream = 0;
    entry->cpu_ns = entry->gpu_start_ns = entry->gpu_ns = NAN;
    if (__builtin_expect(flags & ~(unsigned)FLAGS_KNOWN, 0))
        return kg_scan_damaged(scan, where, err, "an entry with unknown flags");
    if (!path_of(scan, thread, slots, where, entry, err) ||
        !times_read(scan, slots, where, entry, err))
        return false;
    if (flags & KG_ENTRY_USAGE && !usage_read(scan, ++slots, where, entry, err))
        return false;
    return !(flags & KG_ENTRY_GPU) || gpu_read(scan, ++slots, where, entry, err);
}

/* The reader's place in a chunk. */
struct place {
    const struct kg_scan_chunk *chunk;
    uint64_t offset;
    struct kg_pack_state state;
    uint64_t left; /* entries */
};

/* The next entry's slots. *end: there is no further entry, or its chunk is cut off inside it. */
static bool slots_read(struct kg_scan *scan, struct place *place,
                       struct kg_entry slots[KG_ENTRY_SLOTS_MOST], bool *end, struct kg_error *err)
{
    const uint64_t left = place->chunk->end - place->offset;
    const size_t bytes = left < KG_PACKED_MOST ? (size_t)left : KG_PACKED_MOST;
    *end = !place->left;
    if (*end)
        return left < 8 || kg_scan_damaged(scan, place->offset, err, "more than its entries");
    const unsigned char *at = kg_window_at(&scan->window, place->offset, bytes, err);
    if (!at)
        return false;
    const unsigned char *next = kg_entry_unpack(&place->state, at, at + bytes, slots);
    *end = !next;
    if (*end)
        return place->chunk->cut ||
               kg_scan_damaged(scan, place->offset, err, "an entry that is none");
    place->left--;
    place->offset += (uint64_t)(next - at);
    return true;
}

static bool all_read(struct kg_scan *scan, struct place *place, struct kg_error *err)
{
    const struct kg_profile_visitor *visitor = scan->visitor;
    struct kg_profile_entry entry = {.process = scan->process_count - 1,
                                     .thread = place->chunk->header.thread};
    struct kg_scan_thread *thread = kg_scan_thread_of(scan, entry.thread, err);
    struct kg_entry slots[KG_ENTRY_SLOTS_MOST];
    bool end;
    if (!thread)
        return false;
    for (;;) {
        const uint64_t where = place->offset;
        if (!slots_read(scan, place, slots, &end, err))
            return false;
        if (end)
            return true;
        if (!entry_read(scan, thread, slots, where, &entry, err) ||
            (visitor->entry && !visitor->entry(visitor->user, &entry, err)))
            return false;
        scan->process->threads += !thread->recorded;
        thread->recorded = true;
    }
}

bool kg_scan_entries(struct kg_scan *scan, const struct kg_scan_chunk *chunk, struct kg_error *err)
{
    struct place place = {.chunk = chunk, .offset = chunk->start + sizeof place.left};
    if (chunk->header.bytes < sizeof place.left)
        return kg_scan_damaged(scan, chunk->start, err, "entries without their number");
    if (chunk->end < place.offset)
        return true;
    const unsigned char *at = kg_window_at(&scan->window, chunk->start, sizeof place.left, err);
    if (!at)
        return false;
    memcpy(&place.left, at, sizeof place.left);
    return all_read(scan, &place, err);
}
