/* advice_text.h: suggestions as the short texts that every report shows. Pure. */
#pragma once
#include "base/arena.h"
#include "base/text.h"
#include "show/report.h"
#include "why/suggestions.h"

/* The gain of a suggestion, in `arena`: "3.1x here, 1.4x overall, saves 12 ms of 18 ms (measured)" or
 * "at most 2.0x here, …". For memory: "peak memory 512 MiB -> 128 MiB". */
const char *kg_advice_gain(struct kg_arena *arena, const struct kg_suggestion *suggestion);

/* "5 suggestions (2 of priority high or above)" */
void kg_advice_count(const struct kg_suggestions *suggestions, struct kg_text *text);

/* Appends the shell command that prints every suggestion: "kgate suggest results.json --base base.json". */
void kg_advice_command(const struct kg_suggestions *suggestions, struct kg_text *text);

/* Appends the sentence of a report without suggestions, with the reason. */
void kg_advice_none(const struct kg_suggestions *suggestions, struct kg_text *text);

/* "cores busy: 1.0; threads: 2", in `arena`. */
const char *kg_advice_evidence(struct kg_arena *arena, const struct kg_evidence_figure *figures,
                               size_t count);

/* "2.93x": three significant digits at the most. */
enum { KG_FACTOR_BYTES = 32 };
char *kg_advice_factor(double factor, char *buffer);

struct kg_document;
/* Appends the changes of the evidence, with a heading. */
void kg_advice_changes_add(struct kg_document *document, const struct kg_suggestions *suggestions);
/* Appends the changed source lines at the place of the change. If they are unknown: nothing. */
void kg_advice_source_add(struct kg_document *document, const struct kg_evidence_change *change,
                          bool with_id);
/* Appends the first `top` suggestions (0: all). If there are none: the reason. */
void kg_advice_add(struct kg_document *document, const struct kg_suggestions *suggestions,
                   size_t top);
