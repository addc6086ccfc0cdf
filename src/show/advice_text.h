/* advice_text.h: suggestions as the short texts that every report shows. Pure. */
#pragma once
#include "base/arena.h"
#include "base/text.h"
#include "show/report.h"
#include "why/suggestions.h"

/* "3.1x here, 1.4x overall, saves 12 ms of 18 ms (measured)", "at most 2.0x here, …", or for what
 * is about memory "peak memory 512 MiB -> 128 MiB". In `arena`. */
const char *kg_advice_gain(struct kg_arena *arena, const struct kg_suggestion *suggestion);

/* "5 suggestions (2 of priority high or above)" */
void kg_advice_count(const struct kg_suggestions *suggestions, struct kg_text *text);

/* "kgate suggest results.json --base base.json", for a shell: what shows all of them. */
void kg_advice_command(const struct kg_suggestions *suggestions, struct kg_text *text);

/* What is written where there is no suggestion, and why there is none. */
void kg_advice_none(const struct kg_suggestions *suggestions, struct kg_text *text);

/* "cores busy: 1.0; threads: 2": in `arena`. */
const char *kg_advice_evidence(struct kg_arena *arena, const struct kg_evidence_figure *figures,
                               size_t count);

/* "2.93x": three significant digits at the most. */
enum { KG_FACTOR_BYTES = 32 };
char *kg_advice_factor(double factor, char *buffer);

/* Appends what changed, with a heading; and the first `top` suggestions (0: all), or why there are
 * none. */
struct kg_document;
void kg_advice_changes_add(struct kg_document *document, const struct kg_suggestions *suggestions);
/* The source that changed at the place of the change, if it is known. */
void kg_advice_source_add(struct kg_document *document, const struct kg_evidence_change *change,
                          bool with_id);
void kg_advice_add(struct kg_document *document, const struct kg_suggestions *suggestions,
                   size_t top);
