/* history_prune.c: removes old runs, or one run. Their raw rounds stay in the results files. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "judge/history/history_replay.h"

/* Ids of the runs beyond the newest $1 of each suite and machine; $2: a suite, or '' for all. If $3 is not 0, the run
 * of that id instead. */
#define CHOSEN_RUNS                                                                                \
    "(SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY suite, machine ORDER BY started " \
    "DESC, hash DESC) AS place FROM run WHERE (points > 0 OR id = $3) AND ($2 = '' OR suite = "    \
    "$2)) AS placed "                                                                              \
    "WHERE ($3 = 0 AND place > $1) OR id = $3) "

/* The runs to remove: the parameters of CHOSEN_RUNS. */
struct chosen {
    size_t keep;
    const char *suite;
    int64_t run;
};

static bool count_read(struct kg_history_database *database, const struct chosen *chosen,
                       struct kg_history_outcome *outcome, struct kg_error *err)
{
    struct kg_query query = {0};
    bool good = kg_query_prepare(
        database, "SELECT COUNT(*), COALESCE(SUM(points), 0) FROM run WHERE id IN " CHOSEN_RUNS,
        &query, err);
    if (good) {
        kg_query_begin(&query, "iti", (int64_t)chosen->keep, chosen->suite, chosen->run);
        good = kg_query_step(&query, err) == KG_STEP_ROW;
    }
    if (good) {
        outcome->runs = (size_t)kg_row_integer(&query, 0);
        outcome->points = (size_t)kg_row_integer(&query, 1);
    }
    kg_query_free(&query);
    return good;
}

static bool statement_run(struct kg_history_database *database, const char *sql,
                          const struct chosen *chosen, struct kg_error *err)
{
    struct kg_query query = {0};
    const bool good =
        kg_query_prepare(database, sql, &query, err) &&
        kg_query_run(&query, err, "iti", (int64_t)chosen->keep, chosen->suite, chosen->run);
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

static bool changes_count(struct kg_history_database *database, int64_t *count,
                          struct kg_error *err)
{
    struct kg_query query = {0};
    bool found;
    const bool good = kg_query_prepare(database, "SELECT COUNT(*) FROM change", &query, err) &&
                      kg_query_find(&query, count, &found, err, "");
    kg_query_free(&query);
    return good;
}

/* Notes the states that keep the value of the run. */
static bool pruned_note(struct kg_history_database *database, int64_t run,
                        struct kg_history_outcome *outcome, struct kg_error *err)
{
    static const char sql[] =
        "SELECT COUNT(*) FROM point AS p JOIN level AS l ON l.series = p.series JOIN run AS r ON "
        "r.id = p.run WHERE p.run = $1 AND l.pruned = 1 AND r.kind IN ('commit', 'nightly', "
        "'control')";
    struct kg_query query = {0};
    int64_t count = 0;
    bool found;
    const bool good = kg_query_prepare(database, sql, &query, err) &&
                      kg_query_find(&query, &count, &found, err, "i", run);
    kg_query_free(&query);
    if (count)
        snprintf(outcome->note, sizeof outcome->note,
                 "change detection of %lld series still contains its values, because older runs "
                 "are pruned",
                 (long long)count);
    return good;
}

static void changes_note(int64_t more, struct kg_history_outcome *outcome)
{
    const size_t length = strlen(outcome->note);
    snprintf(outcome->note + length, sizeof outcome->note - length, "%s%lld change%s %s",
             length ? "; " : "", llabs(more), llabs(more) == 1 ? "" : "s",
             more < 0 ? "fewer" : "more");
}

/* Takes a run whose points are gone out of change detection. */
static bool run_forget(struct kg_history_database *database, int64_t run,
                       struct kg_history_outcome *outcome, struct kg_error *err)
{
    struct kg_query query = {0};
    int64_t before = 0, after = 0;
    bool good = changes_count(database, &before, err) &&
                kg_query_prepare(database,
                                 "UPDATE run SET points = 0, distance = NULL, excess = NULL, "
                                 "deviation = NULL WHERE id = $1",
                                 &query, err) &&
                kg_query_run(&query, err, "i", run);
    kg_query_free(&query);
    good = good && kg_history_replay(database, run, err) && changes_count(database, &after, err);
    if (good && before != after)
        changes_note(after - before, outcome);
    return good;
}

static bool statements_run(struct kg_history_database *database, const char *const *statements,
                           size_t count, const struct chosen *chosen, struct kg_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!statement_run(database, statements[i], chosen, err))
            return false;
    return true;
}

static bool runs_remove(struct kg_history_database *database, const struct chosen *chosen,
                        struct kg_history_outcome *outcome, struct kg_error *err)
{
    /* If one run is removed, change detection goes on after the newest that is left. */
    static const char *const points[] = {
        "UPDATE level SET pruned = 1 WHERE $3 = 0 AND series IN (SELECT p.series FROM point AS p "
        "JOIN run AS r ON r.id = p.run WHERE r.kind IN ('commit', 'nightly', 'control') AND r.id "
        "IN " CHOSEN_RUNS ")",
        "DELETE FROM point WHERE run IN " CHOSEN_RUNS,
        "UPDATE level SET run = COALESCE((SELECT r.id FROM series AS s JOIN run AS r ON r.suite = "
        "s.suite AND r.machine = s.machine WHERE s.id = level.series AND r.points > 0 AND "
        "(s.control = 1 OR r.kind IN ('commit', 'nightly')) AND EXISTS (SELECT 1 FROM point AS p "
        "WHERE p.run = r.id AND p.series = s.id) ORDER BY r.started DESC, r.hash DESC LIMIT 1), 0) "
        "WHERE $3 <> 0 AND run IN " CHOSEN_RUNS,
    };
    /* States name old runs, and a later change may begin at one. So old runs keep their rows. The last statement clears
     * the runs that keep them. */
    static const char *const runs[] = {
        "DELETE FROM run WHERE id IN " CHOSEN_RUNS
        "AND ($3 <> 0 OR kind IN ('pull-request', 'bisect')) AND excess IS NULL AND id NOT IN "
        "(SELECT run_before FROM change UNION SELECT run_after FROM change UNION SELECT found_run "
        "FROM change)",
        "UPDATE run SET points = 0 WHERE id IN " CHOSEN_RUNS,
    };
    return count_read(database, chosen, outcome, err) &&
           (!chosen->run || pruned_note(database, chosen->run, outcome, err)) &&
           statements_run(database, points, sizeof points / sizeof *points, chosen, err) &&
           (!chosen->run || run_forget(database, chosen->run, outcome, err)) &&
           statements_run(database, runs, sizeof runs / sizeof *runs, chosen, err) &&
           total_reduce(database, outcome->points, err);
}

static bool chosen_prune(struct kg_history_database *database, const struct chosen *chosen,
                         struct kg_history_outcome *outcome, struct kg_error *err)
{
    struct kg_error unshrunk;
    *outcome = (struct kg_history_outcome){0};
    if (!kg_database_begin(database, err) ||
        !kg_database_end(database, runs_remove(database, chosen, outcome, err), err))
        return false;
    if (outcome->runs && !database->driver->shrink(database, &unshrunk))
        snprintf(outcome->note, sizeof outcome->note, "the file keeps its size: %.200s",
                 unshrunk.message);
    return true;
}

bool kg_history_prune(struct kg_history_database *database, size_t keep, const char *suite,
                      struct kg_history_outcome *outcome, struct kg_error *err)
{
    const struct chosen chosen = {.keep = keep, .suite = suite ? suite : ""};
    return chosen_prune(database, &chosen, outcome, err);
}

/* Whether the text is the begin of the run's time, or at least eight digits of its hash. */
static bool run_fits(const struct kg_history_run *run, const char *text)
{
    enum { HASH_LEAST = 8 };
    const size_t length = strlen(text);
    return !strncmp(run->started, text, length) ||
           (length >= HASH_LEAST && !strncmp(run->hash, text, length));
}

/* Reports why the text selects no single run, with the newest runs that it may mean. */
static bool run_refuse(const struct kg_history *history, const char *time, size_t count,
                       struct kg_error *err)
{
    enum { MOST = 5 };
    struct kg_text runs = {0};
    size_t named = 0;
    for (size_t i = history->run_count; i-- > 0 && named < MOST;) {
        const struct kg_history_run *run = &history->runs[i];
        if (!count || run_fits(run, time))
            kg_text_printf(&runs, "%s%.12s: %.20s of suite %.40s on %.60s", named++ ? ", " : "",
                           run->hash, run->started, run->suite,
                           run->host ? run->host : run->machine);
    }
    if (count)
        kg_error_set(err, KG_ERROR_USAGE,
                     "--run %.64s fits %zu runs: %s; give the hash of one, as here or from `list "
                     "--json`",
                     time, count, kg_text_string(&runs));
    else
        kg_error_set(err, KG_ERROR_USAGE, "no run has the time or hash %.64s; the newest runs: %s",
                     time, named ? kg_text_string(&runs) : "none");
    kg_text_free(&runs);
    return false;
}

bool kg_history_run_prune(struct kg_history_database *database, const char *time,
                          const struct kg_history_filter *filter,
                          struct kg_history_outcome *outcome, struct kg_error *err)
{
    struct kg_history history = {0};
    struct chosen chosen = {.suite = ""};
    size_t count = 0;
    bool good = kg_history_runs(database, filter, &history, err);
    for (size_t i = 0; i < history.run_count; i++)
        if (run_fits(&history.runs[i], time)) {
            chosen.run = history.runs[i].id;
            count++;
        }
    good = good && (count == 1 || run_refuse(&history, time, count, err)) &&
           chosen_prune(database, &chosen, outcome, err);
    kg_history_free(&history);
    return good;
}
