/* build.h: a build of `ab`. It replaces this kgate for its cases. */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/shell_words.h"
#include "model/results.h"
#include "suite/plan.h"
#include "suite/sources/source.h"

struct kg_build {
    const char *label;  /* its name in errors: "--base", "NEW" */
    const char *given;  /* as on the command line */
    const char *commit; /* name of its commit for the results; NULL: of the checkout around it */
    enum kg_build_kind kind;
    const char *kgate;     /* the executable that has kernels beside it; NULL: none */
    const char *directory; /* folder of the workers; NULL: here */
    const char *plugin;
    const char *command;
    struct kg_words
        words; /* whole command, which replaces every case's command; if empty, `command`
                              replaces only its first word */
    const struct kg_code_identity *stored; /* identity of the code when a case was stored: it must
                                              still have these libraries; NULL: any */
};

/* Finds the kind and the absolute paths of the build `given`; the paths live in `arena`. */
bool kg_build_resolve(struct kg_arena *arena, const char *label, const char *given,
                      struct kg_build *build, struct kg_error *err);

/* A command line instead of a build.
 * words  at least one; must outlive the build, as `label` and `given`
 * err    KG_ERROR_USAGE if the program does not exist */
bool kg_build_of_words(struct kg_arena *arena, const char *label, const char *given,
                       struct kg_words words, struct kg_build *build, struct kg_error *err);

/* A build that is one file, a plugin or a program, for cases of this source.
 * path  absolute; must outlive the build, as `label` */
struct kg_build kg_build_of_file(const char *label, const char *path, enum kg_source source);

/* The shared object with the case's code on the build, in `arena`. A relative path starts at the
 * build's folder. NULL if there is none.
 * build  NULL: this kgate */
const char *kg_build_object(struct kg_arena *arena, const struct kg_build *build,
                            const struct kg_case *planned);

/* Whether the build is a command line that runs a Google Benchmark program. Such a program chooses its
 * number of iterations, so its run time says nothing about its speed. */
bool kg_build_is_google_benchmark(const struct kg_build *build);

/* The file or folder of the build; NULL for a kept build, which no checkout here has made. */
const char *kg_build_place(const struct kg_build *build);

/* Whether the build has code for workloads of this source. */
bool kg_build_fits(const struct kg_build *build, enum kg_source source);

/* Whether a case is the same on two builds, as far as kgate can see. Code and libraries must match and
 * be unable to load other code. The command, and the name that it is called by, must match too. Code
 * that can open files must be one file, run in one folder: another folder may hold other files.
 * a, b      NULL: this kgate, and the programs that the suite names
 * match     how the two builds' code compares */
bool kg_builds_alike(const struct kg_build *a, const struct kg_build *b,
                     const struct kg_case *planned, enum kg_code_match match);

/* Whether a case's command is the same on two builds. Ignores files that it may open. */
bool kg_builds_command_alike(const struct kg_build *a, const struct kg_build *b,
                             const struct kg_case *planned);

/* Sets the code hashes to those of the builds' code. Cases that their build cannot measure
 * become SKIPPED, with the reason.
 * builds  per case; NULL: this kgate, and the case stays unchanged */
void kg_builds_apply(const struct kg_build *const *builds, const struct kg_plan *plan,
                     struct kg_results *results);
