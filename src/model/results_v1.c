#include "model/results_v1.h"

#include <string.h>

#include "model/results.h"

/* Where version 1 had what a series of the rounds has. */
static const struct {
    enum kg_metric_kind kind;
    const char *threshold, *min_effect;
} fields[] = {
    {KG_METRIC_TIME, "threshold", "min_effect_ns"},
    {KG_METRIC_PEAK_MEMORY, "memory_threshold", "min_memory_effect_bytes"},
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* Moves a member of one object to another; what is not there is not moved. */
static bool member_move(json_t *from, const char *name, json_t *to, const char *as)
{
    json_t *value = json_object_get(from, name);
    if (!value)
        return true;
    return json_object_set(to, as, value) == 0 && json_object_del(from, name) == 0;
}

static bool series_of_rounds(json_t *result, size_t field, json_t *series)
{
    json_t *one =
        json_pack("{s:s, s:s, s:s}", "name", kg_metric_kind_names[fields[field].kind], "source",
                  KG_SERIES_OF_ROUNDS, "better", kg_better_names[KG_BETTER_LOWER]);
    if (!one || json_array_append_new(series, one) != 0)
        return false;
    return member_move(result, fields[field].threshold, one, "threshold") &&
           member_move(result, fields[field].min_effect, one, "min_effect");
}

/* Null in the place of values, which version 2 may lack, becomes a list of null: that is refused. */
static bool counters_move(json_t *counters, json_t *series)
{
    for (size_t i = 0; i < json_array_size(counters); i++) {
        json_t *counter = json_array_get(counters, i);
        if (json_is_null(json_object_get(counter, "values")) &&
            json_object_set_new(counter, "values", json_pack("[n]")) != 0)
            return false;
        if (json_array_append(series, counter) != 0)
            return false;
    }
    return true;
}

bool kg_case_from_v1(json_t *result)
{
    json_t *counters = json_object_get(result, "counters");
    if (!json_is_object(result) || json_object_get(result, "series"))
        return true;
    json_t *series = json_array();
    bool good = series != NULL;
    for (size_t i = 0; i < FIELDS && good; i++)
        good = series_of_rounds(result, i, series);
    good = good && counters_move(counters, series);
    /* counters that are no list take the place, for the reader to refuse */
    const bool is_list = !counters || json_is_null(counters) || json_is_array(counters);
    good = good && json_object_set(result, "series", is_list ? series : counters) == 0;
    json_decref(series);
    if (good)
        json_object_del(result, "counters");
    return good;
}

bool kg_results_from_v1(json_t *file)
{
    json_t *cases = json_object_get(file, "cases"), *result;
    size_t i;
    json_array_foreach(cases, i, result) if (!kg_case_from_v1(result)) return false;
    return true;
}
