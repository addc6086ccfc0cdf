/* format_parts.h: the functions of the rows in model/formats.def, and tables that several of these functions
 * print. Signatures as in struct kg_report_format. */
#pragma once
#include "judge/sweeps.h"
#include "show/formats.h"
#include "show/report.h"

struct kg_document;

#define TEXT(function) void function(const struct kg_report_subject *subject, struct kg_text *text);
#define PICTURE(function)                                                                          \
    bool function(const struct kg_report_subject *subject, struct kg_text *text,                   \
                  struct kg_error *err);
#define STREAM(function)                                                                           \
    bool function(const struct kg_report_subject *subject, FILE *output, struct kg_error *err);
#define DOCUMENT(function)                                                                         \
    void function(const struct kg_report_subject *subject, struct kg_document *document);
#define PAGE(function) DOCUMENT(function)
#define RECORD(kind, member)
#define RECORDING
#define KG_FORMAT(kind, name, ending, file, need, printed, help) printed
#include "model/formats.def"
#undef TEXT
#undef PICTURE
#undef STREAM
#undef DOCUMENT
#undef PAGE
#undef RECORD
#undef RECORDING

/* baseline_document.c: for the page where no script runs. */
void kg_baseline_document(const struct kg_report_subject *subject, struct kg_document *document);

/* verdict_document.c: verdict, reasons, compared versions. Then the commands for the worst case that fails; they stand
 * behind the reasons, which decide among them. */
void kg_verdict_add(struct kg_document *document, const struct kg_comparison *comparison);
void kg_commands_add(struct kg_document *document, const struct kg_comparison *comparison);

/* nodes_document.c: the machines of a merged comparison, and the shards that lost cases; else nothing. On a page they
 * are folded, unless a machine is suspect or cases are missing. */
void kg_nodes_add(struct kg_document *document, const struct kg_comparison *comparison);
/* Whether a machine is suspect or cases are missing. */
bool kg_nodes_troubled(const struct kg_comparison *comparison);

/* policy_document.c: a folded part that ends the page of a comparison. */
void kg_policy_add(struct kg_document *document, const struct kg_comparison *comparison);

/* profile_document.c, formats_profile.c. */

/* A sentence for each of the slowest cases: how the texts of a profile end. */
void kg_bottlenecks_add(struct kg_document *document, const struct kg_profile *profile);
/* Rows of a table or ranking: as asked for, or the usual number. */
size_t kg_profile_rows(const struct kg_report_subject *subject);
/* Whether it is of several cases: one table for all would add up figures that do not belong together. */
bool kg_profile_is_of_many(const struct kg_profile *profile);

/* report_file.c, for report_machines.c. */

/* Checks the options that only some formats of results take.
 * results  whether the file has results */
bool kg_report_options_check(const struct kg_report_request *request, bool results,
                             struct kg_error *err);
/* Filters file->results, and makes the columns, sweeps and references that the request asks for. */
bool kg_report_results_prepare(const struct kg_report_request *request, struct kg_report_file *file,
                               struct kg_error *err);

/* sweeps_document.c. */

/* Tables over the values of a parameter, one after the other; tables without any measured case are counted.
 * request  the one that the sweeps were found for */
void kg_sweeps_add(struct kg_document *document, const struct kg_sweeps *sweeps,
                   const struct kg_sweep_request *request);
