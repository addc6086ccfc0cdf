/* suggest_parts.h: the steps of kg_suggest. Internal to why. */
#pragma once
#include "base/text.h"
#include "model/results.h"
#include "why/evidence/changed_rows.h"
#include "why/suggestions.h"

/* changed.c: what changed in the evidence of cases that became slower, or take more. */

/* Fills suggestions->changes and suggestions->differences of the cases that became worse in time, memory or instructions, the
 * worst first; also of those whose time or amount rose beyond the threshold but is SUSPECT or INCONCLUSIVE,
 * so whoever shows a case shows what there is of it, whatever its verdict. Of each the most
 * telling changes of its traits against those of the baseline's newest ordinary run of the results'
 * suite that has any, or, where it is worse than a pinned run alone, against those of that run.
 * Shares of ceilings are each run's own. Nothing without a baseline of the same machine that has
 * traits, or where the case's definition is another.
 * traits   [i] are those of case i of the results
 * scratch  owns the slowdowns
 * slowdowns  [i] is filled with that of case i if its time rose; zeroed by the caller
 * *missing why the results could not be compared with a baseline that there is, in the suggestions'
 *          arena; NULL where they could, or where a comparison has said so */
void kg_changes_find(const struct kg_suggest_input *input, const struct kg_traits *traits,
                     struct kg_arena *scratch, const struct kg_slower **slowdowns,
                     struct kg_suggestions *suggestions, const char **missing);

/* suggestion_growth.c: a suggestion for a case that became slower counts by the growth of its evidence. */

/* Lowers the rank of a suggestion to the part of its evidence that the baseline lacks.
 * slowdown  of the facts' case, with samples of both sides or traits of the baseline
 * returns   false if the evidence is alike on both sides: less than a fifth of the slowdown */
bool kg_suggestion_grew(const struct kg_slower *slowdown, const struct kg_rule *rule,
                        const struct kg_facts *facts, const struct kg_suggest_settings *settings,
                        struct kg_judged *judged);

/* suggestion_evidence.c: the figures that something said of an operation follows from. Texts live in an arena. */

struct kg_evidence {
    struct kg_arena *arena;
    struct kg_evidence_figure *figures;
    size_t count, capacity;
};

/* Adds those of the facts that are known; `names` ends at NULL or `most`. */
void kg_evidence_facts(struct kg_evidence *evidence, const struct kg_facts *facts,
                       const char *const *names, size_t most);

/* Adds what was seen, counted and measured of a cause. */
void kg_evidence_cause(struct kg_evidence *evidence, const struct kg_facts *facts,
                       const struct kg_cause *cause);

/* suggestion_notes.c: what could not be told, and why. */

/* Fills suggestions->notes, which have their findings.
 * no_changes  why nothing was compared with the baseline; or NULL */
void kg_notes_make(const struct kg_suggest_input *input, const struct kg_facts_list *cases,
                   const char *no_changes, struct kg_suggestions *suggestions);

/* next_command.c: of a case whose time nothing explains, the one command that would tell more: the first
 * of those that were not followed yet. */

/* Appends why it is not known, and the command, as one sentence: "its instructions were not counted:
 * there is no valgrind; with Valgrind installed `kgate run …` counts branches and cache misses by line".
 * profiled  whether a profile of it was recorded
 * taken     whether other programs preempted its threads
 * returns   false, and nothing appended, of a case that is not on the CPU */
bool kg_next_look(const struct kg_results *results, const struct kg_case_result *result,
                  bool profiled, bool taken, struct kg_text *text);

/* suggestions_check.c: what no file can hold is left out, and costs nothing else. */

/* Removes suggestions, findings and changes with a figure that the tables of their fields refuse, and
 * counts them in `unwritable_count`. */
void kg_suggestions_check(struct kg_suggestions *made);
