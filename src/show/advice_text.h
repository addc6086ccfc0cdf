/* advice_text.h: suggestions as the short texts that every report shows. Pure. */
#pragma once
#include "base/arena.h"
#include "base/text.h"
#include "show/report.h"
#include "why/suggestions.h"

/* "3.1x here, 1.4x overall, saves 12 ms of 18 ms (measured)", "at most 2.0x here, …", or for what
 * is about memory "peak memory 512 MiB -> 128 MiB". In `arena`, or NULL. */
const char *kg_advice_gain(struct kg_arena *arena, const struct kg_suggestion *suggestion);

/* "5 suggestions (2 of priority high or above)" */
void kg_advice_count(const struct kg_suggestions *suggestions, struct kg_text *text);

/* "kgate suggest results.json --base base.json", for a shell: what shows all of them. */
void kg_advice_command(const struct kg_suggestions *suggestions, struct kg_text *text);

/* What is written where there is no suggestion, and why there is none. */
void kg_advice_none(const struct kg_suggestions *suggestions, struct kg_text *text);

/* "cores busy: 1.0; threads: 2": in `arena`, or NULL. */
const char *kg_advice_evidence(struct kg_arena *arena, const struct kg_evidence_figure *figures,
                               size_t count);

/* "2.93x": three significant digits at the most. */
enum { KG_FACTOR_BYTES = 32 };
char *kg_advice_factor(double factor, char *buffer);

/* Text of a file, harmless, in at most `most` characters (0: all): in `arena`; "" where memory is
 * out, `text` then has `failed`. */
const char *kg_advice_shown(struct kg_arena *arena, struct kg_text *text, const char *string,
                            size_t most);

/* An empty line and a heading, for a terminal. */
void kg_advice_heading(struct kg_text *text, const struct kg_report_style *style,
                       const char *words);

/* What changed, and the suggestions, for a terminal. */
void kg_advice_changes_text(const struct kg_suggestions *suggestions,
                            const struct kg_report_style *style, struct kg_text *text);
void kg_advice_text(const struct kg_suggestions *suggestions, const struct kg_report_style *style,
                    struct kg_text *text);

/* Bytes that a suggestion or a change has at the most in markdown. */
enum { KG_ADVICE_ITEM_MOST = 20000 };

/* As markdown, none begun where the text has `room` bytes, and of suggestions at most `top` (0:
 * all); says how many were left out. */
void kg_advice_changes_markdown(const struct kg_suggestions *suggestions, size_t room,
                                struct kg_text *text);
void kg_advice_markdown(const struct kg_suggestions *suggestions, size_t top, size_t room,
                        struct kg_text *text);
