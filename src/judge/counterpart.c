#include "judge/budget.h"

#include <stdlib.h>
#include <string.h>

#include "kgate/plugin.h"
#include "model/suite.h"

static int counterpart_compare(const void *left, const void *right)
{
    const struct kg_case_result *a = *(const struct kg_case_result *const *)left;
    const struct kg_case_result *b = *(const struct kg_case_result *const *)right;
    int order = strcmp(a->workload, b->workload);
    if (!order)
        order = (a->param_count > b->param_count) - (a->param_count < b->param_count);
    for (size_t i = 0; i < a->param_count && !order; i++) {
        order = strcmp(a->params[i].name, b->params[i].name);
        if (!order)
            order = strcmp(a->params[i].value, b->params[i].value);
    }
    return order;
}

void kg_counterparts_index(struct kg_arena *arena, const struct kg_results *results,
                           struct kg_counterparts *counterparts)
{
    *counterparts = (struct kg_counterparts){
        .cases = kg_arena_alloc(arena, results->case_count, sizeof(struct kg_case_result *))};
    for (size_t i = 0; i < results->case_count; i++)
        if (!strcmp(results->cases[i].device, kg_device_names[KGATE_DEVICE_CPU]))
            counterparts->cases[counterparts->count++] = &results->cases[i];
    qsort(counterparts->cases, counterparts->count, sizeof *counterparts->cases,
          counterpart_compare);
}

const struct kg_case_result *kg_counterpart_find(const struct kg_counterparts *counterparts,
                                                 const struct kg_case_result *result)
{
    if (!counterparts->count)
        return NULL;
    const struct kg_case_result *const *found =
        bsearch(&result, counterparts->cases, counterparts->count, sizeof *counterparts->cases,
                counterpart_compare);
    return found ? *found : NULL;
}
