/* document.h: a report as typed parts. A subject (comparison, results, …) builds one document. Three renderers print
 * it: terminal, markdown, HTML. Builders append raw text from files. The renderers escape, cut, wrap and colour the
 * text, and leave out parts that do not fit. Not thread-safe. */
#pragma once
#include <stddef.h>

#include "base/arena.h"
#include "base/table.h"
#include "base/text.h"
#include "show/report.h"

/* The colours of a terminal for the tones of model/change.h. */
extern const char *const kg_tone_colours[];

enum kg_span_kind {
    KG_SPAN_TEXT,    /* words and figures of kgate's own */
    KG_SPAN_PROSE,   /* a sentence from a file; text between backticks is code */
    KG_SPAN_NAME,    /* a name from a file */
    KG_SPAN_ID,      /* a case or an operation: a terminal shortens a document's ids as one list */
    KG_SPAN_COMMAND, /* the end of a part, for a shell: a terminal never breaks it */
    KG_SPAN_MARK,    /* a symbol, on a page alone */
};

struct kg_span {
    enum kg_span_kind kind;
    const char *string;
    const char *colour; /* emphasis: a terminal's colour, bold on a page; NULL: none */
};

enum kg_part_kind {
    KG_PART_HEADLINE, /* "**LABEL**: words" on a page; a terminal prints the words alone */
    KG_PART_HEADING,  /* an empty line and a title */
    KG_PART_SENTENCE, /* a paragraph on a page */
    KG_PART_WHOLE,    /* the same, with a command: a terminal never breaks its line */
    KG_PART_ITEM,     /* of a list */
    KG_PART_NUMBERED, /* of a numbered list */
    KG_PART_UNDER,    /* a further line of the item above */
    KG_PART_FIGURE,   /* figures behind a label, which a terminal aligns with the others */
    KG_PART_COMMENT,  /* of a command, "# " in each line of a terminal */
    KG_PART_OUTPUT,   /* lines of a program's output, below the item above */
    KG_PART_CODE,     /* lines of source, the same; with '-' or '+' in front if they changed */
    KG_PART_TABLE,    /* rows, with the lines under each */
    KG_PART_SMALL,    /* a remark on the table above, in small print on a page */
    KG_PART_FOLD,     /* begins a part that a page folds away behind the words */
    KG_PART_FOLD_END,
    KG_PART_GAP, /* an empty line on a terminal */
};

struct kg_part {
    enum kg_part_kind kind;
    const char *label;  /* "note" of "note: words"; NULL: none */
    const char *colour; /* of the whole line on a terminal; NULL: none */
    const char *rest;   /* sentence that names the file with the items left out; NULL: none */
    size_t indent;      /* spaces on a terminal */
    size_t number;      /* NUMBERED */
    struct kg_span *spans;
    size_t count;
    size_t capacity;
    struct kg_table *table; /* TABLE */
};

/* The caller zeroes every member except `style`. */
struct kg_document {
    struct kg_report_style style; /* its `page` says which renderer prints the document */
    const char *rest;             /* `rest` of the next parts, as in struct kg_part */
    size_t indent;                /* `indent` of the next parts, in spaces */
    struct kg_arena arena;
    struct kg_part *parts;
    size_t count;
    size_t capacity;
};

/* Begins a part. The functions below append to the last part.
 * label  borrowed; NULL: none */
struct kg_part *kg_part_add(struct kg_document *document, enum kg_part_kind kind,
                            const char *label);
/* Append a span. kg_span_text and kg_span_take copy the string, the others borrow it. NULL appends nothing. */
void kg_span_add(struct kg_document *document, enum kg_span_kind kind, const char *string);
void kg_span_strong(struct kg_document *document, enum kg_span_kind kind, const char *string,
                    const char *colour);
__attribute__((format(printf, 2, 3))) void kg_span_text(struct kg_document *document,
                                                        const char *format, ...);
void kg_span_take(struct kg_document *document, struct kg_text *text); /* frees the text */
/* The separator, "4.2 ms", and the words after it. */
void kg_span_amount(struct kg_document *document, const char *separator, enum kg_trait_unit unit,
                    double value, const char *after);

/* Adds a part with one span of prose. If `prose` is NULL or "": nothing. */
void kg_part_prose(struct kg_document *document, enum kg_part_kind kind, const char *label,
                   const char *prose);
/* Adds a part with one text. */
__attribute__((format(printf, 4, 5))) void kg_part_text(struct kg_document *document,
                                                        enum kg_part_kind kind, const char *label,
                                                        const char *format, ...);
/* Adds a part with the text, and frees the text. */
void kg_part_take(struct kg_document *document, enum kg_part_kind kind, const char *label,
                  struct kg_text *text);
void kg_part_heading(struct kg_document *document, const char *words);
/* Adds "… and 3 more" and the document's `rest`. If `count` is 0: nothing. */
void kg_part_rest(struct kg_document *document, size_t count);
/* An empty line on a terminal. */
void kg_part_gap(struct kg_document *document);
/* Adds the last lines of a failed case's standard error. If `tail` is NULL: nothing. */
void kg_part_tail(struct kg_document *document, const char *id, const char *tail);

/* "machine: CPU, 2 CPUs, 4 GiB, fingerprint …" */
void kg_part_machine(struct kg_document *document, enum kg_part_kind kind,
                     const struct kg_machine *machine);

/* Adds an empty table, which the document owns. `form` has the columns; cells are raw text. */
struct kg_table *kg_part_table(struct kg_document *document, const struct kg_table *form);
/* Appends to the lines under a row. The separator comes first, unless the lines are empty. */
void kg_row_under(struct kg_table *table, struct kg_table_row *row, const char *separator,
                  const char *string);

/* Prints the document in its style to the end of `text`, and frees the document. A markdown page has at most
 * KG_MARKDOWN_MOST bytes, an HTML page a few hundred rows and items. The page prints the number of items left out. */
void kg_document_print(struct kg_document *document, struct kg_text *text);

/* markdown_words.c: for render_markdown.c. Appends prose, escaped. Words between two backticks are code. If the prose
 * has more than `most` characters, "…" replaces its last words. The cut lies between words and outside of code. */
void kg_markdown_words(struct kg_text *text, const char *string, size_t most);

/* render_terminal.c, render_markdown.c, render_html.c: for kg_document_print. */
void kg_render_terminal(const struct kg_document *document, struct kg_text *text);
void kg_render_markdown(const struct kg_document *document, struct kg_text *text);
void kg_render_html(const struct kg_document *document, struct kg_text *text);
