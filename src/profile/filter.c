/* Processes of a recording by their labels. */
#include "profile/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "profile/recording.h"

enum { COPY_BYTES = 1 << 16, LABEL_MOST = 1024 };

struct filter {
    int file;
    int to;
    const char *path;
    const char *glob;
    bool keep; /* the process at hand */
    size_t kept;
    struct kg_error *err;
};

/* All bytes, or as many as the file has; -1 where it cannot be read. */
static ssize_t read_at(const struct filter *filter, void *bytes, size_t length, uint64_t offset)
{
    size_t done = 0;
    while (done < length) {
        const ssize_t count =
            pread(filter->file, (char *)bytes + done, length - done, (off_t)(offset + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            kg_error_set(filter->err, KG_ERROR_SYSTEM, "cannot read '%s': %s", filter->path,
                         strerror(errno));
            return -1;
        }
        if (count == 0)
            break;
        done += (size_t)count;
    }
    return (ssize_t)done;
}

/* Whether the process that a chunk at `offset` begins is wanted. One that is cut off is not. */
static bool process_look(struct filter *filter, uint64_t offset)
{
    struct kg_chunk_process process;
    char label[LABEL_MOST + 1] = "";
    const ssize_t told = read_at(filter, &process, sizeof process, offset);
    filter->keep = false;
    if (told != (ssize_t)sizeof process)
        return told >= 0;
    const size_t length = process.label_bytes < LABEL_MOST ? process.label_bytes : LABEL_MOST;
    if (read_at(filter, label, length, offset + sizeof process) < 0)
        return false;
    filter->keep = fnmatch(filter->glob, label, 0) == 0;
    filter->kept += filter->keep;
    return true;
}

static bool copy(const struct filter *filter, uint64_t offset, uint64_t length)
{
    char bytes[COPY_BYTES];
    while (length) {
        const size_t most = length < sizeof bytes ? (size_t)length : sizeof bytes;
        const ssize_t count = read_at(filter, bytes, most, offset);
        if (count <= 0)
            return count == 0;
        for (ssize_t done = 0; done < count;) {
            const ssize_t written = write(filter->to, bytes + done, (size_t)(count - done));
            if (written < 0 && errno == EINTR)
                continue;
            if (written <= 0)
                return kg_error_set(filter->err, KG_ERROR_SYSTEM,
                                    "cannot write a temporary file: %s", strerror(errno));
            done += written;
        }
        offset += (uint64_t)count;
        length -= (uint64_t)count;
    }
    return true;
}

bool kg_profile_filter(int file, const char *path, const char *glob, int to, struct kg_error *err)
{
    struct filter filter = {.file = file, .to = to, .path = path, .glob = glob, .err = err};
    struct kg_chunk chunk;
    for (uint64_t offset = 0;; offset += sizeof chunk + chunk.bytes) {
        const ssize_t count = read_at(&filter, &chunk, sizeof chunk, offset);
        if (count < 0)
            return false;
        if (count < (ssize_t)sizeof chunk)
            break;
        if (chunk.magic != KG_CHUNK_MAGIC)
            return kg_error_at(err, path, 0, 0, "damaged recording, at byte %" PRIu64, offset);
        if (chunk.type == KG_CHUNK_PROCESS && !process_look(&filter, offset + sizeof chunk))
            return false;
        if (filter.keep && !copy(&filter, offset, sizeof chunk + chunk.bytes))
            return false;
    }
    return filter.kept
               ? true
               : kg_error_set(err, KG_ERROR_USAGE,
                              "no process in '%s' has a label that matches '%s'", path, glob);
}
