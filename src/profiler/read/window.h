/* window.h: a file of any size through a buffer of one size. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct kg_window {
    int file;
    const char *path; /* for messages */
    uint64_t size;    /* size of the readable part of the file */
    unsigned char *bytes;
    uint64_t start; /* offset of `bytes` in the file */
    size_t length;  /* number of bytes in `bytes` */
};

/* The most bytes per call of kg_window_at: more than the longest name. */
enum { KG_WINDOW_BYTES = 256 << 10 };

/* Opens a window on a file.
 * file     stays the caller's
 * size     end of the readable part
 * returns  false if memory is out */
bool kg_window_open(struct kg_window *window, int file, const char *path, uint64_t size,
                    struct kg_error *err);
void kg_window_close(struct kg_window *window);

/* The slow path of kg_window_at. */
const unsigned char *kg_window_move(struct kg_window *window, uint64_t offset, size_t bytes,
                                    struct kg_error *err);

/* The bytes at an offset, valid until the next call; offset + bytes must be at most `size`.
 * returns NULL if the file cannot be read */
static inline const unsigned char *kg_window_at(struct kg_window *window, uint64_t offset,
                                                size_t bytes, struct kg_error *err)
{
    const uint64_t ahead = offset - window->start; /* wraps to a large number before the start */
    if (ahead <= window->length && bytes <= window->length - ahead)
        return window->bytes + ahead;
    return kg_window_move(window, offset, bytes, err);
}
