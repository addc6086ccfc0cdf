/* report.h: reports of what was measured and decided. They print, they decide nothing. Pure but for
 * kg_report_files_…: text in memory from structs. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/advice.h"
#include "base/text.h"
#include "judge/calibration.h"
#include "model/comparison.h"
#include "model/results.h"
#include "profiler/read/profile.h"
#include "why/explanation.h"
#include "why/suggestions.h"

struct kg_report_style {
    bool colour;    /* ANSI colours */
    size_t id_most; /* characters of an id in a table, as kg_table has it; 0: all */
    size_t top;     /* rows of a ranking; 0: all */
    size_t width;   /* characters of a line of prose; 0: it is not broken */
    bool quiet;     /* the verdict and what failed only */
    bool verbose;   /* unchanged cases too, and what workloads report */
    bool page;      /* markdown for a page of a forge; else for a terminal, or for a pipe */
    bool html;      /* a page in HTML instead of markdown */
    const struct kg_columns *columns; /* of a table of results; NULL: the usual ones */
};

/* The style of a page: everything, whole.
 * top  rows; 0: all */
struct kg_report_style kg_report_style_page(const struct kg_report_style *style, size_t top);

/* suggestions: those made with the comparison; NULL without any */
void kg_report_comparison(const struct kg_comparison *comparison,
                          const struct kg_suggestions *suggestions,
                          const struct kg_report_style *style, struct kg_text *text);
/* Whether that shows anything of suggestions: what is quiet shows them below what fails alone. */
bool kg_report_comparison_advised(const struct kg_comparison *comparison,
                                  const struct kg_report_style *style);
void kg_report_results(const struct kg_results *results, const struct kg_report_style *style,
                       struct kg_text *text);

void kg_report_calibration(const struct kg_calibration *calibration,
                           const struct kg_report_style *style, struct kg_text *text);

/* What changed, then the suggestions, then what holds each operation back. */
void kg_report_suggestions(const struct kg_suggestions *suggestions,
                           const struct kg_report_style *style, struct kg_text *text);

/* One case in full. */
void kg_report_explanation(const struct kg_explanation *explanation,
                           const struct kg_report_style *style, struct kg_text *text);

enum { KG_MARKDOWN_MOST = 60000 }; /* bytes of a comment: forges allow 65536 characters */

/* Makes the folder and removes an earlier gate's reports from it, so that none is taken for that of a gate
 * that fails before it decides.
 * measures  of a gate that measures: what an earlier one measured, and the JSON made of it, get names
 *           that end in .previous, and *lock holds the folder, for kg_file_unlock, against another
 *           gate; else it is -1
 * err       KG_ERROR_USAGE where another gate has the folder: then nothing is removed */
bool kg_report_files_begin(const char *directory, bool measures, int *lock, struct kg_error *err);

/* After a gate that measures: removes what kg_report_files_begin put aside, but where nothing was
 * measured since. */
void kg_report_files_end(const char *directory);

/* Appends what is still put aside: "comparison.json.previous, results.json.previous".
 * returns false where that is nothing */
bool kg_report_files_previous(const char *directory, struct kg_text *text);

/* Leaves a report.md that says why there is no verdict, and what of an earlier gate is put aside. */
void kg_report_files_fail(const char *directory, const struct kg_error *why);

/* Writes DIRECTORY/comparison.json: the verdict. Makes the directory if it is missing. */
bool kg_report_comparison_write(const struct kg_comparison *comparison, const char *directory,
                                struct kg_error *err);

/* Writes suggestions.json and the suite's `reports` into the directory. If the advice has notes, it
 * writes comparison.json again at the end, with them. Without gnuplot there are no pictures; a note on
 * standard error says so.
 * subject  its comparison and suggestions; its results, which are NULL of profiles: what is made of
 *          results is left out; for the page also the baseline and the results of pairs, where there
 *          are any
 * advice   takes a note of each file that cannot be written; the others are */
struct kg_report_subject;
void kg_report_files_write(const struct kg_report_subject *subject, const char *directory,
                           struct kg_advice *advice);

/* Appends the names of those that are there: "report.md, junit.xml, comparison.json, …". */
void kg_report_files_list(const char *directory, struct kg_text *text);
