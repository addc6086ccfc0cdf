/* suite_find.c: finds the suite if the user names none. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static bool is_there(const char *folder, const char *name)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s%s", folder, name) < (int)sizeof path &&
           access(path, F_OK) == 0;
}

/* Whether the folder is the root. `folder` is a sequence of "../". */
static bool is_root(const char *folder)
{
    char here[PATH_MAX];
    return !realpath(*folder ? folder : ".", here) || !strcmp(here, "/");
}

bool kg_suite_find(struct kg_arena *arena, const char **path, struct kg_error *err)
{
    char above[PATH_MAX / 2] = "";
    while (!is_there(above, KG_SUITE_FILE)) {
        const size_t length = strlen(above);
        if (is_there(above, ".git") || is_root(above) || length + 4 > sizeof above)
            return kg_error_set(
                err, KG_ERROR_USAGE,
                "there is no suite: give one with -c SUITE, or write a " KG_SUITE_FILE
                " here or in a folder above, up to the repository's; `kgate init` "
                "writes one");
        memcpy(above + length, "../", 4);
    }
    *path = kg_arena_printf(arena, "%s%s", above, KG_SUITE_FILE);
    return true;
}
