/* terminal_parts.h: what the reports of comparisons and of results for a terminal share. */
#pragma once
#include "base/arena.h"
#include "base/text.h"

/* Colours by what they mean, of the 256: those of a terminal's theme are not legible on every ground;
 * these are on white and on black. DIM, BOLD and PLAIN are as the terminal has them. */
#define KG_TERMINAL_BAD "\x1b[38;5;196m"
#define KG_TERMINAL_GOOD "\x1b[38;5;28m"
#define KG_TERMINAL_DOUBT "\x1b[38;5;130m"
#define KG_TERMINAL_MINOR "\x1b[38;5;30m"
#define KG_TERMINAL_DIM "\x1b[2m"
#define KG_TERMINAL_BOLD "\x1b[1m"
#define KG_TERMINAL_PLAIN "\x1b[0m"

enum { KG_TERMINAL_REASON_MOST = 400 };

/* Text of a file, harmless: in `arena`, or NULL. */
const char *kg_terminal_escaped(struct kg_arena *arena, const char *string);
/* Appends, behind a separator where it is not the first. */
void kg_terminal_part(struct kg_text *text, const char *separator, const char *part);
/* A sentence of a file behind `first`, in lines that fit; likewise the lines under a table's row. */
void kg_terminal_sentence(struct kg_text *text, const char *first, const char *words, size_t most,
                          size_t width);
const char *kg_terminal_under(struct kg_arena *arena, const char *lines, size_t width);
/* The last lines that a failed case wrote to standard error. */
void kg_terminal_tail(const char *id, const char *tail, struct kg_text *text);
