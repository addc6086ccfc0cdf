/* build_names.h: the builds that the stored runs of all machines in a store name. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "judge/builds.h"

struct kg_build_name {
    const char *hash;
    bool pinned; /* whether a pinned run names the build */
};

struct kg_build_names {
    struct kg_arena arena;
    struct kg_build_name *names; /* sorted by hash; several runs may name the same hash */
    size_t count;
    bool unread; /* a file of the store is unreadable, so no build counts as unused */
};

/* Reads every file of the store.
 * names  the caller frees it, also on failure */
bool kg_build_names_read(const char *directory, struct kg_build_names *names, struct kg_error *err);
void kg_build_names_free(struct kg_build_names *names);

/* Numbers of cases. `cases`: cases of a run that name a build. `kept`: cases whose build is kept. */
struct kg_stored_builds {
    size_t cases;
    size_t kept;
};
struct kg_baseline_run;
/* Adds the run's cases to `builds`. */
void kg_stored_builds_count(const char *directory, const struct kg_baseline_run *run,
                            struct kg_stored_builds *builds);

/* Callback for struct kg_build_uses.
 * names  a struct kg_build_names */
enum kg_build_use kg_build_names_use(const void *names, const char *hash);
