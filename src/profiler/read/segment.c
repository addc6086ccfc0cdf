#include "profiler/read/segment.h"

#include <inttypes.h>
#include <string.h>

enum { CHUNK_BYTES_MOST = 64 << 20 }; /* twice the largest buffer */

bool kg_recording_damaged(const char *path, uint64_t offset, const char *what, struct kg_error *err)
{
    return kg_error_at(err, path, 0, 0, "damaged recording: %s, at byte %" PRIu64, what, offset);
}

/* --- Headers --------------------------------------------------------------------------------- */

static bool newer_refuse(const char *path, const struct kg_chunk *chunk, uint64_t offset,
                         struct kg_error *err)
{
    return kg_error_at(err, path, 0, 0,
                       "recorded by a newer kgate, in version %u of the format; this kgate reads "
                       "version %d: update kgate (byte %" PRIu64 ")",
                       chunk->version, KG_RECORDING_VERSION, offset);
}

bool kg_chunk_check(const struct kg_chunk *chunk, const char *path, uint64_t offset,
                    struct kg_error *err)
{
    if (chunk->magic != KG_CHUNK_MAGIC && offset == 0)
        return kg_error_at(err, path, 0, 0,
                           "not a recording of a profile: it has another beginning");
    if (chunk->magic != KG_CHUNK_MAGIC)
        return kg_recording_damaged(path, offset, "no chunk at the expected place", err);
    if (chunk->version > KG_RECORDING_VERSION)
        return newer_refuse(path, chunk, offset, err);
    if (!chunk->version || chunk->bytes % 8 || chunk->bytes > CHUNK_BYTES_MOST)
        return kg_recording_damaged(path, offset, "an impossible chunk", err);
    return true;
}

bool kg_chunk_is_process(const struct kg_chunk *chunk)
{
    return chunk->magic == KG_CHUNK_MAGIC && chunk->version && chunk->type == KG_CHUNK_PROCESS &&
           !chunk->thread && chunk->bytes % 8 == 0 && chunk->bytes <= CHUNK_BYTES_MOST &&
           chunk->bytes >= sizeof(struct kg_chunk_process);
}

static bool header_read(struct kg_window *window, uint64_t offset, struct kg_chunk *chunk,
                        struct kg_error *err)
{
    const unsigned char *at = kg_window_at(window, offset, sizeof *chunk, err);
    if (at)
        memcpy(chunk, at, sizeof *chunk);
    return at != NULL;
}

/* --- The start of a process ------------------------------------------------------------------ */

/* The first of `count` places at which a process begins; `count` if there is none. The caller makes a
 * header readable after the last place. */
static size_t process_find(const unsigned char *bytes, size_t count)
{
    const uint32_t magic = KG_CHUNK_MAGIC;
    const unsigned char *end = bytes + count + sizeof magic - 1, *at = bytes;
    struct kg_chunk chunk;
    while ((at = memmem(at, (size_t)(end - at), &magic, sizeof magic))) {
        memcpy(&chunk, at, sizeof chunk);
        if (kg_chunk_is_process(&chunk))
            return (size_t)(at - bytes);
        at++;
    }
    return count;
}

/* The first place from `from` to before `to` at which a process begins; `to` if there is none. */
static bool process_seek(struct kg_window *window, uint64_t from, uint64_t to, uint64_t *place,
                         struct kg_error *err)
{
    const size_t header = sizeof(struct kg_chunk);
    const uint64_t last = window->size < header ? 0 : window->size - header;
    for (*place = from; *place < to && *place <= last;) {
        const uint64_t left = (to <= last ? to : last + 1) - *place;
        const size_t most = KG_WINDOW_BYTES - header, count = left < most ? (size_t)left : most;
        const unsigned char *at = kg_window_at(window, *place, count + header - 1, err);
        if (!at)
            return false;
        const size_t found = process_find(at, count);
        *place += found;
        if (found < count)
            return true;
    }
    *place = to;
    return true;
}

/* --- Segments -------------------------------------------------------------------------------- */

static void chunk_add(struct kg_segment *segment, const struct kg_chunk *chunk, uint64_t offset)
{
    if (offset == segment->start)
        segment->first = *chunk;
    segment->last = *chunk;
    segment->ended = segment->ended || chunk->type == KG_CHUNK_END;
}

/* Whether the chunk at `offset` can be of the segment; err says why not. */
static bool chunk_check(const struct kg_segments *segments, const struct kg_segment *segment,
                        const struct kg_chunk *chunk, uint64_t offset, struct kg_error *err)
{
    const char *path = segments->window.path;
    if (!kg_chunk_check(chunk, path, offset, err))
        return false;
    if (offset == segment->start)
        return chunk->type == KG_CHUNK_PROCESS ||
               kg_recording_damaged(path, offset, "no process at the expected place", err);
    return chunk->type != KG_CHUNK_PROCESS ||
           kg_recording_damaged(path, offset, "an impossible process", err);
}

/* Moves *offset past the chunk there. Its length is not trusted: the chunk may be cut off, and its
 * length may then point into the recording after it. So kgate searches each chunk for the start of a
 * process. That takes a twentieth of the time of reading its entries. */
static bool chunk_pass(struct kg_segments *segments, struct kg_segment *segment,
                       const struct kg_chunk *chunk, uint64_t *offset, struct kg_error *err)
{
    struct kg_window *window = &segments->window;
    struct kg_error why;
    const bool good = chunk_check(segments, segment, chunk, *offset, &why);
    const uint64_t left = window->size - *offset, bytes = sizeof *chunk + (uint64_t)chunk->bytes;
    /* Bytes before the first process can only be a part of a header. */
    const uint64_t length = good ? bytes : *offset ? left : sizeof *chunk;
    const uint64_t to = *offset + (length < left ? length : left);
    if (!process_seek(window, *offset + 1, to, &segments->next, err))
        return false;
    const bool cut = segments->next < to;
    if (!good && !cut) {
        *err = why;
        return false;
    }
    if (good && segments->next - *offset >= sizeof *chunk)
        chunk_add(segment, chunk, *offset);
    segment->ended = segment->ended && !cut;
    segment->end = good ? segments->next : *offset;
    *offset = segments->next;
    return true;
}

/* The part from the end of the last segment to the start of the next one. */
static bool segment_find(struct kg_segments *segments, struct kg_segment *segment,
                         struct kg_error *err)
{
    struct kg_window *window = &segments->window;
    uint64_t offset = segments->next;
    *segment = (struct kg_segment){.start = offset};
    for (;;) {
        struct kg_chunk chunk;
        if (window->size - offset < sizeof chunk) {
            segment->end = segments->next = window->size;
            return true;
        }
        if (!header_read(window, offset, &chunk, err))
            return false;
        if (kg_chunk_is_process(&chunk) && chunk.version > KG_RECORDING_VERSION)
            return newer_refuse(window->path, &chunk, offset, err);
        if (offset > segment->start && kg_chunk_is_process(&chunk))
            return true;
        if (!chunk_pass(segments, segment, &chunk, &offset, err))
            return false;
    }
}

/* A segment truncated before its process header is ignored. */
static bool has_process(const struct kg_segment *segment)
{
    const uint64_t bytes = segment->end - segment->start, header = sizeof(struct kg_chunk);
    return bytes >= header + sizeof(struct kg_chunk_process) &&
           bytes >= header + segment->first.bytes;
}

bool kg_segments_next(struct kg_segments *segments, struct kg_segment *segment, bool *more,
                      struct kg_error *err)
{
    do {
        *more = segments->next < segments->window.size;
        if (!*more)
            return segments->any || kg_error_at(err, segments->window.path, 0, 0,
                                                "not a recording of a profile: it is too short");
        if (!segment_find(segments, segment, err))
            return false;
    } while (!has_process(segment));
    segments->any = true;
    return true;
}

bool kg_segments_open(struct kg_segments *segments, int file, const char *path, uint64_t size,
                      struct kg_error *err)
{
    *segments = (struct kg_segments){0};
    return kg_window_open(&segments->window, file, path, size, err);
}

void kg_segments_close(struct kg_segments *segments)
{
    kg_window_close(&segments->window);
}
