#include "suite/adapters/nvbench_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool kg_nvbench_list(struct kg_arena *arena, const char *const *words, size_t count, char *output,
                     struct kg_foreign_names *names, struct kg_error *err)
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

/* NVBench takes a benchmark name that is a number for an index, so such a name selects a wrong benchmark. An int64 axis
 * of powers of two also accepts the number itself, without [pow2]. */
bool kg_nvbench_run_words(struct kg_arena *arena, const struct kg_foreign_run *run,
                          const char ***words, size_t *count, struct kg_error *err)
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
