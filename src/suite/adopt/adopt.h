/* adopt.h: what a repository has that could be gated, read from its files, and a suite and a workflow to begin
 * with. Nothing is written. Only kg_survey_configure runs something: the repository's CMake. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

/* What was found. To add a kind: its row in adopt.c. */
enum kg_finding_kind {
    KG_FOUND_GOOGLE_BENCHMARK, /* a target of CMake, or a program, that links it */
    KG_FOUND_NVBENCH,          /* likewise */
    KG_FOUND_GTEST,            /* likewise: a test, which is rarely a good benchmark */
    KG_FOUND_CMAKE_TARGET,     /* a target of CMake that is named bench, of no known library */
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
    const char *name;     /* of the target, test, program or rule; of other files their path */
    const char *path;     /* of the file that says it, relative to the root */
    unsigned line;        /* of that file; 0: the file itself */
    const char *proof;    /* "links benchmark"; NULL: the kind says all */
    const char *program;  /* the built program, relative to the root; NULL: it is not built */
    const char *artifact; /* where CMake will put it, relative to the root; NULL: not known */
    const char *target;   /* the target of CMake that makes a test's program; NULL: not known */
    const char *build;    /* shell command that makes it, of make; NULL: none, or CMake makes it */
    const char **words;   /* the command to measure; NULL: the program alone */
    size_t word_count;
    const char *directory; /* where the command runs, relative to the root; NULL: the root */
    const char *doubt;     /* why its workload is written as a comment; NULL: it is live */
    bool is_made;          /* by a rule of make that makes the program */
    bool of_cmake;         /* CMake listed it, and builds it */
    bool is_joined;        /* another finding stands for it */
    const char *note;      /* a sentence for whoever reads the suite; NULL: none */
};

/* Grows in `arena`. */
struct kg_survey {
    struct kg_arena arena;
    struct kg_finding *findings; /* by kind, then by path and line */
    size_t count, capacity;
    bool has_cmake, has_makefile; /* at the root */
    bool cut;                     /* there is more: the repository is larger than kgate reads */
    const char *tree;    /* the build folder of CMake, relative to the root; NULL: none is there */
    const char *options; /* " -DX=ON": options of CMake that the benchmarks need; "" if none */
    bool is_configured;  /* CMake's own list of targets was read */
};

/* Reads the files under `root`, without hidden folders, node_modules and symbolic links. In a build folder it reads
 * only programs and CMake's reply about its targets.
 * survey  to be freed, also on failure */
bool kg_survey_make(const char *root, struct kg_survey *survey, struct kg_error *err);
void kg_survey_free(struct kg_survey *survey);

/* The command that kg_survey_configure runs; NULL if it has nothing to do: no CMakeLists.txt, no cmake in PATH, or
 * a build folder with a reply. */
const char *kg_survey_configure_command(const struct kg_survey *survey);

/* Lets CMake configure `root` in a temporary folder, without network and for at most a minute per try, and adds the
 * targets and tests that it lists. If options leave benchmarks out, it tries once more with these options.
 * A project that does not configure adds nothing.
 * why  set to CMake's first error, with the options of the second try before it, or to NULL if CMake configured; in
 *      the survey's arena. After an error of the second try is_configured is set. */
bool kg_survey_configure(const char *root, struct kg_survey *survey, const char **why,
                         struct kg_error *err);

/* Number of findings of a kind; and number of workloads that are not comments. */
size_t kg_survey_count(const struct kg_survey *survey, enum kg_finding_kind kind);
size_t kg_survey_live(const struct kg_survey *survey);

/* Whether the programs of all live workloads are there. */
bool kg_survey_is_built(const struct kg_survey *survey);

/* A line each, "bench/CMakeLists.txt:12: parse_bench links benchmark::benchmark". */
void kg_survey_text(const struct kg_survey *survey, struct kg_text *text);

/* Whether a finding's workload is no comment; and the shell command that builds it, appended: nothing if it needs
 * none. */
bool kg_finding_is_live(const struct kg_finding *finding);
void kg_finding_build(const struct kg_survey *survey, const struct kg_finding *finding,
                      struct kg_text *text);

/* The command that builds the programs of all live workloads, on one line; nothing if none is known. */
void kg_adopt_build(const struct kg_survey *survey, struct kg_text *text);

/* A suite with comments: a workload for each finding that can be measured, as a comment if it is in doubt.
 * name  of the suite */
void kg_adopt_suite(const struct kg_survey *survey, const char *name, struct kg_text *yaml);

/* A workflow of GitHub that compares a pull request with its base. */
void kg_adopt_workflow(const struct kg_survey *survey, const char *suite, struct kg_text *yaml);

/* A part of a .gitlab-ci.yml. */
void kg_adopt_pipeline(const struct kg_survey *survey, const char *suite, struct kg_text *yaml);

/* plugin_template.c: a plugin to begin with (`kgate init --plugin NAME`), and its entry in a suite. Pure
 * functions: nothing is read and nothing is written. */

/* Whether the name can be that of a plugin's workload: a C identifier of at most 60 characters. */
bool kg_plugin_name_good(const char *name);

/* The source of a plugin with one KGATE_BENCH of that name. It compiles and measures as it stands. */
void kg_plugin_source(const char *name, struct kg_text *source);

/* The command that builds it.
 * include  the folder that has kgate/plugin.h; "": the compiler finds it; NULL: pkg-config does */
void kg_plugin_build_command(const char *name, const char *include, struct kg_text *command);

/* The lines of a suite's `workloads` for it, indented by so many blanks. */
void kg_plugin_entry(const char *name, unsigned indent, struct kg_text *yaml);

/* A suite with this workload alone. */
void kg_plugin_suite(const char *name, const char *suite, struct kg_text *yaml);

/* Adds the workload to a suite: every line of it stays.
 * path   of the suite, for errors
 * old    its text, of `length` bytes
 * yaml   is appended the new text; stays empty if the list of workloads is not in block style
 * err    KG_ERROR_USAGE: the suite has errors, or a workload of that name */
bool kg_plugin_entry_add(const char *name, const char *path, const char *old, size_t length,
                         struct kg_text *yaml, struct kg_error *err);
