/* build.h: one side of `ab`: another build that cases are measured with instead of this one. */
#pragma once
#include <stdbool.h>

#include "plan/plan.h"
#include "results/results.h"
#include "util/arena.h"
#include "util/error.h"

/* What a build is given as. */
enum kg_build_kind {
    KG_BUILD_CHECKOUT, /* a folder: relative plugins and commands are those in it, and built-in
                         kernels those of the kgate that is built in it, if one is */
    KG_BUILD_KGATE,    /* a kgate executable: its built-in kernels, and it loads the plugins */
    KG_BUILD_PLUGIN,   /* a shared object, in the place of every `plugin:` of the suite */
    KG_BUILD_COMMAND   /* a program, in the place of the first word of every `command:` */
};

struct kg_build {
    const char *label; /* "base" or "head" */
    const char *given; /* as on the command line */
    enum kg_build_kind kind;
    const char *program;   /* kgate's executable; NULL: this one */
    const char *directory; /* where workers run; NULL: here */
    const char *plugin;
    const char *command;
};

/* Finds out what `given` is, with absolute paths in `arena`. A kgate whose worker speaks another
 * protocol is refused by name of both versions: KG_ERROR_USAGE. */
bool kg_build_resolve(struct kg_arena *arena, const char *label, const char *given,
                      struct kg_build *build, struct kg_error *err);

/* Marks as SKIPPED, with the reason, the cases that this build says nothing about, and sets the code
 * hashes to those of this build's code. */
bool kg_build_apply(const struct kg_build *build, const struct kg_plan *plan,
                    struct kg_results *results, struct kg_error *err);
