/* import.h: turns files of other benchmark harnesses into results. kgate takes the measurements in
 * a file as one process's: one round per case, with any number of samples. Several files are several
 * rounds. If the harness starts a process per sample, each sample is a round. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/results.h"

struct kg_import_options {
    const char *format;     /* a name of suite/adapters/adapter.h; NULL: by the files' content */
    const char *suite;      /* the suite's name in the results; NULL: the format's */
    const char *machine;    /* fingerprint for the results; NULL: by the files' content */
    const char *const *set; /* "key=value" of a suite's defaults, for later judging */
    size_t set_count;
};

/* Reads files into results, to be freed with kg_results_free.
 * err  KG_ERROR_USAGE with the file's name: the file has an unknown format, another format or machine
 *      than the first file, no benchmark, or a mistake; or it is given twice */
bool kg_import(const char *const *paths, size_t count, const struct kg_import_options *options,
               struct kg_results *results, struct kg_error *err);

/* Adds one line per format: its name and its description. */
void kg_import_formats_append(struct kg_text *text);
/* Adds the names of the formats, separated by spaces. */
void kg_import_formats_words(struct kg_text *text);
