/* Random pages of a table are read and summed. The reads bypass the page cache (O_DIRECT), as in a
 * database with tables larger than memory.
 * in_turn  reads a page, sums it, then reads the next.
 * at_once  sixteen threads share the pages, so that reads overlap.
 * The table is a file without a name, created in TMPDIR, else /var/tmp.
 * Error: number of pages with a wrong sum. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kgate/profiler.h"
#include "pairs.h"

enum { LOOKUPS, VERSION, PARAMS, PAGE_BYTES = 4096, READERS = 16, BLOCK = 256 * PAGE_BYTES };
static const char *const versions[] = {"in_turn", "at_once", NULL};
static const struct kgate_param params[PARAMS] = {
    {"lookups", KGATE_PARAM_INTEGER, "256", 1, 100000, NULL, "in a table of 16 times the pages"},
    {"version", KGATE_PARAM_CHOICE, "at_once", 0, 0, versions, "what happens during a read"},
};

struct lookup {
    struct pair pair;
    uint8_t *buffers; /* a page for each reader, as O_DIRECT wants it; and to make the table */
    const uint32_t *wanted;
    uint64_t *sums; /* of each page wanted */
    uint64_t seed;
    size_t count;
    size_t pages;
    bool at_once;
    atomic_size_t next;
    atomic_uint readers;
    int file;
};

/* FNV-1a, by words. */
static uint64_t sum_of(const uint8_t *page)
{
    uint64_t sum = 0xcbf29ce484222325U, word;
    for (size_t i = 0; i < PAGE_BYTES; i += sizeof word) {
        memcpy(&word, page + i, sizeof word);
        sum = (sum ^ word) * 0x100000001b3U;
    }
    return sum;
}

static void look_up(struct lookup *work, size_t at, uint8_t *page)
{
    ssize_t length;
    {
        KGATE_SCOPE("read");
        length = pread(work->file, page, PAGE_BYTES, (off_t)work->wanted[at] * PAGE_BYTES);
    }
    KGATE_SCOPE("sum");
    work->sums[at] = length == PAGE_BYTES ? sum_of(page) : 0;
}

static void in_turn(struct lookup *work)
{
    for (size_t i = 0; i < work->count; i++)
        look_up(work, i, work->buffers);
}

static void *reader(void *argument)
{
    struct lookup *work = argument;
    uint8_t *page = work->buffers + (size_t)PAGE_BYTES * atomic_fetch_add(&work->readers, 1);
    for (size_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;)
        look_up(work, i, page);
    return NULL;
}

static void at_once(struct lookup *work)
{
    pthread_t threads[READERS - 1];
    size_t started = 0;
    atomic_store(&work->next, 0);
    atomic_store(&work->readers, 0);
    while (started < READERS - 1 && !pthread_create(&threads[started], NULL, reader, work))
        started++;
    reader(work);
    while (started)
        pthread_join(threads[--started], NULL);
}

static void run(void *state)
{
    struct lookup *work = state;
    if (work->at_once)
        at_once(work);
    else
        in_turn(work);
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    *work = (struct kgate_work){.items = (double)context->values[LOOKUPS].integer};
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct lookup *work = state;
    if (!work)
        return;
    if (work->file >= 0)
        close(work->file);
    free(work->buffers);
    pair_end(context, state);
}

static void page_make(const struct lookup *work, size_t page, uint8_t *bytes)
{
    uint64_t sequence = work->seed + page * 0x632be59bd9b4e019U, word;
    for (size_t i = 0; i < PAGE_BYTES; i += sizeof word) {
        word = pair_random(&sequence);
        memcpy(bytes + i, &word, sizeof word);
    }
}

static bool table_make(struct lookup *work)
{
    const char *folder = getenv("TMPDIR");
    folder = folder && *folder ? folder : "/var/tmp";
    work->file = open(folder, O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
    const size_t block_pages = BLOCK / PAGE_BYTES;
    for (size_t at = 0; work->file >= 0 && at < work->pages; at += block_pages) {
        for (size_t page = 0; page < block_pages; page++)
            page_make(work, at + page, work->buffers + page * PAGE_BYTES);
        if (pwrite(work->file, work->buffers, BLOCK, (off_t)at * PAGE_BYTES) != BLOCK)
            return false;
    }
    return work->file >= 0;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct lookup *work = pair_begin(context, sizeof *work);
    if (!work)
        return false;
    work->file = -1;
    work->seed = context->seed;
    work->count = (size_t)context->values[LOOKUPS].integer;
    work->pages = 16 * work->count;
    work->at_once = context->values[VERSION].integer == 1;
    uint32_t *wanted = pair_array(context, &work->pair, work->count, sizeof *wanted);
    work->wanted = wanted;
    work->sums = pair_array(context, &work->pair, work->count, sizeof *work->sums);
    work->buffers = wanted && work->sums ? aligned_alloc(PAGE_BYTES, BLOCK) : NULL;
    uint64_t sequence = context->seed;
    for (size_t i = 0; work->buffers && i < work->count; i++)
        wanted[i] = (uint32_t)(pair_random(&sequence) % work->pages);
    *state = work;
    if (work->buffers && table_make(work))
        return true;
    snprintf(context->message, sizeof context->message, "no file to be read past the cache: %s",
             strerror(errno));
    context->unavailable = true; /* the file system is in memory */
    tear_down(context, work);
    *state = NULL;
    return false;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct lookup *work = state;
    *check = (struct kgate_check){0};
    for (size_t i = 0; i < work->count; i++) {
        page_make(work, work->wanted[i], work->buffers);
        check->error += work->sums[i] != sum_of(work->buffers);
    }
    return true;
}

const struct kgate_workload pair_lookup = {
    .name = "lookup",
    .summary = "Looks pages of a table up that is not in memory.",
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
