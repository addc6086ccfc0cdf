#include "run/import/importing.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "model/series.h"
#include "run/timing/samples.h"

/* Of a parameter of a suite, too. */
enum { VALUE_BYTES_MOST = 200 };

/* --- Cases ------------------------------------------------------------------------------------ */

/* workload/benchmark=NAME,key=value…/device */
static const char *id_make(struct kg_arena *arena, const struct kg_case_result *result)
{
    struct kg_text text = {0};
    kg_text_append(&text, result->workload);
    for (size_t i = 0; i < result->param_count; i++)
        kg_text_printf(&text, "%c%s=%s", i ? ',' : '/', result->params[i].name,
                       result->params[i].value);
    kg_text_printf(&text, "/%s", result->device);
    const char *id = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return id;
}

/* A parameter's value in the length that a suite allows. A longer one ends in the hash of the whole. */
static const char *value_shorten(struct kg_arena *arena, const char *value)
{
    enum { MARK = 17, ESCAPED = 3 }; /* "~" and the hash; %2C */
    size_t length = 0;
    if (strlen(value) <= VALUE_BYTES_MOST)
        return value;
    for (;;) {
        const unsigned char *at = (const unsigned char *)value + length;
        const size_t character = *at == '%' ? ESCAPED : kg_utf8_length(at, KG_UTF8_MOST);
        const size_t step = character ? character : 1;
        if (length + step > VALUE_BYTES_MOST - MARK)
            break;
        length += step;
    }
    return kg_arena_printf(arena, "%.*s~%016" PRIx64, (int)length, value,
                           kg_hash_string(KG_HASH_START, value));
}

static const char *hash_make(struct kg_arena *arena, const struct kg_adapter *adapter,
                             const struct kg_case_result *result)
{
    const uint64_t hash = kg_hash_string(KG_HASH_START, adapter->name);
    return kg_arena_printf(arena, "%016" PRIx64, kg_hash_string(hash, result->id));
}

static void params_make(const struct kg_importing *importing, const struct kg_foreign_case *found,
                        struct kg_case_result *result)
{
    struct kg_arena *arena = importing->arena;
    result->params = kg_arena_alloc(arena, found->param_count + 1, sizeof *result->params);
    result->params[result->param_count++] = (struct kg_pair){
        KG_FOREIGN_PARAMETER, value_shorten(arena, kg_foreign_name_escape(arena, found->name))};
    for (size_t i = 0; i < found->param_count; i++)
        result->params[result->param_count++] =
            (struct kg_pair){kg_arena_keep(arena, found->params[i].name),
                             kg_arena_keep(arena, found->params[i].value)};
}

/* Every case has the metrics time and peak memory. These files have no memory figures. */
static void series_make(const struct kg_importing *importing, struct kg_case_result *result)
{
    static const enum kg_metric_kind kinds[] = {KG_METRIC_TIME, KG_METRIC_PEAK_MEMORY};
    const struct kg_settings *settings = &importing->suite.defaults;
    struct kg_series *series = kg_series_grow(importing->arena, result, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct kg_metric_row *row = &kg_metric_rows[kinds[i]];
        series[result->series_count++] =
            (struct kg_series){.name = kg_metric_kind_names[kinds[i]],
                               .source = KG_SERIES_OF_ROUNDS,
                               .better = row->better,
                               .threshold = settings->thresholds[kinds[i]],
                               .min_effect = kg_settings_number(settings, row->min_effect_key)};
    }
}

/* The case with an id. Makes the case if the id is new. */
static struct kg_case_result *case_of(struct kg_importing *importing,
                                      const struct kg_foreign_case *found)
{
    struct kg_results *results = importing->results;
    struct kg_case_result made = {
        .workload = importing->files.adapter->name,
        .source = kg_source_names[KG_SOURCE_COMMAND],
        .backend = kg_backend_names[KG_SOURCE_COMMAND],
        .device = found->device,
        .status = KG_STATUS_OK,
        .metrics = 1u << KG_METRIC_TIME,
        .disturbance_limit = NAN,
        KG_CASE_UNMEASURED,
    };
    params_make(importing, found, &made);
    made.id = id_make(importing->arena, &made);
    made.definition_hash = hash_make(importing->arena, importing->files.adapter, &made);
    const size_t *known = kg_names_find(&importing->ids, made.id, strlen(made.id));
    if (known)
        return &results->cases[*known];
    kg_hot_clear(&made.hot);
    series_make(importing, &made);
    kg_arena_grow(importing->arena, &results->cases, results->case_count, &importing->case_capacity,
                  sizeof *results->cases);
    kg_arena_grow(importing->arena, &importing->latest_paths, results->case_count,
                  &importing->latest_capacity, sizeof *importing->latest_paths);
    kg_names_set(importing->arena, &importing->ids, made.id, strlen(made.id), results->case_count);
    made.target = kg_arena_copy(importing->arena, found->name);
    if (strlen(found->name) > VALUE_BYTES_MOST)
        made.note = kg_arena_printf(importing->arena,
                                    "its name of %zu bytes is shortened in the id; set a shorter "
                                    "name, for example with `hyperfine --command-name`",
                                    strlen(found->name));
    importing->latest_paths[results->case_count] = NULL;
    results->cases[results->case_count] = made;
    return &results->cases[results->case_count++];
}

/* --- Rounds ----------------------------------------------------------------------------------- */

/* A figure as it can be: of bytes that somebody else made. */
static double known(double value)
{
    return kg_series_value_good(value) ? value : NAN;
}

/* One process's samples. */
static void round_add(struct kg_importing *importing, struct kg_case_result *result,
                      const struct kg_foreign_case *found, double *samples_ns, size_t count)
{
    struct kg_arena *arena = importing->arena;
    double sum = 0;
    kg_arena_grow(arena, &result->rounds, result->round_count, &result->round_capacity,
                  sizeof *result->rounds);
    struct kg_round *round = &result->rounds[result->round_count];
    *round = (struct kg_round){KG_ROUND_ON_CPU, .cpu_ns = known(found->cpu_ns), .pulse_ns = NAN,
                               .base_ratio = NAN, .batch = 1};
    round->user_ns = known(found->user_ns);
    round->system_ns = known(found->system_ns);
    for (size_t i = 0; i < count; i++)
        sum += samples_ns[i];
    const double calls = found->calls >= 1 ? found->calls / (double)found->sample_count : 1;
    round->calls = (uint64_t)fmin(1e15, ceil(calls * (double)count));
    round->wall_ns = sum * calls;
    kg_samples_keep(samples_ns, count, count, arena, round);
    kg_samples_summarize(samples_ns, count, round);
    kg_samples_clock(found->clock_hz, found->cycles, round);
    importing->results->measured_ns += round->wall_ns;
    result->round_count++;
}

static void rounds_add(struct kg_importing *importing, struct kg_case_result *result,
                       const struct kg_foreign_case *found)
{
    if (!found->processes) {
        round_add(importing, result, found, found->samples_ns, found->sample_count);
        return;
    }
    for (size_t i = 0; i < found->sample_count; i++)
        round_add(importing, result, found, &found->samples_ns[i], 1);
}

/* Adds a value for each round of the file. Figures that some files lack are removed at the end. */
static void figures_add(struct kg_importing *importing, struct kg_case_result *result,
                        const struct kg_foreign_case *found, size_t rounds_before)
{
    struct kg_arena *arena = importing->arena;
    for (size_t i = 0; i < found->figure_count; i++) {
        const struct kg_foreign_figure *figure = &found->figures[i];
        struct kg_series *series = NULL;
        for (size_t s = 0; s < result->series_count; s++)
            if (!strcmp(result->series[s].name, figure->name) &&
                !strcmp(result->series[s].source, KG_SERIES_OF_WORKLOAD))
                series = &result->series[s];
        if (!series && !rounds_before) {
            kg_series_grow(arena, result, 1);
            series = &result->series[result->series_count++];
            *series = (struct kg_series){.name = kg_arena_copy(arena, figure->name),
                                         .source = KG_SERIES_OF_WORKLOAD,
                                         .threshold = NAN};
        }
        if (!series || series->value_count != rounds_before || !kg_series_value_good(figure->value))
            continue;
        kg_arena_grow(arena, &series->values, series->value_count, &series->value_capacity,
                      sizeof *series->values);
        series->values[series->value_count++] = figure->value;
    }
}

/* Two results of one name would be two rounds of one case: of two commands, or of two GPUs. */
static bool latest_note(struct kg_importing *importing, const struct kg_case_result *result,
                        const char *path)
{
    const char **latest = &importing->latest_paths[result - importing->results->cases];
    if (*latest == path)
        return kg_error_at(importing->err, path, 0, 0,
                           "has '%.200s' twice: give each benchmark a name of its own, "
                           "and measure on one GPU",
                           result->target);
    *latest = path;
    return true;
}

bool kg_import_case(struct kg_importing *importing, const char *path,
                    const struct kg_foreign_case *found)
{
    struct kg_case_result *result = case_of(importing, found);
    if (!latest_note(importing, result, path))
        return false;
    const size_t before = result->round_count;
    if (found->failure) {
        result->status = KG_STATUS_FAILED;
        result->reason = kg_arena_copy(importing->arena, found->failure);
        return true;
    }
    result->work.items = found->items > 0 ? known(found->items) : NAN;
    result->work.bytes = found->bytes > 0 ? known(found->bytes) : NAN;
    rounds_add(importing, result, found);
    figures_add(importing, result, found, before);
    return true;
}

void kg_import_case_finish(struct kg_case_result *result)
{
    size_t kept = 0;
    for (size_t i = 0; i < result->series_count; i++)
        if (strcmp(result->series[i].source, KG_SERIES_OF_WORKLOAD) != 0 ||
            result->series[i].value_count == result->round_count)
            result->series[kept++] = result->series[i];
    result->series_count = kept;
    if (result->round_count == 1 && result->status == KG_STATUS_OK)
        result->note = "measured in one process, which is one round; import files of several runs "
                       "together, so that kgate knows the noise between processes";
    kg_case_summarize(result);
}
