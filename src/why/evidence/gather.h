/* gather.h: the parts of kg_facts_gather that kg_suggest needs too. */
#pragma once
#include "why/suggest.h"

/* The thresholds that hold for the input, complete. */
void kg_suggest_settings_of(const struct kg_suggest_input *input,
                            struct kg_suggest_settings *settings);

/* "cores busy: 1.0", "87 % of the bandwidth ceiling": appends what that fact says. */
void kg_fact_words(const struct kg_trait *fact, double value, struct kg_text *text);
