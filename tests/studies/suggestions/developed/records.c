/* Reads the records of a file one after the other: a length of two bytes, and as many bytes. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workload.h"

enum { RECORDS = 800, MOST = 64, BLOCK = 64 * 1024 };

struct work {
    int file;
    uint64_t sum;
    uint64_t expected;
};

static bool read_whole(int file, void *bytes, size_t count)
{
    return read(file, bytes, count) == (ssize_t)count;
}

static uint64_t sum_of(const uint8_t *bytes, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = sum * 31 + bytes[i];
    return sum;
}

static uint64_t sum_records(int file)
{
    uint64_t sum = 0;
    uint16_t length;
    while (read_whole(file, &length, sizeof length)) {
        uint8_t record[MOST];
        if (length > MOST || !read_whole(file, record, length))
            break;
        sum += sum_of(record, length);
    }
    return sum;
}

static uint64_t sum_block(int file)
{
    uint8_t block[BLOCK];
    const ssize_t count = read(file, block, sizeof block);
    uint64_t sum = 0;
    for (ssize_t at = 0; at + 2 <= count;) {
        uint16_t length;
        memcpy(&length, block + at, sizeof length);
        at += 2;
        if (at + length > count)
            break;
        sum += sum_of(block + at, length);
        at += length;
    }
    return sum;
}

static void run_bad(void *state)
{
    struct work *work = state;
    lseek(work->file, 0, SEEK_SET);
    work->sum = sum_records(work->file);
}

static void run_good(void *state)
{
    struct work *work = state;
    lseek(work->file, 0, SEEK_SET);
    work->sum = sum_block(work->file);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    work->file = memfd_create("records", MFD_CLOEXEC);
    for (size_t i = 0; i < RECORDS; i++) {
        uint8_t record[2 + MOST];
        const uint16_t length = (uint16_t)(8 + workload_random(&sequence) % (MOST - 8));
        memcpy(record, &length, sizeof length);
        for (size_t j = 0; j < length; j++)
            record[2 + j] = (uint8_t)workload_random(&sequence);
        work->expected += sum_of(record + 2, length);
        if (write(work->file, record, 2U + length) != 2 + length) {
            snprintf(context->message, sizeof context->message, "no room for the records");
            return false;
        }
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->sum != work->expected);
}

static void tear_down(struct kgate_context *context, void *state)
{
    const struct work *work = state;
    if (work)
        close(work->file);
    workload_end(context, state);
}

PAIR_ENDED(records, "Reads the records of a file.", tear_down);
