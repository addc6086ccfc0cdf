#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

_Noreturn void fuzz_fail(const char *what, const char *why)
{
    fprintf(stderr, "FAULT: %s: %s\n", what, why);
    abort();
}

const char *fuzz_file(const uint8_t *bytes, size_t length)
{
    static char path[64];
    static int file = -1;
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (file < 0 || ftruncate(file, 0) || pwrite(file, bytes, length, 0) != (ssize_t)length)
        fuzz_fail("the input", "cannot be written to memory");
    return path;
}

/* kgate writes a file through a temporary file beside it, and syncs it to the disk. So harnesses
 * need a folder, in memory if possible. */
static char in_memory[] = "/dev/shm/kgate-fuzz-XXXXXX";
static char on_disk[] = "/tmp/kgate-fuzz-XXXXXX";
static const char *folder;
static char written[sizeof in_memory + 8];

static void folder_remove(void)
{
    unlink(written);
    rmdir(folder);
}

const char *fuzz_written(void)
{
    if (!*written) {
        folder = mkdtemp(in_memory);
        if (!folder)
            folder = mkdtemp(on_disk);
        if (!folder)
            fuzz_fail("a folder for what is written", "cannot be made");
        snprintf(written, sizeof written, "%s/file", folder);
        atexit(folder_remove);
    }
    return written;
}
