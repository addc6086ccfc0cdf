/* survey.h: shared functions of the readers, one reader per kind of file. */
#pragma once
#include "suite/adopt/adopt.h"

/* Adds a copy of the finding with its strings. If its name, path or words are no plain text, it is left out. */
void kg_survey_add(struct kg_survey *survey, const struct kg_finding *finding);

/* The CMake target called `name`; NULL: unknown. */
struct kg_finding *kg_survey_target_find(const struct kg_survey *survey, const char *name);

/* The build folder of CMake, relative to the root: an existing folder, or "build". */
const char *kg_survey_tree(const struct kg_survey *survey);

/* The path of a target's program, relative to the root, built or not. */
void kg_finding_program(const struct kg_survey *survey, const struct kg_finding *finding,
                        char *path, size_t size);

/* Finds built programs, joins findings of the same program, and sorts. */
void kg_survey_join(const char *root, struct kg_survey *survey);

/* Whether CMake builds a program of this kind. */
bool kg_kind_is_target(enum kg_finding_kind kind);

/* The origin of a CTestTestfile.cmake, for its paths. */
struct kg_test_file {
    const char *path;   /* path of its CMakeLists.txt, relative to the root */
    const char *folder; /* folder of its CMakeLists.txt, relative to the project */
    const char *root;   /* the absolute path of the repository */
    const char *built;  /* the absolute path of the build folder */
    const char *tree;   /* name of the build folder in findings, relative to the root */
};

/* Adds the tests of a CTestTestfile.cmake that have a benchmark label. The caller adds the targets first. */
void kg_survey_tests(struct kg_survey *survey, const struct kg_test_file *from, const char *text);

/* Adds the rules of a Makefile whose name contains bench. */
void kg_survey_makefile(struct kg_survey *survey, const char *path, const char *text);

/* Adds an executable file whose name contains bench.
 * text  text of a shell script; NULL: no script */
void kg_survey_program(struct kg_survey *survey, const char *path, const char *text);

/* Reads CMake's reply in a build folder, if there is one: targets and tests.
 * root   the absolute path of the repository
 * built  the absolute path of the build folder
 * found  set if there is a reply */
void kg_survey_reply(struct kg_survey *survey, const char *root, const char *built, bool *found);

/* Whether a name contains "bench", as bench_x, fullbench or x-benchmark.py. Exceptions: workbench and testbench. */
bool kg_names_benchmark(const char *name);

/* A reason in words why a program or rule with this name does not measure, such as "compiles"; NULL: none. */
const char *kg_name_doubt(const char *name);

/* The path as seen from the folder `directory`. Both are relative to the root. */
const char *kg_path_seen_from(struct kg_arena *arena, const char *directory, const char *path);
