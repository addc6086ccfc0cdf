/* history_levels.c: the detectors' rows in memory. An import appends thousands of runs to the same rows, and PostgreSQL
 * keeps every version of a row until the transaction ends. So each row is read once, and written at the end. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "judge/history/history_detector.h"

enum { COLUMNS = 4, BATCH = 32, KEPT_MOST = 20000 /* some 2.5 kB each */ };

/* "INSERT INTO level … VALUES ($1, …, $4), …" for `rows` series. */
static bool write_prepare(struct kg_history_database *database, size_t rows, struct kg_query *query,
                          struct kg_error *err)
{
    struct kg_text sql = {0};
    kg_text_append(&sql, "INSERT INTO level (series, run, crept, state) VALUES ");
    for (size_t i = 0; i < rows; i++)
        kg_text_printf(&sql, "%s($%zu, $%zu, $%zu, $%zu)", i ? ", " : "", i * COLUMNS + 1,
                       i * COLUMNS + 2, i * COLUMNS + 3, i * COLUMNS + 4);
    kg_text_append(&sql, " ON CONFLICT (series) DO UPDATE SET run = excluded.run, crept = "
                         "excluded.crept, state = excluded.state");
    const bool good = kg_query_prepare(database, kg_text_string(&sql), query, err);
    kg_text_free(&sql);
    return good;
}

bool kg_kept_levels_prepare(struct kg_kept_levels *levels, struct kg_history_database *database,
                            struct kg_error *err)
{
    static const char read[] =
        "SELECT l.state, l.crept, c.depth, r.started, r.hash, l.series, l.run, l.pruned FROM "
        "point AS p JOIN "
        "level AS l ON l.series = p.series LEFT JOIN run AS r ON r.id = l.run LEFT JOIN commit_ AS "
        "c ON c.id = r.commit_ WHERE p.run = $1";
    return kg_query_prepare(database, read, &levels->read, err) &&
           write_prepare(database, 1, &levels->one, err) &&
           write_prepare(database, BATCH, &levels->batch, err);
}

void kg_kept_levels_free(struct kg_kept_levels *levels)
{
    kg_query_free(&levels->read);
    kg_query_free(&levels->one);
    kg_query_free(&levels->batch);
    kg_arena_free(&levels->arena);
    free(levels->rows);
}

/* --- Rows in memory --------------------------------------------------------------------------- */

static int compare_series(const void *a, const void *b)
{
    const struct kg_kept_level *x = a, *y = b;
    return (x->series > y->series) - (x->series < y->series);
}

struct kg_kept_level *kg_kept_levels_find(const struct kg_kept_levels *levels, int64_t series)
{
    const struct kg_kept_level wanted = {.series = series};
    return levels->sorted ? bsearch(&wanted, levels->rows, levels->sorted, sizeof *levels->rows,
                                    compare_series)
                          : NULL;
}

static struct kg_kept_level *row_add(struct kg_kept_levels *levels)
{
    if (levels->count == levels->capacity) {
        levels->capacity = levels->capacity ? 2 * levels->capacity : 64;
        levels->rows = kg_realloc(levels->rows, levels->capacity * sizeof *levels->rows);
    }
    return &levels->rows[levels->count++];
}

static void rows_sort(struct kg_kept_levels *levels)
{
    if (levels->count > levels->sorted)
        qsort(levels->rows, levels->count, sizeof *levels->rows, compare_series);
    levels->sorted = levels->count;
}

void kg_level_read(const struct kg_query *query, struct kg_arena *arena,
                   struct kg_kept_level *level)
{
    const char *state = kg_row_text(query, 0);
    kg_level_text_read(state ? state : "", &level->row);
    level->crept = kg_row_integer(query, 1);
    level->depth = kg_row_real(query, 2);
    level->started = kg_row_keep(query, 3, arena);
    level->hash = kg_row_copy(query, 4, arena);
}

bool kg_kept_levels_load(struct kg_kept_levels *levels, int64_t run, struct kg_error *err)
{
    enum kg_step step;
    kg_query_begin(&levels->read, "i", run);
    while ((step = kg_query_step(&levels->read, err)) == KG_STEP_ROW) {
        const int64_t series = kg_row_integer(&levels->read, 5);
        if (kg_kept_levels_find(levels, series))
            continue;
        struct kg_kept_level *level = row_add(levels);
        *level = (struct kg_kept_level){.series = series,
                                        .run = kg_row_integer(&levels->read, 6),
                                        .pruned = kg_row_integer(&levels->read, 7) != 0};
        kg_level_read(&levels->read, &levels->arena, level);
    }
    kg_query_reset(&levels->read);
    rows_sort(levels);
    return step == KG_STEP_DONE;
}

/* --- Writing ---------------------------------------------------------------------------------- */

static void level_set(const struct kg_kept_level *level, size_t place, struct kg_arena *texts,
                      struct kg_query *query)
{
    struct kg_text text = {0};
    const size_t first = place * COLUMNS + 1;
    kg_level_text_append(&level->row, &text);
    kg_query_integer(query, first, level->series);
    kg_query_integer(query, first + 1, level->run);
    kg_query_integer(query, first + 2, level->crept);
    kg_query_text(query, first + 3, kg_arena_copy(texts, kg_text_string(&text)));
    kg_text_free(&text);
}

static bool batch_write(struct kg_kept_levels *levels, struct kg_kept_level **waiting, size_t count,
                        struct kg_error *err)
{
    const bool full = count == BATCH;
    struct kg_arena texts = {0};
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        level_set(waiting[i], full ? i : 0, &texts, full ? &levels->batch : &levels->one);
        if (!full)
            good = kg_query_run(&levels->one, err, "");
        waiting[i]->changed = false;
    }
    if (full)
        good = kg_query_run(&levels->batch, err, "");
    kg_arena_free(&texts);
    return good;
}

bool kg_kept_levels_write(struct kg_kept_levels *levels, struct kg_error *err)
{
    struct kg_kept_level *waiting[BATCH];
    size_t count = 0;
    bool good = true;
    for (size_t i = 0; good && i < levels->count; i++) {
        if (levels->rows[i].changed)
            waiting[count++] = &levels->rows[i];
        if (count < BATCH)
            continue;
        good = batch_write(levels, waiting, count, err);
        count = 0;
    }
    return good && batch_write(levels, waiting, count, err);
}

bool kg_kept_levels_keep(struct kg_kept_levels *levels, const struct kg_detection *detection,
                         struct kg_error *err)
{
    for (size_t i = 0; i < detection->tracked_count; i++) {
        const struct kg_tracked *tracked = &detection->tracked[i];
        struct kg_kept_level *level = kg_kept_levels_find(levels, tracked->series);
        if (!level) {
            level = row_add(levels);
            *level = (struct kg_kept_level){.series = tracked->series};
        }
        level->asked = true;
        if (tracked->skipped)
            continue;
        level->row = tracked->row;
        level->crept = tracked->crept;
        level->run = detection->run->id;
        level->depth = detection->run->depth;
        level->started = detection->run->started;
        level->hash = detection->run->hash;
        level->changed = true;
    }
    rows_sort(levels);
    if (levels->count < KEPT_MOST)
        return true;
    const bool good = kg_kept_levels_write(levels, err);
    levels->count = levels->sorted = 0;
    kg_arena_clear(&levels->arena);
    return good;
}
