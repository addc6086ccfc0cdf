/* Checksums of packets: CRC-32, eight bytes at a time by tables (Kounavis and Berry 2005). */
#include <string.h>

#include "workload.h"

enum { PACKETS = 250, BYTES = 512, TABLES = 8 };

struct work {
    uint8_t packets[PACKETS][BYTES];
    uint32_t sums[PACKETS];
    uint32_t tables[TABLES][256];
};

static void fill_tables(uint32_t tables[TABLES][256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t entry = i;
        for (int bit = 0; bit < 8; bit++)
            entry = entry & 1 ? (entry >> 1) ^ 0xedb88320U : entry >> 1;
        tables[0][i] = entry;
    }
    for (size_t k = 1; k < TABLES; k++)
        for (size_t i = 0; i < 256; i++)
            tables[k][i] = tables[k - 1][i] >> 8 ^ tables[0][tables[k - 1][i] & 0xff];
}

static uint32_t checksum(const struct work *work, const uint8_t *bytes)
{
    uint32_t sum = 0xffffffffU;
    for (size_t i = 0; i < BYTES; i += 8) {
        uint32_t words[2];
        memcpy(words, bytes + i, sizeof words);
        const uint32_t low = words[0] ^ sum, high = words[1];
        sum = work->tables[7][low & 0xff] ^ work->tables[6][low >> 8 & 0xff] ^
              work->tables[5][low >> 16 & 0xff] ^ work->tables[4][low >> 24] ^
              work->tables[3][high & 0xff] ^ work->tables[2][high >> 8 & 0xff] ^
              work->tables[1][high >> 16 & 0xff] ^ work->tables[0][high >> 24];
    }
    return ~sum;
}

static uint32_t packet_sum(struct work *work, const uint8_t *packet)
{
    fill_tables(work->tables);
    return checksum(work, packet);
}

static void run_bad(void *state)
{
    struct work *work = state;
    for (size_t i = 0; i < PACKETS; i++)
        work->sums[i] = packet_sum(work, work->packets[i]);
}

static void run_good(void *state)
{
    struct work *work = state;
    for (size_t i = 0; i < PACKETS; i++)
        work->sums[i] = checksum(work, work->packets[i]);
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
    fill_tables(work->tables);
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
