/* pytest-benchmark: --benchmark-json. One process measures each test in rounds, whose times it keeps. */
#include <math.h>
#include <string.h>

#include "suite/adapters/adapter.h"

static bool is_json(const json_t *json)
{
    return json_is_array(json_object_get(json, "benchmarks")) &&
           json_is_object(json_object_get(json, "machine_info"));
}

/* Seconds a call; without the times of the rounds, their median. */
static bool times_read(struct kg_arena *arena, const json_t *stats, struct kg_foreign_case *found)
{
    const json_t *data = json_object_get(stats, "data");
    const size_t count = json_array_size(data);
    const double median = kg_foreign_number(stats, "median");
    found->samples_ns = kg_arena_alloc(arena, count + 1, sizeof *found->samples_ns);
    if (!found->samples_ns)
        return false;
    for (size_t i = 0; i < count; i++)
        found->samples_ns[found->sample_count++] = 1e9 * kg_foreign_element(data, i);
    if (!count && !isnan(median))
        found->samples_ns[found->sample_count++] = 1e9 * median;
    return true;
}

static bool benchmark_read(struct kg_arena *arena, const json_t *benchmark,
                           struct kg_foreign *foreign, size_t index, struct kg_error *err)
{
    const char *name = json_string_value(json_object_get(benchmark, "fullname"));
    const json_t *stats = json_object_get(benchmark, "stats");
    if (!name || !*name || !json_is_object(stats))
        return kg_error_set(err, KG_ERROR_USAGE, "benchmarks[%zu]: expected a fullname and stats",
                            index);
    struct kg_foreign_case *found = kg_foreign_case_add(arena, foreign, name);
    if (!found || !times_read(arena, stats, found))
        return kg_error_memory(err);
    const double iterations = kg_foreign_number(stats, "iterations");
    found->calls = (iterations >= 1 ? iterations : 1) * (double)found->sample_count;
    return true;
}

static bool read_file(struct kg_arena *arena, const char *path, const json_t *json,
                      struct kg_foreign *foreign, struct kg_error *err)
{
    const json_t *machine = json_object_get(json, "machine_info");
    const json_t *cpu = json_object_get(machine, "cpu");
    const json_t *benchmarks = json_object_get(json, "benchmarks");
    const double cpus = kg_foreign_number(cpu, "count");
    bool good = true;
    (void)path;
    foreign->created =
        kg_foreign_date(arena, json_string_value(json_object_get(json, "datetime")), &good);
    foreign->host = kg_foreign_text(arena, machine, "node", &good);
    foreign->cpu_model = kg_foreign_text(arena, cpu, "brand_raw", &good);
    if (!foreign->cpu_model)
        foreign->cpu_model = kg_foreign_text(arena, cpu, "brand", &good);
    foreign->cpu_count = cpus >= 1 && cpus < 1e6 ? (uint64_t)cpus : 0;
    if (!good)
        return kg_error_memory(err);
    for (size_t i = 0; i < json_array_size(benchmarks); i++)
        if (!benchmark_read(arena, json_array_get(benchmarks, i), foreign, i, err))
            return false;
    return true;
}

const struct kg_adapter kg_adapter_pytest_benchmark = {
    .name = "pytest-benchmark",
    .help = "pytest-benchmark's `--benchmark-json`",
    .is_json = is_json,
    .read = read_file,
};
