/* page.h: the HTML page, a file that needs no other: a template that is embedded when kgate is built
 * (src/show/page), and in it the JSON of each file that it shows. The page itself reads them, those
 * in it and those that a reader opens later, and draws. */
#pragma once
#include <stdbool.h>
#include <stdio.h>

#include "judge/budget_results.h"
#include "show/formats.h"

/* What the build embeds, ended by a 0: cmake/page.cmake. Empty where npm's packages were missing. */
extern const char kg_page_template[];

/* A page while it is printed: first its files, then a summary of the one that says most, as plain HTML. */
struct kg_page {
    FILE *output;
    struct kg_text summary;
    int rank;         /* of what the summary is of, as kg_page_summary_rank has it */
    char created[32]; /* of the same */
};

/* Prints the page up to its files.
 * page  to be ended by kg_page_end, also after a failure
 * err   KG_ERROR_USAGE, saying how to get it, in a build that has no page */
bool kg_page_begin(struct kg_page *page, FILE *output, struct kg_error *err);
/* Prints all that the subject has, each as a file of the page. What the page does not show is left out:
 * samples of rounds, of long profiles most entries.
 * name  of the file, as given; NULL: the kind's */
bool kg_page_add(struct kg_page *page, const struct kg_report_subject *subject, const char *name,
                 struct kg_error *err);
/* Prints the summary and the rest, unless `good` is false; then frees the page.
 * returns  `good`, or false if the output takes no more */
bool kg_page_end(struct kg_page *page, bool good, struct kg_error *err);

/* Appends JSON so that no part of it can be taken for HTML: "<" as \u003c, and the separators of
 * lines that only JSON takes for ordinary characters. */
void kg_page_json(struct kg_text *text, const char *json, size_t length);

/* A JSON profile without most entries of a long one: of each process the longest are kept, and of
 * the shorter ones those that ended first.
 * profile  as kg_profile_json writes it; read from its beginning
 * text     is appended to */
bool kg_page_profile(FILE *profile, struct kg_text *text, struct kg_error *err);

/* page_results.c: results as the HTML page has them, for page.c. */

/* Prints results as JSON that is safe inside HTML, case by case, so that a hundred thousand need no more memory than
 * one: without samples, and of many cases without the hottest functions and lines of each, which the
 * page does not show.
 * held    how each case stands to its budgets, added to it; NULL: left out
 * err     KG_ERROR_SYSTEM where the output takes no more */
bool kg_page_results(const struct kg_results *results, const struct kg_held *held, FILE *output,
                     struct kg_error *err);
