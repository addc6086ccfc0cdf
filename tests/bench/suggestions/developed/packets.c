/* Checksums of packets: CRC-32 by a table (Sarwate 1988). */
#include "workload.h"

enum { PACKETS = 400, BYTES = 96 };

struct work {
    uint8_t packets[PACKETS][BYTES];
    uint32_t sums[PACKETS];
    uint32_t table[256];
};

static void fill_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t entry = i;
        for (int bit = 0; bit < 8; bit++)
            entry = entry & 1 ? (entry >> 1) ^ 0xedb88320U : entry >> 1;
        table[i] = entry;
    }
}

static uint32_t checksum(const uint32_t table[256], const uint8_t *bytes, size_t count)
{
    uint32_t sum = 0xffffffffU;
    for (size_t i = 0; i < count; i++)
        sum = table[(sum ^ bytes[i]) & 0xff] ^ (sum >> 8);
    return ~sum;
}

static uint32_t packet_sum(const uint8_t *packet)
{
    uint32_t table[256];
    fill_table(table);
    return checksum(table, packet, BYTES);
}

static void run_bad(void *state)
{
    struct work *work = state;
    for (size_t i = 0; i < PACKETS; i++)
        work->sums[i] = packet_sum(work->packets[i]);
}

static void run_good(void *state)
{
    struct work *work = state;
    for (size_t i = 0; i < PACKETS; i++)
        work->sums[i] = checksum(work->table, work->packets[i], BYTES);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < PACKETS; i++)
        for (size_t j = 0; j < BYTES; j++)
            work->packets[i][j] = (uint8_t)workload_random(&sequence);
    fill_table(work->table);
    return true;
}

/* Bit by bit, without a table. */
static uint32_t slow_sum(const uint8_t *bytes)
{
    uint32_t sum = 0xffffffffU;
    for (size_t i = 0; i < BYTES; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? (sum >> 1) ^ 0xedb88320U : sum >> 1;
    }
    return ~sum;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (size_t i = 0; i < PACKETS; i++)
        wrong += work->sums[i] != slow_sum(work->packets[i]);
    return workload_wrong(check, wrong);
}

PAIR(packets, "Computes the checksums of packets.");
