/* build.h: a build of `ab`: what cases are measured with instead of this kgate. */
#pragma once
#include <stdbool.h>

#include "plan/plan.h"
#include "results/results.h"
#include "util/arena.h"
#include "util/error.h"
#include "workload/source.h"

struct kg_build {
    const char *label; /* "base" or "head" */
    const char *given; /* as on the command line */
    enum kg_build_kind kind;
    const char *program;   /* kgate's executable; NULL: this one */
    const char *worker;    /* of a kgate: the kgate-worker beside it; NULL: this kgate's */
    const char *directory; /* where workers run; NULL: here */
    const char *plugin;
    const char *command;
};

/* Finds out what `given` is, with absolute paths in `arena`. A kgate whose worker speaks another
 * protocol is refused by name of both versions: KG_ERROR_USAGE. */
bool kg_build_resolve(struct kg_arena *arena, const char *label, const char *given,
                      struct kg_build *build, struct kg_error *err);

/* Marks as SKIPPED, with the reason, the cases that this build says nothing about, and sets the
 * code hashes to those of this build's code. */
bool kg_build_apply(const struct kg_build *build, const struct kg_plan *plan,
                    struct kg_results *results, struct kg_error *err);
