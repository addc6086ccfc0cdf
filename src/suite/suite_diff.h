/* suite_diff.h: the differences of two suites, key by key. Pure, except for the arena. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

struct kg_suite_diff {
    const char **lines; /* "defaults.threshold 5% -> 50%", "workloads.gemm: removed"; in `arena` */
    size_t count;
};

/* Lists the differences of two suites. Workloads are matched by name. The function ignores top-level keys that begin
 * with `x-`, and differences of notation. Any YAML is allowed, also an invalid suite.
 * returns  false if one text is no YAML; err then has the path and the place */
bool kg_suite_diff(struct kg_arena *arena, const char *path, const char *before,
                   size_t before_length, const char *after, size_t after_length,
                   struct kg_suite_diff *diff, struct kg_error *err);
