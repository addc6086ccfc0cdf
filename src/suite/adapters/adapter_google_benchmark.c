/* Google Benchmark: --benchmark_out_format=json. A process measures each benchmark in one or more repetitions of many
 * iterations. The file has only the mean of each repetition. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "suite/adapters/adapter.h"

static bool is_json(const struct kg_json *json)
{
    const struct kg_json *context = kg_json_member(json, "context");
    return kg_json_is(kg_json_member(json, "benchmarks"), KG_JSON_LIST) &&
           kg_json_is(context, KG_JSON_OBJECT) &&
           (kg_json_member(context, "library_build_type") ||
            kg_json_member(context, "mhz_per_cpu"));
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* Numeric members that the harness writes itself. Any other number is a counter of the benchmark. */
static const char *const own_members[] = {"family_index",
                                          "per_family_instance_index",
                                          "repetitions",
                                          "repetition_index",
                                          "threads",
                                          "iterations",
                                          "real_time",
                                          "cpu_time",
                                          "items_per_second",
                                          "bytes_per_second",
                                          "allocs_per_iter",
                                          "max_bytes_used",
                                          "total_allocated_bytes",
                                          "net_heap_growth",
                                          NULL};

static bool is_own(const char *name)
{
    for (size_t i = 0; own_members[i]; i++)
        if (!strcmp(own_members[i], name))
            return true;
    return false;
}

static double unit_ns(const struct kg_json *run)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const char *unit = kg_json_member_string(run, "time_unit");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!unit || !strcmp(units[i].name, unit))
            return units[i].ns;
    return NAN;
}

/* The amount of items or bytes per call, from a rate. The harness computes rates from the CPU time, unless the
 * benchmark's name contains "/real_time" or "/manual_time". A nearly whole amount is rounded. */
static double amount(const struct kg_json *run, const char *rate, double real_ns, double cpu_ns)
{
    const char *name = kg_json_member_string(run, "name");
    const bool by_clock =
        !(cpu_ns > 0) || strstr(name, "/real_time") || strstr(name, "/manual_time");
    const double per_call = kg_foreign_number(run, rate) * (by_clock ? real_ns : cpu_ns) / 1e9;
    return fabs(per_call - round(per_call)) <= 1e-6 * per_call ? round(per_call) : per_call;
}

static void figures_read(struct kg_arena *arena, const struct kg_json *run,
                         struct kg_foreign_case *found)
{
    found->figure_count = 0;
    found->figures = kg_arena_alloc(arena, kg_json_count(run), sizeof *found->figures);
    for (const struct kg_json *value = NULL; (value = kg_json_next(run, value));) {
        if (!kg_json_is_number(value) || is_own(value->name))
            continue;
        const char *kept = kg_arena_copy(arena, value->name);
        found->figures[found->figure_count++] =
            (struct kg_foreign_figure){kept, kg_json_real(value)};
    }
}

static void sample_add(struct kg_arena *arena, struct kg_foreign_case *found, double ns)
{
    double *samples = kg_arena_alloc(arena, found->sample_count + 1, sizeof *samples);
    if (found->sample_count)
        memcpy(samples, found->samples_ns, found->sample_count * sizeof *samples);
    samples[found->sample_count++] = ns;
    found->samples_ns = samples;
}

/* The reason for a repetition without time, from SkipWithError or SkipWithMessage. */
static const char *failure_read(struct kg_arena *arena, const struct kg_json *run)
{
    const bool failed = kg_json_is(kg_json_member(run, "error_occurred"), KG_JSON_TRUE);
    const char *why = kg_foreign_text(arena, run, failed ? "error_message" : "skip_message");
    return kg_arena_printf(arena, "%s%s",
                           failed ? "" : "skipped: ", why ? why : "the benchmark does not say why");
}

static bool was_skipped(const struct kg_json *run)
{
    return kg_json_is(kg_json_member(run, "error_occurred"), KG_JSON_TRUE) ||
           kg_json_is(kg_json_member(run, "skipped"), KG_JSON_TRUE);
}

/* Adds one repetition to a case. */
static void repetition_read(struct kg_arena *arena, const struct kg_json *run,
                            struct kg_foreign_case *found)
{
    const double unit = unit_ns(run);
    const double real_ns = kg_foreign_number(run, "real_time") * unit;
    const double cpu_ns = kg_foreign_number(run, "cpu_time") * unit;
    const double iterations = kg_foreign_number(run, "iterations");
    const double before = (double)found->sample_count;
    if (was_skipped(run)) {
        found->failure = failure_read(arena, run);
        return;
    }
    found->cpu_ns = before > 0 ? (found->cpu_ns * before + cpu_ns) / (before + 1) : cpu_ns;
    found->calls = before > 0 ? found->calls + iterations : iterations;
    found->items = amount(run, "items_per_second", real_ns, cpu_ns);
    found->bytes = amount(run, "bytes_per_second", real_ns, cpu_ns);
    sample_add(arena, found, real_ns);
    figures_read(arena, run, found);
}

/* Whether an entry is an aggregate to ignore. With --benchmark_report_aggregates_only the file lacks the repetitions;
 * then kgate takes their median. Otherwise the aggregates follow the repetitions. */
static bool is_left_out(const struct kg_json *run, const struct kg_foreign_case *found)
{
    const char *type = kg_json_member_string(run, "run_type");
    const char *aggregate = kg_json_member_string(run, "aggregate_name");
    return type && strcmp(type, "iteration") != 0 &&
           (found || !aggregate || strcmp(aggregate, "median") != 0);
}

static bool run_read(struct kg_arena *arena, const struct kg_json *run, struct kg_foreign *foreign,
                     size_t index, struct kg_error *err)
{
    const char *name = kg_json_member_string(run, "run_name");
    if (!name)
        name = kg_json_member_string(run, "name");
    if (!name || !kg_json_member_string(run, "name") || isnan(unit_ns(run)))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "benchmarks[%zu]: expected a name, and a time_unit of "
                            "ns, us, ms or s",
                            index);
    struct kg_foreign_case *found = kg_foreign_case_find(foreign, name);
    if (is_left_out(run, found))
        return true;
    if (!found)
        found = kg_foreign_case_add(arena, foreign, name);
    repetition_read(arena, run, found);
    return true;
}

/* The file lacks the CPU model. The sizes of the caches replace it: they distinguish kinds of CPU. */
static const char *cpu_model(struct kg_arena *arena, const struct kg_json *context)
{
    struct kg_text text = {0};
    const struct kg_json *caches = kg_json_member(context, "caches");
    for (size_t i = 0; i < kg_json_count(caches); i++)
        kg_text_printf(&text, "%s%.0f KiB", i ? ", " : "CPU with caches of ",
                       kg_foreign_number(kg_json_item(caches, i), "size") / 1024);
    const char *model =
        text.length && !text.failed ? kg_arena_copy(arena, kg_text_string(&text)) : NULL;
    kg_text_free(&text);
    return model;
}

static bool read_file(struct kg_arena *arena, const char *path, const struct kg_json *json,
                      struct kg_foreign *foreign, struct kg_error *err)
{
    const struct kg_json *context = kg_json_member(json, "context");
    const struct kg_json *runs = kg_json_member(json, "benchmarks");
    const double cpus = kg_foreign_number(context, "num_cpus");
    (void)path;
    foreign->created = kg_foreign_date(arena, kg_json_member_string(context, "date"));
    foreign->host = kg_foreign_text(arena, context, "host_name");
    foreign->cpu_model = cpu_model(arena, context);
    foreign->cpu_count = cpus >= 1 && cpus < 1e6 ? (uint64_t)cpus : 0;
    for (size_t i = 0; i < kg_json_count(runs); i++)
        if (!run_read(arena, kg_json_item(runs, i), foreign, i, err))
            return false;
    return true;
}

/* --- Running one ------------------------------------------------------------------------------ */

/* The option with an extended regular expression that matches only this name. */
static const char *filter_word(struct kg_arena *arena, const char *name)
{
    struct kg_text text = {0};
    kg_text_append(&text, "--benchmark_filter=^");
    for (const char *c = name; *c; c++)
        kg_text_printf(&text, "%s%c", strchr(".[]{}()*+?^$|\\", *c) ? "\\" : "", *c);
    kg_text_append(&text, "$");
    const char *word = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return word;
}

/* The minimum time is a bare number of seconds, because old and new versions accept this form. */
static bool run_words(struct kg_arena *arena, const struct kg_foreign_run *run, const char ***words,
                      size_t *count, struct kg_error *err)
{
    (void)err;
    const char *const added[] = {
        filter_word(arena, run->name), kg_arena_printf(arena, "--benchmark_out=%s", run->file),
        "--benchmark_out_format=json",
        kg_arena_printf(arena, "--benchmark_min_time=%.9f", run->min_time_ns / 1e9)};
    kg_foreign_words_append(arena, words, count, added, sizeof added / sizeof *added);
    return true;
}

/* The output has one name per line. */
static bool list(struct kg_arena *arena, const char *const *words, size_t count, char *output,
                 struct kg_foreign_names *names, struct kg_error *err)
{
    char *rest = NULL;
    (void)words;
    (void)count;
    for (char *line = strtok_r(output, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest))
        if (!kg_foreign_name_add(arena, names, line, err))
            return false;
    return true;
}

const struct kg_adapter kg_adapter_google_benchmark = {
    .name = "google-benchmark",
    .help = "JSON of a Google Benchmark program (`--benchmark_out=FILE`)",
    .is_json = is_json,
    .read = read_file,
    .list_word = "--benchmark_list_tests=true",
    .list = list,
    .run_words = run_words,
};
