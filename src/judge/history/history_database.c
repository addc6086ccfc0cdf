/* history_database.c: finds the driver of a place and calls it. */
#include "judge/history/history_database.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* The URL without its password: "postgresql://user:secret@host/base" becomes "postgresql://user@host/base". */
static const char *url_name(struct kg_arena *arena, const char *url)
{
    struct kg_text name = {0};
    const char *authority = strstr(url, "://") + 3;
    const size_t length = strcspn(authority, "/?");
    const char *at = NULL;
    for (size_t i = 0; i < length; i++)
        if (authority[i] == '@')
            at = authority + i;
    const char *colon = at ? memchr(authority, ':', (size_t)(at - authority)) : NULL;
    kg_text_append_bytes(&name, url, (size_t)((colon ? colon : authority) - url));
    kg_text_append(&name, colon ? at : authority);
    /* libpq takes a password also as a parameter. */
    const char *query = strchr(kg_text_string(&name), '?');
    if (query && strstr(query, "password="))
        kg_text_truncate(&name, (size_t)(query - kg_text_string(&name)));
    const char *kept = kg_arena_copy(arena, kg_text_string(&name));
    kg_text_free(&name);
    return kept;
}

static const char sqlite[] = "sqlite:";

static bool is_url(const char *place)
{
    return !strncmp(place, "postgresql://", 13) || !strncmp(place, "postgres://", 11);
}

bool kg_history_is_place(const char *place)
{
    static const char mark[] = "SQLite format 3";
    char head[sizeof mark];
    if (is_url(place) || !strncmp(place, sqlite, sizeof sqlite - 1))
        return true;
    FILE *file = fopen(place, "re");
    const bool good =
        file && fread(head, sizeof head, 1, file) == 1 && !memcmp(head, mark, sizeof head);
    if (file)
        fclose(file);
    return good;
}

bool kg_history_open(const char *place, enum kg_history_access access,
                     struct kg_history_database **database, struct kg_error *err)
{
    struct kg_history_database *opened = kg_alloc(1, sizeof *opened);
    const bool by_url = is_url(place);
    if (!strncmp(place, sqlite, sizeof sqlite - 1))
        place += sizeof sqlite - 1;
    *opened =
        (struct kg_history_database){.driver = by_url ? &kg_history_postgres : &kg_history_sqlite};
    *database = NULL;
    opened->name = by_url ? url_name(&opened->arena, place) : kg_arena_copy(&opened->arena, place);
    bool good = *place || kg_error_set(err, KG_ERROR_USAGE, "the path of the history is empty");
    good = good && opened->driver->open(opened, place, access, err) &&
           (access == KG_HISTORY_WRITE ? kg_history_tables_make(opened, err)
                                       : kg_history_tables_check(opened, err));
    if (!good) {
        kg_history_close(opened);
        return false;
    }
    *database = opened;
    return true;
}

void kg_history_close(struct kg_history_database *database)
{
    if (!database)
        return;
    database->driver->close(database);
    kg_arena_free(&database->arena);
    free(database);
}

const char *kg_history_name(const struct kg_history_database *database)
{
    return database->name;
}

bool kg_database_execute(struct kg_history_database *database, const char *sql,
                         struct kg_error *err)
{
    return database->driver->execute(database, sql, err);
}

bool kg_database_begin(struct kg_history_database *database, struct kg_error *err)
{
    return database->driver->begin(database, err);
}

bool kg_database_end(struct kg_history_database *database, bool good, struct kg_error *err)
{
    struct kg_error unsaid;
    if (good && kg_database_execute(database, "COMMIT", err))
        return true;
    kg_database_execute(database, "ROLLBACK", &unsaid);
    return false;
}

bool kg_query_prepare(struct kg_history_database *database, const char *sql, struct kg_query *query,
                      struct kg_error *err)
{
    query->driver = database->driver;
    query->statement = database->driver->prepare(database, sql, err);
    return query->statement;
}

void kg_query_integer(struct kg_query *query, size_t parameter, int64_t value)
{
    query->driver->integer_set(query->statement, parameter, value);
}

void kg_query_real(struct kg_query *query, size_t parameter, double value)
{
    if (isfinite(value))
        query->driver->real_set(query->statement, parameter, value);
    else
        query->driver->null_set(query->statement, parameter);
}

void kg_query_text(struct kg_query *query, size_t parameter, const char *value)
{
    if (value)
        query->driver->text_set(query->statement, parameter, value);
    else
        query->driver->null_set(query->statement, parameter);
}

void kg_query_null(struct kg_query *query, size_t parameter)
{
    query->driver->null_set(query->statement, parameter);
}

static void parameters_set(struct kg_query *query, const char *kinds, va_list values)
{
    for (size_t i = 0; kinds[i]; i++)
        if (kinds[i] == 'i')
            kg_query_integer(query, i + 1, va_arg(values, int64_t));
        else if (kinds[i] == 'r')
            kg_query_real(query, i + 1, va_arg(values, double));
        else
            kg_query_text(query, i + 1, va_arg(values, const char *));
}

void kg_query_begin(struct kg_query *query, const char *kinds, ...)
{
    va_list values;
    va_start(values, kinds);
    parameters_set(query, kinds, values);
    va_end(values);
}

bool kg_query_run(struct kg_query *query, struct kg_error *err, const char *kinds, ...)
{
    va_list values;
    enum kg_step step;
    va_start(values, kinds);
    parameters_set(query, kinds, values);
    va_end(values);
    do
        step = kg_query_step(query, err);
    while (step == KG_STEP_ROW);
    kg_query_reset(query);
    return step == KG_STEP_DONE;
}

bool kg_query_find(struct kg_query *query, int64_t *value, bool *found, struct kg_error *err,
                   const char *kinds, ...)
{
    va_list values;
    va_start(values, kinds);
    parameters_set(query, kinds, values);
    va_end(values);
    const enum kg_step step = kg_query_step(query, err);
    *found = step == KG_STEP_ROW;
    if (*found)
        *value = kg_row_integer(query, 0);
    kg_query_reset(query);
    return step != KG_STEP_FAILED;
}

enum kg_step kg_query_step(struct kg_query *query, struct kg_error *err)
{
    return query->driver->step(query->statement, err);
}

void kg_query_reset(struct kg_query *query)
{
    query->driver->reset(query->statement);
}

int64_t kg_row_integer(const struct kg_query *query, size_t column)
{
    return query->driver->is_null(query->statement, column)
               ? 0
               : query->driver->integer_get(query->statement, column);
}

double kg_row_real(const struct kg_query *query, size_t column)
{
    return query->driver->is_null(query->statement, column)
               ? (double)NAN
               : query->driver->real_get(query->statement, column);
}

const char *kg_row_text(const struct kg_query *query, size_t column)
{
    return query->driver->is_null(query->statement, column)
               ? NULL
               : query->driver->text_get(query->statement, column);
}

const char *kg_row_keep(const struct kg_query *query, size_t column, struct kg_arena *arena)
{
    const char *text = kg_row_text(query, column);
    return text && *text ? kg_arena_copy(arena, text) : NULL;
}

const char *kg_row_copy(const struct kg_query *query, size_t column, struct kg_arena *arena)
{
    const char *text = kg_row_text(query, column);
    return kg_arena_copy(arena, text ? text : "");
}

void kg_query_free(struct kg_query *query)
{
    if (query->statement)
        query->driver->release(query->statement);
    *query = (struct kg_query){0};
}
