/* command_init.c: writes a first suite and workflow. suite/adopt/adopt.h surveys the repository and makes the texts. */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "cli/cli.h"
#include "suite/adopt/adopt.h"

#define WORKFLOW ".github/workflows/kgate.yml"

enum { SHOWN_MOST = 160 };

/* A file to write. */
struct draft {
    const char *path;
    struct kg_text text;
    bool is_there;
};

static bool draft_write(const struct kg_arguments *arguments, const struct draft *draft,
                        struct kg_error *err)
{
    char folder[PATH_MAX];
    if (arguments->dry_run) {
        printf("--- %s%s\n%s\n", draft->path,
               draft->is_there ? " (exists already; --force overwrites it)" : "",
               kg_text_string(&draft->text));
        return true;
    }
    snprintf(folder, sizeof folder, "%s", draft->path);
    if (!kg_directory_make(dirname(folder), err) ||
        !kg_file_write(draft->path, kg_text_string(&draft->text), draft->text.length, err))
        return false;
    if (!arguments->quiet)
        printf("wrote %s\n", draft->path);
    return true;
}

/* Returns the name of this folder, as a name for the suite. */
static const char *folder_name(char here[PATH_MAX])
{
    const char *slash = realpath(".", here) ? strrchr(here, '/') : NULL;
    return slash && slash[1] ? slash + 1 : "suite";
}

static void found_print(const struct kg_survey *survey)
{
    struct kg_text text = {0};
    kg_survey_text(survey, &text);
    if (survey->count)
        printf("found:\n");
    for (const char *line = kg_text_string(&text); *line;) {
        const size_t length = strcspn(line, "\n");
        printf("  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    kg_text_free(&text);
}

/* Keeps an existing workflow. */
static bool drafts_write(const struct kg_arguments *arguments, struct draft *suite,
                         struct draft *workflow, struct kg_error *err)
{
    if (!draft_write(arguments, suite, err))
        return false;
    if (!workflow->path)
        return true;
    if (workflow->is_there && !arguments->force && !arguments->dry_run) {
        if (!arguments->quiet)
            printf("left as it is: %s (--force overwrites it)\n", workflow->path);
        return true;
    }
    return draft_write(arguments, workflow, err);
}

/* Prints the line of the workflow with a name that only the user knows. */
static void owner_print(const struct draft *workflow)
{
    const char *text = kg_text_string(&workflow->text), *at = strstr(text, "uses: OWNER/");
    unsigned line = 1;
    for (const char *c = text; at && c < at; c++)
        line += *c == '\n';
    if (at)
        printf("replace OWNER in %s line %u by the owner of kgate's repository\n", workflow->path,
               line);
}

static void next_print(const struct kg_survey *survey, const char *path)
{
    struct kg_text text = {0};
    if (kg_survey_count(survey, KG_FOUND_PIPELINE)) {
        kg_adopt_pipeline(survey, path, &text);
        printf("for .gitlab-ci.yml, which is yours to edit:\n%s", kg_text_string(&text));
        kg_text_truncate(&text, 0);
    }
    if (!kg_survey_is_built(survey))
        kg_adopt_build(survey, &text);
    if (text.length)
        printf("build first: %s\n", kg_text_string(&text));
    kg_text_free(&text);
    if (!strcmp(path, KG_SUITE_FILE))
        printf("next: kgate validate, then kgate gate --update-missing\n");
    else
        printf("next: kgate validate -c %s, then kgate gate -c %s --update-missing\n", path, path);
}

static bool is_of_github(void)
{
    return access(".gitlab-ci.yml", F_OK) != 0 &&
           (access(".git", F_OK) == 0 || access(".github", F_OK) == 0);
}

/* Adds the workflow of an existing suite. */
static bool workflow_add(const struct kg_arguments *arguments, const struct kg_survey *survey,
                         const char *path, struct kg_error *err)
{
    struct draft workflow = {.path = WORKFLOW};
    kg_adopt_workflow(survey, path, &workflow.text);
    const bool good =
        draft_write(arguments, &workflow, err) && kg_cli_ignore_output(arguments, err);
    if (good && !arguments->quiet) {
        printf("left as it is: %s (--force overwrites it)\n", path);
        owner_print(&workflow);
        printf("check `build:` in " WORKFLOW ": it must build everything that %s measures\n", path);
    }
    kg_text_free(&workflow.text);
    return good;
}

static bool survey_use(const struct kg_arguments *arguments, const struct kg_survey *survey,
                       const char *path, struct kg_error *err)
{
    char here[PATH_MAX];
    const bool github = is_of_github();
    struct draft suite = {.path = path, .is_there = access(path, F_OK) == 0};
    struct draft workflow = {.path = github ? WORKFLOW : NULL,
                             .is_there = github && access(WORKFLOW, F_OK) == 0};
    const bool is_kept = workflow.is_there && !arguments->force;
    kg_adopt_suite(survey, folder_name(here), &suite.text);
    kg_adopt_workflow(survey, path, &workflow.text);
    const bool good =
        drafts_write(arguments, &suite, &workflow, err) && kg_cli_ignore_output(arguments, err);
    if (good && !arguments->quiet && github && !is_kept)
        owner_print(&workflow);
    if (good && !arguments->quiet)
        next_print(survey, path);
    kg_text_free(&suite.text);
    kg_text_free(&workflow.text);
    return good;
}

/* Three ways to a first benchmark, with their commands. */
static const char ways[] =
    "three ways to begin:\n"
    "  a command      kgate ab './old --words' './new --words'     compares two, without a suite\n"
    "                 printf 'version: 1\\nsuite: mine\\nworkloads:\\n  - {name: app, command: "
    "[./app, --words]}\\n' >kgate.yaml\n"
    "                 kgate validate && kgate gate --update-missing\n"
    "  a function     kgate init --plugin NAME                     writes a benchmark of ten lines "
    "to "
    "fill in\n"
    "  a harness      link a program with Google Benchmark: target_link_libraries(bench "
    "benchmark::benchmark_main)\n"
    "                 kgate init                                   finds it, built or not\n";

#define BUILD_THEN "build the benchmarks, then run `kgate init --force`\n"

/* Prints why CMake does not list all targets, and the next command. */
static void refusal_print(const struct kg_survey *survey, const char *why)
{
    struct kg_text line = {0};
    kg_escape_terminal(&line, why, SHOWN_MOST);
    fprintf(stderr, "kgate: cmake does not configure this repository (%s): %s; " BUILD_THEN,
            kg_text_string(&line),
            survey->is_configured ? "benchmarks that need such options are missing"
                                  : "only built programs are listed");
    kg_text_free(&line);
}

/* Asks CMake for its targets. Prints a note first, because CMake runs code of the repository. */
static bool cmake_ask(const struct kg_arguments *arguments, struct kg_survey *survey,
                      struct kg_error *err)
{
    const char *command = kg_survey_configure_command(survey), *why = NULL;
    if (arguments->no_cmake || !survey->has_cmake || survey->is_configured)
        return true;
    if (!command) {
        if (!arguments->quiet)
            fputs("kgate: there is no cmake in PATH: only built programs are listed; install cmake "
                  "or " BUILD_THEN,
                  stderr);
        return true;
    }
    if (arguments->dry_run) {
        if (!arguments->quiet)
            fprintf(stderr,
                    "kgate: lists only built programs; without --dry-run it also runs `%s`\n",
                    command);
        return true;
    }
    if (!arguments->quiet)
        fprintf(stderr, "kgate: runs `%s` to read the targets (--no-cmake: without)\n", command);
    if (!kg_survey_configure(".", survey, &why, err))
        return false;
    if (why && !arguments->quiet)
        refusal_print(survey, why);
    return true;
}

int kg_cli_init(const struct kg_arguments *arguments)
{
    if (arguments->demo)
        return kg_cli_init_demo(arguments);
    if (arguments->plugin)
        return kg_cli_init_plugin(arguments);
    const char *path = arguments->positional_count ? arguments->positional[0] : KG_SUITE_FILE;
    struct kg_survey survey = {0};
    struct kg_error err;
    const bool kept = access(path, F_OK) == 0 && !arguments->force && !arguments->dry_run;
    const bool workflow_only = kept && is_of_github() && access(WORKFLOW, F_OK) != 0;
    bool good =
        !kept || workflow_only ||
        kg_error_set(&err, KG_ERROR_USAGE, "'%.200s' exists already; --force overwrites it", path);
    good = good && kg_survey_make(".", &survey, &err) && cmake_ask(arguments, &survey, &err);
    if (good && !arguments->quiet)
        found_print(&survey);
    fflush(stdout);
    const bool nothing = good && !workflow_only && !kg_survey_live(&survey);
    if (good && workflow_only)
        good = workflow_add(arguments, &survey, path, &err);
    else if (nothing)
        good =
            kg_error_set(&err, KG_ERROR_USAGE, "found no benchmark here, so nothing was written");
    else
        good = good && survey_use(arguments, &survey, path, &err);
    kg_survey_free(&survey);
    const int status = good ? KG_EXIT_PASS : kg_fail(&err);
    if (nothing)
        fputs(ways, stderr);
    return status;
}
