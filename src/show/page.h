/* page.h: the HTML page, one self-contained file. kgate embeds a template at build time (src/show/page) and inserts
 * the JSON of each file that the page shows. The page's scripts read the JSON and draw. A reader can also open more
 * files in the page. */
#pragma once
#include <stdbool.h>
#include <stdio.h>

#include "judge/budget_results.h"
#include "show/formats.h"

/* The embedded template (cmake/page.cmake), ended by a 0. If the build lacked npm's packages: empty. */
extern const char kg_page_template[];

/* Appends JSON that is safe inside HTML. "<" becomes \u003c; the line separators U+2028 and U+2029, which JSON allows
 * in strings, become \u2028 and \u2029. */
void kg_page_json(struct kg_text *text, const char *json, size_t length);

/* Appends a JSON profile with a limited number of entries per process. The function keeps the longest entries, then the
 * shorter entries that ended first.
 * profile  output of kg_profile_json; the function reads from its beginning */
bool kg_page_profile(FILE *profile, struct kg_text *text, struct kg_error *err);

/* page_results.c: results for the HTML page. */

/* Prints results as JSON that is safe inside HTML, without samples. The function prints case by case, so a hundred
 * thousand cases need no more memory than one. If there are many cases, it leaves out their hottest functions and
 * lines, which the page does not show.
 * held    budget results to add to each case; NULL: none
 * err     KG_ERROR_SYSTEM if writing fails */
bool kg_page_results(const struct kg_results *results, const struct kg_held *held, FILE *output,
                     struct kg_error *err);
