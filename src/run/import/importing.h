/* importing.h: the steps of an import: files to cases, cases to results. Internal to run/import. */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "base/names.h"
#include "model/suite.h"
#include "run/import/import.h"
#include "suite/adapters/adapter.h"

/* import_files.c: what is given to `kgate import` as read files. */

struct kg_import_file {
    const char *path;
    char hash[17]; /* of its bytes */
    struct kg_foreign content;
};

struct kg_import_files {
    const struct kg_adapter *adapter; /* of all of them */
    struct kg_import_file *files;
    size_t count;
    size_t capacity;
};

/* Reads all.
 * format  NULL: as their content says */
bool kg_import_files_read(struct kg_arena *arena, const char *const *paths, size_t count,
                          const char *format, struct kg_import_files *files, struct kg_error *err);

/* import_cases.c: what files say of benchmarks as cases and their rounds. */

struct kg_importing {
    const struct kg_import_options *options;
    struct kg_import_files files;
    struct kg_suite suite; /* its defaults say how cases are judged */
    struct kg_results *results;
    struct kg_arena *arena; /* the results' */
    size_t case_capacity;
    struct kg_names ids;       /* of the cases, to their indices */
    const char **latest_paths; /* of each case: the file that spoke of it last */
    size_t latest_capacity;
    struct kg_error *err;
};

/* Adds what one file says of one benchmark: to its case, or as a new one.
 * err  KG_ERROR_USAGE by file: it has the benchmark twice */
bool kg_import_case(struct kg_importing *importing, const char *path,
                    const struct kg_foreign_case *found);

/* What can be said only once all files are read: whether its figures are whole, and its summary. */
void kg_import_case_finish(struct kg_case_result *result);
