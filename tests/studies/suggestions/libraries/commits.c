/* SQLite: bookings are added, each in a transaction of its own, or all in one. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../developed/workload.h"

enum { BOOKINGS = 8 };

struct work {
    char path[32];
    sqlite3 *database;
    sqlite3_stmt *insertion, *removal;
};

static void book_each(const struct work *work)
{
    for (int i = 0; i < BOOKINGS; i++) {
        sqlite3_bind_int(work->insertion, 1, i);
        sqlite3_step(work->insertion);
        sqlite3_reset(work->insertion);
    }
}

static void run_bad(void *state)
{
    const struct work *work = state;
    sqlite3_step(work->removal);
    sqlite3_reset(work->removal);
    book_each(work);
}

static void run_good(void *state)
{
    const struct work *work = state;
    sqlite3_exec(work->database, "BEGIN", NULL, NULL, NULL);
    sqlite3_step(work->removal);
    sqlite3_reset(work->removal);
    book_each(work);
    sqlite3_exec(work->database, "COMMIT", NULL, NULL, NULL);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    snprintf(work->path, sizeof work->path, "/var/tmp/commits.XXXXXX");
    const int file = mkstemp(work->path);
    if (file >= 0)
        close(file);
    if (file >= 0 && sqlite3_open(work->path, &work->database) == SQLITE_OK &&
        sqlite3_exec(work->database, "CREATE TABLE booking (amount INTEGER)", NULL, NULL, NULL) ==
            SQLITE_OK &&
        sqlite3_prepare_v2(work->database, "INSERT INTO booking VALUES (?)", -1, &work->insertion,
                           NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(work->database, "DELETE FROM booking", -1, &work->removal, NULL) ==
            SQLITE_OK)
        return true;
    snprintf(context->message, sizeof context->message, "no database in /var/tmp");
    return false;
}

static int sum_take(void *user, int columns, char **values, char **names)
{
    (void)columns, (void)names;
    *(int *)user = values[0] ? atoi(values[0]) : 0;
    return 0;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    int sum = 0;
    sqlite3_exec(work->database, "SELECT sum(amount) FROM booking", sum_take, &sum, NULL);
    return workload_wrong(check, sum != BOOKINGS * (BOOKINGS - 1) / 2);
}

static void tear_down(struct kgate_context *context, void *state)
{
    const struct work *work = state;
    if (work) {
        sqlite3_finalize(work->insertion);
        sqlite3_finalize(work->removal);
        sqlite3_close(work->database);
        unlink(work->path);
    }
    workload_end(context, state);
}

PAIR_ENDED(commits, "Adds bookings to a database on the disk.", tear_down);
