/* importing.h: the steps of an import: files to cases, cases to results. Internal to run/import. */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "base/names.h"
#include "model/suite.h"
#include "run/import/import.h"
#include "suite/adapters/adapter.h"

/* import_files.c: reads the files given to `kgate import`. */

struct kg_import_file {
    const char *path;
    char hash[17]; /* hash of its bytes */
    struct kg_foreign content;
};

struct kg_import_files {
    const struct kg_adapter *adapter; /* the same for all files */
    struct kg_import_file *files;
    size_t count;
    size_t capacity;
};

/* Reads all files.
 * format  NULL: by their content */
bool kg_import_files_read(struct kg_arena *arena, const char *const *paths, size_t count,
                          const char *format, struct kg_import_files *files, struct kg_error *err);

/* import_cases.c: turns the files' benchmarks into cases and their rounds. */

struct kg_importing {
    const struct kg_import_options *options;
    struct kg_import_files files;
    struct kg_suite suite; /* its defaults are the rules for judging */
    struct kg_results *results;
    struct kg_arena *arena; /* the results' */
    size_t case_capacity;
    struct kg_names ids;       /* ids of the cases, with their indices */
    const char **latest_paths; /* per case: the last file with it */
    size_t latest_capacity;
    struct kg_error *err;
};

/* Adds one file's measurements of one benchmark to its case, or as a new case.
 * err  KG_ERROR_USAGE by file: it has the benchmark twice */
bool kg_import_case(struct kg_importing *importing, const char *path,
                    const struct kg_foreign_case *found);

/* Completes a case after all files are read: drops incomplete figures, and summarises the case. */
void kg_import_case_finish(struct kg_case_result *result);
