/* Criterion.rs: target/criterion/NAME/new/sample.json, with benchmark.json beside it. One process
 * measures each benchmark in samples of growing numbers of iterations. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "suite/adapters/adapter.h"

enum { DESCRIPTION_MOST = 1024 * 1024 };

static bool is_json(const json_t *json)
{
    return json_is_array(json_object_get(json, "iters")) &&
           json_is_array(json_object_get(json, "times"));
}

static bool samples_read(struct kg_arena *arena, const json_t *json, struct kg_foreign_case *found)
{
    const json_t *iterations = json_object_get(json, "iters");
    const json_t *times = json_object_get(json, "times");
    const size_t count = json_array_size(times);
    found->calls = 0;
    found->samples_ns = kg_arena_alloc(arena, count, sizeof *found->samples_ns);
    for (size_t i = 0; found->samples_ns && i < count; i++) {
        const double calls = kg_foreign_element(iterations, i);
        found->samples_ns[found->sample_count++] = kg_foreign_element(times, i) / calls;
        found->calls += calls;
    }
    return found->samples_ns != NULL;
}

/* {"Bytes": 1024} or {"Elements": 10}. */
static void throughput_read(const json_t *description, struct kg_foreign_case *found)
{
    const json_t *throughput = json_object_get(description, "throughput");
    const double bytes = kg_foreign_number(throughput, "Bytes");
    found->bytes = isnan(bytes) ? kg_foreign_number(throughput, "BytesDecimal") : bytes;
    found->items = kg_foreign_number(throughput, "Elements");
}

/* What stands beside the file at `path`, as a new reference. */
static bool description_load(const char *path, json_t **description, struct kg_error *err)
{
    char beside[4096];
    struct kg_text text = {0};
    const char *slash = strrchr(path, '/');
    snprintf(beside, sizeof beside, "%.*sbenchmark.json", slash ? (int)(slash + 1 - path) : 0,
             path);
    const bool good = kg_file_read(beside, DESCRIPTION_MOST, &text, err) &&
                      kg_json_parse(beside, kg_text_string(&text), text.length, description, err);
    kg_text_free(&text);
    return good;
}

static bool read_file(struct kg_arena *arena, const char *path, const json_t *json,
                      struct kg_foreign *foreign, struct kg_error *err)
{
    json_t *description = NULL;
    if (json_array_size(json_object_get(json, "iters")) !=
        json_array_size(json_object_get(json, "times")))
        return kg_error_set(err, KG_ERROR_USAGE, "iters and times: expected as many of each");
    if (!description_load(path, &description, err))
        return false;
    const char *name = json_string_value(json_object_get(description, "full_id"));
    struct kg_foreign_case *found =
        name && *name ? kg_foreign_case_add(arena, foreign, name) : NULL;
    const bool good = found && samples_read(arena, json, found);
    if (good)
        throughput_read(description, found);
    const bool named = name && *name;
    json_decref(description);
    if (!named)
        return kg_error_set(err, KG_ERROR_USAGE, "benchmark.json beside it: expected a full_id");
    return good || kg_error_memory(err);
}

const struct kg_adapter kg_adapter_criterion = {
    .name = "criterion",
    .help = "Criterion.rs: `target/criterion`, or a `sample.json` in it",
    .is_json = is_json,
    .read = read_file,
};
