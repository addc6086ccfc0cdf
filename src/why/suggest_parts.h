/* suggest_parts.h: the steps of kg_suggest. Internal to why. */
#pragma once
#include "base/text.h"
#include "model/results.h"
#include "why/evidence/changed_rows.h"
#include "why/suggestions.h"

/* changed.c: changed evidence of cases that became slower, or that take more memory or
 * instructions. */

/* Fills suggestions->changes and suggestions->differences for each case that became worse in
 * time, memory or instructions, worst first. SUSPECT and INCONCLUSIVE cases count too, if their
 * value rose beyond the threshold. So each report of a case has its evidence, whatever the
 * verdict.
 *
 * The evidence is the strongest changes of the case's traits against a baseline run of the
 * results' suite: the newest ordinary run with traits. If the case is worse only than a pinned
 * run, that run counts. Shares of ceilings use each run's own ceilings. There is no evidence in
 * these cases: the baseline comes from another machine; it has no traits; the case's definition
 * differs.
 * traits     [i] belongs to case i of the results
 * scratch    owns the slowdowns
 * slowdowns  [i] is filled for case i if its time rose; the caller zeroes it
 * *missing   why a comparison with the baseline was impossible, in the suggestions' arena. NULL:
 *            it was possible, or the comparison already gives the reason */
void kg_changes_find(const struct kg_suggest_input *input, const struct kg_traits *traits,
                     struct kg_arena *scratch, const struct kg_slower **slowdowns,
                     struct kg_suggestions *suggestions, const char **missing);

/* suggestion_growth.c: ranks the suggestions for a case that became slower by the growth of
 * their evidence. */

/* Lowers the rank of a suggestion to the part of its evidence that the baseline lacks.
 * slowdown  slowdown of the facts' case, with samples of both sides or traits of the baseline.
 * returns   false if the evidence grew by less than a fifth of the slowdown */
bool kg_suggestion_grew(const struct kg_slower *slowdown, const struct kg_rule *rule,
                        const struct kg_facts *facts, const struct kg_suggest_settings *settings,
                        struct kg_judged *judged);

/* suggestion_evidence.c: the figures behind a suggestion or a bottleneck. Texts live in an
 * arena. */

struct kg_evidence {
    struct kg_arena *arena;
    struct kg_evidence_figure *figures;
    size_t count, capacity;
};

/* Adds the known facts with these names; `names` ends at NULL or after `most`. */
void kg_evidence_facts(struct kg_evidence *evidence, const struct kg_facts *facts,
                       const char *const *names, size_t most);

/* Adds the samples, counts and measurements of a cause. */
void kg_evidence_cause(struct kg_evidence *evidence, const struct kg_facts *facts,
                       const struct kg_cause *cause);

/* suggestion_notes.c: notes on missing information, with reasons. */

/* Fills suggestions->notes. The findings must be filled before.
 * no_changes  why there was no comparison with the baseline; or NULL */
void kg_notes_make(const struct kg_suggest_input *input, const struct kg_facts_list *cases,
                   const char *no_changes, struct kg_suggestions *suggestions);

/* next_command.c: if nothing explains the time of a case, the next command that would: the first
 * one not yet followed. */

/* Appends the reason and the command as one sentence. Example: "its instructions were not
 * counted: there is no valgrind; with Valgrind installed `kgate run …` counts branches and cache
 * misses by line".
 * profiled  whether a profile of the case was recorded.
 * taken     whether other programs preempted its threads.
 * returns   false, without appending, if the case is not on the CPU, or has no suite to run
 *           again */
bool kg_next_look(const struct kg_results *results, const struct kg_case_result *result,
                  bool profiled, bool taken, struct kg_text *text);

/* suggestions_check.c: removes entries that no file can hold, so that the others can be written. */

/* Removes suggestions, findings and changes with a value that their field's table refuses.
 * Counts them in `unwritable_count`. */
void kg_suggestions_check(struct kg_suggestions *made);
