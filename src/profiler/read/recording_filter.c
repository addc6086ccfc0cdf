/* Processes of a recording by their labels. */
#include "profiler/read/profile.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

#include "profiler/read/scan.h"
#include "profiler/read/segment.h"

enum { COPY_BYTES = 1 << 16, LABEL_MOST = 1024 };

/* Whether the label of a process matches. */
static bool process_look(struct kg_window *window, const struct kg_segment *segment,
                         const char *glob, bool *matches, struct kg_error *err)
{
    struct kg_chunk_process process;
    char label[LABEL_MOST + 1] = "";
    const uint64_t start = segment->start + sizeof(struct kg_chunk);
    const unsigned char *at = kg_window_at(window, start, sizeof process, err);
    if (!at)
        return false;
    memcpy(&process, at, sizeof process);
    const uint64_t left = segment->end - start - sizeof process;
    const size_t most = left < LABEL_MOST ? (size_t)left : LABEL_MOST;
    const size_t length = process.label_bytes < most ? process.label_bytes : most;
    at = kg_window_at(window, start + sizeof process, length, err);
    if (!at)
        return false;
    memcpy(label, at, length);
    *matches = fnmatch(glob, label, 0) == 0;
    return true;
}

static bool write_all(int to, const unsigned char *bytes, size_t length, struct kg_error *err)
{
    while (length) {
        const ssize_t written = write(to, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return kg_error_set(err, KG_ERROR_SYSTEM, "cannot write a temporary file: %s",
                                strerror(errno));
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

static bool segment_copy(struct kg_window *window, const struct kg_segment *segment, int to,
                         struct kg_error *err)
{
    for (uint64_t offset = segment->start; offset < segment->end;) {
        const uint64_t left = segment->end - offset;
        const size_t length = left < COPY_BYTES ? (size_t)left : COPY_BYTES;
        const unsigned char *at = kg_window_at(window, offset, length, err);
        if (!at || !write_all(to, at, length, err))
            return false;
        offset += length;
    }
    return true;
}

/* *any: whether a label matched. */
static bool segments_copy(struct kg_segments *segments, const char *glob, int to, bool *any,
                          struct kg_error *err)
{
    struct kg_segment segment;
    bool more, matches;
    *any = false;
    while (kg_segments_next(segments, &segment, &more, err)) {
        if (!more)
            return true;
        if (!process_look(&segments->window, &segment, glob, &matches, err) ||
            (matches && !segment_copy(&segments->window, &segment, to, err)))
            return false;
        *any = *any || matches;
    }
    return false;
}

bool kg_profile_filter(int file, const char *path, const char *glob, int to, struct kg_error *err)
{
    struct kg_segments segments = {0};
    uint64_t size;
    bool any = false;
    const bool good = kg_profile_size(file, path, &size, err) &&
                      kg_segments_open(&segments, file, path, size, err) &&
                      segments_copy(&segments, glob, to, &any, err);
    kg_segments_close(&segments);
    if (!good || any)
        return good;
    return kg_error_set(err, KG_ERROR_USAGE, "no process in '%s' has a label that matches '%s'",
                        path, glob);
}
