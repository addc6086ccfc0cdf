/* NVBench: --jsonbin or --json. With --jsonbin, files of little-endian floats beside the JSON have the samples' times
 * and clocks; with --json there are only means. One process measures each state in many cold runs. */
#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/statistics/stats.h"
#include "base/text.h"
#include "suite/adapters/adapter.h"
#include "suite/adapters/nvbench_words.h"

enum { SAMPLES_BYTES_MOST = 256 * 1024 * 1024 };

static bool is_json(const struct kg_json *json)
{
    const struct kg_json *benchmark = kg_json_item(kg_json_member(json, "benchmarks"), 0);
    return kg_json_is(kg_json_member(benchmark, "states"), KG_JSON_LIST);
}

/* The value `name` in the summary `tag` of a state; NULL if it is missing. */
static const char *summary_find(const struct kg_json *state, const char *tag, const char *name)
{
    const struct kg_json *summaries = kg_json_member(state, "summaries");
    for (const struct kg_json *summary = NULL; (summary = kg_json_next(summaries, summary));) {
        const char *own = kg_json_member_string(summary, "tag");
        if (!own || strcmp(own, tag) != 0)
            continue;
        const struct kg_json *data = kg_json_member(summary, "data");
        for (const struct kg_json *value = NULL; (value = kg_json_next(data, value));) {
            const char *called = kg_json_member_string(value, "name");
            if (called && !strcmp(called, name))
                return kg_json_member_string(value, "value");
        }
    }
    return NULL;
}

static double summary_number(const struct kg_json *state, const char *tag)
{
    const char *text = summary_find(state, tag, "value");
    return text ? strtod(text, NULL) : NAN;
}

/* --- Samples ---------------------------------------------------------------------------------- */

static double float_of(const char *bytes)
{
    uint32_t bits;
    float value;
    memcpy(&bits, bytes, sizeof bits);
    bits = le32toh(bits);
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* A figure of each sample, in a file beside the JSON. */
struct floats {
    double *values;
    size_t count;
};

static void floats_take(struct kg_arena *arena, const struct kg_text *text, double scale,
                        struct floats *floats)
{
    floats->count = text->length / sizeof(float);
    floats->values = kg_arena_alloc(arena, floats->count, sizeof *floats->values);
    for (size_t i = 0; i < floats->count; i++)
        floats->values[i] = scale * float_of(text->data + i * sizeof(float));
}

/* Reads the file of the summary `tag`. No such summary: no floats. Its path is relative to the JSON's folder.
 * path   of the JSON
 * scale  factor of every value */
static bool floats_load(struct kg_arena *arena, const char *path, const struct kg_json *state,
                        const char *tag, double scale, struct floats *floats, struct kg_error *err)
{
    const char *file = summary_find(state, tag, "filename");
    const char *size = summary_find(state, tag, "size");
    *floats = (struct floats){0};
    if (!file)
        return true;
    char beside[4096];
    struct kg_text text = {0};
    const char *slash = *file == '/' ? NULL : strrchr(path, '/');
    snprintf(beside, sizeof beside, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, file);
    bool good = kg_file_read(beside, SAMPLES_BYTES_MOST, &text, err);
    if (good && size && strtoull(size, NULL, 10) * sizeof(float) != text.length)
        good = kg_error_set(err, KG_ERROR_USAGE,
                            "'%.300s' has %zu bytes, but %.20s samples of 4 are due", beside,
                            text.length, size);
    if (good)
        floats_take(arena, &text, scale, floats);
    kg_text_free(&text);
    return good;
}

static bool times_read(struct kg_arena *arena, const char *path, const struct kg_json *state,
                       struct kg_foreign_case *found, struct kg_error *err)
{
    struct floats times;
    const double mean_ns = 1e9 * summary_number(state, "nv/cold/time/gpu/mean");
    if (!floats_load(arena, path, state, "nv/json/bin:nv/cold/sample_times", 1e9, &times, err))
        return false;
    found->samples_ns = times.values;
    found->sample_count = times.count;
    if (times.values || isnan(mean_ns))
        return true;
    found->samples_ns = kg_arena_alloc(arena, 1, sizeof *found->samples_ns);
    found->samples_ns[found->sample_count++] = mean_ns;
    return true;
}

static double median_of(double *values, size_t count)
{
    kg_sort(values, count);
    return count ? kg_median_sorted(values, count) : NAN;
}

/* Reads the clock of every sample, else their mean. An older NVBench has neither. */
static bool clocks_read(struct kg_arena *arena, const char *path, const struct kg_json *state,
                        struct kg_foreign_case *found, struct kg_error *err)
{
    struct floats clocks;
    if (!floats_load(arena, path, state, "nv/json/freqs-bin:nv/cold/sample_freqs", 1, &clocks, err))
        return false;
    found->clock_hz = summary_number(state, "nv/cold/sm_clock_rate/mean");
    found->cycles = NAN;
    if (!clocks.count || clocks.count != found->sample_count)
        return true;
    double *cycles = kg_arena_alloc(arena, clocks.count, sizeof *cycles);
    for (size_t i = 0; i < clocks.count; i++)
        cycles[i] = 1e-9 * found->samples_ns[i] * clocks.values[i];
    found->cycles = median_of(cycles, clocks.count);
    found->clock_hz = median_of(clocks.values, clocks.count);
    return true;
}

/* --- States ----------------------------------------------------------------------------------- */

static void params_read(struct kg_arena *arena, const struct kg_json *state,
                        struct kg_foreign_case *found)
{
    const struct kg_json *axes = kg_json_member(state, "axis_values");
    found->params = kg_arena_alloc(arena, kg_json_count(axes), sizeof *found->params);
    for (const struct kg_json *axis = NULL; (axis = kg_json_next(axes, axis));) {
        const char *name = kg_json_member_string(axis, "name");
        const char *value = kg_json_member_string(axis, "value");
        if (!name || !value)
            continue;
        struct kg_pair *param = &found->params[found->param_count];
        param->name = kg_foreign_name_escape(arena, name);
        param->value = kg_foreign_name_escape(arena, value);
        found->param_count++;
    }
}

static bool state_read(struct kg_arena *arena, const char *path, const char *name,
                       const struct kg_json *state, struct kg_foreign *foreign,
                       struct kg_error *err)
{
    struct kg_foreign_case *found = kg_foreign_case_add(arena, foreign, name);
    params_read(arena, state, found);
    found->device = "cuda";
    if (kg_json_is(kg_json_member(state, "is_skipped"), KG_JSON_TRUE)) {
        found->failure = kg_foreign_text(arena, state, "skip_reason");
        if (!found->failure)
            found->failure = "skipped";
        return true;
    }
    if (!times_read(arena, path, state, found, err) || !clocks_read(arena, path, state, found, err))
        return false;
    const double mean_s = summary_number(state, "nv/cold/time/gpu/mean");
    found->calls = (double)found->sample_count;
    found->items = summary_number(state, "nv/cold/bw/item_rate") * mean_s;
    found->bytes = summary_number(state, "nv/cold/bw/global/bytes_per_second") * mean_s;
    return true;
}

static bool read_file(struct kg_arena *arena, const char *path, const struct kg_json *json,
                      struct kg_foreign *foreign, struct kg_error *err)
{
    const struct kg_json *device = kg_json_item(kg_json_member(json, "devices"), 0);
    const struct kg_json *benchmarks = kg_json_member(json, "benchmarks");
    foreign->gpu = kg_foreign_text(arena, device, "name");
    for (size_t i = 0; i < kg_json_count(benchmarks); i++) {
        const struct kg_json *benchmark = kg_json_item(benchmarks, i);
        const struct kg_json *states = kg_json_member(benchmark, "states");
        const char *name = kg_json_member_string(benchmark, "name");
        if (!name || !*name)
            return kg_error_set(err, KG_ERROR_USAGE, "benchmarks[%zu].name: expected a name", i);
        for (const struct kg_json *state = NULL; (state = kg_json_next(states, state));)
            if (!state_read(arena, path, name, state, foreign, err))
                return false;
    }
    return true;
}

const struct kg_adapter kg_adapter_nvbench = {
    .name = "nvbench",
    .help = "JSON of an NVBench program (`--jsonbin FILE`, with the samples beside; or `--json`)",
    .is_json = is_json,
    .read = read_file,
    .list_word = "--jsonlist-benches",
    .list = kg_nvbench_list,
    .run_words = kg_nvbench_run_words,
    .has_axes = true,
    .has_folder = true,
    .on_cuda = true,
};
