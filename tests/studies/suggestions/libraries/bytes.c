/* zlib: the checksum of a frame that a reader takes byte by byte, each byte added by a call of its own. */
#include <zlib.h>

#include "../developed/workload.h"

enum { FRAME = 16 << 10 };

struct work {
    unsigned char frame[FRAME];
    uLong sum, expected;
};

static uLong sum_of_bytes(const unsigned char *frame)
{
    uLong sum = 0;
    for (size_t i = 0; i < FRAME; i++)
        sum = crc32(sum, frame + i, 1);
    return sum;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->sum = sum_of_bytes(work->frame);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->sum = crc32(0, work->frame, FRAME);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < FRAME; i++)
        work->frame[i] = (unsigned char)workload_random(&sequence);
    uLong sum = 0xffffffffU;
    for (size_t i = 0; i < FRAME; i++) {
        sum ^= work->frame[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? (sum >> 1) ^ 0xedb88320U : sum >> 1;
    }
    work->expected = sum ^ 0xffffffffU;
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->sum != work->expected);
}

PAIR(bytes, "Sums up a frame.");
