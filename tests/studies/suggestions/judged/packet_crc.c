/* packet_crc.c: the CRC-32 of many small packets, by table (polynomial 0xEDB88320). */
#include "judged.h"

enum { PACKETS = 300, PACKET_BYTES = 96 };

struct packet {
    uint8_t bytes[PACKET_BYTES];
};

struct state {
    double result;
    uint32_t table[256];
    struct packet packets[PACKETS];
};

static ELSEWHERE void fill_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? value >> 1 ^ 0xEDB88320u : value >> 1;
        table[i] = value;
    }
}

static ELSEWHERE uint32_t crc_by_table(const uint32_t table[256], const struct packet *packet)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (int i = 0; i < PACKET_BYTES; i++)
        crc = table[(crc ^ packet->bytes[i]) & 255] ^ crc >> 8;
    return ~crc;
}

static uint32_t packet_crc(const struct packet *packet)
{
    uint32_t table[256];
    fill_table(table);
    return crc_by_table(table, packet);
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < PACKETS; i++)
        for (int j = 0; j < PACKET_BYTES; j++)
            state->packets[i].bytes[j] = (uint8_t)below(&random, 256);
    fill_table(state->table);
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    double sum = 0;
    for (int i = 0; i < PACKETS; i++)
        sum += packet_crc(&state->packets[i]);
    state->result = sum;
}

static void run_good(void *place)
{
    struct state *state = place;
    double sum = 0;
    for (int i = 0; i < PACKETS; i++)
        sum += crc_by_table(state->table, &state->packets[i]);
    state->result = sum;
}

PAIR(packet_crc, 0, "Checksums of small packets.");
