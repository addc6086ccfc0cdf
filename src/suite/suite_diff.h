/* suite_diff.h: what two suites differ in, key by key. Pure but for the arena. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

struct kg_suite_diff {
    const char **lines; /* "defaults.threshold 5% -> 50%", "workloads.gemm: removed"; in `arena` */
    size_t count;
};

/* Workloads are told apart by their name; keys that begin with `x-` are left aside, and so is what is
 * written in another way. Any YAML will do: it need be no good suite.
 * returns  false where one of both is no YAML; err names the path of that one */
bool kg_suite_diff(struct kg_arena *arena, const char *path, const char *before,
                   size_t before_length, const char *after, size_t after_length,
                   struct kg_suite_diff *diff, struct kg_error *err);
