#include "model/baseline_v1.h"

#include <string.h>

#include "model/baseline.h"

/* The arrays of version 1, and the series that they are. */
static const struct {
    const char *array, *name;
    bool required;
} arrays[] = {
    {"round_medians_ns", "time", true},
    {"round_peak_bytes", "peak_memory", true},
    {"round_pulses_ns", KG_SERIES_PULSE, false},
    {"round_means_ns", KG_SERIES_MEAN, false},
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

/* An array that is there but empty was a figure that is not known. */
static bool is_empty(const json_t *values)
{
    return json_is_array(values) && !json_array_size(values);
}

/* What is no array moves as it is, and so does the lack of one that version 1 always had: reading
 * refuses both as `values` of that series. */
static bool array_move(json_t *stored, size_t array, json_t *series)
{
    json_t *values = json_object_get(stored, arrays[array].array);
    const bool absent = !arrays[array].required && (!values || json_is_null(values));
    bool good = true;
    if (!absent && !is_empty(values)) {
        json_t *one = json_pack("{s:s, s:s, s:O*}", "name", arrays[array].name, "source",
                                KG_SERIES_OF_ROUNDS, "values", values);
        good = one && json_array_append_new(series, one) == 0;
    }
    json_object_del(stored, arrays[array].array);
    return good;
}

static bool counters_move(json_t *counters, json_t *series)
{
    for (size_t i = 0; i < json_array_size(counters); i++) {
        json_t *counter = json_array_get(counters, i);
        if (!is_empty(json_object_get(counter, "values")) &&
            json_array_append(series, counter) != 0)
            return false;
    }
    return true;
}

static bool case_from_v1(json_t *stored)
{
    json_t *counters = json_object_get(stored, "counters");
    json_t *series = json_array();
    bool good = series != NULL;
    for (size_t a = 0; a < ARRAYS && good; a++)
        good = array_move(stored, a, series);
    good = good && counters_move(counters, series);
    /* counters that are no list take the place, for the reader to refuse */
    const bool is_list = !counters || json_is_null(counters) || json_is_array(counters);
    good = good && json_object_set(stored, "series", is_list ? series : counters) == 0;
    json_object_del(stored, "counters");
    json_decref(series);
    return good;
}

bool kg_baseline_from_v1(json_t *file)
{
    json_t *runs = json_object_get(file, "runs"), *run, *stored;
    size_t r, c;
    json_array_foreach(runs, r, run) json_array_foreach(
        json_object_get(run, "cases"), c,
        stored) if (json_is_object(stored) && !case_from_v1(stored)) return false;
    return true;
}
