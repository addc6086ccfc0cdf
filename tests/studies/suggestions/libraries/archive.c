/* zlib: a compressed file is read. gzbuffer says how much zlib reads from the file at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../developed/workload.h"

enum { RECORDS = 4000, RECORD = 32 };

struct work {
    char path[32];
    char records[RECORDS][RECORD], found[RECORDS][RECORD];
};

static void read_all(struct work *work, unsigned at_once)
{
    gzFile file = gzopen(work->path, "rb");
    if (!file)
        return;
    gzbuffer(file, at_once);
    gzread(file, work->found, sizeof work->found);
    gzclose(file);
}

static void run_bad(void *state)
{
    read_all(state, 64);
}

static void run_good(void *state)
{
    read_all(state, 64 << 10);
}

static bool file_write(const struct work *work)
{
    gzFile file = gzopen(work->path, "wb");
    const bool written =
        file && gzwrite(file, work->records, sizeof work->records) == (int)sizeof work->records;
    return file && gzclose(file) == Z_OK && written;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < RECORDS; i++)
        snprintf(work->records[i], RECORD, "%zu %016llx", i,
                 (unsigned long long)workload_random(&sequence));
    snprintf(work->path, sizeof work->path, "/var/tmp/archive.XXXXXX");
    const int file = mkstemp(work->path);
    if (file >= 0)
        close(file);
    if (file >= 0 && file_write(work))
        return true;
    snprintf(context->message, sizeof context->message, "no file in /var/tmp");
    return false;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, memcmp(work->records, work->found, sizeof work->found) != 0);
}

static void tear_down(struct kgate_context *context, void *state)
{
    const struct work *work = state;
    if (work)
        unlink(work->path);
    workload_end(context, state);
}

PAIR_ENDED(archive, "Reads a compressed file.", tear_down);
