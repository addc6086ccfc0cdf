/* foreign_library.h: a build that loads a library from the folder of the other build. Both sides then run
 * the same library, and no change of it is seen: a checkout that was copied after its build has
 * programs whose RUNPATH names the first checkout. */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "model/results.h"

/* A build and what is known of its cases' code. */
struct kg_library_side {
    const char *name;      /* "base" */
    const char *directory; /* of the build; NULL: it has none */
    const struct kg_results *results;
};

/* returns  false with KG_ERROR_USAGE, which names the first such library. True if a side has no folder, and
 *          for libraries that lie in both folders, one being within the other. */
bool kg_foreign_library_check(const struct kg_library_side sides[2], struct kg_error *err);
