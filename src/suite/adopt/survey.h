/* survey.h: what the readers of one kind of file share. */
#pragma once
#include "suite/adopt/adopt.h"

/* Adds a copy of it; strings are copied. One whose name is no text is left out. */
void kg_survey_add(struct kg_survey *survey, const struct kg_finding *finding);

/* The target of CMake with that name; NULL: none is known. */
struct kg_finding *kg_survey_target_find(const struct kg_survey *survey, const char *name);

/* The build folder of CMake, relative to the root: one that is there, or build. */
const char *kg_survey_tree(const struct kg_survey *survey);

/* The path of a target's program, relative to the root, whether it is built or not. */
void kg_finding_program(const struct kg_survey *survey, const struct kg_finding *finding,
                        char *path, size_t size);

/* Finds built programs, joins findings that mean one thing, and sorts. */
void kg_survey_join(const char *root, struct kg_survey *survey);

/* Whether CMake builds a program of this kind. */
bool kg_kind_is_target(enum kg_finding_kind kind);

/* A CTestTestfile.cmake, and how its paths are read. */
struct kg_test_file {
    const char *path;   /* of its CMakeLists.txt, relative to the root */
    const char *folder; /* of its CMakeLists.txt, relative to the project */
    const char *root;   /* the absolute path of the repository */
    const char *built;  /* the absolute path of the build folder */
    const char *tree;   /* the name that stands for the build folder, relative to the root */
};

/* Tests with a label that says benchmark, of a CTestTestfile.cmake. Its targets are known before. */
void kg_survey_tests(struct kg_survey *survey, const struct kg_test_file *from, const char *text);

/* Rules of a Makefile whose name says bench. */
void kg_survey_makefile(struct kg_survey *survey, const char *path, const char *text);

/* An executable file whose name says bench.
 * text  of a script; NULL: the file is none */
void kg_survey_program(struct kg_survey *survey, const char *path, const char *text);

/* Reads CMake's reply in a build folder, if there is one: targets and tests.
 * root   the absolute path of the repository
 * built  the absolute path of the build folder
 * found  set if there is a reply */
void kg_survey_reply(struct kg_survey *survey, const char *root, const char *built, bool *found);

/* Whether a name says that it is of a benchmark: bench_x, fullbench, x-benchmark.py; not workbench. */
bool kg_names_benchmark(const char *name);

/* Why a program or rule with this name does no measuring, such as one that only compiles; NULL: no reason. */
const char *kg_name_doubt(const char *name);

/* A path as a command of the folder `directory` names it; both relative to the root. */
const char *kg_path_seen_from(struct kg_arena *arena, const char *directory, const char *path);
