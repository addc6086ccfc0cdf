/* bisect_prior.c: prior weights of the commits, so that the search builds the probable ones early. Hints come from the
 * functions in which the ends differ, and from steps that a history recorded. A hint may be wrong, so the weights are
 * bounded (kg_bisect_weight), and no commit is left out by them. */
#include <math.h>
#include <string.h>

#include "gate/bisect_parts.h"
#include "judge/history/history.h"
#include "why/evidence/source_diff.h"

enum { PATCHES_MOST = 64 << 20, PLACES_MOST = 8, NAME_LEAST = 7 };

/* Strengths of the hints, by commit. */
struct hints {
    double (*strengths)[KG_BISECT_HINTS];
    size_t count;
};

/* Forgets hints that are equal for all commits. They would only weaken another source. */
static void equal_forget(struct hints *hints, enum kg_bisect_hint source)
{
    for (size_t c = 2; c < hints->count; c++)
        if (hints->strengths[c][source] != hints->strengths[1][source])
            return;
    for (size_t c = 1; c < hints->count; c++)
        hints->strengths[c][source] = NAN;
}

/* --- The profile of the ends ------------------------------------------------------------------ */

/* The functions that explain the slowdown of the case, and their callers. */
static size_t places_find(const struct kg_suggestions *suggestions, const char *id,
                          struct kg_place places[PLACES_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < suggestions->change_count; i++) {
        const struct kg_evidence_change *change = &suggestions->changes[i];
        if (strcmp(change->operation, id) != 0 || strcmp(change->name, "function") != 0)
            continue;
        const struct kg_place both[] = {change->place, change->caller};
        for (size_t p = 0; p < 2 && count < PLACES_MOST; p++)
            if (both[p].function)
                places[count++] = both[p];
    }
    return count;
}

/* A commit that touches such a function is a full hint, a commit that touches its file is half a hint. */
static void profile_read(const struct kg_bisect_search *search,
                         const struct kg_suggestions *suggestions, struct hints *hints)
{
    static const double touches[] = {
        [KG_TOUCH_OTHER] = 0, [KG_TOUCH_FILE] = 0.5, [KG_TOUCH_FUNCTION] = 1};
    const struct kg_bisect *bisect = search->bisect;
    struct kg_place places[PLACES_MOST];
    struct kg_text text = {0};
    const size_t count = places_find(suggestions, bisect->id_of_case, places);
    size_t index = 0, near = 0;
    if (count && kg_bisect_log(bisect, "--unified=0", PATCHES_MOST, &text)) {
        for (size_t c = 1; c < hints->count; c++)
            hints->strengths[c][KG_BISECT_HINT_PROFILE] = 0;
        for (char *rest = text.data, *patch; (patch = kg_bisect_log_next(bisect, &rest, &index));) {
            const enum kg_source_touch touch = kg_source_touch_find(patch, places, count);
            hints->strengths[index][KG_BISECT_HINT_PROFILE] = touches[touch];
            near += touch == KG_TOUCH_FUNCTION;
        }
        kg_bisect_note(search, "%zu commit%s touch%s %.100s", near, near == 1 ? "" : "s",
                       near == 1 ? "es" : "", places[0].function);
        equal_forget(hints, KG_BISECT_HINT_PROFILE);
    }
    kg_text_free(&text);
}

/* --- The history ------------------------------------------------------------------------------ */

/* Index of a commit by its hash or the begin of it; 0: it is not among those after the good end. */
static size_t commit_find(const struct kg_bisect *bisect, const char *name)
{
    const size_t length = name ? strlen(name) : 0;
    for (size_t c = 1; length >= NAME_LEAST && c < bisect->commit_count; c++)
        if (!strncmp(bisect->commits[c].hash, name, length))
            return c;
    return 0;
}

/* Whether the code may have caused this step of the case, for the worse. */
static bool is_wanted(const struct kg_bisect *bisect, const struct kg_history_change *change)
{
    return change->commit_before && change->commit_after &&
           !strcmp(change->id_of_case, bisect->id_of_case) && !strcmp(change->kind, "step") &&
           change->ratio > 1 && strcmp(change->state, "refuted") != 0 &&
           (!strcmp(change->cause, "code") || !strcmp(change->cause, "unknown"));
}

static void changes_apply(const struct kg_bisect_search *search, const struct kg_history *history,
                          struct hints *hints)
{
    const struct kg_bisect *bisect = search->bisect;
    for (size_t i = 0; i < history->change_count; i++) {
        const struct kg_history_change *change = &history->changes[i];
        const size_t first = commit_find(bisect, change->commit_before) + 1;
        const size_t last = commit_find(bisect, change->commit_after);
        if (!is_wanted(bisect, change) || last < first)
            continue;
        kg_bisect_note(search, "the history has a step between %.12s and %.12s",
                       change->commit_before, change->commit_after);
        for (size_t c = 1; c < hints->count; c++) {
            double *strength = &hints->strengths[c][KG_BISECT_HINT_HISTORY];
            *strength = fmax(*strength, kg_bisect_nearness(c, first, last));
        }
    }
    equal_forget(hints, KG_BISECT_HINT_HISTORY);
}

/* A history on any machine counts, since code has the same effect on many. */
static void history_read(const struct kg_bisect_search *search, struct hints *hints)
{
    const struct kg_history_filter filter = {.suite = search->what->suite->name,
                                             .metric = search->bisect->metric};
    struct kg_history_database *database = NULL;
    struct kg_history history = {0};
    struct kg_error err;
    if (kg_history_open(search->options->history, KG_HISTORY_READ, &database, &err) &&
        kg_history_changes(database, &filter, &history, &err))
        changes_apply(search, &history, hints);
    else
        kg_bisect_note(search, "no steps of a history: %.300s", err.message);
    kg_history_free(&history);
    kg_history_close(database);
}

void kg_bisect_weigh(struct kg_bisect_search *search, const struct kg_suggestions *suggestions)
{
    struct kg_arena scratch = {0};
    struct kg_bisect *bisect = search->bisect;
    struct hints hints = {.count = bisect->commit_count};
    hints.strengths = kg_arena_alloc(&scratch, hints.count, sizeof *hints.strengths);
    for (size_t c = 0; c < hints.count; c++)
        for (size_t i = 0; i < KG_BISECT_HINTS; i++)
            hints.strengths[c][i] = NAN;
    if (suggestions)
        profile_read(search, suggestions, &hints);
    if (search->options->history)
        history_read(search, &hints);
    for (size_t c = 1; c < hints.count; c++)
        bisect->commits[c].weight = kg_bisect_weight(hints.strengths[c]);
    kg_arena_free(&scratch);
}
