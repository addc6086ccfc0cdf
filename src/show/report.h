/* report.h: reports of results, comparisons and suggestions. Reports print and decide nothing. The functions are pure
 * (text in memory from structs), except kg_report_files_…. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/advice.h"
#include "base/text.h"
#include "judge/bisect_record.h"
#include "judge/calibration.h"
#include "model/comparison.h"
#include "model/results.h"
#include "profiler/read/profile.h"
#include "why/explanation.h"
#include "why/suggestions.h"

struct kg_report_style {
    bool colour;    /* ANSI colours */
    size_t id_most; /* characters of an id in a table, as in kg_table; 0: all */
    size_t top;     /* rows of a ranking; 0: all */
    size_t width;   /* characters of a line of prose; 0: no line breaks */
    bool quiet;     /* prints only the verdict and the failed cases */
    bool verbose;   /* prints unchanged cases too, and the workloads' own figures */
    bool page;      /* markdown for a forge's page; else plain text for a terminal or pipe */
    bool html;      /* a page in HTML instead of markdown */
    const struct kg_columns *columns; /* of a table of results; NULL: the usual ones */
};

/* The style of a page: verbose, without colour, ids and lines in full.
 * top  rows of a ranking; 0: all */
struct kg_report_style kg_report_style_page(const struct kg_report_style *style, size_t top);

/* suggestions: made with the comparison; NULL: none */
void kg_report_comparison(const struct kg_comparison *comparison,
                          const struct kg_suggestions *suggestions,
                          const struct kg_report_style *style, struct kg_text *text);
/* Whether kg_report_comparison prints suggestions. A quiet report prints them only if a case fails or is SUSPECT. */
bool kg_report_comparison_advised(const struct kg_comparison *comparison,
                                  const struct kg_report_style *style);
void kg_report_results(const struct kg_results *results, const struct kg_report_style *style,
                       struct kg_text *text);

void kg_report_calibration(const struct kg_calibration *calibration,
                           const struct kg_report_style *style, struct kg_text *text);

void kg_report_bisect(const struct kg_bisect *bisect, const struct kg_report_style *style,
                      struct kg_text *text);

/* Prints the changes of the evidence, the suggestions, and the bottleneck of each operation. */
void kg_report_suggestions(const struct kg_suggestions *suggestions,
                           const struct kg_report_style *style, struct kg_text *text);

/* One case in full. */
void kg_report_explanation(const struct kg_explanation *explanation,
                           const struct kg_report_style *style, struct kg_text *text);

enum { KG_MARKDOWN_MOST = 60000 }; /* bytes of a comment: forges allow 65536 characters */

/* Makes the folder and removes the reports of an earlier gate. So no reader takes an old report for the report of a
 * gate that fails before it decides.
 * measures  true for a gate that measures. The function then appends .previous to the names of the earlier results
 *           and their JSON, and locks the folder against other gates.
 * lock      for kg_file_unlock; -1 if `measures` is false
 * err       KG_ERROR_USAGE if another gate has locked the folder; then nothing is removed */
bool kg_report_files_begin(const char *directory, bool measures, int *lock, struct kg_error *err);

/* Ends a gate that measures: if the folder has new results, removes the .previous files. */
void kg_report_files_end(const char *directory);

/* Appends the .previous files that still count: "comparison.json.previous, results.json.previous".
 * returns false if there are none, or if the folder has new results */
bool kg_report_files_previous(const char *directory, struct kg_text *text);

/* Writes a report.md that gives the reason for the missing verdict, and names the .previous files. A failed write is
 * ignored. */
void kg_report_files_fail(const char *directory, const struct kg_error *why);

/* Writes DIRECTORY/comparison.json: the verdict. Makes the directory if it is missing. */
bool kg_report_comparison_write(const struct kg_comparison *comparison, const char *directory,
                                struct kg_error *err);

/* Writes suggestions.json and the suite's `reports` into the directory. If the advice has notes, the function
 * then writes comparison.json again, with the notes. Without gnuplot it writes no pictures and prints a note on
 * standard error.
 * subject  Comparison and suggestions. Results: NULL for profiles; then no report of results is written. For the
 *          page also the baseline and the results of pairs, each NULL if absent.
 * advice   Gets a note for each file that cannot be written. The function still writes the others. */
struct kg_report_subject;
void kg_report_files_write(const struct kg_report_subject *subject, const char *directory,
                           struct kg_advice *advice);

/* Writes the suite's `reports` of results into the directory: results.md, results.csv, and so on.
 * subject  Results and their suggestions.
 * files    gets ", results.md, results.csv": the written files */
bool kg_report_results_write(const struct kg_report_subject *subject, const char *directory,
                             struct kg_text *files, struct kg_error *err);

/* Appends the names of the files in the folder: "report.md, junit.xml, comparison.json, …". */
void kg_report_files_list(const char *directory, struct kg_text *text);
