/* Numbers are in groups of seven bits, the lowest first, the eighth bit saying that more follow
 * (LEB128); signed ones have their sign in the lowest bit. An entry is:
 *
 *   node - that of the entry before (signed) * 4 + has_flags * 2 + has_nested
 *   start - end of the entry before (signed); duration
 *   nested                                                    with has_nested
 *   flags, bytes                                              with has_flags
 *   allocated, peak, cpu_ns + 1 (0: not measured)             with KG_ENTRY_USAGE
 *   device_peak                                               with KG_ENTRY_USAGE and _DEVICE
 *   start - the entry's start (signed), duration_ns, stream   with KG_ENTRY_GPU */
#include "profiler/record/pack.h"

#include <endian.h>
#include <string.h>

static uint8_t *put(uint8_t *to, uint64_t value)
{
    while (value >= 128) {
        *to++ = (uint8_t)(value | 128);
        value >>= 7;
    }
    *to++ = (uint8_t)value;
    return to;
}

/* A number below 2^14, without a branch; stores two bytes. */
static inline uint8_t *put_short(uint8_t *to, uint64_t value)
{
    const unsigned more = value > 127;
    /* The bits above the lowest seven belong one bit higher, so they are added once more. */
    const uint16_t groups = htole16((uint16_t)((value + (value & ~UINT64_C(127))) | more << 7));
    memcpy(to, &groups, sizeof groups);
    return to + 1 + more;
}

/* The two times of an entry. Times of scopes around a microsecond need one byte or two in turn. A
 * mispredicted branch would cost as much as packing the whole entry. */
static inline uint8_t *put_times(uint8_t *to, uint64_t first, uint64_t second)
{
    if (__builtin_expect((first | second) >> 14 == 0, 1))
        return put_short(put_short(to, first), second);
    return put(put(to, first), second);
}

static uint64_t fold(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static uint64_t unfold(uint64_t folded)
{
    return folded >> 1 ^ (0 - (folded & 1));
}

/* Sets *from to NULL if there is no number. */
static uint64_t get(const uint8_t **from, const uint8_t *end)
{
    uint64_t value = 0;
    const uint8_t *at = *from;
    for (unsigned shift = 0; at && at < end && shift < 64; shift += 7) {
        const uint8_t byte = *at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *from = at;
            return value;
        }
    }
    *from = NULL;
    return 0;
}

/* The part that all entries have. */
static inline uint8_t *put_entry(const struct kg_pack_state *state, const struct kg_entry *entry,
                                 bool has_flags, uint8_t *to)
{
    const uint32_t nested = entry->nested_flags & KG_ENTRY_NESTED_MOST;
    const uint64_t node = fold((uint64_t)entry->node - state->node);
    to = put(to, node << 2 | (has_flags ? 2U : 0U) | (nested ? 1U : 0U));
    to = put_times(to, fold(entry->start - state->end), entry->duration);
    return nested ? put(to, nested) : to;
}

static inline struct kg_pack_state state_after(const struct kg_entry *entry)
{
    return (struct kg_pack_state){.end = entry->start + entry->duration, .node = entry->node};
}

uint8_t *kg_entry_pack(struct kg_pack_state *state, const struct kg_entry *slots, uint8_t *to)
{
    const struct kg_entry *entry = slots;
    const uint32_t flags = entry->nested_flags >> 24;
    const bool has_flags = flags || entry->bytes;
    to = put_entry(state, entry, has_flags, to);
    if (has_flags) {
        to = put(to, flags);
        to = put(to, entry->bytes);
    }
    if (flags & KG_ENTRY_USAGE) {
        struct kg_entry_usage usage;
        memcpy(&usage, ++slots, sizeof usage);
        to = put(to, usage.allocated_bytes);
        to = put(to, usage.peak_bytes);
        to = put(to, usage.cpu_ns + 1);
        to = flags & KG_ENTRY_DEVICE ? put(to, usage.device_peak_bytes) : to;
    }
    if (flags & KG_ENTRY_GPU) {
        struct kg_entry_gpu gpu;
        memcpy(&gpu, ++slots, sizeof gpu);
        to = put(to, fold(gpu.start - entry->start));
        to = put(to, gpu.duration_ns);
        to = put(to, gpu.stream);
    }
    *state = state_after(entry);
    return to;
}

uint8_t *kg_entries_pack(struct kg_pack_state *state, struct kg_ring_part *part, uint8_t *to,
                         const uint8_t *end)
{
    /* Local copies: a stored byte may alias anything, so the compiler would read the fields again after
     * each store. */
    struct kg_pack_state before = *state;
    const struct kg_ring_part all = *part;
    uint64_t tail = all.tail;
    for (; tail < all.head && end - to >= KG_PACKED_MOST; tail++) {
        const struct kg_entry *entry = &all.ring[tail & all.mask];
        if (entry->bytes || entry->nested_flags >> 24)
            break;
        to = put_entry(&before, entry, false, to);
        before = state_after(entry);
    }
    part->tail = tail;
    *state = before;
    return to;
}

static void usage_get(const uint8_t **from, const uint8_t *end, bool device, struct kg_entry *slot)
{
    struct kg_entry_usage usage = {0};
    usage.allocated_bytes = get(from, end);
    usage.peak_bytes = get(from, end);
    usage.cpu_ns = get(from, end) - 1;
    usage.device_peak_bytes = device ? get(from, end) : 0;
    memcpy(slot, &usage, sizeof usage);
}

static void gpu_get(const uint8_t **from, const uint8_t *end, uint64_t start, struct kg_entry *slot)
{
    struct kg_entry_gpu gpu = {0};
    gpu.start = start + unfold(get(from, end));
    gpu.duration_ns = get(from, end);
    gpu.stream = get(from, end);
    memcpy(slot, &gpu, sizeof gpu);
}

const uint8_t *kg_entry_unpack(struct kg_pack_state *state, const uint8_t *from, const uint8_t *end,
                               struct kg_entry slots[KG_ENTRY_SLOTS_MOST])
{
    struct kg_entry *entry = slots;
    const uint64_t head = get(&from, end);
    *entry = (struct kg_entry){.node = (uint32_t)(state->node + unfold(head >> 2))};
    entry->start = state->end + unfold(get(&from, end));
    entry->duration = get(&from, end);
    const uint64_t nested = head & 1 ? get(&from, end) : 0;
    const uint64_t flags = head & 2 ? get(&from, end) : 0;
    entry->bytes = head & 2 ? get(&from, end) : 0;
    if (!from || nested > KG_ENTRY_NESTED_MOST || flags > 255)
        return NULL;
    entry->nested_flags = (uint32_t)(nested | flags << 24);
    if (flags & KG_ENTRY_USAGE)
        usage_get(&from, end, flags & KG_ENTRY_DEVICE, ++slots);
    if (flags & KG_ENTRY_GPU)
        gpu_get(&from, end, entry->start, ++slots);
    *state = state_after(entry);
    return from;
}
