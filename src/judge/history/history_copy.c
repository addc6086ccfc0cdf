/* history_copy.c: copies a whole history into a new one, table by table, also from one kind of database to the other. A
 * CSV file has only points. A copy has builds, decisions, rows of pruned runs, and the states of the detectors. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "judge/history/history_database.h"

enum { COLUMNS_MOST = 20, BATCH = 64 };

/* A table of history_tables.c. A number of any kind may be NULL. */
struct table {
    const char *name;
    const char *columns;
    const char *kinds; /* a letter per column: i integer, r real, t text */
    bool numbered;     /* the database gives the ids of new rows */
};

static const struct table tables[] = {
    {"machine", "id, class, host, gpus, seen", "itttt", true},
    {"epoch", "id, machine, hash, facts", "iitt", true},
    {"commit_", "id, sha, parent, branch, depth", "ittti", true},
    {"run",
     "id, hash, suite, machine, epoch, commit_, dirty, complete, kind, started, boot, version, "
     "file, points, distance, excess, deviation, control",
     "ittiiiiitttttirrri", true},
    {"series", "id, case_, suite, machine, definition, metric, source, unit, control", "ittitttti",
     true},
    {"level", "series, run, crept, state, pruned", "iiiti", false},
    {"change",
     "id, series, run_before, run_after, found_run, ratio, low, high, cause, state, proof, "
     "culprit, kind, seconds",
     "iiiiirrrtttttr", true},
    {"build", "suite, code, commit_, hash, scope, libraries", "tiittt", false},
};
static const struct table points = {
    "point", "run, series, value, error, deviation, code, rounds, flags", "iirrriii", false};

struct value {
    bool known;
    int64_t integer;
    double real; /* NaN: unknown */
    const char *text;
};

struct copy {
    struct kg_history_database *from, *to;
    const struct table *table; /* of the waiting rows */
    struct value rows[BATCH][COLUMNS_MOST];
    size_t waiting;
    struct kg_arena texts; /* of the waiting rows */
    struct kg_query one, batch;
};

/* --- Rows ------------------------------------------------------------------------------------- */

/* "INSERT INTO name (…) VALUES ($1, …), …" for `rows` rows. */
static bool write_prepare(const struct copy *copy, size_t rows, struct kg_query *query,
                          struct kg_error *err)
{
    const size_t columns = strlen(copy->table->kinds);
    struct kg_text sql = {0};
    kg_text_printf(&sql, "INSERT INTO %s (%s) VALUES ", copy->table->name, copy->table->columns);
    for (size_t i = 0; i < rows * columns; i++) {
        kg_text_append(&sql, i % columns ? ", " : i ? "), (" : "(");
        kg_text_printf(&sql, "$%zu", i + 1);
    }
    kg_text_append(&sql, ")");
    const bool good = kg_query_prepare(copy->to, kg_text_string(&sql), query, err);
    kg_text_free(&sql);
    return good;
}

static void row_set(const struct copy *copy, size_t row, size_t place, struct kg_query *query)
{
    const char *kinds = copy->table->kinds;
    const size_t columns = strlen(kinds);
    for (size_t i = 0; i < columns; i++) {
        const struct value *value = &copy->rows[row][i];
        const size_t parameter = place * columns + i + 1;
        if (!value->known)
            kg_query_null(query, parameter);
        else if (kinds[i] == 'i')
            kg_query_integer(query, parameter, value->integer);
        else if (kinds[i] == 'r')
            kg_query_real(query, parameter, value->real);
        else
            kg_query_text(query, parameter, value->text);
    }
}

static bool rows_write(struct copy *copy, struct kg_error *err)
{
    const bool full = copy->waiting == BATCH;
    bool good = true;
    for (size_t i = 0; good && i < copy->waiting; i++) {
        row_set(copy, i, full ? i : 0, full ? &copy->batch : &copy->one);
        if (!full)
            good = kg_query_run(&copy->one, err, "");
    }
    if (full)
        good = kg_query_run(&copy->batch, err, "");
    copy->waiting = 0;
    kg_arena_clear(&copy->texts);
    return good;
}

static void row_read(struct copy *copy, const struct kg_query *query)
{
    const char *kinds = copy->table->kinds;
    struct value *row = copy->rows[copy->waiting++];
    for (size_t i = 0; kinds[i]; i++) {
        row[i] = (struct value){.known = kinds[i] == 'r' || kg_row_text(query, i)};
        if (kinds[i] == 'i')
            row[i].integer = kg_row_integer(query, i);
        else if (kinds[i] == 'r')
            row[i].real = kg_row_real(query, i);
        else if (row[i].known)
            row[i].text = kg_row_copy(query, i, &copy->texts);
    }
}

/* Copies the rows that a prepared query finds. Up to BATCH - 1 of them wait for the next ones. */
static bool rows_copy(struct copy *copy, struct kg_query *query, struct kg_error *err)
{
    enum kg_step step;
    while ((step = kg_query_step(query, err)) == KG_STEP_ROW) {
        row_read(copy, query);
        if (copy->waiting == BATCH && !rows_write(copy, err))
            return false;
    }
    kg_query_reset(query);
    return step == KG_STEP_DONE;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static bool table_begin(struct copy *copy, const struct table *table, const char *where,
                        struct kg_query *query, struct kg_error *err)
{
    struct kg_text sql = {0};
    copy->table = table;
    kg_text_printf(&sql, "SELECT %s FROM %s%s", table->columns, table->name, where);
    const bool good = kg_query_prepare(copy->from, kg_text_string(&sql), query, err) &&
                      write_prepare(copy, 1, &copy->one, err) &&
                      write_prepare(copy, BATCH, &copy->batch, err);
    kg_text_free(&sql);
    return good;
}

static bool table_end(struct copy *copy, bool good, struct kg_error *err)
{
    good = good && rows_write(copy, err);
    kg_query_free(&copy->one);
    kg_query_free(&copy->batch);
    return good && (!copy->table->numbered ||
                    copy->to->driver->ids_continue(copy->to, copy->table->name, err));
}

static bool table_copy(struct copy *copy, const struct table *table, struct kg_error *err)
{
    struct kg_query query = {0};
    const bool good = table_begin(copy, table, "", &query, err) && rows_copy(copy, &query, err);
    kg_query_free(&query);
    return table_end(copy, good, err);
}

/* Run by run: PostgreSQL's library keeps the whole answer of a query in memory. */
static bool points_copy(struct copy *copy, struct kg_error *err)
{
    struct kg_query runs = {0}, query = {0};
    enum kg_step step = KG_STEP_FAILED;
    bool good = kg_query_prepare(copy->from, "SELECT id FROM run WHERE points > 0 ORDER BY id",
                                 &runs, err) &&
                table_begin(copy, &points, " WHERE run = $1 ORDER BY series", &query, err);
    while (good && (step = kg_query_step(&runs, err)) == KG_STEP_ROW) {
        kg_query_begin(&query, "i", kg_row_integer(&runs, 0));
        good = rows_copy(copy, &query, err);
    }
    kg_query_free(&runs);
    kg_query_free(&query);
    return table_end(copy, good && step == KG_STEP_DONE, err);
}

/* Reads a number, which a history always has. */
static bool number_read(struct kg_history_database *database, const char *sql, int64_t *number,
                        struct kg_error *err)
{
    struct kg_query query = {0};
    bool found;
    *number = 0;
    const bool good = kg_query_prepare(database, sql, &query, err) &&
                      kg_query_find(&query, number, &found, err, "");
    kg_query_free(&query);
    return good;
}

/* Sets the number of points, and checks that both histories allow the copy. */
static bool counts_copy(struct copy *copy, struct kg_history_outcome *outcome, struct kg_error *err)
{
    struct kg_query query = {0};
    int64_t there, runs, count;
    if (!number_read(copy->to, "SELECT COUNT(*) FROM machine", &there, err) ||
        !number_read(copy->from, "SELECT COUNT(*) FROM run WHERE points > 0", &runs, err) ||
        !number_read(copy->from, "SELECT value FROM fact WHERE name = 'points'", &count, err))
        return false;
    if (there)
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "the history '%.200s' is not new, and kgate copies a database only "
            "into a new one. To add runs, `kgate history export -o all.csv --history "
            "%.200s`, then import all.csv",
            copy->to->name, copy->from->name);
    if ((uint64_t)count > copy->to->driver->points_most)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "the history '%.200s' has %lld points, and kgate keeps at most %llu in "
                            "%s",
                            copy->from->name, (long long)count,
                            (unsigned long long)copy->to->driver->points_most,
                            copy->to->driver->title);
    outcome->runs = (size_t)runs;
    outcome->points = (size_t)count;
    const bool good = kg_query_prepare(copy->to, "UPDATE fact SET value = $1 WHERE name = 'points'",
                                       &query, err) &&
                      kg_query_run(&query, err, "i", count);
    kg_query_free(&query);
    return good;
}

static bool all_copy(struct copy *copy, struct kg_history_outcome *outcome, struct kg_error *err)
{
    bool good = kg_database_execute(copy->from, copy->from->driver->snapshot, err) &&
                counts_copy(copy, outcome, err) && points_copy(copy, err);
    for (size_t i = 0; good && i < sizeof tables / sizeof *tables; i++)
        good = table_copy(copy, &tables[i], err);
    return good;
}

bool kg_history_copy(struct kg_history_database *from, struct kg_history_database *to,
                     struct kg_history_outcome *outcome, struct kg_error *err)
{
    struct copy *copy = kg_alloc(1, sizeof *copy);
    copy->from = from;
    copy->to = to;
    *outcome = (struct kg_history_outcome){0};
    const bool good =
        kg_database_begin(to, err) && kg_database_end(to, all_copy(copy, outcome, err), err);
    kg_arena_free(&copy->texts);
    free(copy);
    return good;
}
