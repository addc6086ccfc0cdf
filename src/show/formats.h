/* formats.h: the formats of saved files: one table, made of the rows of model/formats.def. `kgate report`,
 * `kgate suggest`, --export and a suite's `reports` print by it; their errors and --help come from it.
 *
 * To add a kind of file: its row in show/report_file.c, which loads it, and its rows in formats.def. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/record.h"
#include "base/text.h"
#include "judge/sweeps.h"
#include "model/baseline.h"
#include "profiler/read/profile.h"
#include "show/columns.h"
#include "show/report.h"

#define KG_REPORT_TOP_USUAL SIZE_MAX

/* What is printed, and how. The members of the file's kind are set, the others NULL. */
struct kg_report_subject {
    const struct kg_results *results;
    const struct kg_results *pair_base; /* for the page: of pairs beside the results; NULL: none */
    const struct kg_results *pair_head;
    const struct kg_comparison *comparison;
    const struct kg_suggestions *suggestions; /* or those made with the comparison; NULL: none */
    const struct kg_calibration *calibration;
    const struct kg_baseline *baseline;
    const struct kg_profile *profile; /* for `print`: its figures */
    struct kg_profile_source source; /* for `stream`: every entry; `file` is -1 of a JSON profile */
    const struct kg_sweeps *sweeps;  /* of results: tables over a parameter; NULL: cases */
    const struct kg_sweep_request *sweep; /* the one that they were found for */
    const struct kg_sweep_request *axis;  /* of a picture: what is set of it; NULL: nothing */
    const char *plot;                     /* of a picture: which; NULL: the usual one */
    struct kg_report_style style;
    size_t top; /* rows, 0: all, KG_REPORT_TOP_USUAL: as many as suit the format; of profiles and
                   suggestions */
};

/* What a format takes besides the saved file. */
enum kg_report_need {
    KG_REPORT_NOTHING,
    KG_REPORT_ADVICE, /* suggestions, made from the profile when it is loaded */
    KG_REPORT_PAGE, /* the HTML page in this build; it shows several files, also of different kinds */
    KG_REPORT_GNUPLOT, /* gnuplot on this machine; the format is a picture, so its bytes are no text */
};

struct kg_document;
struct kg_report_format {
    const char *schema; /* of the files that it is for, in any version */
    const char *name;   /* for --format: "markdown" */
    const char *ending; /* of a file for --export: ".md"; NULL: --export does not know it */
    const char *file;   /* in the folder of a gate: "report.md"; NULL: a gate writes none */
    enum kg_report_need need;
    /* One of: builds a document for a terminal, or one for a page in markdown; makes text in memory; writes
     * piece by piece to `output`, which is flushed; or, of results, prints the same format of the recording
     * that lies beside them. */
    void (*document)(const struct kg_report_subject *subject, struct kg_document *document);
    void (*page)(const struct kg_report_subject *subject, struct kg_document *document);
    void (*text)(const struct kg_report_subject *subject, struct kg_text *text);
    bool (*make)(const struct kg_report_subject *subject, struct kg_text *text,
                 struct kg_error *err); /* the same, if it can fail */
    bool (*stream)(const struct kg_report_subject *subject, FILE *output, struct kg_error *err);
    bool recording;
    const char *help;
};
extern const struct kg_report_format kg_report_formats[];
extern const size_t kg_report_format_count;

/* The reason why this machine or build lacks a need, as a sentence; NULL: it is there. */
const char *kg_report_missing(enum kg_report_need need);

/* The format of that name for files of that schema, with NULL their usual one; NULL without one.
 * err: KG_ERROR_USAGE that names the formats which such files can be printed as */
const struct kg_report_format *kg_report_format_find(const char *schema, const char *name,
                                                     struct kg_error *err);

/* Appends lines for --help: the formats of such files, or with NULL those of every kind. */
void kg_report_formats_help(const char *schema, struct kg_text *text);

/* Appends their names, each once, with spaces between. */
void kg_report_formats_words(const char *schema, struct kg_text *text);

/* Prints to `output`, and flushes it. */
bool kg_report_print(const struct kg_report_format *format, const struct kg_report_subject *subject,
                     FILE *output, struct kg_error *err);
/* Prints to the file of that path, which appears whole or not at all. */
bool kg_report_write(const struct kg_report_format *format, const struct kg_report_subject *subject,
                     const char *path, struct kg_error *err);
/* Whether a failure means that a picture had nothing to draw. Such a report is left out. */
bool kg_report_is_empty(const struct kg_report_format *format, const struct kg_error *err);

struct kg_report_request {
    const char *path;    /* of the file: a regular one */
    const char *format;  /* NULL: the usual one of such files */
    const char *filter;  /* of a recording: only processes whose label matches; NULL: all */
    size_t top;          /* of a profile: as in struct kg_report_subject */
    const char *columns; /* of results: as kg_columns_read has it; NULL: the usual ones */
    const char *plot;    /* of a picture: its name; NULL: the usual one */
    struct kg_sweep_request sweep; /* of results: tables over a parameter; `by` is NULL: none */
    struct kg_report_style style;
};

/* A saved file, loaded as far as one of its formats needs it. */
struct kg_report_file {
    const struct kg_report_format *format;
    struct kg_report_subject subject; /* points into what follows */
    /* the file's own */
    struct kg_results results;
    struct kg_comparison comparison;
    struct kg_suggestions suggestions;
    struct kg_calibration calibration;
    struct kg_baseline baseline;
    struct kg_profile profile;
    struct kg_columns columns;
    struct kg_sweeps sweeps;
    int recording; /* descriptor; -1: none */
    struct kg_arena arena;
};

/* Finds out what the file is and whether it has that format, and loads it. The format of a recording
 * is that of the results which lie beside it, too. The request must outlive the file.
 * file  to be closed also on failure; it must not be moved
 * err   KG_ERROR_USAGE for a format or a filter that such a file does not have */
bool kg_report_file_open(const struct kg_report_request *request, struct kg_report_file *file,
                         struct kg_error *err);
void kg_report_file_close(struct kg_report_file *file);

/* The files as one HTML page, each with what lies beside it: the recording of results, the
 * suggestions of a comparison.
 * request  its path is not looked at
 * err      KG_ERROR_USAGE also in a build without the page */
bool kg_report_page(const struct kg_report_request *request, const char *const *paths, size_t count,
                    FILE *output, struct kg_error *err);
