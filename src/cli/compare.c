#include <pthread.h>
#include <string.h>

#include "cli/cli.h"

/* The base: a results file as a baseline of one run, or a file of the store. */
struct base {
    const char *path;
    struct kg_results results;
    struct kg_baseline baseline;
    bool good;
    struct kg_error err;
};

static bool base_load(struct base *base)
{
    struct kg_error as_baseline;
    if (kg_results_load(base->path, &base->results, &base->err))
        return kg_baseline_from_results(&base->results, &base->baseline, &base->err);
    /* Only a file that says it is a baseline is read as one: its errors are the ones that matter.
     */
    char schema[64];
    if (!kg_schema_peek(base->path, schema, &as_baseline) ||
        strcmp(schema, KG_BASELINE_SCHEMA) != 0)
        return false;
    return kg_baseline_load(base->path, &base->baseline, &base->err);
}

static void *base_thread(void *user)
{
    struct base *base = user;
    base->good = base_load(base);
    return NULL;
}

/* Two large files are read at once. */
static bool both_load(struct base *base, const char *path, struct kg_results *current,
                      struct kg_error *err)
{
    pthread_t thread;
    json_object_seed(0); /* before there are two threads */
    const bool threaded = pthread_create(&thread, NULL, base_thread, base) == 0;
    const bool good = kg_results_load(path, current, err);
    if (threaded)
        pthread_join(thread, NULL);
    else
        base_thread(base);
    if (base->good)
        return good;
    *err = base->err;
    return false;
}

static bool summary_print(const struct kg_arguments *arguments,
                          const struct kg_comparison *comparison, struct kg_error *err)
{
    struct kg_text text = {0};
    const bool good =
        kg_comparison_summary(comparison, arguments, &text, err) && kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

int kg_cli_compare(const struct kg_arguments *arguments)
{
    struct base base = {.path = arguments->positional[0]};
    struct kg_results current = {0};
    struct kg_comparison comparison = {0};
    struct kg_error err;
    const bool good =
        both_load(&base, arguments->positional[1], &current, &err) &&
        kg_compare(&base.baseline, &current, current.sequential ? KG_STAGE_SCREEN : KG_STAGE_FINAL,
                   &comparison, &err) &&
        (!arguments->output || kg_comparison_reports(&comparison, arguments->output, &err)) &&
        summary_print(arguments, &comparison, &err);
    const int status = good ? (int)comparison.exit_status : kg_fail(&err);
    kg_comparison_free(&comparison);
    kg_baseline_free(&base.baseline);
    kg_results_free(&base.results);
    kg_results_free(&current);
    return status;
}
