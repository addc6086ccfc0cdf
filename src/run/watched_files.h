/* watched_files.h: the programs and plugins of the cases, as they were before anything of the
 * candidate ran. A candidate runs as the same user, so it could write over the base's program. */
#pragma once
#include <stdbool.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/sha256.h"
#include "run/build.h"
#include "suite/plan.h"

struct kg_watched_file {
    const char *path; /* NULL: the case has no file, as one that kgate compiles */
    struct stat facts;
    bool by_contents; /* `setup` may build the file again: only its contents count */
    char hash[KG_SHA256_DIGITS + 1];
};

/* The file of every case of the plan, in `arena`; NULL if memory is out.
 * builds   of each case, NULL instead of this kgate; NULL: this kgate for all
 * program  this kgate's executable; must outlive the result */
struct kg_watched_file *kg_watched_files_make(struct kg_arena *arena, const struct kg_plan *plan,
                                              const struct kg_build *const *builds,
                                              const char *program);

/* The file as it is now: from here on no write is its `setup`'s. */
struct kg_watched_file kg_watched_file_again(const struct kg_watched_file *file);

/* Whether the file was written, replaced or removed since. */
bool kg_watched_file_changed(const struct kg_watched_file *file);
