/* pack.h: the packed form of entries in a file: differences instead of time stamps, in as few bytes as
 * possible. An entry takes some seven bytes; a slot has 32. Pure; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/record/recording.h"

/* Most bytes of an entry with all its slots. */
enum { KG_PACKED_MOST = 128 };

/* Base of the next entry's differences; zeros at the beginning of a chunk. */
struct kg_pack_state {
    uint64_t end; /* end of the entry before */
    uint32_t node;
};

/* Number of the entry's slots, by its flags. */
static inline uint32_t kg_entry_slots(const struct kg_entry *entry)
{
    const uint32_t flags = entry->nested_flags >> 24;
    return 1U + (flags & KG_ENTRY_USAGE ? 1U : 0U) + (flags & KG_ENTRY_GPU ? 1U : 0U);
}

/* Packs one entry, given by its slots; returns the end of the written bytes, at most KG_PACKED_MOST. */
uint8_t *kg_entry_pack(struct kg_pack_state *state, const struct kg_entry *slots, uint8_t *to);

/* Entries of a ring: from `tail` to before `head`. Both count on beyond the ring's size. */
struct kg_ring_part {
    const struct kg_entry *ring;
    uint64_t mask;
    uint64_t tail, head;
};

/* Packs entries without bytes and flags, the usual case. Stops at the first other entry, at the part's
 * head, or KG_PACKED_MOST bytes before `end`.
 * part     its tail moves past the packed entries
 * returns  the end of the written bytes */
uint8_t *kg_entries_pack(struct kg_pack_state *state, struct kg_ring_part *part, uint8_t *to,
                         const uint8_t *end);

/* Unpacks one entry into up to KG_ENTRY_SLOTS_MOST slots.
 * returns the end of the read bytes; NULL if the bytes before `end` are no entry */
const uint8_t *kg_entry_unpack(struct kg_pack_state *state, const uint8_t *from, const uint8_t *end,
                               struct kg_entry slots[KG_ENTRY_SLOTS_MOST]);
