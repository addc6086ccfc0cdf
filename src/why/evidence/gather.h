/* gather.h: the facts of every case and scope, which rules and `explain` read. */
#pragma once
#include "why/suggestions.h"

/* The facts of every case, in the results' order, as the rules see them, and of every scope that
 * takes enough of its whole for a suggestion; strings borrowed or in `arena`. For `explain`. */
bool kg_facts_gather(const struct kg_suggest_input *input, struct kg_arena *arena,
                     struct kg_facts_list *cases, struct kg_facts_list *scopes,
                     struct kg_error *err);

/* The thresholds that hold for the input, complete. */
void kg_suggest_settings_of(const struct kg_suggest_input *input,
                            struct kg_suggest_settings *settings);

/* "cores busy: 1.0", "87 % of the bandwidth ceiling": appends what that fact says. */
void kg_fact_words(const struct kg_trait *fact, double value, struct kg_text *text);
