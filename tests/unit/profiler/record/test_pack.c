/* Packed entries: unpacking gives the original entries. */
#include "profiler/read/recording_support.h"

#include <inttypes.h>

#include "base/random.h"

/* Numbers of every length, mostly short, and the largest. */
static uint64_t any_number(struct kg_random *random)
{
    const uint64_t value = kg_random_next(random);
    return value % 16 ? value >> kg_random_next(random) % 64 : UINT64_MAX;
}

/* An entry and its further slots; returns how many there are. */
static size_t any_entry(struct kg_random *random, struct kg_entry slots[KG_ENTRY_SLOTS_MOST])
{
    const uint32_t flags = (uint32_t)kg_random_next(random) % 256;
    size_t count = 1;
    slots[0] = (struct kg_entry){.start = any_number(random),
                                 .duration = any_number(random),
                                 .bytes = any_number(random),
                                 .node = (uint32_t)any_number(random),
                                 .nested_flags =
                                     (any_number(random) & KG_ENTRY_NESTED_MOST) | flags << 24};
    if (flags & KG_ENTRY_USAGE) {
        const struct kg_entry_usage usage = {any_number(random), any_number(random),
                                             any_number(random), 0};
        memcpy(&slots[count++], &usage, sizeof usage);
    }
    if (flags & KG_ENTRY_GPU) {
        const struct kg_entry_gpu gpu = {any_number(random), any_number(random), any_number(random),
                                         0};
        memcpy(&slots[count++], &gpu, sizeof gpu);
    }
    return count;
}

static void entries_come_out_as_they_went_in(void **state)
{
    enum { SEED = 11, TRIALS = 100000 };
    struct kg_random random = {SEED};
    struct kg_pack_state in = {0}, out = {0};
    (void)state;
    for (int t = 0; t < TRIALS; t++) {
        struct kg_entry slots[KG_ENTRY_SLOTS_MOST], unpacked[KG_ENTRY_SLOTS_MOST];
        uint8_t bytes[KG_PACKED_MOST];
        const size_t count = any_entry(&random, slots);
        const uint8_t *end = kg_entry_pack(&in, slots, bytes);
        if (end > bytes + sizeof bytes)
            fail_msg("seed %d, trial %d: %td bytes", SEED, t, end - bytes);
        if (kg_entry_unpack(&out, bytes, end, unpacked) != end ||
            memcmp(slots, unpacked, count * sizeof *slots) != 0)
            fail_msg("seed %d, trial %d: another entry", SEED, t);
        assert_int_equal(kg_entry_slots(unpacked), count);
    }
}

static void a_part_of_an_entry_is_none(void **state)
{
    enum { SEED = 12, TRIALS = 2000 };
    struct kg_random random = {SEED};
    (void)state;
    for (int t = 0; t < TRIALS; t++) {
        struct kg_entry slots[KG_ENTRY_SLOTS_MOST];
        struct kg_pack_state state_in = {0};
        uint8_t bytes[KG_PACKED_MOST];
        any_entry(&random, slots);
        const uint8_t *end = kg_entry_pack(&state_in, slots, bytes);
        for (const uint8_t *cut = bytes; cut < end; cut++) {
            struct kg_pack_state state_out = {0};
            if (kg_entry_unpack(&state_out, bytes, cut, slots))
                fail_msg("seed %d, trial %d: an entry of %td bytes", SEED, t, cut - bytes);
        }
    }
}

static void a_plain_entry_takes_few_bytes(void **state)
{
    (void)state;
    const struct kg_entry first = {.start = 1000, .duration = 100, .node = 3},
                          second = {.start = 1120, .duration = 90, .node = 3};
    struct kg_pack_state pack = {0};
    uint8_t bytes[KG_PACKED_MOST];
    assert_int_equal(kg_entry_pack(&pack, &first, bytes) - bytes, 4);
    assert_int_equal(kg_entry_pack(&pack, &second, bytes) - bytes, 3);
}

/* Packs `count` entries from `first` on by the loop over a ring; returns the bytes. */
static size_t ring_pack(const struct kg_entry *ring, uint64_t slots, uint64_t first, uint64_t count,
                        uint8_t *bytes, size_t room)
{
    struct kg_pack_state state = {0};
    struct kg_ring_part part = {ring, slots - 1, first, first + count};
    uint8_t *to = bytes;
    for (;;) {
        to = kg_entries_pack(&state, &part, to, bytes + room);
        if (part.tail == part.head)
            return (size_t)(to - bytes);
        to = kg_entry_pack(&state, &ring[part.tail++ & part.mask], to);
    }
}

static void a_ring_is_packed_as_its_entries(void **state)
{
    enum { SEED = 13, SLOTS = 64, TRIALS = 500 };
    static uint8_t together[SLOTS * KG_PACKED_MOST], alone[SLOTS * KG_PACKED_MOST];
    struct kg_random random = {SEED};
    (void)state;
    for (int t = 0; t < TRIALS; t++) {
        struct kg_entry ring[SLOTS], some[KG_ENTRY_SLOTS_MOST];
        const uint64_t first = kg_random_next(&random) % 1000;
        struct kg_pack_state plain = {0};
        uint8_t *to = alone;
        for (uint64_t i = first; i < first + SLOTS; i++) {
            any_entry(&random, some);
            some->nested_flags &= KG_ENTRY_NESTED_MOST;
            some->bytes = i % 4 ? 0 : some->bytes;
            ring[i % SLOTS] = *some;
            to = kg_entry_pack(&plain, some, to);
        }
        const size_t bytes = ring_pack(ring, SLOTS, first, SLOTS, together, sizeof together);
        if (bytes != (size_t)(to - alone) || memcmp(together, alone, bytes) != 0)
            fail_msg("seed %d, trial %d: other bytes", SEED, t);
    }
}

static void a_ring_is_packed_up_to_the_end_of_the_room(void **state)
{
    enum { SLOTS = 64 };
    static uint8_t bytes[2 * KG_PACKED_MOST];
    struct kg_entry ring[SLOTS];
    struct kg_pack_state pack = {0};
    struct kg_ring_part part = {ring, SLOTS - 1, 0, SLOTS};
    (void)state;
    for (size_t i = 0; i < SLOTS; i++)
        ring[i] = (struct kg_entry){.start = 10 * i, .duration = 5, .node = 1};
    const uint8_t *end = kg_entries_pack(&pack, &part, bytes, bytes + KG_PACKED_MOST + 5);
    assert_int_equal(part.tail, 2); /* 3 bytes each: after two, the room is below KG_PACKED_MOST */
    assert_int_equal(end - bytes, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_come_out_as_they_went_in),
        cmocka_unit_test(a_part_of_an_entry_is_none),
        cmocka_unit_test(a_plain_entry_takes_few_bytes),
        cmocka_unit_test(a_ring_is_packed_as_its_entries),
        cmocka_unit_test(a_ring_is_packed_up_to_the_end_of_the_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
