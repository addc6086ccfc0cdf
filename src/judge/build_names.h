/* build_names.h: the builds that the stored runs of all machines in a store name. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "judge/builds.h"

struct kg_build_name {
    const char *hash;
    bool pinned; /* by a run that is */
};

struct kg_build_names {
    struct kg_arena arena;
    struct kg_build_name *names; /* sorted by hash; one of several runs more than once */
    size_t count;
    bool unread; /* a file of the store cannot be read: nothing is known to be unused */
};

/* Reads every file of the store. names: to be freed, also on failure. */
bool kg_build_names_read(const char *directory, struct kg_build_names *names, struct kg_error *err);
void kg_build_names_free(struct kg_build_names *names);

/* How many of a run's cases name a build, and how many of these are kept. */
struct kg_stored_builds {
    size_t cases;
    size_t kept;
};
struct kg_baseline_run;
/* Adds a run's cases. */
void kg_stored_builds_count(const char *directory, const struct kg_baseline_run *run,
                            struct kg_stored_builds *builds);

/* For struct kg_build_uses; `names` are struct kg_build_names. */
enum kg_build_use kg_build_names_use(const void *names, const char *hash);
