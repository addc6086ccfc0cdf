/* history_postgres.c: the driver of PostgreSQL. kgate opens libpq when a user names a URL, so a machine without
 * PostgreSQL needs no package. The tables are in the schema `kgate` of the database. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/memory.h"
#include "judge/history/history_database.h"

/* Declarations of libpq, as its manual gives them. */
struct pg_connection;
struct pg_result;
enum { CONNECTION_GOOD = 0, COMMAND_GOOD = 1, TUPLES_GOOD = 2 };

struct pg_calls {
    struct pg_connection *(*connect)(const char *const *keywords, const char *const *values,
                                     int expand);
    int (*status)(const struct pg_connection *connection);
    const char *(*message)(const struct pg_connection *connection);
    void (*finish)(struct pg_connection *connection);
    void (*(*notices)(struct pg_connection *connection, void (*notice)(void *, const char *),
                      void *user))(void *, const char *);
    struct pg_result *(*execute)(struct pg_connection *connection, const char *sql);
    struct pg_result *(*prepare)(struct pg_connection *connection, const char *name,
                                 const char *sql, int count, const unsigned *types);
    struct pg_result *(*run)(struct pg_connection *connection, const char *name, int count,
                             const char *const *values, const int *lengths, const int *formats,
                             int format);
    int (*result)(const struct pg_result *result);
    int (*rows)(const struct pg_result *result);
    int (*is_null)(const struct pg_result *result, int row, int column);
    const char *(*value)(const struct pg_result *result, int row, int column);
    void (*clear)(struct pg_result *result);
};

static const struct kg_symbol symbols[] = {
    {"PQconnectdbParams", NULL, offsetof(struct pg_calls, connect), false},
    {"PQstatus", NULL, offsetof(struct pg_calls, status), false},
    {"PQerrorMessage", NULL, offsetof(struct pg_calls, message), false},
    {"PQfinish", NULL, offsetof(struct pg_calls, finish), false},
    {"PQsetNoticeProcessor", NULL, offsetof(struct pg_calls, notices), false},
    {"PQexec", NULL, offsetof(struct pg_calls, execute), false},
    {"PQprepare", NULL, offsetof(struct pg_calls, prepare), false},
    {"PQexecPrepared", NULL, offsetof(struct pg_calls, run), false},
    {"PQresultStatus", NULL, offsetof(struct pg_calls, result), false},
    {"PQntuples", NULL, offsetof(struct pg_calls, rows), false},
    {"PQgetisnull", NULL, offsetof(struct pg_calls, is_null), false},
    {"PQgetvalue", NULL, offsetof(struct pg_calls, value), false},
    {"PQclear", NULL, offsetof(struct pg_calls, clear), false},
};

struct server {
    struct pg_calls calls;
    struct pg_connection *connection;
    size_t statements; /* number of names given */
};

struct statement {
    struct kg_history_database *database;
    const struct pg_calls *calls;
    struct pg_connection *connection;
    char name[32];
    bool prepared;
    size_t count; /* of parameters */
    const char **values;
    char (*numbers)[32]; /* texts of numbers, one per parameter */
    struct pg_result *result;
    int row; /* -1: before the first */
};

/* Sets err from the server's message, on one line. */
static bool fail(struct kg_history_database *database, struct kg_error *err)
{
    const struct server *server = database->connection;
    char message[1024];
    snprintf(message, sizeof message, "%s", server->calls.message(server->connection));
    for (char *c = message; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    for (size_t length = strlen(message); length && message[length - 1] == ' ';)
        message[--length] = '\0';
    return kg_error_set(err, KG_ERROR_SYSTEM, "history '%.300s': %s", database->name, message);
}

static bool execute(struct kg_history_database *database, const char *sql, struct kg_error *err)
{
    const struct server *server = database->connection;
    struct pg_result *result = server->calls.execute(server->connection, sql);
    const int status = server->calls.result(result);
    server->calls.clear(result);
    return status == COMMAND_GOOD || status == TUPLES_GOOD || fail(database, err);
}

/* libpq stays open: its libraries have functions that run when the process ends. */
static void close_database(struct kg_history_database *database)
{
    struct server *server = database->connection;
    if (!server)
        return;
    if (server->connection)
        server->calls.finish(server->connection);
    free(server);
    database->connection = NULL;
}

static void notice_drop(void *user, const char *message)
{
    (void)user;
    (void)message;
}

static bool library_open(struct server *server, struct kg_error *err)
{
    char why[256];
    void *library = kg_library_open("libpq.so.5", why, sizeof why);
    if (!library)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "a history in PostgreSQL needs libpq.so.5 (Debian: libpq5)%s%s",
                            *why ? ": " : "", why);
    const char *missing =
        kg_library_symbols(library, symbols, sizeof symbols / sizeof *symbols, &server->calls);
    return !missing || kg_error_set(err, KG_ERROR_USAGE, "libpq.so.5 has no %s", missing);
}

/* Whether the server has the schema `kgate`. */
static bool schema_find(struct kg_history_database *database, bool *found, struct kg_error *err)
{
    struct kg_query query = {0};
    int64_t one;
    const bool good =
        kg_query_prepare(database, "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'kgate'",
                         &query, err) &&
        kg_query_find(&query, &one, found, err, "");
    kg_query_free(&query);
    return good;
}

/* Writers take turns, so no two wait for each other's rows. The number is kgate's own. */
static bool begin(struct kg_history_database *database, struct kg_error *err)
{
    return execute(database, "BEGIN; SELECT pg_advisory_xact_lock(1263747145)", err);
}

/* CREATE SCHEMA IF NOT EXISTS alone fails for the second of two writers that start at once. */
static bool schema_make(struct kg_history_database *database, struct kg_error *err)
{
    const bool good =
        begin(database, err) && execute(database, "CREATE SCHEMA IF NOT EXISTS kgate", err);
    return kg_database_end(database, good, err);
}

static bool open_database(struct kg_history_database *database, const char *place,
                          enum kg_history_access access, struct kg_error *err)
{
    const char *const keywords[] = {"connect_timeout", "fallback_application_name", "dbname", NULL};
    const char *const values[] = {"10", "kgate", place, NULL};
    struct server *server = kg_alloc(1, sizeof *server);
    bool found = false;
    database->connection = server;
    if (!library_open(server, err))
        return false;
    server->connection = server->calls.connect(keywords, values, 1);
    if (!server->connection)
        return kg_error_memory(err);
    if (server->calls.status(server->connection) != CONNECTION_GOOD)
        return fail(database, err);
    server->calls.notices(server->connection, notice_drop, NULL);
    if (!schema_find(database, &found, err))
        return false;
    if (!found && access != KG_HISTORY_WRITE)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "there is no history in '%.300s'; `kgate history add RESULTS.json` "
                            "makes one",
                            database->name);
    return (found || schema_make(database, err)) &&
           execute(database, "SET search_path TO kgate", err);
}

static bool ids_continue(struct kg_history_database *database, const char *table,
                         struct kg_error *err)
{
    char sql[256];
    snprintf(sql, sizeof sql,
             "SELECT setval(pg_get_serial_sequence('%s', 'id'), (SELECT MAX(id) FROM %s))", table,
             table);
    return execute(database, sql, err);
}

/* The server's autovacuum does it. */
static bool shrink(struct kg_history_database *database, struct kg_error *err)
{
    (void)database;
    (void)err;
    return true;
}

/* The largest N of the parameters $N. */
static size_t parameters_count(const char *sql)
{
    size_t most = 0;
    for (const char *c = strchr(sql, '$'); c; c = strchr(c + 1, '$')) {
        const size_t number = strtoul(c + 1, NULL, 10);
        most = number > most ? number : most;
    }
    return most;
}

static void release(void *of)
{
    struct statement *statement = of;
    char sql[64];
    statement->calls->clear(statement->result);
    /* An import prepares statements for thousands of runs, and the server would keep all of them. */
    snprintf(sql, sizeof sql, "DEALLOCATE %s", statement->name);
    if (statement->prepared)
        statement->calls->clear(statement->calls->execute(statement->connection, sql));
    free(statement->values);
    free(statement->numbers);
    free(statement);
}

static void *prepare(struct kg_history_database *database, const char *sql, struct kg_error *err)
{
    struct server *server = database->connection;
    struct statement *statement = kg_alloc(1, sizeof *statement);
    *statement = (struct statement){.database = database,
                                    .calls = &server->calls,
                                    .connection = server->connection,
                                    .count = parameters_count(sql),
                                    .row = -1};
    snprintf(statement->name, sizeof statement->name, "kgate%zu", server->statements++);
    statement->values = kg_alloc(statement->count + 1, sizeof *statement->values);
    statement->numbers = kg_alloc(statement->count + 1, sizeof *statement->numbers);
    struct pg_result *result =
        server->calls.prepare(server->connection, statement->name, sql, 0, NULL);
    statement->prepared = server->calls.result(result) == COMMAND_GOOD;
    server->calls.clear(result);
    if (statement->prepared)
        return statement;
    fail(database, err);
    release(statement);
    return NULL;
}

static void text_set(void *of, size_t parameter, const char *value)
{
    struct statement *statement = of;
    statement->values[parameter - 1] = value;
}

static void integer_set(void *of, size_t parameter, int64_t value)
{
    struct statement *statement = of;
    char *text = statement->numbers[parameter - 1];
    snprintf(text, sizeof *statement->numbers, "%lld", (long long)value);
    text_set(statement, parameter, text);
}

static void real_set(void *of, size_t parameter, double value)
{
    struct statement *statement = of;
    char *text = statement->numbers[parameter - 1];
    snprintf(text, sizeof *statement->numbers, "%.17g", value);
    text_set(statement, parameter, text);
}

static void null_set(void *of, size_t parameter)
{
    text_set(of, parameter, NULL);
}

static enum kg_step step(void *of, struct kg_error *err)
{
    struct statement *statement = of;
    if (!statement->result) {
        statement->result =
            statement->calls->run(statement->connection, statement->name, (int)statement->count,
                                  statement->values, NULL, NULL, 0);
        const int status = statement->calls->result(statement->result);
        if (status != COMMAND_GOOD && status != TUPLES_GOOD) {
            fail(statement->database, err);
            return KG_STEP_FAILED;
        }
    }
    return ++statement->row < statement->calls->rows(statement->result) ? KG_STEP_ROW
                                                                        : KG_STEP_DONE;
}

static void reset(void *of)
{
    struct statement *statement = of;
    statement->calls->clear(statement->result);
    statement->result = NULL;
    statement->row = -1;
}

static bool is_null(void *of, size_t column)
{
    const struct statement *statement = of;
    return statement->calls->is_null(statement->result, statement->row, (int)column) != 0;
}

static const char *text_get(void *of, size_t column)
{
    const struct statement *statement = of;
    return statement->calls->value(statement->result, statement->row, (int)column);
}

static int64_t integer_get(void *of, size_t column)
{
    return strtoll(text_get(of, column), NULL, 10);
}

static double real_get(void *of, size_t column)
{
    return strtod(text_get(of, column), NULL);
}

const struct kg_history_driver kg_history_postgres = {
    .title = "PostgreSQL",
    .points_most = INT64_MAX,
    .identity = " GENERATED BY DEFAULT AS IDENTITY",
    /* Orders texts by their bytes, as SQLite does. */
    .text = "TEXT COLLATE \"C\"",
    .keyed = "",
    .view = "OR REPLACE VIEW",
    .time = "CAST(r.started AS TIMESTAMP WITH TIME ZONE)",
    .open = open_database,
    .close = close_database,
    .execute = execute,
    .begin = begin,
    .snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ",
    .ids_continue = ids_continue,
    .shrink = shrink,
    .prepare = prepare,
    .integer_set = integer_set,
    .real_set = real_set,
    .text_set = text_set,
    .null_set = null_set,
    .step = step,
    .reset = reset,
    .is_null = is_null,
    .integer_get = integer_get,
    .real_get = real_get,
    .text_get = text_get,
    .release = release,
};
