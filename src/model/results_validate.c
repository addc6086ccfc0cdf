#include "model/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/series.h"

static bool ids_validate(const struct kg_results *results, struct kg_error *err)
{
    const char **ids = kg_alloc(results->case_count + 1, sizeof *ids);
    for (size_t i = 0; i < results->case_count; i++)
        ids[i] = results->cases[i].id;
    const char *repeated = kg_strings_repeated(ids, results->case_count);
    free(ids);
    return !repeated ||
           kg_error_set(err, KG_ERROR_USAGE, "two cases have the id '%.200s'", repeated);
}

static bool series_refuse(size_t index, const char *name, const char *what, struct kg_error *err)
{
    return kg_error_set(err, KG_ERROR_USAGE, "cases[%zu].series: %s of '%.100s'", index, what,
                        name);
}

/* A name has one series per source. kgate's own metrics have the direction of their rows: a file
 * with another direction is refused. */
static bool series_validate(const struct kg_case_result *result, size_t index, struct kg_error *err)
{
    for (size_t i = 0; i < result->series_count; i++) {
        const struct kg_series *series = &result->series[i];
        for (size_t j = 0; j < i; j++)
            if (!strcmp(series->name, result->series[j].name) &&
                !strcmp(series->source, result->series[j].source))
                return series_refuse(index, series->name, "expected one series", err);
        if (strcmp(series->source, KG_SERIES_OF_WORKLOAD) != 0 &&
            kg_metric_kind_find(series->name) < KG_METRIC_KINDS &&
            series->better != kg_series_row(series)->better)
            return series_refuse(index, series->name, "unexpected direction", err);
    }
    return true;
}

/* A compared metric without a series or a threshold would pass unseen. */
static bool compared_validate(const struct kg_case_result *result, size_t index,
                              struct kg_error *err)
{
    for (int kind = 0; kind < KG_METRIC_KINDS; kind++) {
        if (kg_metric_rows[kind].origin != KG_ORIGIN_FIELD ||
            !kg_metric_asked(result, (enum kg_metric_kind)kind))
            continue;
        const struct kg_series *series = kg_case_series(result, (enum kg_metric_kind)kind);
        if (!series || strcmp(series->source, KG_SERIES_OF_ROUNDS) != 0)
            return series_refuse(index, kg_metric_kind_names[kind], "expected one value per round",
                                 err);
        if (isnan(series->threshold))
            return series_refuse(index, kg_metric_kind_names[kind], "expected a threshold", err);
    }
    return true;
}

static bool case_validate(const struct kg_case_result *result, size_t index, struct kg_error *err)
{
    if (result->status == KG_STATUS_OK && !result->round_count)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "cases[%zu].rounds: a case with status OK has no round", index);
    return series_validate(result, index, err) && compared_validate(result, index, err);
}

bool kg_results_validate(const struct kg_results *results, struct kg_error *err)
{
    const struct kg_machine *machine = &results->machine;
    if (!kg_fingerprint_check("machine.fingerprint", machine->fingerprint, err))
        return false;
    if (!kg_timestamp_is(results->created))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "created: expected a time such as 2026-01-31T12:00:00Z, found '%.40s'",
                            results->created);
    if (machine->gpu_chosen && machine->gpu_chosen >= machine->gpu_count)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "machine.gpu_chosen: expected the number of one of %zu gpus, found %zu",
                            machine->gpu_count, machine->gpu_chosen);
    if (!kg_cpu_ceilings_good(&results->cpu_ceilings))
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "cpu_ceilings: expected all threads together to be at least as fast as one");
    for (size_t i = 0; i < results->case_count; i++)
        if (!case_validate(&results->cases[i], i, err))
            return false;
    return ids_validate(results, err);
}
