/* trace_writer.c: events of a trace, packed into a buffer and written to a file by the block. */
#include "judged.h"

enum { EVENTS = 40000, BLOCK = 1 << 16, EVENT_MOST = 16 };

struct writer {
    int file;
    size_t used;
    uint8_t block[BLOCK];
};

struct state {
    double result;
    struct writer writer;
    uint32_t times[EVENTS];
};

static bool write_block(struct writer *writer)
{
    const size_t bytes = writer->used;
    writer->used = 0;
    return write(writer->file, writer->block, bytes) == (ssize_t)bytes;
}

/* Seven bits a byte, the last without the eighth. */
static inline uint8_t *pack(uint8_t *place, uint32_t value)
{
    while (value >= 128) {
        *place++ = (uint8_t)(value | 128);
        value >>= 7;
    }
    *place++ = (uint8_t)value;
    return place;
}

static ELSEWHERE bool write_event(struct writer *writer, uint32_t pause, uint32_t kind)
{
    if (writer->used + EVENT_MOST > BLOCK && !write_block(writer))
        return false;
    uint8_t *place = writer->block + writer->used;
    writer->used = (size_t)(pack(pack(place, pause), kind) - writer->block);
    return true;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    state->writer.file = temporary_file();
    if (state->writer.file < 0)
        return refuse(context, "no temporary file");
    uint64_t random = context->seed | 1;
    uint32_t now = 0;
    for (int i = 0; i < EVENTS; i++)
        state->times[i] = now += 200 + below(&random, 1000);
    *place = state;
    return true;
}

static void run(void *place)
{
    struct state *state = place;
    bool good = lseek(state->writer.file, 0, SEEK_SET) == 0;
    uint32_t last = 0;
    for (uint32_t i = 0; good && i < EVENTS; i++) {
        good = write_event(&state->writer, state->times[i] - last, i % 100);
        last = state->times[i];
    }
    good = good && write_block(&state->writer);
    state->result = good ? (double)lseek(state->writer.file, 0, SEEK_CUR) : -1;
}

static double reference(const struct state *state)
{
    double bytes = 0;
    for (int i = 0; i < EVENTS; i++)
        bytes += state->times[i] - (i ? state->times[i - 1] : 0) < 128 ? 2 : 3;
    return bytes;
}

SINGLE(trace_writer, 0, "Events written to a file.");
