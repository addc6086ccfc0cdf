/* Copies a file in blocks of 64 KiB. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workload.h"

enum { BLOCK = 64 * 1024, BLOCKS = 16 };

struct work {
    uint8_t block[BLOCK];
    int source;
    int copy;
};

static bool copy_file(struct work *work)
{
    ssize_t count = 0;
    for (off_t at = 0; (count = pread(work->source, work->block, BLOCK, at)) > 0; at += count)
        if (pwrite(work->copy, work->block, (size_t)count, at) != count)
            return false;
    return count == 0;
}

static void run(void *state)
{
    copy_file(state);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    work->source = memfd_create("source", MFD_CLOEXEC);
    work->copy = memfd_create("copy", MFD_CLOEXEC);
    uint64_t sequence = context->seed;
    for (off_t i = 0; i < BLOCKS; i++) {
        for (size_t j = 0; j < BLOCK; j++)
            work->block[j] = (uint8_t)workload_random(&sequence);
        if (pwrite(work->source, work->block, BLOCK, i * BLOCK) != BLOCK) {
            snprintf(context->message, sizeof context->message, "no room for the file");
            return false;
        }
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (off_t at = 0; at < (off_t)BLOCK * BLOCKS; at += 4096) {
        uint64_t source = 0, copy = 1;
        wrong += pread(work->source, &source, sizeof source, at) != sizeof source ||
                 pread(work->copy, &copy, sizeof copy, at) != sizeof copy || source != copy;
    }
    return workload_wrong(check, wrong);
}

static void tear_down(struct kgate_context *context, void *state)
{
    const struct work *work = state;
    if (work) {
        close(work->source);
        close(work->copy);
    }
    workload_end(context, state);
}

WORKLOAD_ENDED(copied, "Copies a file.", run, tear_down);
