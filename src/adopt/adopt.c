#include "adopt/adopt.h"

#include <string.h>

#include "util/escape.h"

enum { SHOWN_MOST = 200, NAME_MOST = 60 };

static const struct kind {
    const char *what;
    const char *format;  /* of the workload: each benchmark of the program is a case; or NULL */
    const char *comment; /* above its workload; or NULL */
    bool is_workload;
    bool is_doubtful; /* written as a comment: whoever knows better takes the # away */
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
                        .comment = "A test is rarely a good benchmark; --gtest_filter names one.",
                        .is_workload = true,
                        .is_doubtful = true},
    [KG_FOUND_PROGRAM] = {.what = "a program named so", .is_workload = true},
    [KG_FOUND_MAKE_TARGET] = {.what = "a rule of make",
                              .comment = "One call is make with all that it does: name the program "
                                         "that it runs, if there is one.",
                              .is_workload = true,
                              .is_doubtful = true},
    [KG_FOUND_CUDA_SOURCE] = {.what = "a CUDA source"},
    [KG_FOUND_WORKFLOW] = {.what = "a workflow of GitHub"},
    [KG_FOUND_PIPELINE] = {.what = "a pipeline of GitLab"},
};

/* Its own time is no measure: the library adapts the number of iterations to a fixed time. */
static const struct kind google_rule = {
    .format = "google-benchmark",
    .comment = "Name the program of Google Benchmark that it makes or runs; each of its benchmarks "
               "is a case."};

size_t kg_survey_count(const struct kg_survey *survey, enum kg_finding_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < survey->count; i++)
        count += survey->findings[i].kind == kind;
    return count;
}

/* Whether a suite can have it as it is: its program is there, and it is likely meant to be measured. */
static bool is_startable(const struct kg_finding *finding)
{
    return kinds[finding->kind].is_workload && !kinds[finding->kind].is_doubtful &&
           (finding->program || finding->kind == KG_FOUND_PROGRAM);
}

size_t kg_survey_startable(const struct kg_survey *survey)
{
    size_t count = 0;
    for (size_t i = 0; i < survey->count; i++)
        count += is_startable(&survey->findings[i]);
    return count;
}

/* --- What was found ---------------------------------------------------------------------------- */

static void place_append(const struct kg_finding *finding, struct kg_text *text)
{
    kg_escape_terminal(text, finding->path, SHOWN_MOST);
    if (finding->line)
        kg_text_printf(text, ":%u", finding->line);
}

static void finding_append(const struct kg_finding *finding, struct kg_text *text)
{
    place_append(finding, text);
    kg_text_append(text, ": ");
    if (finding->line) {
        kg_escape_terminal(text, finding->name, SHOWN_MOST);
        kg_text_printf(text, ", %s", kinds[finding->kind].what);
    } else {
        kg_text_append(text, kinds[finding->kind].what);
    }
    if (finding->proof)
        kg_text_printf(text, ": it %s", finding->proof);
    if (finding->kind <= KG_FOUND_GTEST && !finding->program)
        kg_text_append(text, "; not built here");
}

void kg_survey_text(const struct kg_survey *survey, struct kg_text *text)
{
    for (size_t i = 0; i < survey->count; i++) {
        finding_append(&survey->findings[i], text);
        kg_text_append(text, "\n");
    }
    if (survey->cut)
        kg_text_append(text, "and more: the repository is larger than what is looked at\n");
}

/* --- The suite --------------------------------------------------------------------------------- */

static const char top[] =
    "# What kgate measures here, and how it judges. `kgate validate` checks this file; every key "
    "is in\n"
    "# kgate's docs/suite.md. Made by `kgate init` from what the repository has.\n"
    "version: 1\n"
    "suite: ";
static const char policy[] = "policy:\n"
                             "  fail_on: [REGRESSION, FAILED]\n"
                             "defaults:\n"
                             "  threshold: 5%        # the smallest change that matters\n"
                             "  rounds: {min: 5, max: 30}\n"
                             "  min_time: 50ms       # measured time a round\n"
                             "workloads:\n";
static const char example[] =
    "  - name: softmax      # a kernel that kgate brings, to see it work\n"
    "    kernel: softmax\n"
    "    threads: 1\n"
    "    params: {rows: 256, cols: 256}\n"
    "  - name: program      # your own program: put its command here\n"
    "    command: [\"true\"]\n"
    "    threshold: 20%     # starting a process is noisy\n";

/* Names are unique in a suite: the characters that are allowed, and a number where one is taken. */
static void name_append(const struct kg_survey *survey, size_t index, struct kg_text *text)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    const char *name = survey->findings[index].name;
    size_t before = 0;
    for (size_t i = 0; i < index; i++)
        before += kinds[survey->findings[i].kind].is_workload &&
                  !strncmp(survey->findings[i].name, name, NAME_MOST);
    for (size_t i = 0; name[i] && i < NAME_MOST; i++)
        kg_text_append_bytes(text, strchr(allowed, name[i]) ? &name[i] : "_", 1);
    if (before)
        kg_text_printf(text, ".%zu", before + 1);
}

/* Braces are those of parameters. */
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
    text->failed = text->failed || braced.failed;
    kg_text_free(&braced);
}

/* A rule of a Makefile that links Google Benchmark is likely of such a program. */
static bool is_google_rule(const struct kg_finding *finding)
{
    return finding->kind == KG_FOUND_MAKE_TARGET && finding->proof;
}

static void command_append(const struct kg_finding *finding, struct kg_text *text)
{
    struct kg_text path = {0};
    const char *slash = strrchr(finding->path, '/');
    const int folder = slash ? (int)(slash - finding->path) : 0;
    const bool make = finding->kind == KG_FOUND_MAKE_TARGET && !is_google_rule(finding);
    if (make)
        kg_text_printf(&path, "%.*s", folder ? folder : 1, folder ? finding->path : ".");
    else if (finding->kind == KG_FOUND_PROGRAM)
        kg_text_printf(&path, "./%s", finding->path);
    else if (finding->program)
        kg_text_printf(&path, "./%s", finding->program);
    else if (is_google_rule(finding))
        kg_text_printf(&path, "./%.*s%s%s", folder, finding->path, folder ? "/" : "",
                       finding->name);
    else
        kg_text_printf(&path, "./build/%.*s%s%s", folder, finding->path, folder ? "/" : "",
                       finding->name);
    kg_text_append(text, make ? "[make, -s, -C, " : "[");
    word_append(kg_text_string(&path), text);
    if (make) {
        kg_text_append(text, ", ");
        word_append(finding->name, text);
    }
    kg_text_append(text, "]");
    text->failed = text->failed || path.failed;
    kg_text_free(&path);
}

static void workload_append(const struct kg_survey *survey, size_t index, struct kg_text *text)
{
    const struct kg_finding *finding = &survey->findings[index];
    const struct kind *kind = is_google_rule(finding) ? &google_rule : &kinds[finding->kind];
    const char *hash = is_startable(finding) ? "" : "# ";
    kg_text_append(text, "  # ");
    finding_append(finding, text);
    kg_text_append(text, "\n");
    if (kind->comment)
        kg_text_printf(text, "  # %s\n", kind->comment);
    kg_text_printf(text, "  %s- name: ", hash);
    name_append(survey, index, text);
    kg_text_printf(text, "\n  %s  command: ", hash);
    command_append(finding, text);
    kg_text_append(text, "\n");
    if (kind->format)
        kg_text_printf(text, "  %s  format: %s\n", hash, kind->format);
}

void kg_adopt_suite(const struct kg_survey *survey, const char *name, struct kg_text *yaml)
{
    kg_text_append(yaml, top);
    kg_yaml_quote(yaml, *name ? name : "suite");
    kg_text_printf(yaml, "\n%s", policy);
    if (!kg_survey_startable(survey))
        kg_text_append(yaml, example);
    for (size_t i = 0; i < survey->count; i++)
        if (kinds[survey->findings[i].kind].is_workload)
            workload_append(survey, i, yaml);
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

/* --- Pipelines --------------------------------------------------------------------------------- */

static const char workflow[] =
    "# Compares each pull request with what it is based on, both built and measured in the same "
    "job, turn by\n"
    "# turn. Advisory: it fails only where nothing could be measured. The target branch's suite "
    "and thresholds judge,\n"
    "# so that a change cannot move its own (`trust`). Made by `kgate init`; docs/ci.md of kgate "
    "has the rest: baselines,\n"
    "# forks, required checks. Put the repository of kgate in the place of OWNER.\n"
    "name: kgate\n"
    "on:\n"
    "  pull_request:\n"
    "  merge_group:\n"
    "permissions: {contents: read, pull-requests: write, checks: write}\n"
    "jobs:\n"
    "  kgate:\n"
    "    runs-on: ubuntu-latest\n"
    "    steps:\n"
    "      - uses: actions/checkout@v4\n"
    "        with: {persist-credentials: false}\n"
    "      - uses: OWNER/kgate@v1\n"
    "        with:\n"
    "          mode: ab\n";

void kg_adopt_workflow(const struct kg_survey *survey, const char *suite, struct kg_text *yaml)
{
    kg_text_append(yaml, workflow);
    kg_text_append(yaml, "          suite: ");
    kg_yaml_quote(yaml, suite);
    kg_text_printf(yaml, "\n          build: %s\n",
                   survey->has_cmake
                       ? "cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build -j"
                   : survey->has_makefile ? "make -j"
                                          : "\"true\"    # the command that builds a checkout");
    kg_text_append(yaml, "          budget: 5m\n"
                         "          posture: advisory    # `required` once you trust it\n");
}

void kg_adopt_pipeline(const char *suite, struct kg_text *yaml)
{
    kg_text_append(yaml, "include:\n"
                         "  - component: $CI_SERVER_FQDN/GROUP/kgate/kgate@1\n"
                         "    inputs:\n"
                         "      suite: ");
    kg_yaml_quote(yaml, suite);
    kg_text_append(
        yaml, "\n      install: apt-get update -qq && apt-get install -y -qq git ./kgate.deb\n");
}
