/* SQLite: customers are looked up by number, with a statement that is prepared for each, or once. */
#include <sqlite3.h>
#include <stdio.h>

#include "../developed/workload.h"

enum { CUSTOMERS = 500, ASKED = 100 };

static const char question[] = "SELECT balance FROM customer WHERE number = ? AND balance >= 0";

struct work {
    sqlite3 *database;
    sqlite3_stmt *prepared;
    int asked[ASKED];
    int sum, expected;
};

static int ask(sqlite3_stmt *statement, int number)
{
    int balance = 0;
    sqlite3_bind_int(statement, 1, number);
    if (sqlite3_step(statement) == SQLITE_ROW)
        balance = sqlite3_column_int(statement, 0);
    sqlite3_reset(statement);
    return balance;
}

static int ask_anew(sqlite3 *database, int number)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database, question, -1, &statement, NULL) != SQLITE_OK)
        return 0;
    const int balance = ask(statement, number);
    sqlite3_finalize(statement);
    return balance;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->sum = 0;
    for (size_t i = 0; i < ASKED; i++)
        work->sum += ask_anew(work->database, work->asked[i]);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->sum = 0;
    for (size_t i = 0; i < ASKED; i++)
        work->sum += ask(work->prepared, work->asked[i]);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    if (sqlite3_open(":memory:", &work->database) != SQLITE_OK ||
        sqlite3_exec(
            work->database,
            "CREATE TABLE customer (number INTEGER PRIMARY KEY, balance INTEGER);"
            "WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 499)"
            "INSERT INTO customer SELECT i, i * 3 FROM n",
            NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(work->database, question, -1, &work->prepared, NULL) != SQLITE_OK) {
        snprintf(context->message, sizeof context->message, "no database");
        return false;
    }
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < ASKED; i++) {
        work->asked[i] = (int)(workload_random(&sequence) % CUSTOMERS);
        work->expected += 3 * work->asked[i];
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
        sqlite3_finalize(work->prepared);
        sqlite3_close(work->database);
    }
    workload_end(context, state);
}

PAIR_ENDED(prepare, "Looks up balances by number.", tear_down);
