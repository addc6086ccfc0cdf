/* zlib: short messages are compressed, each by itself. A stream of its own for each takes 268 kB from
 * the system and gives them back; one stream can be reset. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "../developed/workload.h"

enum { MESSAGES = 64, MESSAGE = 240, PACKED_MOST = 2 * MESSAGE };

struct work {
    z_stream stream;
    unsigned char messages[MESSAGES][MESSAGE], packed[MESSAGES][PACKED_MOST];
    uLong lengths[MESSAGES];
};

static void pack(struct work *work, z_stream *stream, size_t i)
{
    stream->next_in = work->messages[i];
    stream->avail_in = MESSAGE;
    stream->next_out = work->packed[i];
    stream->avail_out = PACKED_MOST;
    work->lengths[i] = deflate(stream, Z_FINISH) == Z_STREAM_END ? stream->total_out : 0;
}

static void pack_fresh(struct work *work, size_t i)
{
    z_stream stream = {0};
    if (deflateInit(&stream, 1) != Z_OK)
        return;
    pack(work, &stream, i);
    deflateEnd(&stream);
}

static void run_bad(void *state)
{
    struct work *work = state;
    for (size_t i = 0; i < MESSAGES; i++)
        pack_fresh(work, i);
}

static void run_good(void *state)
{
    struct work *work = state;
    for (size_t i = 0; i < MESSAGES; i++) {
        deflateReset(&work->stream);
        pack(work, &work->stream, i);
    }
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work || deflateInit(&work->stream, 1) != Z_OK)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < MESSAGES; i++) {
        memset(work->messages[i], ' ', MESSAGE);
        snprintf((char *)work->messages[i], MESSAGE,
                 "{\"sensor\": %u, \"value\": %u, \"state\": \"ok\"}",
                 (unsigned)workload_random(&sequence) % 100,
                 (unsigned)workload_random(&sequence) % 10000);
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    struct work *work = state;
    size_t wrong = 0;
    for (size_t i = 0; i < MESSAGES; i++) {
        unsigned char unpacked[MESSAGE];
        uLong length = MESSAGE;
        wrong += uncompress(unpacked, &length, work->packed[i], work->lengths[i]) != Z_OK ||
                 length != MESSAGE || memcmp(unpacked, work->messages[i], MESSAGE) != 0;
    }
    return workload_wrong(check, wrong);
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct work *work = state;
    if (work)
        deflateEnd(&work->stream);
    workload_end(context, state);
}

PAIR_ENDED(streams, "Compresses short messages.", tear_down);
