/* init.c: a suite and a workflow to begin with. What is looked at and written is adopt/adopt.h's. */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adopt/adopt.h"
#include "cli/cli.h"
#include "util/escape.h"
#include "util/file.h"

#define WORKFLOW ".github/workflows/kgate.yml"

/* A file that is to be written. */
struct draft {
    const char *path;
    struct kg_text text;
    bool is_there;
};

static bool draft_write(const struct kg_arguments *arguments, const struct draft *draft,
                        struct kg_error *err)
{
    char folder[PATH_MAX];
    if (draft->text.failed)
        return kg_error_memory(err);
    if (arguments->dry_run) {
        printf("--- %s%s\n%s\n", draft->path,
               draft->is_there ? " (is there already; --force overwrites it)" : "",
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

/* The folder's name, as a suite's may be. */
static const char *folder_name(char here[PATH_MAX])
{
    const char *slash = realpath(".", here) ? strrchr(here, '/') : NULL;
    return slash && slash[1] ? slash + 1 : "suite";
}

static void found_print(const struct kg_survey *survey)
{
    struct kg_text text = {0};
    kg_survey_text(survey, &text);
    printf("%s%s", survey->count ? "found:\n" : "found no benchmarks here\n", "");
    for (const char *line = kg_text_string(&text); *line;) {
        const size_t length = strcspn(line, "\n");
        printf("  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    kg_text_free(&text);
}

/* A workflow that is there is left as it is. */
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

static void next_print(const struct kg_survey *survey, const char *path)
{
    struct kg_text pipeline = {0};
    if (kg_survey_count(survey, KG_FOUND_PIPELINE)) {
        kg_adopt_pipeline(path, &pipeline);
        printf("for .gitlab-ci.yml, which is yours to edit:\n%s", kg_text_string(&pipeline));
    }
    kg_text_free(&pipeline);
    if (!strcmp(path, KG_SUITE_FILE))
        printf("next: kgate validate, then kgate gate --update-missing\n");
    else
        printf("next: kgate gate -c %s --update-missing\n", path);
}

static bool survey_use(const struct kg_arguments *arguments, const struct kg_survey *survey,
                       struct kg_error *err)
{
    char here[PATH_MAX];
    const char *path = arguments->positional_count ? arguments->positional[0] : KG_SUITE_FILE;
    if (access(path, F_OK) == 0 && !arguments->force && !arguments->dry_run)
        return kg_error_set(err, KG_ERROR_USAGE, "'%.200s' is there already; --force overwrites it",
                            path);
    const bool gitlab = kg_survey_count(survey, KG_FOUND_PIPELINE) > 0;
    const bool github = !gitlab && (access(".git", F_OK) == 0 || access(".github", F_OK) == 0);
    struct draft suite = {.path = path, .is_there = access(path, F_OK) == 0};
    struct draft workflow = {.path = github ? WORKFLOW : NULL,
                             .is_there = github && access(WORKFLOW, F_OK) == 0};
    kg_adopt_suite(survey, folder_name(here), &suite.text);
    kg_adopt_workflow(survey, path, &workflow.text);
    if (!arguments->quiet)
        found_print(survey);
    const bool good = drafts_write(arguments, &suite, &workflow, err);
    if (good && !arguments->quiet)
        next_print(survey, path);
    kg_text_free(&suite.text);
    kg_text_free(&workflow.text);
    return good;
}

int kg_cli_init(const struct kg_arguments *arguments)
{
    struct kg_survey survey;
    struct kg_error err;
    const bool good = kg_survey_make(".", &survey, &err) && survey_use(arguments, &survey, &err);
    kg_survey_free(&survey);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
