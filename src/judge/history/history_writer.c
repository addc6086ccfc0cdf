/* history_writer.c: statements that write runs. Points go to the database in batches, since a server answers each
 * statement. */
#include "judge/history/history_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

enum { POINT_COLUMNS = 8 };

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* "INSERT INTO point … VALUES ($1, …, $8), ($9, …)" for `rows` points. */
static bool batch_prepare(struct kg_history_writer *writer, size_t rows, struct kg_query *query,
                          struct kg_error *err)
{
    struct kg_text sql = {0};
    kg_text_append(&sql, "INSERT INTO point (run, series, value, error, deviation, code, rounds, "
                         "flags) VALUES ");
    for (size_t i = 0; i < rows * POINT_COLUMNS; i++)
        kg_text_printf(&sql, "%s$%zu%s",
                       i % POINT_COLUMNS ? ", "
                       : i               ? ", ("
                                         : "(",
                       i + 1, i % POINT_COLUMNS == POINT_COLUMNS - 1 ? ")" : "");
    const bool good = kg_query_prepare(writer->database, kg_text_string(&sql), query, err);
    kg_text_free(&sql);
    return good;
}

static bool statements_prepare(struct kg_history_writer *writer, struct kg_error *err)
{
    const struct {
        struct kg_query *query;
        const char *sql;
    } rows[] = {
        {&writer->run_find, "SELECT id FROM run WHERE hash = $1 AND points > 0"},
        {&writer->machine_make,
         "INSERT INTO machine (class, host, gpus, seen) VALUES ($1, $2, $3, $4) ON CONFLICT "
         "(class, host) DO UPDATE SET seen = CASE WHEN machine.seen < excluded.seen THEN "
         "excluded.seen ELSE machine.seen END RETURNING id"},
        {&writer->epoch_find, "SELECT id FROM epoch WHERE machine = $1 AND hash = $2"},
        {&writer->epoch_make,
         "INSERT INTO epoch (machine, hash, facts) VALUES ($1, $2, $3) RETURNING id"},
        {&writer->commit_make,
         "INSERT INTO commit_ (sha, parent, branch, depth) VALUES ($1, $2, $3, $4) ON CONFLICT "
         "(sha) DO UPDATE SET depth = COALESCE(commit_.depth, excluded.depth), parent = CASE WHEN "
         "commit_.parent = '' THEN excluded.parent ELSE commit_.parent END RETURNING id"},
        {&writer->run_make,
         "INSERT INTO run (hash, suite, machine, epoch, commit_, dirty, complete, kind, started, "
         "boot, version, file, points) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, "
         "0) ON CONFLICT (hash) DO UPDATE SET kind = excluded.kind RETURNING id"},
        {&writer->run_end, "UPDATE run SET points = $1 WHERE id = $2"},
        {&writer->total_add,
         "UPDATE fact SET value = value + $1 WHERE name = 'points' RETURNING value"},
        {&writer->series_list, "SELECT id, case_, definition, metric, source, control FROM "
                               "series WHERE machine = $1 AND suite = $2"},
        {&writer->series_make,
         "INSERT INTO series (case_, suite, machine, definition, metric, source, unit, control) "
         "VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!kg_query_prepare(writer->database, rows[i].sql, rows[i].query, err))
            return false;
    return batch_prepare(writer, KG_WRITER_BATCH, &writer->batch_make, err);
}

bool kg_history_writer_open(struct kg_history_writer *writer, struct kg_history_database *database,
                            struct kg_error *err)
{
    *writer = (struct kg_history_writer){.database = database};
    if (!kg_database_begin(database, err)) {
        writer->database = NULL;
        return false;
    }
    return statements_prepare(writer, err);
}

static bool machine_write(struct kg_history_writer *writer, const struct kg_history_run *run,
                          int64_t *machine, int64_t *epoch, struct kg_error *err)
{
    bool found;
    if (!kg_query_find(&writer->machine_make, machine, &found, err, "tttt", run->machine,
                       or_empty(run->host), or_empty(run->gpus), run->started) ||
        !kg_query_find(&writer->epoch_find, epoch, &found, err, "it", *machine,
                       or_empty(run->epoch)))
        return false;
    return found || kg_query_find(&writer->epoch_make, epoch, &found, err, "itt", *machine,
                                  or_empty(run->epoch), or_empty(run->facts));
}

/* commit  0: unknown */
static bool commit_write(struct kg_history_writer *writer, const struct kg_history_run *run,
                         int64_t *commit, struct kg_error *err)
{
    bool found;
    *commit = 0;
    return !run->commit ||
           kg_query_find(&writer->commit_make, commit, &found, err, "tttr", run->commit,
                         or_empty(run->parent), or_empty(run->branch), run->depth);
}

/* The key of a series within its machine and suite. No name has a control character. */
static void series_key(const char *id, const char *definition, const char *metric,
                       const char *source, bool control, struct kg_text *key)
{
    kg_text_printf(key, "%s\n%s\n%s\n%s\n%d", id, definition, metric, source, control);
}

static bool series_load(struct kg_history_writer *writer, int64_t machine, const char *suite,
                        struct kg_error *err)
{
    enum kg_step step;
    struct kg_text key = {0};
    if (writer->machine == machine && !strcmp(writer->suite, suite))
        return true;
    kg_arena_free(&writer->arena);
    writer->series = (struct kg_names){0};
    writer->machine = machine;
    writer->suite = kg_arena_copy(&writer->arena, suite);
    struct kg_query *query = &writer->series_list;
    kg_query_begin(query, "it", machine, writer->suite);
    while ((step = kg_query_step(query, err)) == KG_STEP_ROW) {
        kg_text_truncate(&key, 0);
        series_key(or_empty(kg_row_text(query, 1)), or_empty(kg_row_text(query, 2)),
                   or_empty(kg_row_text(query, 3)), or_empty(kg_row_text(query, 4)),
                   kg_row_integer(query, 5) != 0, &key);
        kg_names_set(&writer->arena, &writer->series,
                     kg_arena_copy(&writer->arena, kg_text_string(&key)), key.length,
                     (size_t)kg_row_integer(query, 0));
    }
    kg_query_reset(query);
    kg_text_free(&key);
    return step == KG_STEP_DONE;
}

/* The detector follows one branch, and the control of a machine. A pull request or an old release is not the next state
 * of either. */
static void added_add(struct kg_history_writer *writer, const struct kg_history_run *run,
                      int64_t machine)
{
    struct kg_arena *arena = &writer->added_arena;
    if (run->kind != KG_HISTORY_COMMIT && run->kind != KG_HISTORY_NIGHTLY && !writer->control)
        return;
    kg_arena_grow(arena, &writer->added, writer->added_count, &writer->added_capacity,
                  sizeof *writer->added);
    writer->added[writer->added_count++] =
        (struct kg_added_run){.id = writer->run,
                              .machine = machine,
                              .suite = kg_arena_copy(arena, run->suite),
                              .class = kg_arena_copy(arena, run->machine),
                              .started = kg_arena_copy(arena, run->started),
                              .hash = kg_arena_copy(arena, run->hash),
                              .depth = run->commit && !writer->control ? run->depth : (double)NAN,
                              .control = writer->control};
}

bool kg_history_writer_run(struct kg_history_writer *writer, const struct kg_history_run *run,
                           bool *present, struct kg_error *err)
{
    int64_t machine = 0, epoch = 0, commit = 0;
    bool found;
    writer->commit = 0;
    if (!kg_query_find(&writer->run_find, &writer->run, present, err, "t", run->hash))
        return false;
    if (*present) {
        writer->outcome.present++;
        return true;
    }
    if (!machine_write(writer, run, &machine, &epoch, err) ||
        !commit_write(writer, run, &commit, err))
        return false;
    kg_query_begin(&writer->run_make, "ttiiiiittttt", run->hash, run->suite, machine, epoch, commit,
                   (int64_t)run->dirty, (int64_t)run->complete, kg_history_kind_names[run->kind],
                   run->started, or_empty(run->boot), or_empty(run->kgate_version),
                   or_empty(run->file));
    if (!commit)
        kg_query_null(&writer->run_make, 5);
    writer->commit = commit;
    writer->control = run->kind == KG_HISTORY_CONTROL;
    writer->points = 0;
    writer->batched = 0;
    if (!kg_query_find(&writer->run_make, &writer->run, &found, err, ""))
        return false;
    added_add(writer, run, machine);
    return series_load(writer, machine, run->suite, err);
}

static bool series_find(struct kg_history_writer *writer, const struct kg_history_series *series,
                        int64_t *id, struct kg_error *err)
{
    struct kg_text key = {0};
    bool found, good = true;
    const char *definition = or_empty(series->definition);
    series_key(series->id_of_case, definition, series->metric, series->source, writer->control,
               &key);
    const size_t *number = kg_names_find(&writer->series, kg_text_string(&key), key.length);
    if (number) {
        *id = (int64_t)*number;
    } else {
        good = kg_query_find(&writer->series_make, id, &found, err, "ttitttti", series->id_of_case,
                             writer->suite, writer->machine, definition, series->metric,
                             series->source, or_empty(series->unit), (int64_t)writer->control);
        if (good)
            kg_names_set(&writer->arena, &writer->series,
                         kg_arena_copy(&writer->arena, kg_text_string(&key)), key.length,
                         (size_t)*id);
    }
    kg_text_free(&key);
    return good;
}

int64_t kg_history_code_number(const char *code)
{
    char *end;
    const uint64_t number = strtoull(code, &end, 16);
    const uint64_t kept = *end || end - code != 16 ? kg_hash_string(KG_HASH_START, code) : number;
    int64_t result;
    memcpy(&result, &kept, sizeof result);
    return result;
}

static void point_set(const struct kg_history_writer *writer, size_t index, struct kg_query *query)
{
    const struct kg_history_point *point = &writer->batch[index];
    const size_t first = index * POINT_COLUMNS + 1;
    kg_query_integer(query, first, writer->run);
    kg_query_integer(query, first + 1, writer->batch_series[index]);
    kg_query_real(query, first + 2, point->value);
    kg_query_real(query, first + 3, point->error);
    kg_query_real(query, first + 4, point->deviation);
    if (point->code)
        kg_query_integer(query, first + 5, kg_history_code_number(writer->codes[index]));
    else
        kg_query_null(query, first + 5);
    kg_query_integer(query, first + 6, (int64_t)point->rounds);
    kg_query_integer(query, first + 7, (int64_t)point->flags);
}

/* Runs of a suite end with equally many points, so their last batch is prepared once. */
static bool rest_prepare(struct kg_history_writer *writer, struct kg_error *err)
{
    if (writer->rest == writer->batched)
        return true;
    kg_query_free(&writer->rest_make);
    writer->rest = writer->batched;
    return batch_prepare(writer, writer->rest, &writer->rest_make, err);
}

static bool batch_write(struct kg_history_writer *writer, struct kg_error *err)
{
    const bool full = writer->batched == KG_WRITER_BATCH;
    struct kg_query *query = full ? &writer->batch_make : &writer->rest_make;
    if (!writer->batched)
        return true;
    if (!full && !rest_prepare(writer, err))
        return false;
    for (size_t i = 0; i < writer->batched; i++)
        point_set(writer, i, query);
    writer->batched = 0;
    return kg_query_run(query, err, "");
}

bool kg_history_writer_point(struct kg_history_writer *writer,
                             const struct kg_history_series *series,
                             const struct kg_history_point *point, struct kg_error *err)
{
    const size_t index = writer->batched;
    if (!series_find(writer, series, &writer->batch_series[index], err))
        return false;
    writer->batch[index] = *point;
    snprintf(writer->codes[index], sizeof writer->codes[index], "%s", or_empty(point->code));
    writer->batched++;
    writer->points++;
    return writer->batched < KG_WRITER_BATCH || batch_write(writer, err);
}

bool kg_history_writer_run_end(struct kg_history_writer *writer, struct kg_error *err)
{
    const struct kg_history_driver *driver = writer->database->driver;
    int64_t total = 0;
    bool found;
    if (!batch_write(writer, err) ||
        !kg_query_run(&writer->run_end, err, "ii", (int64_t)writer->points, writer->run) ||
        !kg_query_find(&writer->total_add, &total, &found, err, "i", (int64_t)writer->points))
        return false;
    writer->outcome.runs++;
    writer->outcome.points += writer->points;
    return (uint64_t)total <= driver->points_most ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "the history '%.300s' would have %lld points, and kgate keeps at most "
                        "%llu in %s. Remove old runs with `kgate history prune --keep N`, or move "
                        "to PostgreSQL: `kgate history import %.300s --history postgresql://…`",
                        writer->database->name, (long long)total,
                        (unsigned long long)driver->points_most, driver->title,
                        writer->database->name);
}

bool kg_history_writer_close(struct kg_history_writer *writer, bool good, struct kg_error *err)
{
    struct kg_query *const queries[] = {
        &writer->run_find,    &writer->run_make,   &writer->run_end,     &writer->machine_make,
        &writer->epoch_find,  &writer->epoch_make, &writer->commit_make, &writer->series_list,
        &writer->series_make, &writer->batch_make, &writer->rest_make,   &writer->total_add};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        kg_query_free(queries[i]);
    good = good && kg_history_detect(writer->database, writer->added, writer->added_count,
                                     &writer->outcome, err);
    kg_arena_free(&writer->arena);
    kg_arena_free(&writer->added_arena);
    return writer->database && kg_database_end(writer->database, good, err);
}
