/* pack.h: entries as they are in a file: differences instead of time stamps, in as few bytes as
 * they need; some seven for an entry, where a slot has 32. Pure; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/record/recording.h"

/* The most that an entry with all its slots can need. */
enum { KG_PACKED_MOST = 128 };

/* What the next entry is told relative to; zeros at the beginning of a chunk. */
struct kg_pack_state {
    uint64_t end; /* of the entry before */
    uint32_t node;
};

/* How many slots the entry has, by its flags. */
static inline uint32_t kg_entry_slots(const struct kg_entry *entry)
{
    const uint32_t flags = entry->nested_flags >> 24;
    return 1U + (flags & KG_ENTRY_USAGE ? 1U : 0U) + (flags & KG_ENTRY_GPU ? 1U : 0U);
}

/* Packs one entry, `slots` being it and its further slots; returns the end of what it wrote, at
 * most KG_PACKED_MOST bytes on. */
uint8_t *kg_entry_pack(struct kg_pack_state *state, const struct kg_entry *slots, uint8_t *to);

/* Entries of a ring: from `tail` to before `head`, which are not taken modulo its size. */
struct kg_ring_part {
    const struct kg_entry *ring;
    uint64_t mask;
    uint64_t tail, head;
};

/* Packs the entries that have neither bytes nor flags, as nearly all: up to the first other one, to
 * the part's head, or until less than KG_PACKED_MOST bytes are left before `end`.
 * part     its tail is moved behind what was packed
 * returns  the end of what it wrote */
uint8_t *kg_entries_pack(struct kg_pack_state *state, struct kg_ring_part *part, uint8_t *to,
                         const uint8_t *end);

/* The reverse: fills up to KG_ENTRY_SLOTS_MOST slots.
 * returns the end of what it read; NULL where the bytes before `end` are no entry */
const uint8_t *kg_entry_unpack(struct kg_pack_state *state, const uint8_t *from, const uint8_t *end,
                               struct kg_entry slots[KG_ENTRY_SLOTS_MOST]);
