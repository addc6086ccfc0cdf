/* formats.h: the formats of saved files: one table, made of the rows of model/formats.def. `kgate report`,
 * `kgate suggest`, --export and a suite's `reports` read the table; so do their errors and --help.
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
#include "judge/history/history.h"
#include "judge/sweeps.h"
#include "model/baseline.h"
#include "profiler/read/profile.h"
#include "show/columns.h"
#include "show/report.h"

#define KG_REPORT_TOP_USUAL SIZE_MAX

/* The input of a format. Only the members of the file's kind are set; the others are NULL. */
struct kg_report_subject {
    const struct kg_results *results;
    const struct kg_results *pair_base; /* for the page: baseline of the pairs; NULL: none */
    const struct kg_results *pair_head;
    const struct kg_comparison *comparison;
    const struct kg_suggestions
        *suggestions; /* the file, or made with the comparison; NULL: none */
    const struct kg_calibration *calibration;
    const struct kg_bisect *bisect;
    const struct kg_baseline *baseline;
    const struct kg_history *history;
    const struct kg_profile *profile;       /* for `print`: its figures */
    struct kg_profile_source source;        /* for `stream`: every entry; `file` is -1 for JSON */
    const struct kg_sweeps *sweeps;         /* of results: tables over a parameter; NULL: cases */
    const struct kg_sweep_request *sweep;   /* the request of `sweeps` */
    const struct kg_sweep_cell *references; /* of results as CSV: one per case; NULL: none */
    const struct kg_sweep_request *axis;    /* of a picture: the user's settings; NULL: none */
    const char *plot;                       /* of a picture: its name; NULL: the usual one */
    struct kg_report_style style;
    /* rows of profiles and suggestions; 0: all; KG_REPORT_TOP_USUAL: the format's own number */
    size_t top;
};

/* A need of a format besides the saved file. */
enum kg_report_need {
    KG_REPORT_NOTHING,
    KG_REPORT_ADVICE,  /* suggestions, made from the results and the profile when they are loaded */
    KG_REPORT_PAGE,    /* the HTML page in this build; one page can show files of several kinds */
    KG_REPORT_GNUPLOT, /* gnuplot on this machine; the format is a binary picture */
};

struct kg_document;
struct kg_report_format {
    const char *schema; /* schema of the format's files, any version */
    const char *name;   /* for --format: "markdown" */
    const char *ending; /* file ending for --export: ".md"; NULL: --export lacks the format */
    const char *file;   /* in the folder of a gate: "report.md"; NULL: a gate writes none */
    enum kg_report_need need;
    /* A row sets one of them. `document` builds a document for a terminal, `page` one for a markdown page. `text`
     * and `make` append text in memory. `stream` writes piece by piece to `output`. `recording`: results print
     * this format of the recording beside them. */
    void (*document)(const struct kg_report_subject *subject, struct kg_document *document);
    void (*page)(const struct kg_report_subject *subject, struct kg_document *document);
    void (*text)(const struct kg_report_subject *subject, struct kg_text *text);
    bool (*make)(const struct kg_report_subject *subject, struct kg_text *text,
                 struct kg_error *err); /* as `text`; can fail */
    bool (*stream)(const struct kg_report_subject *subject, FILE *output, struct kg_error *err);
    bool recording;
    const char *help;
};
extern const struct kg_report_format kg_report_formats[];
extern const size_t kg_report_format_count;

/* A sentence why this machine or build lacks the need; NULL if the need is met. */
const char *kg_report_missing(enum kg_report_need need);

/* Finds the format `name` for files of `schema`.
 * name     NULL: the usual format of the schema
 * returns  NULL if the schema has no such format
 * err      KG_ERROR_USAGE with the formats of the schema */
const struct kg_report_format *kg_report_format_find(const char *schema, const char *name,
                                                     struct kg_error *err);

/* Appends lines for --help: the formats of a schema; NULL: the formats of every schema. */
void kg_report_formats_help(const char *schema, struct kg_text *text);

/* Appends the names of the same formats, each once, separated by spaces. */
void kg_report_formats_words(const char *schema, struct kg_text *text);

/* Prints to `output`, and flushes it. A terminal gets no picture. */
bool kg_report_print(const struct kg_report_format *format, const struct kg_report_subject *subject,
                     FILE *output, struct kg_error *err);
/* Prints to the file `path`. The write is atomic: a reader never sees half a file. */
bool kg_report_write(const struct kg_report_format *format, const struct kg_report_subject *subject,
                     const char *path, struct kg_error *err);
/* Whether `err` says that a picture had nothing to draw. The caller then leaves the report out. */
bool kg_report_is_empty(const struct kg_report_format *format, const struct kg_error *err);

struct kg_report_request {
    const char *path;              /* a regular file */
    const char *format;            /* name; NULL: the usual format of the file's kind */
    const char *filter;            /* of a recording: glob for labels of processes; NULL: all */
    size_t top;                    /* of a profile: as in struct kg_report_subject */
    const char *columns;           /* of results: list for kg_columns_read; NULL: the usual ones */
    const char *plot;              /* of a picture: its name; NULL: the usual one */
    struct kg_sweep_request sweep; /* of results: tables over a parameter; `by` is NULL: none */
    struct kg_report_style style;
};

/* A saved file; only the parts that its format needs are loaded. */
struct kg_report_file {
    const struct kg_report_format *format;
    struct kg_report_subject subject; /* points into the members below */
    /* the file's own */
    struct kg_results results;
    struct kg_comparison comparison;
    struct kg_suggestions suggestions;
    struct kg_calibration calibration;
    struct kg_bisect bisect;
    struct kg_baseline baseline;
    struct kg_history history;
    struct kg_profile profile;
    struct kg_columns columns;
    struct kg_sweeps sweeps;
    int recording; /* descriptor; -1: none */
    /* results of several machines, from which `results` borrows its cases */
    struct kg_results *machines;
    size_t machine_count;
    struct kg_report_request request; /* of these results: with the machines as rows */
    struct kg_arena arena;
};

/* Detects the kind of the file, finds the format and loads the file. For results, a format of recordings opens
 * the recording beside them. The request must outlive the file.
 * file  must not be moved; the caller closes it, also on failure
 * err   KG_ERROR_USAGE if files of this kind have no such format or filter */
bool kg_report_file_open(const struct kg_report_request *request, struct kg_report_file *file,
                         struct kg_error *err);
/* Opens the results of several machines as one: each case gets the parameter `machine`. Without other options the
 * report has a table per case over the machines. It compares nothing.
 * paths  results files; the caller closes the file as above */
bool kg_report_machines_open(const struct kg_report_request *request, const char *const *paths,
                             size_t count, struct kg_report_file *file, struct kg_error *err);
void kg_report_file_close(struct kg_report_file *file);

/* Prints the files as one HTML page. The page also shows the recording beside results, and the suggestions beside a
 * comparison.
 * request  all members except `path`
 * err      KG_ERROR_USAGE also in a build without the page */
bool kg_report_page(const struct kg_report_request *request, const char *const *paths, size_t count,
                    FILE *output, struct kg_error *err);
