/* history_sqlite.c: the driver of SQLite. A history is one file. SQLite's rollback journal undoes a transaction that a
 * killed process or a full disk cut off. The journal mode is not WAL: WAL needs a file of shared memory, which network
 * file systems and read-only folders lack. */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file_lock.h"
#include "base/memory.h"
#include "judge/history/history_database.h"

/* Marks the file as a history: "KGHI". */
enum { APPLICATION = 0x4B474849 };

struct statement {
    sqlite3_stmt *prepared;
    struct kg_history_database *database;
    int *places; /* SQLite's number of each parameter $1, $2, … */
};

/* Sets err from the last call of SQLite. */
static bool fail(struct kg_history_database *database, struct kg_error *err)
{
    sqlite3 *sqlite = database->connection;
    const int code = sqlite3_errcode(sqlite);
    const int cause = sqlite3_system_errno(sqlite);
    const bool is_io = code == SQLITE_IOERR || code == SQLITE_FULL || code == SQLITE_CANTOPEN;
    if (code == SQLITE_NOTADB)
        return kg_error_set(err, KG_ERROR_USAGE, "'%.300s' is not a history: it is no SQLite file",
                            database->name);
    if (code == SQLITE_BUSY)
        return kg_error_set(err, KG_ERROR_SYSTEM,
                            "another process writes the history '%.300s', and %.0f s were not "
                            "enough to wait for it (KGATE_LOCK_SECONDS)",
                            database->name, kg_lock_seconds());
    if (code == SQLITE_READONLY)
        return kg_error_set(err, KG_ERROR_SYSTEM,
                            "cannot write the history '%.300s': no permission for the file or its "
                            "folder",
                            database->name);
    if (code == SQLITE_CORRUPT)
        return kg_error_set(err, KG_ERROR_SYSTEM,
                            "the history '%.300s' is damaged: %s. Put a backup in its place, or "
                            "`kgate history add` the results files to a new history",
                            database->name, sqlite3_errmsg(sqlite));
    return kg_error_set(err, KG_ERROR_SYSTEM, "history '%.300s': %s%s%s", database->name,
                        sqlite3_errmsg(sqlite), is_io && cause ? ": " : "",
                        is_io && cause ? strerror(cause) : "");
}

static bool execute(struct kg_history_database *database, const char *sql, struct kg_error *err)
{
    return sqlite3_exec(database->connection, sql, NULL, NULL, NULL) == SQLITE_OK ||
           fail(database, err);
}

static bool number_read(struct kg_history_database *database, const char *sql, int64_t *number,
                        struct kg_error *err)
{
    sqlite3_stmt *prepared = NULL;
    const bool good =
        sqlite3_prepare_v2(database->connection, sql, -1, &prepared, NULL) == SQLITE_OK &&
        sqlite3_step(prepared) == SQLITE_ROW;
    if (good)
        *number = sqlite3_column_int64(prepared, 0);
    else
        fail(database, err);
    sqlite3_finalize(prepared);
    return good;
}

/* Refuses a database of another program. Marks an empty one. */
static bool owner_check(struct kg_history_database *database, enum kg_history_access access,
                        struct kg_error *err)
{
    int64_t application, tables;
    char mark[64];
    if (!number_read(database, "PRAGMA application_id", &application, err) ||
        !number_read(database, "SELECT count(*) FROM sqlite_master", &tables, err))
        return false;
    if (application == APPLICATION)
        return true;
    if (tables || application)
        return kg_error_set(err, KG_ERROR_USAGE, "'%.300s' is a SQLite database of another program",
                            database->name);
    snprintf(mark, sizeof mark, "PRAGMA application_id = %d", APPLICATION);
    return access != KG_HISTORY_WRITE || execute(database, mark, err);
}

static void close_database(struct kg_history_database *database)
{
    sqlite3_close(database->connection);
    database->connection = NULL;
}

/* The file may come from somebody else: SQLite then trusts neither its schema nor its pages. */
static void distrust(sqlite3 *sqlite)
{
    sqlite3_db_config(sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(sqlite, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(sqlite, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
}

static bool open_database(struct kg_history_database *database, const char *place,
                          enum kg_history_access access, struct kg_error *err)
{
    static const char settings[] = "PRAGMA synchronous = EXTRA; PRAGMA temp_store = MEMORY; "
                                   "PRAGMA cache_size = -32768; "
                                   "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON";
    struct stat status;
    sqlite3 *sqlite = NULL;
    const bool exists = stat(place, &status) == 0;
    if (exists && !S_ISREG(status.st_mode))
        return kg_error_set(err, KG_ERROR_USAGE, "the history '%.300s' is not a regular file",
                            place);
    if (!exists && access != KG_HISTORY_WRITE)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "there is no history '%.300s'; `kgate history add RESULTS.json` makes "
                            "one",
                            place);
    /* A reader may write too: it then undoes the half of a killed writer. Without permission SQLite only reads. */
    const int flags = SQLITE_OPEN_READWRITE | (access == KG_HISTORY_WRITE ? SQLITE_OPEN_CREATE : 0);
    const int code = sqlite3_open_v2(place, &sqlite, flags, NULL);
    database->connection = sqlite;
    if (!sqlite) {
        kg_error_memory(err);
        return false;
    }
    if (code != SQLITE_OK)
        return fail(database, err);
    distrust(sqlite);
    sqlite3_busy_timeout(sqlite, (int)(kg_lock_seconds() * 1000));
    return execute(database, settings, err) && owner_check(database, access, err) &&
           (access != KG_HISTORY_READ || execute(database, "PRAGMA query_only = ON", err));
}

static bool begin(struct kg_history_database *database, struct kg_error *err)
{
    return execute(database, "BEGIN IMMEDIATE", err);
}

/* SQLite's next id always follows the largest one. */
static bool ids_continue(struct kg_history_database *database, const char *table,
                         struct kg_error *err)
{
    (void)database;
    (void)table;
    (void)err;
    return true;
}

static bool shrink(struct kg_history_database *database, struct kg_error *err)
{
    return execute(database, "VACUUM", err);
}

static void *prepare(struct kg_history_database *database, const char *sql, struct kg_error *err)
{
    sqlite3_stmt *prepared;
    if (sqlite3_prepare_v2(database->connection, sql, -1, &prepared, NULL) != SQLITE_OK) {
        fail(database, err);
        return NULL;
    }
    struct statement *statement = kg_alloc(1, sizeof *statement);
    const int count = sqlite3_bind_parameter_count(prepared);
    statement->prepared = prepared;
    statement->database = database;
    statement->places = kg_alloc((size_t)count + 1, sizeof *statement->places);
    for (int i = 1; i <= count; i++) {
        const char *name = sqlite3_bind_parameter_name(prepared, i);
        const long number = name ? strtol(name + 1, NULL, 10) : 0;
        if (number >= 1 && number <= count)
            statement->places[number] = i;
    }
    return statement;
}

static void integer_set(void *of, size_t parameter, int64_t value)
{
    const struct statement *statement = of;
    sqlite3_bind_int64(statement->prepared, statement->places[parameter], value);
}

static void real_set(void *of, size_t parameter, double value)
{
    const struct statement *statement = of;
    sqlite3_bind_double(statement->prepared, statement->places[parameter], value);
}

static void text_set(void *of, size_t parameter, const char *value)
{
    const struct statement *statement = of;
    sqlite3_bind_text(statement->prepared, statement->places[parameter], value, -1, SQLITE_STATIC);
}

static void null_set(void *of, size_t parameter)
{
    const struct statement *statement = of;
    sqlite3_bind_null(statement->prepared, statement->places[parameter]);
}

static enum kg_step step(void *of, struct kg_error *err)
{
    const struct statement *statement = of;
    const int code = sqlite3_step(statement->prepared);
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        return code == SQLITE_ROW ? KG_STEP_ROW : KG_STEP_DONE;
    fail(statement->database, err);
    return KG_STEP_FAILED;
}

static void reset(void *of)
{
    const struct statement *statement = of;
    sqlite3_reset(statement->prepared);
}

static bool is_null(void *of, size_t column)
{
    const struct statement *statement = of;
    return sqlite3_column_type(statement->prepared, (int)column) == SQLITE_NULL;
}

static int64_t integer_get(void *of, size_t column)
{
    const struct statement *statement = of;
    return sqlite3_column_int64(statement->prepared, (int)column);
}

static double real_get(void *of, size_t column)
{
    const struct statement *statement = of;
    return sqlite3_column_double(statement->prepared, (int)column);
}

static const char *text_get(void *of, size_t column)
{
    const struct statement *statement = of;
    return (const char *)sqlite3_column_text(statement->prepared, (int)column);
}

static void release(void *of)
{
    struct statement *statement = of;
    sqlite3_finalize(statement->prepared);
    free(statement->places);
    free(statement);
}

const struct kg_history_driver kg_history_sqlite = {
    .title = "SQLite",
    .points_most = KG_HISTORY_SQLITE_POINTS,
    .identity = "",
    .text = "TEXT",
    .keyed = " WITHOUT ROWID",
    .view = "VIEW IF NOT EXISTS",
    .time = "r.started",
    .open = open_database,
    .close = close_database,
    .execute = execute,
    .begin = begin,
    .snapshot = "BEGIN",
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
