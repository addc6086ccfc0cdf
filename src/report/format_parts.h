/* format_parts.h: the formats of profiles (formats_profile.c), for the table in formats.c. Signatures
 * as in struct kg_report_format. */
#pragma once
#include "report/formats.h"

bool kg_profile_as_text(const struct kg_report_subject *subject, struct kg_text *text,
                        struct kg_error *err);
bool kg_profile_as_markdown(const struct kg_report_subject *subject, struct kg_text *text,
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
