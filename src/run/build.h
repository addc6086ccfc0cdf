/* build.h: a build of `ab`: what cases are measured with instead of this kgate. */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/shell_words.h"
#include "model/results.h"
#include "suite/plan.h"
#include "suite/sources/source.h"

struct kg_build {
    const char *label; /* as errors name it: "--base", "NEW" */
    const char *given; /* as on the command line */
    enum kg_build_kind kind;
    const char *kgate;     /* the executable that has kernels beside it; NULL: none */
    const char *directory; /* where workers run; NULL: here */
    const char *plugin;
    const char *command;
    struct kg_words
        words; /* the whole command, in the place of every one; without any its first word
                              is replaced by `command` */
    const struct kg_code_identity *stored; /* what it was when a case was stored: its libraries must
                                              still be these; NULL: any */
};

/* Finds out what `given` is, with absolute paths in `arena`. */
bool kg_build_resolve(struct kg_arena *arena, const char *label, const char *given,
                      struct kg_build *build, struct kg_error *err);

/* A command line instead of a build.
 * words  at least one; must outlive the build, as `label` and `given`
 * err    KG_ERROR_USAGE where there is no such program */
bool kg_build_of_words(struct kg_arena *arena, const char *label, const char *given,
                       struct kg_words words, struct kg_build *build, struct kg_error *err);

/* The build whose cases of this source have their code in this file: a plugin or a program.
 * path  absolute; must outlive the build, as `label` */
struct kg_build kg_build_of_file(const char *label, const char *path, enum kg_source source);

/* The shared object with the case's code on the build, in `arena`: from the build's folder on, if it is relative. NULL if
 * there is none.
 * build  NULL: this kgate */
const char *kg_build_object(struct kg_arena *arena, const struct kg_build *build,
                            const struct kg_case *planned);

/* Whether it is a command line whose program is one of Google Benchmark: how long it takes is how
 * many iterations it chose. */
bool kg_build_is_google_benchmark(const struct kg_build *build);

/* The file or folder of the build; NULL of a kept build, which no checkout here has made. */
const char *kg_build_place(const struct kg_build *build);

/* Whether the build has code for workloads of this source. */
bool kg_build_fits(const struct kg_build *build, enum kg_source source);

/* Whether a case is the same on two builds, by all that kgate can see: code and libraries, which can bring no
 * other code, and the command with the name that it is called by. Code that can open files has to be
 * one file, run in one folder: beside another one, other files may lie.
 * a, b      NULL: this kgate, and what the suite names
 * match     of the code on both */
bool kg_builds_alike(const struct kg_build *a, const struct kg_build *b,
                     const struct kg_case *planned, enum kg_code_match match);

/* Whether the command is, whatever files it may open. */
bool kg_builds_command_alike(const struct kg_build *a, const struct kg_build *b,
                             const struct kg_case *planned);

/* Marks as SKIPPED, with the reason, the cases that their builds say nothing about, and sets the
 * code hashes to those of the builds' code.
 * builds  of each case; NULL in the place of this kgate, whose cases stay as they are */
void kg_builds_apply(const struct kg_build *const *builds, const struct kg_plan *plan,
                     struct kg_results *results);
