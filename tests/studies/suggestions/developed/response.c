/* The body of an HTTP response, put together from chunks as a template engine hands them out. */
#include <stdlib.h>
#include <string.h>

#include "workload.h"

enum { CHUNKS = 600, CHUNK = 64, STEP = 128 };

struct buffer {
    char *bytes;
    size_t length;
    size_t room;
};

struct work {
    char chunks[CHUNKS][CHUNK];
    char body[CHUNKS * CHUNK];
    size_t length;
};

static bool buffer_move(struct buffer *buffer, size_t room)
{
    char *bytes = malloc(room);
    if (!bytes)
        return false;
    if (buffer->length)
        memcpy(bytes, buffer->bytes, buffer->length);
    free(buffer->bytes);
    buffer->bytes = bytes;
    buffer->room = room;
    return true;
}

static bool append_by_step(struct buffer *buffer, const char *chunk, size_t length)
{
    if (buffer->length + length > buffer->room &&
        !buffer_move(buffer, buffer->length + length + STEP))
        return false;
    memcpy(buffer->bytes + buffer->length, chunk, length);
    buffer->length += length;
    return true;
}

static bool append_doubling(struct buffer *buffer, const char *chunk, size_t length)
{
    if (buffer->length + length > buffer->room &&
        !buffer_move(buffer, 2 * (buffer->length + length)))
        return false;
    memcpy(buffer->bytes + buffer->length, chunk, length);
    buffer->length += length;
    return true;
}

static void send_body(struct work *work, struct buffer *buffer)
{
    work->length = buffer->length;
    if (buffer->length)
        memcpy(work->body, buffer->bytes, buffer->length);
    free(buffer->bytes);
}

static void run_bad(void *state)
{
    struct work *work = state;
    struct buffer buffer = {0};
    for (size_t i = 0; i < CHUNKS; i++)
        if (!append_by_step(&buffer, work->chunks[i], CHUNK))
            break;
    send_body(work, &buffer);
}

static void run_good(void *state)
{
    struct work *work = state;
    struct buffer buffer = {0};
    for (size_t i = 0; i < CHUNKS; i++)
        if (!append_doubling(&buffer, work->chunks[i], CHUNK))
            break;
    send_body(work, &buffer);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < CHUNKS; i++)
        for (size_t j = 0; j < CHUNK; j++)
            work->chunks[i][j] = (char)('a' + workload_random(&sequence) % 26);
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->length != sizeof work->body ||
                                     memcmp(work->body, work->chunks, sizeof work->body) != 0);
}

PAIR(response, "Appends the chunks of a response to a buffer.");
