#include "judge/sweeps.h"

#include <math.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"

static const char DEVICE[] = "device", ALL[] = "all";

enum { KEYS_MOST = 64 };

/* Input and state of the search for tables. */
struct finder {
    struct kg_arena *arena;
    const struct kg_results *results;
    const char *by;
    const char *across;        /* NULL: one column */
    const char *against;       /* key of the reference; NULL: none */
    const char *against_value; /* value of that key */
    /* one element per case: the key of its table, equal for all cases of the table; NULL: the case is in no table */
    const char **groups;
    struct kg_sweeps *sweeps;
    size_t capacity;
};

/* --- Keys ------------------------------------------------------------------------------------- */

/* Returns the case's value of a key; NULL if the case has no such parameter. */
static const char *value_of(const struct kg_case_result *result, const char *key)
{
    if (!strcmp(key, DEVICE))
        return result->device;
    for (size_t i = 0; i < result->param_count; i++)
        if (!strcmp(result->params[i].name, key))
            return result->params[i].value;
    return NULL;
}

static bool is_key(const char *name, const char *key)
{
    return key && !strcmp(name, key);
}

/* Collects the keys of all cases in their order, the device last. Returns their number. */
static size_t keys_collect(const struct kg_results *results, const char *keys[KEYS_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < results->case_count; i++)
        for (size_t p = 0; p < results->cases[i].param_count && count < KEYS_MOST - 1; p++) {
            const char *key = results->cases[i].params[p].name;
            if (!kg_word_is_among(key, keys, count))
                keys[count++] = key;
        }
    keys[count++] = DEVICE;
    return count;
}

static bool key_unknown(const struct kg_results *results, const char *option, const char *given,
                        struct kg_error *err)
{
    const char *keys[KEYS_MOST];
    const size_t count = keys_collect(results, keys);
    return kg_error_unknown(err, given, keys, count,
                            "--%s is '%.60s', but no case has such a parameter", option, given);
}

static bool key_check(const struct kg_results *results, const char *option, const char *key,
                      struct kg_error *err)
{
    for (size_t i = 0; i < results->case_count && key; i++)
        if (value_of(&results->cases[i], key))
            return true;
    return !key || key_unknown(results, option, key, err);
}

/* Splits "version=naive". */
static bool against_read(struct finder *finder, const char *given, struct kg_error *err)
{
    const char *equals = given ? strchr(given, '=') : NULL;
    if (!given)
        return true;
    if (!equals || equals == given || !equals[1])
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--against is '%.60s', but must be KEY=VALUE, such as version=plain or "
                            "device=cpu",
                            given);
    finder->against = kg_arena_printf(finder->arena, "%.*s", (int)(equals - given), given);
    finder->against_value = equals + 1;
    if (!key_check(finder->results, "against", finder->against, err))
        return false;
    for (size_t i = 0; i < finder->results->case_count; i++) {
        const char *value = value_of(&finder->results->cases[i], finder->against);
        if (value && !strcmp(value, finder->against_value))
            return true;
    }
    return kg_error_set(err, KG_ERROR_USAGE, "--against is '%.60s', but no case has that %.60s",
                        given, finder->against);
}

/* --- Groups ----------------------------------------------------------------------------------- */

/* Appends all parameters except two keys, as "lattice=D4,q=4". */
static void fixed_append(const struct kg_case_result *result, const char *one, const char *other,
                         struct kg_text *text)
{
    const char *separator = "";
    for (size_t i = 0; i < result->param_count; i++) {
        if (is_key(result->params[i].name, one) || is_key(result->params[i].name, other))
            continue;
        kg_text_printf(text, "%s%s=%s", separator, result->params[i].name, result->params[i].value);
        separator = ",";
    }
}

/* Returns a text that is equal for cases that differ only in the two keys. */
static const char *group_of(struct kg_arena *arena, const struct kg_case_result *result,
                            const char *one, const char *other)
{
    struct kg_text text = {0};
    const bool device = !is_key(DEVICE, one) && !is_key(DEVICE, other);
    kg_text_printf(&text, "%s\n%s\n%c", result->workload, device ? result->device : "",
                   other && value_of(result, other) ? 'a' : 'o');
    fixed_append(result, one, other, &text);
    const char *copy = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

static void groups_make(struct finder *finder)
{
    const struct kg_results *results = finder->results;
    finder->groups = kg_arena_alloc(finder->arena, results->case_count, sizeof *finder->groups);
    for (size_t i = 0; i < results->case_count; i++) {
        if (!value_of(&results->cases[i], finder->by))
            continue;
        finder->groups[i] = group_of(finder->arena, &results->cases[i], finder->by, finder->across);
    }
}

/* --- Cells ------------------------------------------------------------------------------------ */

static bool is_measured(const struct kg_case_result *result)
{
    return result->status == KG_STATUS_OK && result->round_count && result->summary.median_ns > 0;
}

/* Whether two cases differ at most in one key. */
static bool differ_only(const struct kg_case_result *one, const struct kg_case_result *other,
                        const char *key)
{
    if (strcmp(one->workload, other->workload) != 0 || one->param_count != other->param_count ||
        (strcmp(key, DEVICE) != 0 && strcmp(one->device, other->device) != 0))
        return false;
    for (size_t i = 0; i < one->param_count; i++)
        if (strcmp(one->params[i].name, other->params[i].name) != 0 ||
            (strcmp(one->params[i].name, key) != 0 &&
             strcmp(one->params[i].value, other->params[i].value) != 0))
            return false;
    return true;
}

/* Returns the reference of a case. NULL: no reference, or the case itself is the reference. */
static const struct kg_case_result *reference_find(const struct finder *finder,
                                                   const struct kg_case_result *result)
{
    for (size_t i = 0; i < finder->results->case_count && finder->against; i++) {
        const struct kg_case_result *other = &finder->results->cases[i];
        const char *value = value_of(other, finder->against);
        if (value && !strcmp(value, finder->against_value) &&
            differ_only(result, other, finder->against))
            return other == result ? NULL : other;
    }
    return NULL;
}

/* result  NULL: the suite has no such case */
static struct kg_sweep_cell cell_make(const struct finder *finder,
                                      const struct kg_case_result *result)
{
    struct kg_sweep_cell cell = {
        .result = result, .time_ns = NAN, .reference_ns = NAN, .speedup = NAN};
    if (!result)
        return cell;
    cell.reference = reference_find(finder, result);
    if (is_measured(result))
        cell.time_ns = result->summary.median_ns;
    if (!cell.reference || !is_measured(cell.reference))
        return cell;
    const struct kg_summary *before = &cell.reference->summary;
    cell.reference_ns = before->median_ns;
    if (!is_measured(result))
        return cell;
    cell.speedup = before->median_ns / result->summary.median_ns;
    cell.apart = before->interval_low_ns > result->summary.interval_high_ns ||
                 before->interval_high_ns < result->summary.interval_low_ns;
    return cell;
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* Returns the index of a value in the list. Appends a new value; the list has room. */
static size_t place_of(const char **values, size_t *count, const char *value)
{
    const size_t place = kg_word_index(value, values, *count);
    values[place] = value;
    *count += place == *count;
    return place;
}

static bool in_group(const struct finder *finder, size_t index, const char *group)
{
    return finder->groups[index] && !strcmp(finder->groups[index], group);
}

static size_t group_count(const struct finder *finder, size_t first)
{
    size_t count = 0;
    for (size_t i = first; i < finder->results->case_count; i++)
        count += in_group(finder, i, finder->groups[first]);
    return count;
}

/* Collects the values of a table's rows and columns, in the order of the cases. */
static void values_collect(const struct finder *finder, size_t first, struct kg_sweep *sweep,
                           const char ***rows)
{
    const struct kg_results *results = finder->results;
    const size_t most = group_count(finder, first);
    *rows = kg_arena_alloc(finder->arena, most, sizeof **rows);
    sweep->columns = kg_arena_alloc(finder->arena, most, sizeof *sweep->columns);
    for (size_t i = first; i < results->case_count; i++) {
        if (!in_group(finder, i, finder->groups[first]))
            continue;
        const char *across = finder->across ? value_of(&results->cases[i], finder->across) : NULL;
        place_of(*rows, &sweep->row_count, value_of(&results->cases[i], finder->by));
        place_of(sweep->columns, &sweep->column_count, across ? across : "");
    }
}

static void rows_start(const struct finder *finder, struct kg_sweep *sweep, const char **values)
{
    sweep->rows = kg_arena_alloc(finder->arena, sweep->row_count, sizeof *sweep->rows);
    for (size_t r = 0; r < sweep->row_count; r++) {
        sweep->rows[r].value = values[r];
        sweep->rows[r].cells =
            kg_arena_alloc(finder->arena, sweep->column_count, sizeof *sweep->rows[r].cells);
        for (size_t c = 0; c < sweep->column_count; c++)
            sweep->rows[r].cells[c] = cell_make(finder, NULL);
    }
}

/* Fills the cells of the table and removes its cases from the groups. */
static void cells_fill(const struct finder *finder, size_t first, struct kg_sweep *sweep,
                       const char **values)
{
    const char *group = finder->groups[first];
    for (size_t i = first; i < finder->results->case_count; i++) {
        const struct kg_case_result *result = &finder->results->cases[i];
        if (!in_group(finder, i, group))
            continue;
        const char *across = finder->across ? value_of(result, finder->across) : NULL;
        const size_t row = place_of(values, &sweep->row_count, value_of(result, finder->by));
        const size_t column = place_of(sweep->columns, &sweep->column_count, across ? across : "");
        sweep->rows[row].cells[column] = cell_make(finder, result);
        sweep->measured = sweep->measured || is_measured(result);
        finder->groups[i] = NULL;
    }
}

static const char *fixed_of(const struct finder *finder, const struct kg_case_result *result)
{
    struct kg_text text = {0};
    fixed_append(result, finder->by, finder->across, &text);
    const char *copy = kg_arena_copy(finder->arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

static void sweep_make(struct finder *finder, size_t first)
{
    struct kg_sweeps *sweeps = finder->sweeps;
    const struct kg_case_result *result = &finder->results->cases[first];
    const bool device = is_key(DEVICE, finder->by) || is_key(DEVICE, finder->across);
    const char **values;
    struct kg_sweep sweep = {.workload = result->workload,
                             .device = device ? NULL : result->device,
                             .fixed = fixed_of(finder, result),
                             .by = finder->by};
    values_collect(finder, first, &sweep, &values);
    rows_start(finder, &sweep, values);
    cells_fill(finder, first, &sweep, values);
    if (sweep.row_count < 2)
        return;
    kg_arena_grow(finder->arena, &sweeps->sweeps, sweeps->count, &finder->capacity,
                  sizeof *sweeps->sweeps);
    sweeps->sweeps[sweeps->count++] = sweep;
}

static void sweeps_by(struct finder *finder, const char *key)
{
    finder->by = key;
    groups_make(finder);
    for (size_t i = 0; i < finder->results->case_count; i++)
        if (finder->groups[i])
            sweep_make(finder, i);
}

static void all_find(struct finder *finder)
{
    const char *keys[KEYS_MOST];
    const size_t count = keys_collect(finder->results, keys);
    for (size_t i = 0; i < count; i++)
        if (!is_key(keys[i], finder->across))
            sweeps_by(finder, keys[i]);
}

bool kg_sweep_references(struct kg_arena *arena, const struct kg_results *results,
                         const char *against, struct kg_sweep_cell **cells, struct kg_error *err)
{
    struct finder finder = {.arena = arena, .results = results};
    if (!against_read(&finder, against, err))
        return false;
    *cells = kg_arena_alloc(arena, results->case_count, sizeof **cells);
    for (size_t i = 0; i < results->case_count; i++)
        (*cells)[i] = cell_make(&finder, &results->cases[i]);
    return true;
}

bool kg_sweeps_find(struct kg_arena *arena, const struct kg_results *results,
                    const struct kg_sweep_request *request, struct kg_sweeps *sweeps,
                    struct kg_error *err)
{
    struct finder finder = {
        .arena = arena, .results = results, .across = request->across, .sweeps = sweeps};
    const bool all = !strcmp(request->by, ALL);
    *sweeps = (struct kg_sweeps){0};
    if ((!all && !key_check(results, "by", request->by, err)) ||
        !key_check(results, "across", request->across, err) ||
        !against_read(&finder, request->against, err))
        return false;
    if (is_key(request->by, request->across))
        return kg_error_set(err, KG_ERROR_USAGE, "--by and --across are both '%.60s'", request->by);
    if (all)
        all_find(&finder);
    else
        sweeps_by(&finder, request->by);
    if (sweeps->count)
        return true;
    return kg_error_set(err, KG_ERROR_USAGE,
                        "no two cases differ in '%.60s' alone: there is nothing to sweep",
                        all ? "a parameter" : request->by);
}
