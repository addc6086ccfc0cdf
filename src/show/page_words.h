/* page_words.h: texts of files as HTML that needs no script. Every function escapes what it prints: a name may come
 * from a stranger. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "model/results.h"

/* Appends a sentence; `code` between two backticks becomes an element.
 * words  NULL: nothing */
void kg_html_words(struct kg_text *text, const char *words);

/* Appends <TAG>words</TAG>; nothing if there are no words.
 * tag  an element's name, or a name with attributes: "p class=\"lead\"" */
void kg_html_element(struct kg_text *text, const char *tag, const char *words);

/* Appends a sign that screen readers leave out, and a word.
 * colour  class of style/parts.css: "worse", "same", "other" */
void kg_html_badge(struct kg_text *text, const char *sign, const char *word, const char *colour);

/* Begins a section of the page with its heading, as main.js makes it. */
void kg_html_section(struct kg_text *text, const char *id, const char *title);

struct kg_html_head {
    const char *name;  /* NULL: no such column */
    const char *class; /* of style/tables.css: "numeric" or "why"; NULL: none */
};

/* Begins a table, whose rows are kg_html_row_begin and a kg_html_cell for each head that has a name. */
void kg_html_table_begin(struct kg_text *text, const char *caption,
                         const struct kg_html_head *heads, size_t count);
void kg_html_row_begin(struct kg_text *text, const char *first);
/* Appends a cell; an empty one for NULL, nothing if the head has no name. */
void kg_html_cell(struct kg_text *text, const struct kg_html_head *head, const char *value);
void kg_html_row_end(struct kg_text *text);
void kg_html_table_end(struct kg_text *text);

/* A list of facts: kg_html_facts_begin, kg_html_fact for each, kg_html_facts_end. */
void kg_html_facts_begin(struct kg_text *text);
/* Appends a term with its value; nothing if the value is NULL or empty. */
void kg_html_fact(struct kg_text *text, const char *term, const char *value);
void kg_html_machine(struct kg_text *text, const struct kg_machine *machine);
void kg_html_facts_end(struct kg_text *text);

/* One side of a comparison. Each text may be NULL: not known. */
struct kg_html_side {
    const char *given; /* what the reports call it: "sleep 0.1" */
    const char *commit;
    const char *branch;
    const char *created; /* "2026-01-31T12:00:00Z" */
    const char *more;    /* "newest of 3 stored runs" */
};

/* Appends "commit 1.7.19-3-gabcdef0 (main), 2026-01-31 12:00 UTC, newest of 3 stored runs". */
void kg_html_side(struct kg_text *text, const char *term, const struct kg_html_side *side);
/* "2026-01-31 12:00 UTC" of a time in a file, which may be any text. */
enum { KG_HTML_MOMENT_BYTES = 32 };
const char *kg_html_moment(const char *created, char *buffer);
