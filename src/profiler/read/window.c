#include "profiler/read/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool kg_window_open(struct kg_window *window, int file, const char *path, uint64_t size,
                    struct kg_error *err)
{
    *window = (struct kg_window){
        .file = file, .path = path, .size = size, .bytes = malloc(KG_WINDOW_BYTES)};
    return window->bytes ? true : kg_error_memory(err);
}

void kg_window_close(struct kg_window *window)
{
    free(window->bytes);
    *window = (struct kg_window){0};
}

const unsigned char *kg_window_move(struct kg_window *window, uint64_t offset, size_t bytes,
                                    struct kg_error *err)
{
    const uint64_t left = window->size - offset;
    const size_t wanted = left < KG_WINDOW_BYTES ? (size_t)left : KG_WINDOW_BYTES;
    window->start = offset;
    window->length = 0;
    while (window->length < wanted) {
        const ssize_t count = pread(window->file, window->bytes + window->length,
                                    wanted - window->length, (off_t)(offset + window->length));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            kg_error_set(err, KG_ERROR_SYSTEM, "cannot read '%s': %s", window->path,
                         strerror(errno));
            return NULL;
        }
        if (count == 0)
            break;
        window->length += (size_t)count;
    }
    if (window->length >= bytes)
        return window->bytes;
    kg_error_set(err, KG_ERROR_SYSTEM, "'%s' became shorter while it was read", window->path);
    return NULL;
}
