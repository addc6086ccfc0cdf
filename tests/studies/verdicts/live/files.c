/* files.c: small files, created, written, read back and removed in a temporary folder. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ordinary.h"

static char folder[256], page[4096];

static bool set_up(struct kgate_context *context, void **state)
{
    const char *parent = getenv("TMPDIR");
    *state = NULL;
    snprintf(folder, sizeof folder, "%.200s/ordinary.XXXXXX", parent ? parent : "/tmp");
    if (mkdtemp(folder))
        return true;
    snprintf(context->message, sizeof context->message, "cannot make a folder in %.200s", folder);
    return false;
}

static void write_and_read(const char *path)
{
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    if (write(file, page, sizeof page) == sizeof page && lseek(file, 0, SEEK_SET) == 0)
        page[0] = (char)read(file, page, sizeof page);
    close(file);
    unlink(path);
}

static void run(void *state)
{
    char path[300];
    (void)state;
    for (unsigned turn = 0; turn < turns; turn++) {
        snprintf(path, sizeof path, "%s/%u", folder, turn);
        write_and_read(path);
    }
}

static void tear_down(struct kgate_context *context, void *state)
{
    (void)context;
    (void)state;
    rmdir(folder);
}

const struct kgate_workload files_workload = {.name = "files",
                                              .summary = "Small files, written and read back.",
                                              .devices = 1u << KGATE_DEVICE_CPU,
                                              .revision = 1,
                                              .set_up = set_up,
                                              .run = run,
                                              .tear_down = tear_down};
