/* Encodes an attachment in base64: three bytes become four letters, by a table. */
#include "workload.h"

enum { TRIPLES = 16 * 1024 };

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

struct work {
    uint8_t bytes[3 * TRIPLES];
    char text[4 * TRIPLES];
    char pairs[4096][2];
};

static void encode(const struct work *work, char *restrict text)
{
    for (size_t i = 0; i < TRIPLES; i++) {
        const uint8_t *bytes = &work->bytes[3 * i];
        const unsigned all = (unsigned)bytes[0] << 16 | (unsigned)bytes[1] << 8 | bytes[2];
        const char *first = work->pairs[all >> 12], *second = work->pairs[all & 4095];
        text[4 * i] = first[0];
        text[4 * i + 1] = first[1];
        text[4 * i + 2] = second[0];
        text[4 * i + 3] = second[1];
    }
}

static void run(void *state)
{
    struct work *work = state;
    encode(work, work->text);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < sizeof work->bytes; i++)
        work->bytes[i] = (uint8_t)workload_random(&sequence);
    for (size_t i = 0; i < 4096; i++) {
        work->pairs[i][0] = letters[i >> 6];
        work->pairs[i][1] = letters[i & 63];
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof work->text; i++) {
        const size_t bit = 6 * i;
        unsigned value = 0;
        for (size_t j = bit; j < bit + 6; j++)
            value = 2 * value + (work->bytes[j / 8] >> (7 - j % 8) & 1);
        wrong += work->text[i] != letters[value];
    }
    return workload_wrong(check, wrong);
}

WORKLOAD(base64, "Encodes an attachment.", run);
