/* terminal_parts.h: what the reports of comparisons and of results for a terminal share. */
#pragma once
#include "util/arena.h"
#include "util/text.h"

enum { KG_TERMINAL_REASON_MOST = 400 };

/* Text of a file, harmless: in `arena`, or NULL. */
const char *kg_terminal_escaped(struct kg_arena *arena, const char *string);
/* Appends, behind a separator where it is not the first. */
void kg_terminal_part(struct kg_text *text, const char *separator, const char *part);
/* The last lines that a failed case wrote to standard error. */
void kg_terminal_tail(const char *id, const char *tail, struct kg_text *text);
