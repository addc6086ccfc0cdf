/* history_export.c: a history as CSV, a row per point. Every row has all facts of its run, so other programs need no
 * join, and `kgate history import` rebuilds the runs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/text.h"
#include "judge/history/history_csv.h"
#include "judge/history/history_database.h"

/* A number that reads back as the same double; an empty field if it is unknown. */
static void number_append(struct kg_text *text, double value)
{
    char number[32];
    if (!isfinite(value))
        return;
    snprintf(number, sizeof number, "%.15g", value);
    if (strtod(number, NULL) != value)
        snprintf(number, sizeof number, "%.17g", value);
    kg_text_append(text, number);
}

/* The columns up to the case, which all rows of a run share. */
static void run_append(const struct kg_history_run *run, struct kg_text *text)
{
    const char *const texts[] = {run->hash,    run->suite,  kg_history_kind_names[run->kind],
                                 run->started, run->commit, run->parent,
                                 run->branch};
    const char *const rest[] = {run->machine, run->host, run->epoch,
                                run->gpus,    run->boot, run->kgate_version};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        kg_csv_text(text, texts[i]);
        kg_text_append(text, ",");
    }
    number_append(text, run->depth);
    kg_text_printf(text, ",%d,%d,", run->dirty, run->complete);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        kg_csv_text(text, rest[i]);
        kg_text_append(text, ",");
    }
}

/* Columns: case, definition, metric, source, unit, then those of kg_history_point_read. */
static void row_append(const struct kg_query *query, struct kg_arena *arena, struct kg_text *text)
{
    struct kg_history_point point;
    for (size_t i = 0; i < 5; i++) {
        kg_csv_text(text, kg_row_text(query, i));
        kg_text_append(text, ",");
    }
    kg_history_point_read(query, 5, arena, &point);
    number_append(text, point.value);
    kg_text_append(text, ",");
    number_append(text, point.error);
    kg_text_append(text, ",");
    number_append(text, point.deviation);
    kg_text_printf(text, ",%zu,%u,%s\n", point.rounds, point.flags, point.code ? point.code : "");
}

static bool text_write(FILE *file, struct kg_text *text, struct kg_error *err)
{
    const bool good = !text->length || fwrite(text->data, text->length, 1, file) == 1;
    kg_text_truncate(text, 0);
    return good || kg_error_set(err, KG_ERROR_SYSTEM, "cannot write: %s", strerror(errno));
}

static bool run_write(struct kg_query *query, const struct kg_history_run *run, FILE *file,
                      struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_text text = {0}, shared = {0};
    enum kg_step step;
    run_append(run, &shared);
    kg_query_begin(query, "i", run->id);
    while ((step = kg_query_step(query, err)) == KG_STEP_ROW) {
        kg_text_append(&text, kg_text_string(&shared));
        row_append(query, &arena, &text);
        kg_arena_clear(&arena);
    }
    kg_query_reset(query);
    const bool good = step == KG_STEP_DONE && text_write(file, &text, err);
    kg_arena_free(&arena);
    kg_text_free(&text);
    kg_text_free(&shared);
    return good;
}

bool kg_history_export(struct kg_history_database *database, const struct kg_history_filter *filter,
                       FILE *file, struct kg_error *err)
{
    static const char sql[] =
        "SELECT s.case_, s.definition, s.metric, s.source, s.unit, p.value, p.error, p.deviation, "
        "p.code, p.rounds, p.flags FROM point AS p JOIN series AS s ON s.id = p.series WHERE p.run "
        "= $1 ORDER BY s.case_, s.definition, s.metric, s.source";
    struct kg_history history = {0};
    struct kg_text head = {0};
    struct kg_query query = {0};
    kg_text_append(&head, KG_CSV_HEAD "\n");
    bool good = kg_history_runs(database, filter, &history, err) &&
                kg_query_prepare(database, sql, &query, err) && text_write(file, &head, err);
    for (size_t i = 0; good && i < history.run_count; i++)
        good = run_write(&query, &history.runs[i], file, err);
    kg_query_free(&query);
    kg_text_free(&head);
    kg_history_free(&history);
    return good;
}
