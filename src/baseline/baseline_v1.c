#include "baseline/baseline_v1.h"

#include <string.h>

#include "baseline/baseline.h"

/* The arrays of version 1, and the series that they are. */
static const struct {
    const char *array, *name;
} arrays[] = {
    {"round_medians_ns", "time"},
    {"round_peak_bytes", "peak_memory"},
    {"round_pulses_ns", KG_SERIES_PULSE},
    {"round_means_ns", KG_SERIES_MEAN},
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

/* An array that is there but empty was a figure that is not known. */
static bool array_move(json_t *stored, size_t array, json_t *series)
{
    json_t *values = json_object_get(stored, arrays[array].array);
    bool good = true;
    if (json_array_size(values)) {
        json_t *one = json_pack("{s:s, s:s, s:O}", "name", arrays[array].name, "source",
                                KG_SERIES_OF_ROUNDS, "values", values);
        good = one && json_array_append_new(series, one) == 0;
    }
    json_object_del(stored, arrays[array].array);
    return good;
}

static bool case_from_v1(json_t *stored)
{
    json_t *counters = json_object_get(stored, "counters"), *counter;
    json_t *series = json_array();
    bool good = series != NULL;
    size_t i;
    for (size_t a = 0; a < ARRAYS && good; a++)
        good = array_move(stored, a, series);
    json_array_foreach(counters, i, counter) good =
        good && (!json_array_size(json_object_get(counter, "values")) ||
                 json_array_append(series, counter) == 0);
    good = good && json_object_set(stored, "series", series) == 0;
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
