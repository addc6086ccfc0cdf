/* history_prune.c: removes old runs. Their raw rounds stay in the results files. */
#include <string.h>

#include "judge/history/history_database.h"

/* Ids of the runs beyond the newest $1 of each suite and machine; $2: a suite, or '' for all. */
#define OLD_RUNS                                                                                   \
    "(SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY suite, machine ORDER BY started " \
    "DESC, hash DESC) AS place FROM run WHERE points > 0 AND ($2 = '' OR suite = $2)) AS placed "  \
    "WHERE place > $1) "

static bool count_read(struct kg_history_database *database, size_t keep, const char *suite,
                       struct kg_history_outcome *outcome, struct kg_error *err)
{
    struct kg_query query = {0};
    bool good = kg_query_prepare(
        database, "SELECT COUNT(*), COALESCE(SUM(points), 0) FROM run WHERE id IN " OLD_RUNS,
        &query, err);
    if (good) {
        kg_query_begin(&query, "it", (int64_t)keep, suite);
        good = kg_query_step(&query, err) == KG_STEP_ROW;
    }
    if (good) {
        outcome->runs = (size_t)kg_row_integer(&query, 0);
        outcome->points = (size_t)kg_row_integer(&query, 1);
    }
    kg_query_free(&query);
    return good;
}

static bool statement_run(struct kg_history_database *database, const char *sql, size_t keep,
                          const char *suite, struct kg_error *err)
{
    struct kg_query query = {0};
    const bool good = kg_query_prepare(database, sql, &query, err) &&
                      kg_query_run(&query, err, "it", (int64_t)keep, suite);
    kg_query_free(&query);
    return good;
}

static bool total_reduce(struct kg_history_database *database, size_t points, struct kg_error *err)
{
    struct kg_query query = {0};
    const bool good =
        kg_query_prepare(database, "UPDATE fact SET value = value - $1 WHERE name = 'points'",
                         &query, err) &&
        kg_query_run(&query, err, "i", (int64_t)points);
    kg_query_free(&query);
    return good;
}

static bool runs_remove(struct kg_history_database *database, size_t keep, const char *suite,
                        struct kg_history_outcome *outcome, struct kg_error *err)
{
    /* The last statement clears the runs that a change names, so it comes after the removal of the others. */
    static const char *const statements[] = {
        "DELETE FROM point WHERE run IN " OLD_RUNS,
        "DELETE FROM run WHERE id IN " OLD_RUNS
        "AND excess IS NULL AND id NOT IN (SELECT run_before FROM change UNION SELECT run_after "
        "FROM change UNION "
        "SELECT found_run FROM change)",
        "UPDATE run SET points = 0 WHERE id IN " OLD_RUNS,
    };
    if (!count_read(database, keep, suite, outcome, err))
        return false;
    for (size_t i = 0; outcome->runs && i < sizeof statements / sizeof *statements; i++)
        if (!statement_run(database, statements[i], keep, suite, err))
            return false;
    return total_reduce(database, outcome->points, err);
}

bool kg_history_prune(struct kg_history_database *database, size_t keep, const char *suite,
                      struct kg_history_outcome *outcome, struct kg_error *err)
{
    struct kg_error unshrunk;
    *outcome = (struct kg_history_outcome){0};
    if (!kg_database_begin(database, err) ||
        !kg_database_end(database, runs_remove(database, keep, suite ? suite : "", outcome, err),
                         err))
        return false;
    if (outcome->runs && !database->driver->shrink(database, &unshrunk))
        snprintf(outcome->note, sizeof outcome->note, "the file keeps its size: %.200s",
                 unshrunk.message);
    return true;
}
