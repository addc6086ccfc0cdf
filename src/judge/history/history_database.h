/* history_database.h: a thin layer over SQLite and PostgreSQL, for the files of this folder. Both take one SQL dialect:
 * parameters $1, $2, …, ON CONFLICT and RETURNING. A driver is a table of functions. One thread per database. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "judge/history/history.h"

struct kg_history_driver;

struct kg_history_database {
    const struct kg_history_driver *driver;
    void *connection;
    const char *name; /* for messages: the path, or the URL without its password */
    struct kg_arena arena;
};

/* A prepared statement. Zero-initialise; free it before the database. */
struct kg_query {
    const struct kg_history_driver *driver;
    void *statement;
};

enum kg_step { KG_STEP_ROW, KG_STEP_DONE, KG_STEP_FAILED };

/* Parameters count from 1, columns from 0. Texts of parameters are borrowed until the next reset. Texts of a row are
 * valid until the next step. NaN and a NULL text are SQL's NULL. */
struct kg_history_driver {
    const char *title;    /* "SQLite" */
    uint64_t points_most; /* kgate refuses more */
    /* Replacements of @identity, @text, @keyed, @view and @time in the statements that create the tables. */
    const char *identity, *text, *keyed, *view, *time;
    bool (*open)(struct kg_history_database *database, const char *place,
                 enum kg_history_access access, struct kg_error *err);
    void (*close)(struct kg_history_database *database);
    /* Runs statements without parameters. */
    bool (*execute)(struct kg_history_database *database, const char *sql, struct kg_error *err);
    /* Begins a transaction. Other writers wait for its end; readers do not, with PostgreSQL. */
    bool (*begin)(struct kg_history_database *database, struct kg_error *err);
    const char *snapshot; /* begins a transaction whose queries all see the same rows */
    /* Gives the next row of the table the id after the largest one: kgate has inserted rows with ids. */
    bool (*ids_continue)(struct kg_history_database *database, const char *table,
                         struct kg_error *err);
    /* Gives the room of removed rows back, if the database can. */
    bool (*shrink)(struct kg_history_database *database, struct kg_error *err);
    void *(*prepare)(struct kg_history_database *database, const char *sql, struct kg_error *err);
    void (*integer_set)(void *statement, size_t parameter, int64_t value);
    void (*real_set)(void *statement, size_t parameter, double value);
    void (*text_set)(void *statement, size_t parameter, const char *value);
    void (*null_set)(void *statement, size_t parameter);
    enum kg_step (*step)(void *statement, struct kg_error *err);
    void (*reset)(void *statement);
    bool (*is_null)(void *statement, size_t column);
    int64_t (*integer_get)(void *statement, size_t column);
    double (*real_get)(void *statement, size_t column);
    const char *(*text_get)(void *statement, size_t column);
    void (*release)(void *statement);
};

extern const struct kg_history_driver kg_history_sqlite, kg_history_postgres;

bool kg_database_execute(struct kg_history_database *database, const char *sql,
                         struct kg_error *err);
bool kg_database_begin(struct kg_history_database *database, struct kg_error *err);
/* Ends the transaction.
 * good     false: everything since kg_database_begin is undone, and err stays unchanged
 * returns  false if `good` is false, or if the database could not store the changes */
bool kg_database_end(struct kg_history_database *database, bool good, struct kg_error *err);

bool kg_query_prepare(struct kg_history_database *database, const char *sql, struct kg_query *query,
                      struct kg_error *err);
void kg_query_integer(struct kg_query *query, size_t parameter, int64_t value);
void kg_query_real(struct kg_query *query, size_t parameter, double value);
void kg_query_text(struct kg_query *query, size_t parameter, const char *value);
void kg_query_null(struct kg_query *query, size_t parameter);
/* Sets the parameters from $1 on by a letter per value: i int64_t, r double, t text. Then it runs the statement to its
 * end, without a result. */
bool kg_query_run(struct kg_query *query, struct kg_error *err, const char *kinds, ...);
/* The same, and reads the first column of the first row.
 * found  false: there is no row, and *value is unchanged */
bool kg_query_find(struct kg_query *query, int64_t *value, bool *found, struct kg_error *err,
                   const char *kinds, ...);
/* Sets parameters alone; the caller then steps. */
void kg_query_begin(struct kg_query *query, const char *kinds, ...);
enum kg_step kg_query_step(struct kg_query *query, struct kg_error *err);
void kg_query_reset(struct kg_query *query);
/* NULL columns: 0, NaN, NULL. */
int64_t kg_row_integer(const struct kg_query *query, size_t column);
double kg_row_real(const struct kg_query *query, size_t column);
const char *kg_row_text(const struct kg_query *query, size_t column);
/* A copy of the text in `arena`; an empty text becomes NULL. */
const char *kg_row_keep(const struct kg_query *query, size_t column, struct kg_arena *arena);
/* A copy of the text in `arena`; "" if it is unknown. A file from elsewhere may lack a text that kgate always
 * writes. */
const char *kg_row_copy(const struct kg_query *query, size_t column, struct kg_arena *arena);
void kg_query_free(struct kg_query *query);

/* history_tables.c: creates the tables of a new database, and checks the version of an existing one. */
bool kg_history_tables_make(struct kg_history_database *database, struct kg_error *err);
bool kg_history_tables_check(struct kg_history_database *database, struct kg_error *err);

/* history_names.c: sets the error for a case that the history lacks, with near names. Returns false. */
bool kg_history_case_refuse(struct kg_history_database *database, const char *wanted,
                            struct kg_error *err);

/* history_read.c: the six columns value, error, deviation, code, rounds and flags, from `column` on. */
void kg_history_point_read(const struct kg_query *query, size_t column, struct kg_arena *arena,
                           struct kg_history_point *point);
