/* survey.h: what the readers of one kind of file share. */
#pragma once
#include "adopt/adopt.h"

/* Adds a copy of it; strings are copied. One whose name is no text is left out. */
bool kg_survey_add(struct kg_survey *survey, const struct kg_finding *finding,
                   struct kg_error *err);

/* Executables of a CMakeLists.txt that link a known library. Textual: what stands behind functions,
 * generator expressions and variables that the file does not set itself is not seen. */
bool kg_survey_cmake(struct kg_survey *survey, const char *path, const char *text,
                     struct kg_error *err);

/* Rules of a Makefile whose name says bench. */
bool kg_survey_makefile(struct kg_survey *survey, const char *path, const char *text,
                        struct kg_error *err);

/* Whether a name says that it is of a benchmark: bench…, …_bench, …-benchmark.py. */
bool kg_names_benchmark(const char *name);
