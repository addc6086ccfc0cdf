/* import.h: files of other benchmark harnesses as results of kgate's. Each file is what one process
 * measured: one round of each of its cases, whatever the number of samples in it; several files are
 * several rounds. Where the harness starts a process for each sample, each is a round. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/results.h"

struct kg_import_options {
    const char *format;  /* a name of suite/adapters/adapter.h; NULL: as the files' content says */
    const char *suite;   /* the suite's name in the results; NULL: the format's */
    const char *machine; /* the fingerprint to give; NULL: of what the files say */
    const char *const *set; /* "key=value" of a suite's defaults: how they are judged */
    size_t set_count;
};

/* Reads files into results, to be freed with kg_results_free.
 * err  KG_ERROR_USAGE by file: of none of the formats, of another format or machine than the first,
 *      given twice, malformed, or without a benchmark */
bool kg_import(const char *const *paths, size_t count, const struct kg_import_options *options,
               struct kg_results *results, struct kg_error *err);

/* One line for each format: its name and what it is. */
void kg_import_formats_append(struct kg_text *text);
/* Their names, with spaces between. */
void kg_import_formats_words(struct kg_text *text);
