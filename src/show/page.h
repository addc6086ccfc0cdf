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
