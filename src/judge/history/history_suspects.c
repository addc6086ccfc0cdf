/* history_suspects.c: the suspected changes that paired rounds may decide, and the decisions on them. A change whose
 * cause needs no measuring is none of them: machine, environment, control, definition. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/history/history_builds.h"

/* --- Reading ---------------------------------------------------------------------------------- */

struct search {
    struct kg_history *history;
    struct kg_query facts;
    struct kg_history_builds_query builds;
};

static bool is_wanted(const struct kg_history_change *change, const char *machine, const char *host)
{
    return !strcmp(change->state, "suspected") &&
           (!strcmp(change->cause, "unknown") || !strcmp(change->cause, "code")) &&
           !strcmp(change->machine, machine) &&
           !strcmp(change->host ? change->host : "", host ? host : "");
}

static int compare_changes(const void *a, const void *b)
{
    const struct kg_history_change *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static void changes_choose(struct kg_history *history, const char *machine, const char *host)
{
    size_t kept = 0;
    for (size_t i = 0; i < history->change_count; i++)
        if (is_wanted(&history->changes[i], machine, host))
            history->changes[kept++] = history->changes[i];
    history->change_count = kept;
    if (kept)
        qsort(history->changes, kept, sizeof *history->changes, compare_changes);
}

static bool facts_prepare(struct kg_history_database *database, struct search *search,
                          struct kg_error *err)
{
    return kg_query_prepare(database,
                            "SELECT s.definition, pb.value, pb.code, pa.code, b.commit_, "
                            "a.commit_, cb.sha, ca.parent FROM change AS h JOIN series AS s ON "
                            "s.id = h.series LEFT JOIN run AS b ON b.id = h.run_before LEFT JOIN "
                            "run AS a ON a.id = h.run_after LEFT JOIN point AS pb ON pb.run = "
                            "h.run_before AND pb.series = h.series LEFT JOIN point AS pa ON pa.run "
                            "= h.run_after AND pa.series = h.series LEFT JOIN commit_ AS cb ON "
                            "cb.id = b.commit_ LEFT JOIN commit_ AS ca ON ca.id = a.commit_ WHERE "
                            "h.id = $1",
                            &search->facts, err) &&
           kg_builds_query_prepare(database, &search->builds, err);
}

static bool suspect_read(struct search *search, struct kg_history_suspect *suspect,
                         struct kg_error *err)
{
    struct kg_arena *arena = &search->history->arena;
    struct kg_query *query = &search->facts;
    struct kg_history_builds_wanted wanted[KG_HISTORY_SIDES];
    kg_query_begin(query, "i", suspect->change->id);
    const enum kg_step step = kg_query_step(query, err);
    if (step == KG_STEP_ROW) {
        const char *before = kg_row_keep(query, 6, arena), *parent = kg_row_keep(query, 7, arena);
        suspect->definition = kg_row_keep(query, 0, arena);
        suspect->value = kg_row_real(query, 1);
        suspect->adjacent = before && parent && !strcmp(before, parent);
        for (size_t side = 0; side < KG_HISTORY_SIDES; side++)
            wanted[side] =
                (struct kg_history_builds_wanted){.suite = suspect->change->suite,
                                                  .code = kg_row_integer(query, 2 + side),
                                                  .commit = kg_row_integer(query, 4 + side)};
    }
    kg_query_reset(query);
    if (step != KG_STEP_ROW)
        return step == KG_STEP_DONE;
    for (size_t side = 0; side < KG_HISTORY_SIDES; side++)
        if (!kg_history_builds_find(&search->builds, &wanted[side], arena, &suspect->builds[side],
                                    &suspect->build_counts[side], err))
            return false;
    return true;
}

bool kg_history_suspects(struct kg_history_database *database,
                         const struct kg_history_filter *filter, const char *machine,
                         const char *host, struct kg_history *history,
                         struct kg_history_suspect **suspects, size_t *count, struct kg_error *err)
{
    struct kg_history_filter wanted = *filter;
    struct search search = {.history = history};
    wanted.machine = NULL;
    if (!kg_history_changes(database, &wanted, history, err))
        return false;
    changes_choose(history, machine, host);
    bool good = facts_prepare(database, &search, err);
    *count = history->change_count;
    *suspects = kg_arena_alloc(&history->arena, *count, sizeof **suspects);
    for (size_t i = 0; good && i < *count; i++) {
        (*suspects)[i] = (struct kg_history_suspect){.change = &history->changes[i], .value = NAN};
        good = suspect_read(&search, &(*suspects)[i], err);
    }
    kg_query_free(&search.facts);
    kg_builds_query_free(&search.builds);
    return good;
}

/* --- Deciding --------------------------------------------------------------------------------- */

bool kg_history_decide(struct kg_history_database *database, int64_t change,
                       const struct kg_history_decision *decision, bool *stored,
                       struct kg_error *err)
{
    struct kg_query query = {0};
    int64_t id;
    *stored = false;
    if (!kg_database_begin(database, err))
        return false;
    bool good = kg_query_prepare(database,
                                 "UPDATE change SET state = COALESCE($1, state), cause = "
                                 "COALESCE($2, cause), proof = COALESCE($3, proof), culprit = "
                                 "COALESCE($4, culprit), seconds = COALESCE(seconds, 0) + $5 WHERE "
                                 "id = $6 AND state = 'suspected' RETURNING id",
                                 &query, err);
    good =
        good && kg_query_find(&query, &id, stored, err, "ttttri", decision->state, decision->cause,
                              decision->proof, decision->culprit, decision->seconds, change);
    kg_query_free(&query);
    return kg_database_end(database, good, err);
}
