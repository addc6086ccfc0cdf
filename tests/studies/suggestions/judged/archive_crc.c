/* archive_crc.c: the CRC-32 of a block of an archive, four bytes a step (polynomial 0xEDB88320). */
#include "judged.h"

enum { BYTES = 1 << 16 };

struct state {
    double result;
    uint32_t tables[4][256];
    uint8_t block[BYTES];
};

static void fill_tables(uint32_t tables[4][256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? value >> 1 ^ 0xEDB88320u : value >> 1;
        tables[0][i] = value;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int j = 1; j < 4; j++)
            tables[j][i] = tables[j - 1][i] >> 8 ^ tables[0][tables[j - 1][i] & 255];
}

static ELSEWHERE uint32_t crc_of(const uint32_t tables[4][256], const uint8_t *bytes, size_t count)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; i += 4) {
        uint32_t word;
        memcpy(&word, bytes + i, sizeof word);
        word ^= crc;
        crc = tables[3][word & 255] ^ tables[2][word >> 8 & 255] ^ tables[1][word >> 16 & 255] ^
              tables[0][word >> 24];
    }
    return ~crc;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < BYTES; i++)
        state->block[i] = (uint8_t)below(&random, 256);
    fill_tables(state->tables);
    *place = state;
    return true;
}

static void run(void *place)
{
    struct state *state = place;
    state->result = crc_of((const uint32_t(*)[256])state->tables, state->block, BYTES);
}

static double reference(const struct state *state)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (int i = 0; i < BYTES * 8; i++) {
        const uint32_t bit = (crc ^ (uint32_t)(state->block[i / 8] >> i % 8)) & 1;
        crc = crc >> 1 ^ (bit ? 0xEDB88320u : 0);
    }
    return ~crc;
}

SINGLE(archive_crc, 0, "The checksum of a block.");
