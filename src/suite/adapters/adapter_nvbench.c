/* NVBench: --jsonbin, whose sample times are in files of little-endian floats beside the JSON; or
 * --json, which has means alone. One process measures each state in many cold runs. */
#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "suite/adapters/adapter.h"
#include "suite/adapters/nvbench_words.h"

enum { SAMPLES_BYTES_MOST = 256 * 1024 * 1024 };

static bool is_json(const json_t *json)
{
    const json_t *benchmark = json_array_get(json_object_get(json, "benchmarks"), 0);
    return json_is_array(json_object_get(benchmark, "states"));
}

/* A value of a state's summary of that tag; NULL where there is none. */
static const char *summary_find(const json_t *state, const char *tag, const char *name)
{
    const json_t *summary, *value;
    size_t i, j;
    json_array_foreach(json_object_get(state, "summaries"), i, summary)
    {
        const char *own = json_string_value(json_object_get(summary, "tag"));
        if (!own || strcmp(own, tag) != 0)
            continue;
        json_array_foreach(json_object_get(summary, "data"), j, value)
        {
            const char *called = json_string_value(json_object_get(value, "name"));
            if (called && !strcmp(called, name))
                return json_string_value(json_object_get(value, "value"));
        }
    }
    return NULL;
}

static double summary_number(const json_t *state, const char *tag)
{
    const char *text = summary_find(state, tag, "value");
    return text ? strtod(text, NULL) : NAN;
}

/* --- Sample times ----------------------------------------------------------------------------- */

static double seconds_of(const char *bytes)
{
    uint32_t bits;
    float seconds;
    memcpy(&bits, bytes, sizeof bits);
    bits = le32toh(bits);
    memcpy(&seconds, &bits, sizeof seconds);
    return (double)seconds;
}

static bool samples_take(struct kg_arena *arena, const struct kg_text *text,
                         struct kg_foreign_case *found)
{
    const size_t count = text->length / sizeof(float);
    found->samples_ns = kg_arena_alloc(arena, count, sizeof *found->samples_ns);
    for (size_t i = 0; found->samples_ns && i < count; i++)
        found->samples_ns[found->sample_count++] = 1e9 * seconds_of(text->data + i * sizeof(float));
    return found->samples_ns != NULL;
}

/* file: as the JSON names it, relative to the JSON's folder */
static bool samples_load(struct kg_arena *arena, const char *path, const char *file,
                         const char *size, struct kg_foreign_case *found, struct kg_error *err)
{
    char beside[4096];
    struct kg_text text = {0};
    const char *slash = *file == '/' ? NULL : strrchr(path, '/');
    snprintf(beside, sizeof beside, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, file);
    bool good = kg_file_read(beside, SAMPLES_BYTES_MOST, &text, err);
    if (good && size && strtoull(size, NULL, 10) * sizeof(float) != text.length)
        good = kg_error_set(err, KG_ERROR_USAGE,
                            "'%.300s' has %zu bytes, but %.20s samples of 4 are due", beside,
                            text.length, size);
    if (good && !samples_take(arena, &text, found))
        good = kg_error_memory(err);
    kg_text_free(&text);
    return good;
}

static bool times_read(struct kg_arena *arena, const char *path, const json_t *state,
                       struct kg_foreign_case *found, struct kg_error *err)
{
    static const char tag[] = "nv/json/bin:nv/cold/sample_times";
    const char *file = summary_find(state, tag, "filename");
    const double mean_ns = 1e9 * summary_number(state, "nv/cold/time/gpu/mean");
    if (file)
        return samples_load(arena, path, file, summary_find(state, tag, "size"), found, err);
    if (isnan(mean_ns))
        return true;
    found->samples_ns = kg_arena_alloc(arena, 1, sizeof *found->samples_ns);
    if (!found->samples_ns)
        return kg_error_memory(err);
    found->samples_ns[found->sample_count++] = mean_ns;
    return true;
}

/* --- States ----------------------------------------------------------------------------------- */

static bool params_read(struct kg_arena *arena, const json_t *state, struct kg_foreign_case *found)
{
    const json_t *axes = json_object_get(state, "axis_values"), *axis;
    size_t i;
    found->params = kg_arena_alloc(arena, json_array_size(axes), sizeof *found->params);
    if (!found->params)
        return false;
    json_array_foreach(axes, i, axis)
    {
        const char *name = json_string_value(json_object_get(axis, "name"));
        const char *value = json_string_value(json_object_get(axis, "value"));
        if (!name || !value)
            continue;
        struct kg_pair *param = &found->params[found->param_count];
        param->name = kg_foreign_name_escape(arena, name);
        param->value = kg_foreign_name_escape(arena, value);
        if (!param->name || !param->value)
            return false;
        found->param_count++;
    }
    return true;
}

static bool state_read(struct kg_arena *arena, const char *path, const char *name,
                       const json_t *state, struct kg_foreign *foreign, struct kg_error *err)
{
    bool good = true;
    struct kg_foreign_case *found = kg_foreign_case_add(arena, foreign, name);
    if (!found || !params_read(arena, state, found))
        return kg_error_memory(err);
    found->device = "cuda";
    if (json_is_true(json_object_get(state, "is_skipped"))) {
        found->failure = kg_foreign_text(arena, state, "skip_reason", &good);
        if (!found->failure)
            found->failure = "skipped";
        return good || kg_error_memory(err);
    }
    if (!times_read(arena, path, state, found, err))
        return false;
    const double mean_s = summary_number(state, "nv/cold/time/gpu/mean");
    found->calls = (double)found->sample_count;
    found->items = summary_number(state, "nv/cold/bw/item_rate") * mean_s;
    found->bytes = summary_number(state, "nv/cold/bw/global/bytes_per_second") * mean_s;
    return true;
}

static bool read_file(struct kg_arena *arena, const char *path, const json_t *json,
                      struct kg_foreign *foreign, struct kg_error *err)
{
    const json_t *device = json_array_get(json_object_get(json, "devices"), 0);
    const json_t *benchmark, *state;
    bool good = true;
    size_t i, j;
    foreign->gpu = kg_foreign_text(arena, device, "name", &good);
    if (!good)
        return kg_error_memory(err);
    json_array_foreach(json_object_get(json, "benchmarks"), i, benchmark)
    {
        const char *name = json_string_value(json_object_get(benchmark, "name"));
        if (!name || !*name)
            return kg_error_set(err, KG_ERROR_USAGE, "benchmarks[%zu].name: expected a name", i);
        json_array_foreach(
            json_object_get(benchmark, "states"), j,
            state) if (!state_read(arena, path, name, state, foreign, err)) return false;
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
