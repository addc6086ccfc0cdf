#include "results/results_validate.h"

#include <stdlib.h>
#include <string.h>

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool ids_validate(const struct kg_results *results, struct kg_error *err)
{
    bool good = true;
    const char **ids = calloc(results->case_count + 1, sizeof *ids);
    if (!ids)
        return kg_error_memory(err);
    for (size_t i = 0; i < results->case_count; i++)
        ids[i] = results->cases[i].id;
    qsort(ids, results->case_count, sizeof *ids, compare_strings);
    for (size_t i = 0; i < results->case_count && good; i++) {
        if (i && !strcmp(ids[i], ids[i - 1]))
            good = kg_error_set(err, KG_ERROR_USAGE, "two cases have the id '%.200s'", ids[i]);
    }
    free(ids);
    return good;
}

static bool case_validate(const struct kg_case_result *result, size_t index, struct kg_error *err)
{
    if (result->status == KG_STATUS_OK && !result->round_count)
        return kg_error_set(err, KG_ERROR_USAGE, "cases[%zu].rounds: a case of status OK has none",
                            index);
    return true;
}

bool kg_results_validate(const struct kg_results *results, struct kg_error *err)
{
    const struct kg_machine *machine = &results->machine;
    if (machine->gpu_chosen && machine->gpu_chosen >= machine->gpu_count)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "machine.gpu_chosen: expected the number of one of %zu gpus, found %zu",
                            machine->gpu_count, machine->gpu_chosen);
    if (!kg_cpu_ceilings_good(&results->cpu_ceilings))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "cpu_ceilings: expected all threads not to be slower than one");
    for (size_t i = 0; i < results->case_count; i++)
        if (!case_validate(&results->cases[i], i, err))
            return false;
    return ids_validate(results, err);
}
