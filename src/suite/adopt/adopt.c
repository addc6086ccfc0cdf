/* adopt.c: prints the findings as lines for a reader and as a suite. adopt_workflow.c prints the workflow. */
#include "suite/adopt/adopt.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "suite/adopt/survey.h"

enum { SHOWN_MOST = 200, NAME_MOST = 60, FOLDED_FROM = 4 };

#define WORDS_COMMENT "If it needs arguments, add them to the command."

static const struct kind {
    const char *what, *many; /* noun; plural, if one line may list several findings */
    const char *format;      /* `format` of the workload: each benchmark is a case; or NULL */
    const char *comment;     /* comment above the workload; or NULL */
    const char *doubt;       /* reason why the workload is only a comment; or NULL */
    bool is_workload;
} kinds[KG_FOUND_KINDS] = {
    [KG_FOUND_GOOGLE_BENCHMARK] = {.what = "a program of Google Benchmark",
                                   .format = "google-benchmark",
                                   .comment = "Each of its benchmarks is a case.",
                                   .is_workload = true},
    [KG_FOUND_NVBENCH] = {.what = "a program of NVBench",
                          .format = "nvbench",
                          .comment = "Each of its benchmarks is a case for each value of its axes.",
                          .is_workload = true},
    [KG_FOUND_GTEST] = {.what = "tests by GoogleTest",
                        .many = "programs of tests by GoogleTest",
                        .doubt = "a test is rarely a good benchmark; --gtest_filter names one",
                        .is_workload = true},
    [KG_FOUND_CMAKE_TARGET] = {.what = "a program that CMake builds",
                               .comment = WORDS_COMMENT,
                               .is_workload = true},
    [KG_FOUND_CTEST] = {.what = "a test of CTest with a label of benchmarks", .is_workload = true},
    [KG_FOUND_PROGRAM] = {.what = "a program, by its name",
                          .comment = WORDS_COMMENT,
                          .is_workload = true},
    [KG_FOUND_MAKE_TARGET] = {.what = "a rule of make", .is_workload = true},
    [KG_FOUND_CUDA_SOURCE] = {.what = "a CUDA source", .many = "CUDA sources"},
    [KG_FOUND_WORKFLOW] = {.what = "a workflow of GitHub", .many = "workflows of GitHub"},
    [KG_FOUND_PIPELINE] = {.what = "a pipeline of GitLab"},
};

/* The kind that decides a finding's workload. A rule of a Makefile that links Google Benchmark likely builds such a
 * program. The program's own time is no measure, because the library adapts its iterations to a fixed time. */
static const struct kind *kind_of(const struct kg_finding *finding)
{
    if (!finding->is_made)
        return &kinds[finding->kind];
    return &kinds[finding->proof ? KG_FOUND_GOOGLE_BENCHMARK : KG_FOUND_PROGRAM];
}

static const char *doubt_of(const struct kg_finding *finding)
{
    return finding->doubt ? finding->doubt : kinds[finding->kind].doubt;
}

bool kg_finding_is_live(const struct kg_finding *finding)
{
    return kinds[finding->kind].is_workload && !doubt_of(finding);
}

size_t kg_survey_count(const struct kg_survey *survey, enum kg_finding_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < survey->count; i++)
        count += survey->findings[i].kind == kind;
    return count;
}

size_t kg_survey_live(const struct kg_survey *survey)
{
    size_t count = 0;
    for (size_t i = 0; i < survey->count; i++)
        count += kg_finding_is_live(&survey->findings[i]);
    return count;
}

/* Whether the program exists: it is a script, or it is built. */
static bool is_built(const struct kg_finding *finding)
{
    const bool is_made =
        kg_kind_is_target(finding->kind) || finding->kind == KG_FOUND_CTEST || finding->is_made;
    return !is_made || finding->program;
}

bool kg_survey_is_built(const struct kg_survey *survey)
{
    bool built = true;
    for (size_t i = 0; i < survey->count; i++)
        built =
            built && (!kg_finding_is_live(&survey->findings[i]) || is_built(&survey->findings[i]));
    return built;
}

/* --- The findings as lines --------------------------------------------------------------------- */

static void place_append(const struct kg_finding *finding, struct kg_text *text)
{
    kg_escape_terminal(text, finding->path, SHOWN_MOST);
    if (finding->line)
        kg_text_printf(text, ":%u", finding->line);
}

static void finding_append(const struct kg_finding *finding, struct kg_text *text)
{
    const char *what = finding->is_made ? "a program that make builds" : kinds[finding->kind].what;
    place_append(finding, text);
    kg_text_append(text, ": ");
    if (finding->line) {
        kg_escape_terminal(text, finding->name, SHOWN_MOST);
        kg_text_printf(text, ", %s", what);
    } else {
        kg_text_append(text, what);
    }
    if (finding->proof)
        kg_text_printf(text, ": it %s", finding->proof);
    if (!is_built(finding))
        kg_text_append(text, "; not built here");
}

/* Appends one line for all findings of a kind, with the folder of the first finding. */
static void folded_append(const struct kg_survey *survey, enum kg_finding_kind kind, size_t first,
                          struct kg_text *text)
{
    const char *path = survey->findings[first].path, *slash = strrchr(path, '/');
    struct kg_text folder = {0};
    kg_text_append_bytes(&folder, path, slash ? (size_t)(slash - path) : strlen(path));
    kg_escape_terminal(text, kg_text_string(&folder), SHOWN_MOST);
    kg_text_printf(text, "%s: %zu %s\n", kind == KG_FOUND_WORKFLOW ? "" : " and others",
                   kg_survey_count(survey, kind), kinds[kind].many);
    kg_text_free(&folder);
}

void kg_survey_text(const struct kg_survey *survey, struct kg_text *text)
{
    for (size_t i = 0; i < survey->count; i++) {
        const enum kg_finding_kind kind = survey->findings[i].kind;
        const size_t least = kind == KG_FOUND_WORKFLOW ? 2 : FOLDED_FROM;
        if (!kinds[kind].many || kg_survey_count(survey, kind) < least) {
            finding_append(&survey->findings[i], text);
            if (kinds[kind].is_workload && doubt_of(&survey->findings[i]))
                kg_text_printf(text, "; not measured: %s", doubt_of(&survey->findings[i]));
            kg_text_append(text, "\n");
        } else if (!i || survey->findings[i - 1].kind != kind) {
            folded_append(survey, kind, i, text);
        }
    }
    if (survey->cut)
        kg_text_append(text, "and more: the repository is larger than kgate reads\n");
}

/* --- The suite --------------------------------------------------------------------------------- */

static const char top[] =
    "# The workloads that kgate measures, and the rules of the verdict. `kgate validate` checks "
    "this "
    "file.\n# docs/suite.md of kgate has every key. Made by `kgate init` from the programs of this "
    "repository.\nversion: 1\nsuite: ";
static const char policy[] = "policy:\n"
                             "  fail_on: [REGRESSION, FAILED]\n"
                             "defaults:\n"
                             "  threshold: 5%        # the smallest change that matters\n"
                             "  rounds: {min: 5, max: 30}\n"
                             "  min_time: 50ms       # measured time per round\n"
                             "workloads:\n";
/* Appends a unique name for the workload. "_" replaces forbidden characters. If the name is taken, a number follows. */
static void name_append(const struct kg_survey *survey, size_t index, struct kg_text *text)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    const char *name = survey->findings[index].name;
    size_t before = 0;
    for (size_t i = 0; i < index; i++) /* workloads in comments count too */
        before += kinds[survey->findings[i].kind].is_workload &&
                  !strncmp(survey->findings[i].name, name, NAME_MOST);
    for (size_t i = 0; name[i] && i < NAME_MOST; i++)
        kg_text_append_bytes(text, strchr(allowed, name[i]) ? &name[i] : "_", 1);
    if (before)
        kg_text_printf(text, ".%zu", before + 1);
}

/* Appends a quoted word. The function doubles each brace, because single braces enclose parameters. */
static void word_append(const char *word, struct kg_text *text)
{
    struct kg_text braced = {0};
    for (; *word; word++)
        kg_text_append_bytes(&braced,
                             *word == '{'   ? "{{"
                             : *word == '}' ? "}}"
                                            : word,
                             *word == '{' || *word == '}' ? 2 : 1);
    kg_yaml_quote(text, kg_text_string(&braced));
    kg_text_free(&braced);
}

void kg_finding_program(const struct kg_survey *survey, const struct kg_finding *finding,
                        char *path, size_t size)
{
    const char *slash = strrchr(finding->path, '/');
    const int folder = slash ? (int)(slash - finding->path) : 0;
    if (finding->kind == KG_FOUND_PROGRAM)
        snprintf(path, size, "%s", finding->path);
    else if (finding->program || finding->artifact)
        snprintf(path, size, "%s", finding->program ? finding->program : finding->artifact);
    else
        snprintf(path, size, "%s/%.*s%s%s", kg_survey_tree(survey), folder, finding->path,
                 folder ? "/" : "", finding->name);
}

static void command_append(const struct kg_survey *survey, const struct kg_finding *finding,
                           struct kg_text *text)
{
    char path[4096 + 2] = "./";
    const char *program = path;
    const char *const *words = finding->word_count ? finding->words : &program;
    const size_t count = finding->word_count ? finding->word_count : 1;
    kg_finding_program(survey, finding, path + 2, sizeof path - 2);
    for (size_t i = 0; i < count; i++) {
        kg_text_append(text, i ? ", " : "[");
        word_append(words[i], text);
    }
    kg_text_append(text, "]");
}

/* Appends the comments above a workload: its origin, notes, and the command that builds its program. */
static void comments_append(const struct kg_survey *survey, const struct kg_finding *finding,
                            struct kg_text *text)
{
    const struct kind *kind = kind_of(finding);
    kg_text_append(text, "  # ");
    finding_append(finding, text);
    kg_text_append(text, "\n");
    if (kind->comment)
        kg_text_printf(text, "  # %s\n", kind->comment);
    if (finding->note)
        kg_text_printf(text, "  # %s\n", finding->note);
    if (doubt_of(finding))
        kg_text_printf(text, "  # Not measured: %s.\n", doubt_of(finding));
    if (!is_built(finding)) {
        kg_text_append(text, "  # Build it first: ");
        kg_finding_build(survey, finding, text);
        kg_text_append(text, "\n");
    }
}

static void workload_append(const struct kg_survey *survey, size_t index, struct kg_text *text)
{
    const struct kg_finding *finding = &survey->findings[index];
    const char *hash = kg_finding_is_live(finding) ? "" : "# ";
    comments_append(survey, finding, text);
    kg_text_printf(text, "  %s- name: ", hash);
    name_append(survey, index, text);
    kg_text_printf(text, "\n  %s  command: ", hash);
    command_append(survey, finding, text);
    kg_text_append(text, "\n");
    if (finding->directory) {
        kg_text_printf(text, "  %s  directory: ", hash);
        word_append(finding->directory, text);
        kg_text_append(text, "\n");
    }
    if (kind_of(finding)->format)
        kg_text_printf(text, "  %s  format: %s\n", hash, kind_of(finding)->format);
}

/* Whether the suite leaves the finding out: of a kind with a plural it has only the first FOLDED_FROM - 1 findings. */
static bool is_folded(const struct kg_survey *survey, size_t index)
{
    return kinds[survey->findings[index].kind].many && index + 1 >= FOLDED_FROM &&
           survey->findings[index + 1 - FOLDED_FROM].kind == survey->findings[index].kind;
}

/* Appends the live workloads, or the workloads in comments. */
static void workloads_append(const struct kg_survey *survey, bool live, struct kg_text *yaml)
{
    for (size_t i = 0; i < survey->count; i++)
        if (kinds[survey->findings[i].kind].is_workload &&
            kg_finding_is_live(&survey->findings[i]) == live && !is_folded(survey, i))
            workload_append(survey, i, yaml);
}

void kg_adopt_suite(const struct kg_survey *survey, const char *name, struct kg_text *yaml)
{
    kg_text_append(yaml, top);
    kg_yaml_quote(yaml, *name ? name : "suite");
    kg_text_printf(yaml, "\n%s", policy);
    workloads_append(survey, true, yaml);
    workloads_append(survey, false, yaml);
    if (kg_survey_count(survey, KG_FOUND_CUDA_SOURCE))
        kg_text_append(
            yaml,
            "# CUDA sources here; kgate times kernels by the device's clock (docs/gpu.md):\n");
    for (size_t i = 0; i < survey->count; i++) {
        if (survey->findings[i].kind != KG_FOUND_CUDA_SOURCE)
            continue;
        kg_text_append(yaml, "#   ");
        place_append(&survey->findings[i], yaml);
        kg_text_append(yaml, "\n");
    }
}
