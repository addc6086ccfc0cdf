/* adopt.h: what a repository has that could be gated, read from its files, and a suite and a workflow
 * to begin with. Nothing is run and nothing is written. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"
#include "util/error.h"
#include "util/text.h"

/* What was found. To add a kind: its row in adopt.c. */
enum kg_finding_kind {
    KG_FOUND_GOOGLE_BENCHMARK, /* a target of CMake, or a program, that links it */
    KG_FOUND_NVBENCH,          /* likewise */
    KG_FOUND_GTEST,            /* likewise: a test, which is rarely a good benchmark */
    KG_FOUND_PROGRAM,          /* an executable file named bench… */
    KG_FOUND_MAKE_TARGET,      /* a rule of a Makefile named so */
    KG_FOUND_CUDA_SOURCE,
    KG_FOUND_WORKFLOW, /* of GitHub */
    KG_FOUND_PIPELINE, /* .gitlab-ci.yml */
    KG_FOUND_KINDS
};

struct kg_finding {
    enum kg_finding_kind kind;
    const char *name;    /* of the target, the program, the rule; of other files their path */
    const char *path;    /* of the file that says it, from the root on */
    unsigned line;       /* of that file; 0: the file itself */
    const char *proof;   /* "links benchmark::benchmark"; NULL: the kind says all */
    const char *program; /* of a target: its file, from the root on; NULL: it is not built here */
};

/* Grows in `arena`. */
struct kg_survey {
    struct kg_arena arena;
    struct kg_finding *findings; /* by kind, then by path and line */
    size_t count, capacity;
    bool has_cmake, has_makefile; /* at the root */
    bool cut; /* there is more: the repository is larger than what is looked at */
};

/* Looks at the files under `root`, without hidden folders, node_modules and symbolic links; of folders
 * that CMake or others build into, only at programs.
 * survey  to be freed, also on failure */
bool kg_survey_make(const char *root, struct kg_survey *survey, struct kg_error *err);
void kg_survey_free(struct kg_survey *survey);

/* How many there are of a kind; and of those that a suite has a workload for, that is what can be
 * started on this machine now. */
size_t kg_survey_count(const struct kg_survey *survey, enum kg_finding_kind kind);
size_t kg_survey_startable(const struct kg_survey *survey);

/* A line each, "bench/CMakeLists.txt:12: parse_bench links benchmark::benchmark". */
void kg_survey_text(const struct kg_survey *survey, struct kg_text *text);

/* A suite with comments: a workload for each that can be started, those that are not built as
 * comments. Without any an example that runs everywhere.
 * name  of the suite */
void kg_adopt_suite(const struct kg_survey *survey, const char *name, struct kg_text *yaml);

/* A workflow of GitHub that compares a pull request with what it is based on. */
void kg_adopt_workflow(const struct kg_survey *survey, const char *suite, struct kg_text *yaml);

/* A part of a .gitlab-ci.yml. */
void kg_adopt_pipeline(const char *suite, struct kg_text *yaml);
