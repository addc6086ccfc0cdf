/* SQLite: customers are looked up by their names, in a table with an index of names and in one without. */
#include <sqlite3.h>
#include <stdio.h>

#include "../developed/workload.h"

enum { CUSTOMERS = 2000, ASKED = 10 };

struct work {
    sqlite3 *database;
    sqlite3_stmt *scanning, *indexed;
    char asked[ASKED][24];
    int sum, expected;
};

static int find_customers(const struct work *work, sqlite3_stmt *statement)
{
    int sum = 0;
    for (size_t i = 0; i < ASKED; i++) {
        sqlite3_bind_text(statement, 1, work->asked[i], -1, SQLITE_STATIC);
        if (sqlite3_step(statement) == SQLITE_ROW)
            sum += sqlite3_column_int(statement, 0);
        sqlite3_reset(statement);
    }
    return sum;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->sum = find_customers(work, work->scanning);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->sum = find_customers(work, work->indexed);
}

static bool customers_add(sqlite3 *database)
{
    sqlite3_stmt *insertion;
    if (sqlite3_exec(database,
                     "CREATE TABLE customer (name TEXT, number INTEGER);"
                     "CREATE TABLE listed (name TEXT, number INTEGER); BEGIN",
                     NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(database, "INSERT INTO customer VALUES (?, ?)", -1, &insertion, NULL) !=
            SQLITE_OK)
        return false;
    for (int i = 0; i < CUSTOMERS; i++) {
        char name[24];
        snprintf(name, sizeof name, "customer %d", i * 7919 % CUSTOMERS);
        sqlite3_bind_text(insertion, 1, name, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int(insertion, 2, i * 7919 % CUSTOMERS);
        sqlite3_step(insertion);
        sqlite3_reset(insertion);
    }
    sqlite3_finalize(insertion);
    return sqlite3_exec(database,
                        "INSERT INTO listed SELECT * FROM customer;"
                        "CREATE INDEX by_name ON listed (name); COMMIT",
                        NULL, NULL, NULL) == SQLITE_OK;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    if (sqlite3_open(":memory:", &work->database) != SQLITE_OK || !customers_add(work->database) ||
        sqlite3_prepare_v2(work->database, "SELECT number FROM customer WHERE name = ?", -1,
                           &work->scanning, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(work->database, "SELECT number FROM listed WHERE name = ?", -1,
                           &work->indexed, NULL) != SQLITE_OK) {
        snprintf(context->message, sizeof context->message, "no database");
        return false;
    }
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < ASKED; i++) {
        const int number = (int)(workload_random(&sequence) % CUSTOMERS);
        snprintf(work->asked[i], sizeof work->asked[i], "customer %d", number);
        work->expected += number;
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
    if (work) {
        sqlite3_finalize(work->scanning);
        sqlite3_finalize(work->indexed);
        sqlite3_close(work->database);
    }
    workload_end(context, state);
}

PAIR_ENDED(scan, "Looks up customers by name.", tear_down);
