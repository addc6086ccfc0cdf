/* format_parts.h: formats that have files of their own, for the table in formats.c. Signatures as in
 * struct kg_report_format. */
#pragma once
#include "show/formats.h"

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
