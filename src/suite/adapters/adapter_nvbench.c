/* NVBench: --jsonbin or --json. With --jsonbin, files of little-endian floats beside the JSON have the samples' times
 * and clocks; with --json there are only means. One process measures each state in many cold runs. */
#include <endian.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/statistics/stats.h"
#include "base/text.h"
#include "suite/adapters/adapter.h"

/* --- The command's own options ---------------------------------------------------------------- */

/* Options that kgate refuses in a command, because they conflict with kgate's choice of benchmark and output file. */
static const struct own {
    const char *word, *letter; /* NULL: none */
    const char *why;
} own_options[] = {
    {"--benchmark", "-b", "`benchmark` of `params` or `matrix` chooses"},
    {"--axis", "-a", "`benchmark` and the axes behind it, in `params` or `matrix`, choose"},
    {"--json", NULL, "kgate sets the output file itself"},
    {"--jsonbin", NULL, "kgate sets the output file itself"},
    {"--list", "-l", "it measures nothing"},
    {"--jsonlist-benches", NULL, "kgate asks so itself"},
    {"--jsonlist-devices", NULL, "it measures nothing"},
    {"--run-once", NULL, "one call is no measurement"},
    {"--profile", NULL, "one call is no measurement"},
};

static bool is_word(const char *given, const char *word, const char *letter)
{
    return !strcmp(given, word) || (letter && !strcmp(given, letter));
}

static bool words_check(const char *const *words, size_t count, struct kg_error *err)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < sizeof own_options / sizeof *own_options; k++)
            if (is_word(words[i], own_options[k].word, own_options[k].letter))
                return kg_error_set(err, KG_ERROR_MEASURE,
                                    "the command has '%s' of NVBench: %s; leave it out", words[i],
                                    own_options[k].why);
    return true;
}

static bool has_word(const char *const *words, size_t count, const char *word, const char *letter)
{
    for (size_t i = 1; i < count; i++)
        if (is_word(words[i], word, letter))
            return true;
    return false;
}

/* --- List of states --------------------------------------------------------------------------- */

/* The number in the notation of NVBench's results: the fewest digits that read back as the same number. */
static const char *number_text(struct kg_arena *arena, double value)
{
    enum { DIGITS_MOST = 17, FIXED_MOST = 16 };
    char text[40];
    int digits = 0;
    bool exact;
    do {
        snprintf(text, sizeof text, "%.*e", digits, value);
        const double again = strtod(text, NULL);
        exact = !(again < value) && !(again > value);
    } while (++digits < DIGITS_MOST && !exact);
    const char *mark = strchr(text, 'e');
    const int exponent = mark ? atoi(mark + 1) : 0;
    if (!mark || exponent < -4 || exponent >= FIXED_MOST)
        return kg_arena_copy(arena, text);
    const int places = digits - 1 - exponent;
    return kg_arena_printf(arena, "%.*f", places > 0 ? places : 0, value);
}

/* The text of an axis's value. A value of a type axis is only a word. */
static const char *value_text(struct kg_arena *arena, const struct kg_json *value)
{
    const struct kg_json *number = kg_json_member(value, "value");
    const char *text = kg_json_member_string(value, "input_string");
    if (kg_json_is(number, KG_JSON_WHOLE))
        return kg_arena_printf(arena, "%" PRId64, kg_json_whole(number));
    if (kg_json_is(number, KG_JSON_REAL))
        return number_text(arena, kg_json_real(number));
    if (kg_json_is(number, KG_JSON_STRING))
        text = kg_json_string(number);
    return text ? kg_arena_copy(arena, text) : NULL;
}

static bool is_type(const struct kg_json *axis)
{
    const char *type = kg_json_member_string(axis, "type");
    return type && !strcmp(type, "type");
}

/* The axis `index` in the order of a state's values in NVBench's results: the type axes in reverse, then the other
 * axes. */
static const struct kg_json *axis_at(const struct kg_json *axes, size_t index)
{
    size_t types = 0;
    while (types < kg_json_count(axes) && is_type(kg_json_item(axes, types)))
        types++;
    return kg_json_item(axes, index < types ? types - 1 - index : index);
}

static bool states_add(struct kg_arena *arena, const char *name, const struct kg_json *axes,
                       struct kg_foreign_names *names, struct kg_error *err)
{
    const size_t count = kg_json_count(axes);
    struct kg_pair *pairs = kg_arena_alloc(arena, count, sizeof *pairs);
    size_t *chosen = kg_arena_alloc(arena, count, sizeof *chosen), at;
    do {
        for (size_t i = 0; i < count; i++) {
            const struct kg_json *axis = axis_at(axes, i);
            pairs[i].name = kg_json_member_string(axis, "name");
            pairs[i].value =
                value_text(arena, kg_json_item(kg_json_member(axis, "values"), chosen[i]));
            if (!pairs[i].name || !pairs[i].value)
                return kg_error_set(err, KG_ERROR_MEASURE,
                                    "an axis of the benchmark '%.200s' has no name, or no values",
                                    name);
        }
        const char *text = kg_foreign_benchmark_text(arena, name, pairs, count);
        if (!kg_foreign_name_add(arena, names, text, err))
            return false;
        for (at = count; at-- > 0; chosen[at] = 0)
            if (++chosen[at] < kg_json_count(kg_json_member(axis_at(axes, at), "values")))
                break;
    } while (at < count);
    return true;
}

/* Lists every state in the output of --jsonlist-benches. A state is a benchmark with one value per axis.
 * words   words of the command; they must not choose benchmarks or outputs
 * output  the JSON
 * err     KG_ERROR_MEASURE with the conflicting word, or if the output is no JSON */
static bool states_list(struct kg_arena *arena, const char *const *words, size_t count,
                        char *output, struct kg_foreign_names *names, struct kg_error *err)
{
    if (!words_check(words, count, err))
        return false;
    if (!output[strspn(output, " \t\r\n")])
        return true; /* the program has no benchmarks */
    const struct kg_json *json = kg_json_read("its list", output, strlen(output), arena, err);
    if (!json)
        return kg_error_set(
            err, KG_ERROR_MEASURE,
            "the program's output for --jsonlist-benches is not JSON; use a program of "
            "NVBench with this option");
    bool good = true;
    const struct kg_json *benchmarks = kg_json_member(json, "benchmarks");
    for (const struct kg_json *benchmark = NULL;
         (benchmark = kg_json_next(benchmarks, benchmark));) {
        const char *name = kg_json_member_string(benchmark, "name");
        if (!name || !*name)
            good = good &&
                   kg_error_set(err, KG_ERROR_MEASURE,
                                "the output of --jsonlist-benches has a benchmark without a name");
        good = good && states_add(arena, name, kg_json_member(benchmark, "axes"), names, err);
    }
    return good;
}

/* --- Words for one state ---------------------------------------------------------------------- */

/* Whether --axis can express the value. If it cannot, the program measures all values of the axis, and the case takes
 * its own value from the output. */
static bool is_sayable(const struct kg_pair *axis)
{
    const size_t length = strlen(axis->value);
    return length && !strpbrk(axis->value, ",:[]") && !strpbrk(axis->name, ":[=") &&
           !strchr(" \t", axis->value[0]) && !strchr(" \t", axis->value[length - 1]) &&
           *axis->name && !strchr(" \t", axis->name[0]) &&
           !strchr(" \t", axis->name[strlen(axis->name) - 1]);
}

/* Appends the words that measure one state and write run->file. If run->one_file is false, the program writes the
 * samples beside the file. If the command chooses no device, the words choose the first visible device.
 *
 * NVBench takes a benchmark name that is a number for an index, so such a name selects a wrong benchmark. An int64 axis
 * of powers of two also accepts the number itself, without [pow2]. */
static bool run_words(struct kg_arena *arena, const struct kg_foreign_run *run, const char ***words,
                      size_t *count, struct kg_error *err)
{
    const char **added = kg_arena_alloc(arena, 2 * run->axis_count + 8, sizeof *added);
    size_t n = 0;
    if (!words_check(*words, *count, err))
        return false;
    added[n++] = "--benchmark";
    added[n++] = run->name;
    if (!has_word(*words, *count, "--devices", "-d") &&
        !has_word(*words, *count, "--device", NULL)) {
        added[n++] = "--devices";
        added[n++] = "0";
    }
    for (size_t i = 0; i < run->axis_count; i++)
        if (is_sayable(&run->axes[i])) {
            added[n++] = "--axis";
            added[n++] = kg_arena_printf(arena, "%s=%s", run->axes[i].name, run->axes[i].value);
        }
    /* kgate keeps the user's minimum time; another stopping criterion has no minimum time */
    if (!has_word(*words, *count, "--min-time", NULL) &&
        !has_word(*words, *count, "--stopping-criterion", NULL)) {
        added[n++] = "--min-time";
        added[n++] = kg_arena_printf(arena, "%.9f", run->min_time_ns / 1e9);
    }
    added[n++] = run->one_file ? "--json" : "--jsonbin";
    added[n++] = run->file;
    kg_foreign_words_append(arena, words, count, added, n);
    return true;
}

/* --- Its JSON --------------------------------------------------------------------------------- */

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
    .list = states_list,
    .run_words = run_words,
    .has_axes = true,
    .has_folder = true,
    .on_cuda = true,
};
