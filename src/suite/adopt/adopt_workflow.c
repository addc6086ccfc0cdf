/* adopt_workflow.c: the command that builds a suite's programs, and a GitHub workflow and GitLab job that build and
 * compare. */
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "suite/adopt/survey.h"

enum { TARGETS_MOST = 12 };

/* --- Building ---------------------------------------------------------------------------------- */

/* Appends a command that configures and builds the project. targets: " a b", or "" for all */
static void cmake_append(const struct kg_survey *survey, const char *targets, struct kg_text *text)
{
    kg_text_append(text, text->length ? " && cmake -B " : "cmake -B ");
    kg_shell_quote(text, kg_survey_tree(survey));
    kg_text_printf(text, " -DCMAKE_BUILD_TYPE=Release%s && cmake --build ", survey->options);
    kg_shell_quote(text, kg_survey_tree(survey));
    kg_text_printf(text, " -j%s%s", *targets ? " --target" : "", targets);
}

/* The CMake target that builds a finding's program; NULL: unknown. */
static const char *target_of(const struct kg_finding *finding)
{
    return kg_kind_is_target(finding->kind) ? finding->name : finding->target;
}

/* Appends a build of the targets of all live workloads. If a target is unknown or there are too many: of the whole
 * project. */
static void project_append(const struct kg_survey *survey, struct kg_text *text)
{
    struct kg_text targets = {0};
    size_t count = 0;
    bool all = false;
    for (size_t i = 0; i < survey->count; i++) {
        const struct kg_finding *finding = &survey->findings[i];
        if (!kg_finding_is_live(finding) || !finding->of_cmake)
            continue;
        all = all || !target_of(finding) || ++count > TARGETS_MOST;
        if (!all) {
            kg_text_append(&targets, " ");
            kg_shell_quote(&targets, target_of(finding));
        }
    }
    cmake_append(survey, all ? "" : kg_text_string(&targets), text);
    kg_text_free(&targets);
}

void kg_finding_build(const struct kg_survey *survey, const struct kg_finding *finding,
                      struct kg_text *text)
{
    struct kg_text own = {0}, target = {0};
    if (finding->of_cmake) {
        if (target_of(finding)) {
            kg_text_append(&target, " ");
            kg_shell_quote(&target, target_of(finding));
        }
        cmake_append(survey, kg_text_string(&target), &own);
    } else if (finding->build) {
        kg_text_append(&own, finding->build);
    }
    kg_text_append(text, kg_text_string(&own));
    kg_text_free(&own);
    kg_text_free(&target);
}

/* Whether an earlier live finding already adds the same build: CMake's, or the same make command. */
static bool is_repeated(const struct kg_survey *survey, size_t index)
{
    const struct kg_finding *finding = &survey->findings[index];
    for (size_t i = 0; i < index; i++) {
        const struct kg_finding *other = &survey->findings[i];
        if (!kg_finding_is_live(other) || other->of_cmake != finding->of_cmake)
            continue;
        if (finding->of_cmake || (other->build && !strcmp(other->build, finding->build)))
            return true;
    }
    return false;
}

/* Whether a live workload has no known build, neither by CMake nor by make. */
static bool needs_all(const struct kg_survey *survey)
{
    for (size_t i = 0; i < survey->count; i++)
        if (kg_finding_is_live(&survey->findings[i]) && !survey->findings[i].of_cmake &&
            !survey->findings[i].build)
            return true;
    return false;
}

void kg_adopt_build(const struct kg_survey *survey, struct kg_text *text)
{
    const bool unknown = !kg_survey_live(survey); /* no finding names the suite's programs */
    const bool all = (needs_all(survey) || unknown) && (survey->has_cmake || survey->has_makefile);
    if (all && survey->has_cmake && !(unknown && survey->has_makefile))
        cmake_append(survey, "", text);
    else if (all)
        kg_text_append(text, "make");
    for (size_t i = 0; i < survey->count; i++) {
        const struct kg_finding *finding = &survey->findings[i];
        if (!kg_finding_is_live(finding) || is_repeated(survey, i))
            continue;
        if (finding->of_cmake && !(all && survey->has_cmake)) {
            project_append(survey, text);
        } else if (!finding->of_cmake && finding->build) {
            kg_text_append(text, text->length ? " && " : "");
            kg_text_append(text, finding->build);
        }
    }
}

/* --- Pipelines --------------------------------------------------------------------------------- */

static const char workflow[] =
    "# Compares each pull request with its base. One job builds both and measures them in paired "
    "rounds.\n"
    "# Advisory: the job fails only if kgate could not measure. The suite and thresholds of the "
    "target branch judge, so\n"
    "# a pull request cannot change its own thresholds (`trust`). Made by `kgate init`; docs/ci.md "
    "of kgate has baselines,\n"
    "# forks and required checks. Replace OWNER by the owner of kgate's repository.\n"
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
    "      # A step here installs the packages that the build needs.\n"
    "      - uses: OWNER/kgate@v1\n"
    "        with:\n"
    "          mode: ab\n";

void kg_adopt_workflow(const struct kg_survey *survey, const char *suite, struct kg_text *yaml)
{
    struct kg_text build = {0};
    kg_adopt_build(survey, &build);
    kg_text_append(yaml, workflow);
    kg_text_append(yaml, "          suite: ");
    kg_yaml_quote(yaml, suite);
    if (build.length) {
        kg_text_append(yaml, "\n          build: ");
        kg_yaml_quote(yaml, kg_text_string(&build));
    } else {
        kg_text_append(yaml, "\n          # build: the command that builds a checkout, if the "
                             "programs need one");
    }
    kg_text_append(yaml, "\n          budget: 5m\n"
                         "          posture: advisory    # `required` once you trust it\n");
    kg_text_free(&build);
}

void kg_adopt_pipeline(const struct kg_survey *survey, const char *suite, struct kg_text *yaml)
{
    struct kg_text build = {0};
    kg_adopt_build(survey, &build);
    kg_text_append(yaml, "include:\n"
                         "  - component: $CI_SERVER_FQDN/GROUP/kgate/kgate@1\n"
                         "    inputs:\n"
                         "      suite: ");
    kg_yaml_quote(yaml, suite);
    kg_text_append(yaml, "\n      install: apt-get update -qq && apt-get install -y -qq git    # "
                         "and kgate: docs/pipelines/gitlab.yml\n");
    if (build.length) {
        kg_text_append(yaml, "      build: ");
        kg_yaml_quote(yaml, kg_text_string(&build));
        kg_text_append(yaml, "\n");
    }
    kg_text_free(&build);
}
