/* format_parts.h: formats that have files of their own, for the table in formats.c. Signatures as in
 * struct kg_report_format. */
#pragma once
#include "judge/sweeps.h"
#include "show/formats.h"
#include "show/report.h"

/* comparison_csv.c */
bool kg_results_as_csv(const struct kg_report_subject *subject, struct kg_text *text,
                       struct kg_error *err);
bool kg_comparison_as_csv(const struct kg_report_subject *subject, struct kg_text *text,
                          struct kg_error *err);

/* junit.c, github.c, openmetrics.c */
bool kg_results_as_junit(const struct kg_report_subject *subject, struct kg_text *text,
                         struct kg_error *err);
bool kg_comparison_as_junit(const struct kg_report_subject *subject, struct kg_text *text,
                            struct kg_error *err);
bool kg_results_as_github(const struct kg_report_subject *subject, struct kg_text *text,
                          struct kg_error *err);
bool kg_comparison_as_github(const struct kg_report_subject *subject, struct kg_text *text,
                             struct kg_error *err);
bool kg_results_as_openmetrics(const struct kg_report_subject *subject, struct kg_text *text,
                               struct kg_error *err);
bool kg_comparison_as_openmetrics(const struct kg_report_subject *subject, struct kg_text *text,
                                  struct kg_error *err);

/* formats_plots.c */
bool kg_plotted_as_png(const struct kg_report_subject *subject, struct kg_text *text,
                       struct kg_error *err);
bool kg_plotted_as_svg(const struct kg_report_subject *subject, struct kg_text *text,
                       struct kg_error *err);

/* formats_profile.c: profiles */

bool kg_profile_as_text(const struct kg_report_subject *subject, struct kg_text *text,
                        struct kg_error *err);
bool kg_profile_as_markdown(const struct kg_report_subject *subject, struct kg_text *text,
                            struct kg_error *err);
bool kg_profile_as_components(const struct kg_report_subject *subject, struct kg_text *text,
                              struct kg_error *err);
bool kg_profile_as_tree(const struct kg_report_subject *subject, struct kg_text *text,
                        struct kg_error *err);
bool kg_profile_as_top(const struct kg_report_subject *subject, struct kg_text *text,
                       struct kg_error *err);
bool kg_profile_as_folded(const struct kg_report_subject *subject, struct kg_text *text,
                          struct kg_error *err);
bool kg_profile_as_json(const struct kg_report_subject *subject, FILE *output,
                        struct kg_error *err);
bool kg_profile_as_trace(const struct kg_report_subject *subject, FILE *output,
                         struct kg_error *err);
bool kg_profile_as_csv(const struct kg_report_subject *subject, FILE *output, struct kg_error *err);

/* Everything that the subject has, in one page. */
bool kg_report_as_html(const struct kg_report_subject *subject, FILE *output, struct kg_error *err);

/* formats_results.c: tables over a parameter, and the chosen columns as markdown. */
bool kg_results_as_sweeps(const struct kg_report_subject *subject, bool markdown,
                          struct kg_text *text, struct kg_error *err);
bool kg_results_as_table(const struct kg_report_subject *subject, struct kg_text *text,
                         struct kg_error *err);

/* components_table.c: what each case of a profile is made of, for a terminal and for markdown. Pure. */

/* A table a case, the slowest first, each with its own 100 %; below it the bottleneck and, where there
 * are suggestions, what holds the case back and what to try.
 * suggestions  made from the profile, or from results with it; NULL: none
 * top          cases, 0: all; how many more there are is said */
void kg_report_components_text(const struct kg_profile *profile,
                               const struct kg_suggestions *suggestions,
                               const struct kg_report_style *style, size_t top,
                               struct kg_text *text);
/* The same under KG_MARKDOWN_MOST bytes. */
void kg_report_components_markdown(const struct kg_profile *profile,
                                   const struct kg_suggestions *suggestions, size_t top,
                                   struct kg_text *text);

/* sweep_tables.c: tables over the values of a parameter, for a terminal and for markdown. Pure. */

/* Tables one after the other; of those without any measured case it is said how many there are.
 * request  the one that the sweeps were found for
 * markdown for a page: always under KG_MARKDOWN_MOST bytes */
void kg_report_sweeps_text(const struct kg_sweeps *sweeps, const struct kg_sweep_request *request,
                           const struct kg_report_style *style, struct kg_text *text);
void kg_report_sweeps_markdown(const struct kg_sweeps *sweeps,
                               const struct kg_sweep_request *request, struct kg_text *text);
