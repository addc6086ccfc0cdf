/* bisect_document.c: the result of a search: its causes with their proof, or the set that holds the cause. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/units.h"
#include "judge/bisect_posterior.h"
#include "show/cells.h"
#include "show/document.h"
#include "show/format_parts.h"

enum { HASH_SHOWN = 12, SET_SHOWN = 20 };

static const char UNCLEAR[] =
    "undecided: ends/report.md beside bisect.json has the rounds. To decide, raise rounds.max or "
    "measure on a quieter machine. Counted instructions have no pairs: search by cpu_time";

static const char *const state_words[] = {
    [KG_BISECT_ENDS] = "the ends are not measured yet",
    [KG_BISECT_SEARCHING] = "unfinished: the same command continues the search",
    [KG_BISECT_ABSENT] = "not there any more: the bad end is not slower than the good end",
    [KG_BISECT_UNCLEAR] = UNCLEAR,
    [KG_BISECT_FOUND] = "",
    [KG_BISECT_SET_ONLY] = "no further build can tell the commits of the 95 % set apart",
    [KG_BISECT_BUDGET] = "the budget is used up; the same command continues the search",
    [KG_BISECT_REFUTED] = "the search was misled: the culprit is not slower than its parent",
    [KG_BISECT_UNBUILT] = "no commit between the ends builds; the same command builds them again",
};

/* Adds "3f2a1c0b1d2e (Copy twice)". */
static void commit_add(struct kg_document *document, const struct kg_bisect_commit *commit)
{
    kg_span_text(document, "%.*s", HASH_SHOWN, commit->hash);
    if (!*commit->subject)
        return;
    kg_span_text(document, " (");
    kg_span_add(document, KG_SPAN_NAME, commit->subject);
    kg_span_text(document, ")");
}

static const char *change_text(struct kg_document *document, double ratio)
{
    char text[KG_UNIT_BYTES];
    return kg_arena_copy(&document->arena, kg_change_format(ratio, text));
}

static void headline_add(struct kg_document *document, const struct kg_bisect *bisect)
{
    kg_part_add(document, KG_PART_HEADLINE, "bisect");
    if (bisect->id_of_case) {
        const bool is_time = !strcmp(bisect->metric, "time");
        kg_span_add(document, KG_SPAN_ID, bisect->id_of_case);
        kg_span_text(document, ": %s%s%s", is_time ? "" : bisect->metric, is_time ? "" : " ",
                     change_text(document, exp(bisect->effect)));
        if (!isnan(bisect->low) && !isnan(bisect->high))
            kg_span_text(document, " (%s … %s)", change_text(document, exp(bisect->low)),
                         change_text(document, exp(bisect->high)));
        kg_span_text(document, " from ");
    }
    kg_span_add(document, KG_SPAN_NAME, bisect->good);
    kg_span_text(document, " to ");
    kg_span_add(document, KG_SPAN_NAME, bisect->bad);
    if (*state_words[bisect->state]) {
        kg_part_text(document, KG_PART_SENTENCE, NULL, "%s", state_words[bisect->state]);
    }
}

/* --- Causes ----------------------------------------------------------------------------------- */

static void proof_add(struct kg_document *document, const struct kg_bisect *bisect,
                      const struct kg_bisect_cause *cause)
{
    const char *word = cause->proven ? "confirmed" : cause->refuted ? "refuted" : "undecided";
    if (isnan(cause->proof_ratio))
        return;
    kg_part_text(document, KG_PART_UNDER, NULL, "against %.*s in fresh pairs: %s (%s … %s), %s",
                 HASH_SHOWN, bisect->commits[cause->parent].hash,
                 change_text(document, cause->proof_ratio), change_text(document, cause->proof_low),
                 change_text(document, cause->proof_high), word);
}

static void revert_add(struct kg_document *document, const struct kg_bisect *bisect,
                       const struct kg_bisect_cause *cause)
{
    static const char *const words[] = {
        [KG_REVERT_UNTRIED] = NULL,
        [KG_REVERT_CONFLICTS] = "git cannot revert it there",
        [KG_REVERT_UNBUILDABLE] = "does not build",
        [KG_REVERT_FASTER] = "faster",
        [KG_REVERT_SAME] = "not clearly faster",
    };
    if (cause->revert == KG_REVERT_UNTRIED)
        return;
    kg_part_add(document, KG_PART_UNDER, NULL);
    kg_span_add(document, KG_SPAN_NAME, bisect->bad);
    kg_span_text(document, " without it: ");
    if (!isnan(cause->revert_ratio))
        kg_span_text(document, "%s, ", change_text(document, cause->revert_ratio));
    kg_span_text(document, "%s", words[cause->revert]);
}

/* Warns that one build decides, whose code may lie elsewhere in memory. A bad end without the cause is a further build.
 * If the cause is the bad end, the build is its parent's again. */
static void support_add(struct kg_document *document, const struct kg_bisect *bisect,
                        const struct kg_bisect_cause *cause)
{
    const bool before = cause->builds_before < 2, after = cause->builds_after < 2;
    const bool is_end = cause->last + 1 == bisect->commit_count;
    if (cause->proven && cause->revert == KG_REVERT_SAME)
        kg_part_text(document, KG_PART_UNDER, NULL, "memory layout alone may have moved its build");
    else if ((before || after) && (cause->revert != KG_REVERT_FASTER || is_end))
        kg_part_text(document, KG_PART_UNDER, NULL,
                     "it rests on one build: a single measured build has the value %s it, perhaps "
                     "by memory layout alone",
                     before ? "before" : "after");
}

/* Adds the failure of the first commit from `first` on that does not build. */
static void failure_add(struct kg_document *document, const struct kg_bisect *bisect, size_t first,
                        const char *advice)
{
    for (size_t c = first; c < bisect->commit_count; c++)
        if (bisect->commits[c].status == KG_BISECT_UNBUILDABLE && bisect->commits[c].reason) {
            kg_part_text(document, KG_PART_UNDER, NULL, "%.*s: %s%s", HASH_SHOWN,
                         bisect->commits[c].hash, bisect->commits[c].reason, advice);
            return;
        }
}

static void cause_add(struct kg_document *document, const struct kg_bisect *bisect,
                      const struct kg_bisect_cause *cause)
{
    const size_t count = cause->last - cause->first + 1;
    size_t untried = 0;
    for (size_t c = cause->first; c < cause->last; c++)
        untried += bisect->commits[c].status == KG_BISECT_UNTRIED;
    kg_part_add(document, KG_PART_ITEM, NULL);
    kg_span_text(document, "culprit: ");
    if (count > 1) {
        kg_span_text(document, "one of %zu commits, of which only the last one builds", count);
        if (untried)
            kg_span_text(document, " (%zu untried)", untried);
        kg_span_text(document, ": ");
        commit_add(document, &bisect->commits[cause->first]);
        kg_span_text(document, " to ");
    }
    commit_add(document, &bisect->commits[cause->last]);
    kg_span_text(document, ", %s, probability %.1f %%", change_text(document, cause->ratio),
                 100 * cause->probability);
    if (count > 1)
        failure_add(document, bisect, cause->first,
                    "; without bisect.json the same command builds it again");
    proof_add(document, bisect, cause);
    revert_add(document, bisect, cause);
    support_add(document, bisect, cause);
    kg_part_prose(document, KG_PART_UNDER, NULL, cause->place);
}

/* The command that compares the builds around the first cause. */
static void command_add(struct kg_document *document, const struct kg_bisect *bisect)
{
    struct kg_text text = {0};
    if (!bisect->cause_count || document->style.quiet)
        return;
    const struct kg_bisect_cause *cause = &bisect->causes[0];
    const char *parent = bisect->commits[cause->parent].folder;
    const char *culprit = bisect->commits[cause->last].folder;
    if (!parent || !culprit)
        return;
    kg_text_append(&text, "kgate ab -c ");
    kg_shell_quote(&text, bisect->suite_path);
    kg_text_append(&text, " --base ");
    kg_shell_quote(&text, parent);
    kg_text_append(&text, " --head ");
    kg_shell_quote(&text, culprit);
    kg_part_add(document, KG_PART_WHOLE, "next");
    kg_span_add(document, KG_SPAN_COMMAND, kg_cell_take(&document->arena, &text));
}

/* --- The set ---------------------------------------------------------------------------------- */

static void set_add(struct kg_document *document, const struct kg_bisect *bisect)
{
    size_t count = 0;
    for (size_t c = 1; c < bisect->commit_count; c++)
        count += bisect->commits[c].in_set;
    if (!count || bisect->state == KG_BISECT_FOUND || bisect->state == KG_BISECT_REFUTED ||
        isnan(bisect->set))
        return;
    kg_part_text(document, KG_PART_SENTENCE, NULL,
                 "%zu commit%s hold%s the %scause with a probability of %.1f %%", count,
                 count == 1 ? "" : "s", count == 1 ? "s" : "", bisect->cause_count ? "other " : "",
                 100 * fmin(bisect->set, 1));
    size_t shown = 0;
    for (size_t c = 1; c < bisect->commit_count; c++) {
        if (!bisect->commits[c].in_set || ++shown > SET_SHOWN)
            continue;
        kg_part_add(document, KG_PART_ITEM, NULL);
        commit_add(document, &bisect->commits[c]);
        kg_span_text(document, ", %.1f %%", 100 * bisect->commits[c].probability);
    }
    kg_part_rest(document, shown > SET_SHOWN ? shown - SET_SHOWN : 0);
}

/* --- Commits ---------------------------------------------------------------------------------- */

static void counts_add(struct kg_document *document, const struct kg_bisect *bisect)
{
    size_t unbuildable = 0, left_out = 0, pairs = 0;
    for (size_t c = 0; c < bisect->commit_count; c++) {
        unbuildable += bisect->commits[c].status == KG_BISECT_UNBUILDABLE;
        left_out += bisect->commits[c].status == KG_BISECT_LEFT_OUT;
        pairs += bisect->commits[c].pair_count;
    }
    kg_part_text(document, KG_PART_SENTENCE, NULL,
                 "%zu build%s for %zu commit%s, of which %zu failed; %zu left out; %zu pairs",
                 bisect->builds, bisect->builds == 1 ? "" : "s", bisect->commit_count - 1,
                 bisect->commit_count == 2 ? "" : "s", unbuildable, left_out, pairs);
    if (bisect->others)
        kg_part_text(document, KG_PART_SENTENCE, NULL,
                     "%zu other case%s slower, too: search one by --case with another -o",
                     bisect->others, bisect->others == 1 ? " is" : "s are");
}

static void commit_row(struct kg_table *table, const struct kg_bisect_commit *commit,
                       double deviation)
{
    struct kg_table_row *row = kg_table_row_add(table);
    char change[KG_UNIT_BYTES];
    row->cells[0] = kg_arena_printf(&table->arena, "%.*s", HASH_SHOWN, commit->hash);
    row->cells[1] = kg_bisect_status_names[commit->status];
    if (commit->pair_count) {
        kg_change_format(exp(kg_bisect_level(commit->pairs, commit->pair_count, deviation).mean),
                         change);
        row->cells[2] = kg_arena_copy(&table->arena, change);
        row->cells[3] = kg_arena_printf(&table->arena, "%zu", commit->pair_count);
    }
    if (!isnan(commit->probability))
        row->cells[4] = kg_arena_printf(&table->arena, "%.1f %%", 100 * commit->probability);
    row->cells[5] = commit->subject;
}

/* The tried commits, oldest first. */
static void table_add(struct kg_document *document, const struct kg_bisect *bisect)
{
    static const struct kg_table form = {
        .columns = 6,
        .heads = {"commit", "status", "change", "pairs", "probability", "subject"},
        .left = {true, true, [5] = true},
        .spare = {[5] = 1}};
    if (!document->style.page && !document->style.verbose)
        return;
    kg_part_gap(document);
    struct kg_table *table = kg_part_table(document, &form);
    for (size_t c = 0; c < bisect->commit_count; c++)
        if (bisect->commits[c].status != KG_BISECT_UNTRIED)
            commit_row(table, &bisect->commits[c], bisect->deviation);
}

void kg_bisect_document(const struct kg_report_subject *subject, struct kg_document *document)
{
    const struct kg_bisect *bisect = subject->bisect;
    headline_add(document, bisect);
    document->indent = 2;
    for (size_t i = 0; i < bisect->cause_count; i++)
        cause_add(document, bisect, &bisect->causes[i]);
    if (bisect->state == KG_BISECT_UNBUILT)
        failure_add(document, bisect, 1, "");
    set_add(document, bisect);
    if (!document->style.quiet)
        counts_add(document, bisect);
    command_add(document, bisect);
    table_add(document, bisect);
}
