#include <stdio.h>

#include "cli/cli.h"

int kg_cli_validate(const struct kg_arguments *arguments)
{
    struct kg_prepared prepared;
    struct kg_error err;
    size_t skipped = 0;
    if (!kg_prepare(arguments, &prepared, &err))
        return kg_fail(&err);
    for (size_t i = 0; i < prepared.plan.case_count; i++)
        skipped += prepared.plan.cases[i].skip_reason != NULL;
    if (!arguments->quiet)
        printf("%s: good, %zu workload%s, %zu case%s, %zu of them cannot run on this machine\n",
               arguments->suite, prepared.suite.workload_count,
               prepared.suite.workload_count == 1 ? "" : "s", prepared.plan.case_count,
               prepared.plan.case_count == 1 ? "" : "s", skipped);
    kg_prepared_free(&prepared);
    return KG_EXIT_PASS;
}
