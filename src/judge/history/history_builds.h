/* history_builds.h: finds the builds behind runs. For the files of this folder. */
#pragma once
#include "judge/history/history_database.h"

/* Prepared statements. Zero-initialise. */
struct kg_history_builds_query {
    struct kg_query by_code, by_commit;
};
bool kg_builds_query_prepare(struct kg_history_database *database,
                             struct kg_history_builds_query *query, struct kg_error *err);
void kg_builds_query_free(struct kg_history_builds_query *query);

struct kg_history_builds_wanted {
    const char *suite;
    int64_t code;   /* 0: unknown */
    int64_t commit; /* id; 0: unknown */
};

/* Finds the builds with that code; those of the commit come first. Without a code: the only build of the commit.
 * builds, count  in `arena` */
bool kg_history_builds_find(struct kg_history_builds_query *queries,
                            const struct kg_history_builds_wanted *wanted, struct kg_arena *arena,
                            struct kg_history_build **builds, size_t *count, struct kg_error *err);
