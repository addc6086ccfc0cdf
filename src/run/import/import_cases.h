/* import_cases.h: what files say of benchmarks as cases and their rounds. */
#pragma once
#include "base/names.h"
#include "model/suite.h"
#include "run/import/import.h"
#include "run/import/import_files.h"

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
