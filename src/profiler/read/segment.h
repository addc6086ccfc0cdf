/* segment.h: divides a recording into its processes' parts, by the headers of its chunks. Not
 * thread-safe. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "profiler/read/window.h"
#include "profiler/record/recording.h"

/* A process's part of the file. The last chunk may be cut off, and its header too. */
struct kg_segment {
    uint64_t start, end;
    struct kg_chunk first, last; /* whole headers */
    bool ended;                  /* complete: the process itself ended it, and no byte is missing */
};

/* An iterator over a recording. */
struct kg_segments {
    struct kg_window window; /* the whole recording */
    uint64_t next;           /* offset of the next segment */
    bool any;                /* there was a segment */
};

/* Like kg_window_open. */
bool kg_segments_open(struct kg_segments *segments, int file, const char *path, uint64_t size,
                      struct kg_error *err);
void kg_segments_close(struct kg_segments *segments);

/* Finds the next process's part; *more is false if there is none. A part that is cut off inside its
 * process header is ignored.
 *
 * If another recording follows such a cut, the part ends at the start of that recording, even in the
 * middle of a chunk.
 * err  KG_ERROR_USAGE in three cases: the file is no recording; a newer kgate made it; or bytes are
 *      neither a chunk nor followed by a process */
bool kg_segments_next(struct kg_segments *segments, struct kg_segment *segment, bool *more,
                      struct kg_error *err);

/* Whether this kgate can read a chunk with this header.
 * path, offset  for err */
bool kg_chunk_check(const struct kg_chunk *chunk, const char *path, uint64_t offset,
                    struct kg_error *err);

/* Whether a process begins with this header, even in a later version of the format. */
bool kg_chunk_is_process(const struct kg_chunk *chunk);

/* Fills err with the damage and its offset. Returns false. */
bool kg_recording_damaged(const char *path, uint64_t offset, const char *what,
                          struct kg_error *err);
