/* adopt.h: finds possible workloads in the files of a repository, and proposes a suite and a workflow. kgate writes no
 * file here. Only kg_survey_configure runs a program: CMake on the repository. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

/* Kinds of findings. To add a kind: add its row in adopt.c. */
enum kg_finding_kind {
    KG_FOUND_GOOGLE_BENCHMARK, /* a CMake target or a program that links Google Benchmark */
    KG_FOUND_NVBENCH,          /* a CMake target that links NVBench */
    KG_FOUND_GTEST,            /* a CMake target that links GoogleTest: rarely a good benchmark */
    KG_FOUND_CMAKE_TARGET,     /* a CMake target named bench that links no known library */
    KG_FOUND_CTEST,            /* a test with the label benchmark */
    KG_FOUND_PROGRAM,          /* an executable file named bench */
    KG_FOUND_MAKE_TARGET,      /* a rule of a Makefile named bench */
    KG_FOUND_CUDA_SOURCE,
    KG_FOUND_WORKFLOW, /* of GitHub */
    KG_FOUND_PIPELINE, /* .gitlab-ci.yml */
    KG_FOUND_KINDS
};

struct kg_finding {
    enum kg_finding_kind kind;
    const char *name;     /* name of the target, test, program or rule; of other files: the path */
    const char *path;     /* file with the finding, relative to the root */
    unsigned line;        /* line in that file; 0: the file itself */
    const char *proof;    /* "links benchmark"; NULL: the kind needs no proof */
    const char *program;  /* the built program, relative to the root; NULL: not built */
    const char *artifact; /* CMake's path for the program, relative to the root; NULL: unknown */
    const char *target;   /* the CMake target of a test's program; NULL: unknown */
    const char *build;    /* make command that builds the program; NULL: none, or CMake builds it */
    const char **words;   /* the command to measure; NULL: the program without words */
    size_t word_count;
    const char *directory; /* working directory of the command, relative to the root; NULL: root */
    const char *doubt;     /* reason why the workload is only a comment; NULL: it is live */
    bool is_made;          /* a rule of make builds the program */
    bool of_cmake;         /* CMake lists and builds the program */
    bool is_joined;        /* another finding replaces this finding */
    const char *note;      /* a sentence for the reader of the suite; NULL: none */
};

/* The findings of a repository; `arena` owns everything. */
struct kg_survey {
    struct kg_arena arena;
    struct kg_finding *findings; /* by kind, then by path and line */
    size_t count, capacity;
    bool has_cmake, has_makefile; /* at the root */
    bool cut;                     /* kgate did not read everything: the repository is too large */
    const char *tree;    /* the build folder of CMake, relative to the root; NULL: none exists */
    const char *options; /* " -DX=ON": CMake options that the benchmarks need; "": none */
    bool is_configured;  /* kgate read CMake's own list of targets */
};

/* Reads the files under `root`. The function skips hidden folders, node_modules and symbolic links. In a build folder
 * it reads only programs and CMake's reply with the targets.
 * survey  freed by the caller with kg_survey_free, also on failure */
bool kg_survey_make(const char *root, struct kg_survey *survey, struct kg_error *err);
void kg_survey_free(struct kg_survey *survey);

/* The command that kg_survey_configure would run. NULL if there is nothing to do: no CMakeLists.txt, no cmake in PATH,
 * or a build folder with a reply. */
const char *kg_survey_configure_command(const struct kg_survey *survey);

/* Runs CMake on `root` in a temporary folder, without network, for at most a minute per try. The function adds the
 * targets and tests that CMake lists. If options disable benchmarks, it tries once more with these options on.
 * If CMake fails, it adds nothing.
 * why  set to CMake's first error, in the survey's arena; NULL on success. An error of the second try begins with its
 *      options; is_configured is then still set by the first try. */
bool kg_survey_configure(const char *root, struct kg_survey *survey, const char **why,
                         struct kg_error *err);

/* kg_survey_count: number of findings of a kind. kg_survey_live: number of workloads that are no comments. */
size_t kg_survey_count(const struct kg_survey *survey, enum kg_finding_kind kind);
size_t kg_survey_live(const struct kg_survey *survey);

/* Whether the programs of all live workloads are built. */
bool kg_survey_is_built(const struct kg_survey *survey);

/* Appends one line per finding, "bench/CMakeLists.txt:12: parse_bench links benchmark::benchmark". */
void kg_survey_text(const struct kg_survey *survey, struct kg_text *text);

/* Whether a finding's workload is live, not a comment. */
bool kg_finding_is_live(const struct kg_finding *finding);
/* Appends the shell command that builds the finding's program. If none is needed or known: nothing. */
void kg_finding_build(const struct kg_survey *survey, const struct kg_finding *finding,
                      struct kg_text *text);

/* Appends one line with the command that builds the programs of all live workloads. If none is known: nothing. */
void kg_adopt_build(const struct kg_survey *survey, struct kg_text *text);

/* Appends a suite: one workload per measurable finding. A finding with a doubt becomes a comment.
 * name  name of the suite */
void kg_adopt_suite(const struct kg_survey *survey, const char *name, struct kg_text *yaml);

/* Appends a GitHub workflow that compares a pull request with its base. */
void kg_adopt_workflow(const struct kg_survey *survey, const char *suite, struct kg_text *yaml);

/* Appends a part of a .gitlab-ci.yml. */
void kg_adopt_pipeline(const struct kg_survey *survey, const char *suite, struct kg_text *yaml);

/* plugin_template.c: a template of a plugin (`kgate init --plugin NAME`), and its entry in a suite. Pure functions. */

/* Whether the name is valid for a plugin's workload: a C identifier of at most 60 characters. */
bool kg_plugin_name_good(const char *name);

/* Appends the source of a plugin with one KGATE_BENCH called `name`. The source compiles and measures an example. */
void kg_plugin_source(const char *name, struct kg_text *source);

/* Appends the command that builds the plugin.
 * include  folder with kgate/plugin.h; "": the compiler finds it; NULL: pkg-config finds it */
void kg_plugin_build_command(const char *name, const char *include, struct kg_text *command);

/* Appends the plugin's entry for a suite's `workloads`, indented by `indent` blanks. */
void kg_plugin_entry(const char *name, unsigned indent, struct kg_text *yaml);

/* Appends a suite with only this workload. */
void kg_plugin_suite(const char *name, const char *suite, struct kg_text *yaml);

/* Adds the workload to a suite and keeps every line of the suite.
 * path   path of the suite, for errors
 * old    text of the suite, `length` bytes
 * yaml   Gets the new text. If the list of workloads is not in block style, it stays empty.
 * err    KG_ERROR_USAGE if the suite has errors or a workload called `name` */
bool kg_plugin_entry_add(const char *name, const char *path, const char *old, size_t length,
                         struct kg_text *yaml, struct kg_error *err);
