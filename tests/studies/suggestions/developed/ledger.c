/* A ledger: bookings are appended to a file, and must be on the disk when the call returns. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "workload.h"

enum { BOOKINGS = 4, BOOKING = 64 };

struct work {
    char bookings[BOOKINGS][BOOKING];
    int file;
};

static bool book(int file, const char *booking, off_t at)
{
    return pwrite(file, booking, BOOKING, at) == BOOKING;
}

static bool book_safely(int file, const char *booking, off_t at)
{
    return book(file, booking, at) && fsync(file) == 0;
}

static void run_bad(void *state)
{
    struct work *work = state;
    for (int i = 0; i < BOOKINGS; i++)
        if (!book_safely(work->file, work->bookings[i], i * BOOKING))
            return;
}

static void run_good(void *state)
{
    struct work *work = state;
    for (int i = 0; i < BOOKINGS; i++)
        if (!book(work->file, work->bookings[i], i * BOOKING))
            return;
    fsync(work->file);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    for (int i = 0; i < BOOKINGS; i++)
        snprintf(work->bookings[i], BOOKING, "booking %d", i);
    work->file = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (work->file < 0)
        snprintf(context->message, sizeof context->message, "no file in /var/tmp");
    return work->file >= 0;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (int i = 0; i < BOOKINGS; i++) {
        char found[BOOKING];
        wrong += pread(work->file, found, BOOKING, i * BOOKING) != BOOKING ||
                 memcmp(found, work->bookings[i], BOOKING) != 0;
    }
    return workload_wrong(check, wrong);
}

static void tear_down(struct kgate_context *context, void *state)
{
    const struct work *work = state;
    if (work)
        close(work->file);
    workload_end(context, state);
}

PAIR_ENDED(ledger, "Appends bookings to a file on the disk.", tear_down);
