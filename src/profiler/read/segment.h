/* segment.h: the processes of a recording: which part of the file is whose, by the headers of its
 * chunks. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "profiler/read/window.h"
#include "profiler/record/recording.h"

/* A process's part of the file. The last chunk may be cut off, and so may its header. */
struct kg_segment {
    uint64_t start, end;
    struct kg_chunk first, last; /* headers that are whole */
    bool ended;                  /* by the process itself, and all of it is there */
};

/* Through a recording. */
struct kg_segments {
    struct kg_window window; /* of all of it */
    uint64_t next;           /* where the next one begins */
    bool any;                /* there was one */
};

/* As kg_window_open; closed likewise. */
bool kg_segments_open(struct kg_segments *segments, int file, const char *path, uint64_t size,
                      struct kg_error *err);
void kg_segments_close(struct kg_segments *segments);

/* The next process's part; *more says whether there is one. One that is cut off before it says
 * of which process it is, is passed over.
 *
 * A recording that is cut off, with another one after it, ends where that one begins, also in the
 * middle of a chunk.
 * err  KG_ERROR_USAGE where the file is no recording, or of a newer kgate, or where something is no
 *      chunk and no process begins after it */
bool kg_segments_next(struct kg_segments *segments, struct kg_segment *segment, bool *more,
                      struct kg_error *err);

/* Whether a chunk can be one that this kgate reads.
 * path, offset  for err */
bool kg_chunk_check(const struct kg_chunk *chunk, const char *path, uint64_t offset,
                    struct kg_error *err);

/* Whether a process begins with this header, be it in a later version of the format. */
bool kg_chunk_is_process(const struct kg_chunk *chunk);

/* Fills err: what is wrong with the recording, and where. Returns false. */
bool kg_recording_damaged(const char *path, uint64_t offset, const char *what,
                          struct kg_error *err);
