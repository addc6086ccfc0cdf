#include <stdio.h>

#include "cli/cli.h"
#include "measure/opening.h"

static size_t skipped_count(const struct kg_plan *plan)
{
    size_t skipped = 0;
    for (size_t i = 0; i < plan->case_count; i++)
        skipped += plan->cases[i].skip_reason != NULL;
    return skipped;
}

static void good_print(const struct kg_arguments *arguments, const struct kg_prepared *prepared,
                       const struct kg_opening *opening)
{
    printf("%s: good, %zu workload%s, %zu case%s, %zu of them cannot run on this machine\n",
           arguments->suite, prepared->suite.workload_count,
           prepared->suite.workload_count == 1 ? "" : "s", prepared->plan.case_count,
           prepared->plan.case_count == 1 ? "" : "s", skipped_count(&prepared->plan));
    if (opening->left)
        printf("%zu cases of plugins were not opened: the first %zu were\n", opening->left,
               opening->plugins);
}

int kg_cli_validate(const struct kg_arguments *arguments)
{
    struct kg_prepared prepared;
    struct kg_opening opening;
    struct kg_error err;
    if (!kg_prepare(arguments, &prepared, &err))
        return kg_fail(&err);
    const struct kg_prepared_suite what = kg_prepared_what(&prepared);
    const bool good = kg_open_all(&what, &opening, &err);
    if (good && !opening.signal && !arguments->quiet)
        good_print(arguments, &prepared, &opening);
    kg_prepared_free(&prepared);
    return !good ? kg_fail(&err) : opening.signal ? KG_EXIT_SIGNAL + opening.signal : KG_EXIT_PASS;
}
