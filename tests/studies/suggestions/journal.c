/* A journal: `batch` events are formatted as lines and appended to a file, by one write. The caller
 * decides how many events share a write: one, or some hundreds. The file lies in memory
 * (memfd_create) and starts again after JOURNAL_BYTES, like a rotated log.
 * Error: events of the last call that differ when read back. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kgate/profiler.h"
#include "pairs.h"

enum { BATCH, PARAMS, LINE_MOST = 96, JOURNAL_BYTES = 4 << 20 };
static const struct kgate_param params[PARAMS] = {
    {"batch", KGATE_PARAM_INTEGER, "256", 1, 4096, NULL, "events of a call, in one write"},
};

struct event {
    uint64_t time_us;
    uint32_t user;
    uint32_t item;
};

struct journal {
    struct pair pair;
    const struct event *events;
    char *lines;
    size_t batch;
    off_t at;    /* in the file */
    off_t begun; /* offset of the last call's first event */
    ssize_t written;
    int file;
};

static void run(void *state)
{
    struct journal *work = state;
    size_t length = 0;
    for (size_t i = 0; i < work->batch; i++) {
        const struct event *event = &work->events[i];
        length += (size_t)snprintf(work->lines + length, LINE_MOST, "%llu user=%u item=%u\n",
                                   (unsigned long long)event->time_us, event->user, event->item);
    }
    if (work->at + (off_t)length > JOURNAL_BYTES)
        work->at = 0;
    work->begun = work->at;
    work->written = pwrite(work->file, work->lines, length, work->at);
    work->at += work->written;
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    *work = (struct kgate_work){.items = (double)context->values[BATCH].integer};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct journal *work = state;
    if (work)
        close(work->file);
    pair_end(context, state);
}

/* A file whose pages are there. */
static int journal_open(void)
{
    static const char page[4096];
    const int file = memfd_create("journal", MFD_CLOEXEC);
    for (off_t at = 0; file >= 0 && at < JOURNAL_BYTES; at += (off_t)sizeof page)
        if (pwrite(file, page, sizeof page, at) != (ssize_t)sizeof page) {
            close(file);
            return -1;
        }
    return file;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct journal *work = pair_begin(context, sizeof *work);
    if (!work)
        return false;
    work->batch = (size_t)context->values[BATCH].integer;
    struct event *events = pair_array(context, &work->pair, work->batch, sizeof *events);
    work->events = events;
    work->lines = pair_array(context, &work->pair, work->batch, LINE_MOST);
    work->file = events && work->lines ? journal_open() : -1;
    if (work->file >= 0) {
        uint64_t sequence = context->seed;
        for (size_t i = 0; i < work->batch; i++)
            events[i] = (struct event){.time_us = pair_random(&sequence) >> 14,
                                       .user = (uint32_t)pair_random(&sequence),
                                       .item = (uint32_t)pair_random(&sequence)};
    }
    return pair_whole(context, &work->pair, work->file >= 0, state);
}

static bool event_is(const struct event *event, FILE *lines)
{
    unsigned long long time_us;
    unsigned user, item;
    return fscanf(lines, "%llu user=%u item=%u", &time_us, &user, &item) == 3 &&
           time_us == event->time_us && user == event->user && item == event->item;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    struct journal *work = state;
    *check = (struct kgate_check){0};
    const size_t most = work->batch * LINE_MOST;
    memset(work->lines, 0, most);
    const ssize_t length = pread(work->file, work->lines, most, work->begun);
    FILE *lines = length > 0 ? fmemopen(work->lines, (size_t)length, "r") : NULL;
    for (size_t i = 0; i < work->batch; i++)
        check->error += !lines || !event_is(&work->events[i], lines);
    if (lines)
        fclose(lines);
    return true;
}

const struct kgate_workload pair_journal = {
    .name = "journal",
    .summary = "Appends events to a file.",
    .params = params,
    .param_count = PARAMS,
    .devices = 1U << KGATE_DEVICE_CPU,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};
