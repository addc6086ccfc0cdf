#include "gate/foreign_library.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Both arguments are real paths. */
static bool is_inside(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return !strncmp(path, folder, length) && path[length] == '/';
}

/* Finds a library of the case in the folder `theirs` but not in `own`. Sets its real path. */
static bool foreign_find(const struct kg_code_identity *code, const char *own, const char *theirs,
                         char path[PATH_MAX])
{
    for (size_t i = 0; code->library_paths && i < code->library_count; i++)
        if (realpath(code->library_paths[i], path) && is_inside(path, theirs) &&
            !is_inside(path, own))
            return true;
    return false;
}

bool kg_foreign_library_check(const struct kg_library_side sides[2], struct kg_error *err)
{
    char folders[2][PATH_MAX], path[PATH_MAX];
    for (size_t s = 0; s < 2; s++)
        if (!sides[s].directory || !realpath(sides[s].directory, folders[s]))
            return true;
    for (size_t s = 0; s < 2; s++) {
        const struct kg_results *results = sides[s].results;
        for (size_t i = 0; i < results->case_count; i++)
            if (foreign_find(&results->cases[i].code, folders[s], folders[1 - s], path))
                return kg_error_set(
                    err, KG_ERROR_USAGE,
                    "%.200s: the %s loads '%.300s', which lies in the folder of the "
                    "%s, so both sides would run it. Build the %s in its own folder "
                    "again, or link with $ORIGIN",
                    results->cases[i].id, sides[s].name, path, sides[1 - s].name, sides[s].name);
    }
    return true;
}
