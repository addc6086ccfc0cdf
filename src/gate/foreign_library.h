/* foreign_library.h: finds a build that loads a library from the folder of the other build. Both sides then run the
 * same library, and kgate cannot see a change of that library. Example: a checkout copied after its build has programs
 * whose RUNPATH names the first checkout. */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "model/results.h"

/* A build and the code of its cases. */
struct kg_library_side {
    const char *name;      /* "base" */
    const char *directory; /* folder of the build; NULL: none */
    const struct kg_results *results;
};

/* Checks the libraries of both sides.
 * returns  false with KG_ERROR_USAGE, which names the first library from the other folder. True if a side has no
 *          folder. If one folder contains the other, a library in both folders is allowed. */
bool kg_foreign_library_check(const struct kg_library_side sides[2], struct kg_error *err);
