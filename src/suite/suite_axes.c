#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/units.h"
#include "suite/suite_message.h"
#include "suite/suite_reader.h"

enum { AXIS_VALUES_MOST = 1000000, POWER_MOST = 62 };

enum form { FORM_LIST, FORM_POW2, FORM_RANGE };

/* The values of one axis of a matrix, before the reader allocates memory for the values. */
struct plan {
    enum form form;
    const struct kg_yaml_node *node; /* list of values, or of the form's numbers */
    int64_t start;
    int64_t step;
    size_t count;
};

static struct kg_axis *axis_find(const struct kg_workload_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->axis_count; i++)
        if (!strcmp(spec->axes[i].name, name))
            return &spec->axes[i];
    return NULL;
}

/* Adds an axis with room for its values. `place` is "params" or "matrix". */
static struct kg_axis *axis_add(const struct kg_suite_reader *reader, struct kg_workload_spec *spec,
                                const struct kg_yaml_pair *pair, size_t value_count)
{
    struct kg_arena *arena = &reader->suite->arena;
    struct kg_axis *axis = &spec->axes[spec->axis_count];
    axis->name = pair->key;
    axis->mark = pair->mark;
    axis->value_count = value_count;
    axis->values = kg_arena_alloc(arena, value_count, sizeof *axis->values);
    axis->value_marks = kg_arena_alloc(arena, value_count, sizeof *axis->value_marks);
    spec->axis_count++;
    return axis;
}

static bool axis_check(const struct kg_suite_reader *reader, const struct kg_workload_spec *spec,
                       const struct kg_yaml_pair *pair, const char *place, const char *other_place)
{
    if (!kg_reader_name_check(reader, pair->mark, "parameter", pair->key))
        return false;
    const struct kg_axis *other = axis_find(spec, pair->key);
    if (other && !*reader->path) /* a suite of the command line has no lines to name */
        return kg_reader_fail(reader, pair->mark, "parameter '%s' is in %s and in %s; keep one",
                              pair->key, place, other_place);
    if (other)
        return kg_reader_fail(reader, pair->mark,
                              "parameter '%s' is in %s here and in %s in line %u; keep one",
                              pair->key, place, other_place, other->mark.line);
    if (spec->axis_count == KG_AXES_MOST)
        return kg_reader_fail(reader, pair->mark, "too many parameters: at most %d for a workload",
                              KG_AXES_MOST);
    return true;
}

static bool value_check(const struct kg_suite_reader *reader, const char *name,
                        const struct kg_yaml_node *value)
{
    char what[KG_NAME_BYTES_MOST + 32];
    snprintf(what, sizeof what, "value of parameter '%s'", name);
    if (value->kind != KG_YAML_SCALAR)
        return kg_reader_fail(reader, value->mark, "%s must be plain text or a number", what);
    return kg_reader_text_check(reader, value->mark, what, value->text, KG_VALUE_BYTES_MOST, ",=");
}

bool kg_suite_params_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *params,
                          struct kg_workload_spec *spec)
{
    if (!kg_reader_expect(reader, params, KG_YAML_MAPPING))
        return false;
    for (size_t i = 0; i < params->value->count; i++) {
        const struct kg_yaml_pair *pair = &params->value->pairs[i];
        if (!axis_check(reader, spec, pair, "params", "matrix"))
            return false;
        if (pair->value->kind == KG_YAML_SEQUENCE)
            return kg_reader_fail(reader, pair->value->mark,
                                  "parameter '%s' has a list of values; put it under 'matrix'",
                                  pair->key);
        if (!value_check(reader, pair->key, pair->value))
            return false;
        struct kg_axis *axis = axis_add(reader, spec, pair, 1);
        axis->values[0] = pair->value->text;
        axis->value_marks[0] = pair->value->mark;
    }
    return true;
}

static bool whole_read(const struct kg_suite_reader *reader, const struct kg_yaml_node *node,
                       const char *form, int64_t *number)
{
    uint64_t size;
    char quoted[KG_QUOTE_BYTES];
    const char *text = node->kind == KG_YAML_SCALAR ? node->text : "";
    const bool negative = *text == '-';
    const uint64_t most = (uint64_t)INT64_MAX + negative;
    if (!kg_count_parse(text + negative, &size) || size > most)
        return kg_reader_fail(reader, node->mark, "'%s' takes whole numbers of 64 bits, not '%s'",
                              form, kg_quote(text, quoted));
    *number = negative ? (int64_t)(0 - size) : (int64_t)size;
    return true;
}

static bool numbers_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *form,
                         size_t count, const char *example, int64_t *numbers)
{
    const struct kg_yaml_node *node = form->value;
    if (node->kind != KG_YAML_SEQUENCE || node->count != count)
        return kg_reader_fail(reader, node->mark, "'%s' must be a list of %zu numbers, such as %s",
                              form->key, count, example);
    for (size_t i = 0; i < count; i++)
        if (!whole_read(reader, node->items[i], form->key, &numbers[i]))
            return false;
    return true;
}

static bool pow2_plan(const struct kg_suite_reader *reader, const struct kg_yaml_pair *form,
                      struct plan *plan)
{
    int64_t ends[2];
    if (!numbers_read(reader, form, 2, "[4, 10]", ends))
        return false;
    if (ends[0] < 0 || ends[0] > ends[1] || ends[1] > POWER_MOST)
        return kg_reader_fail(reader, form->value->mark,
                              "'pow2: [a, b]' needs 0 <= a <= b <= %d, not [%lld, %lld]",
                              POWER_MOST, (long long)ends[0], (long long)ends[1]);
    *plan = (struct plan){FORM_POW2, form->value, ends[0], 1, (size_t)(ends[1] - ends[0]) + 1};
    return true;
}

static bool range_plan(const struct kg_suite_reader *reader, const struct kg_yaml_pair *form,
                       struct plan *plan)
{
    int64_t n[3];
    if (!numbers_read(reader, form, 3, "[0, 100, 10]", n))
        return false;
    const int64_t start = n[0], stop = n[1], step = n[2];
    if (step == 0 || (start != stop && (step < 0) != (stop < start)))
        return kg_reader_fail(reader, form->value->mark,
                              "the range from %lld to %lld has no end in steps of %lld",
                              (long long)start, (long long)stop, (long long)step);
    /* Unsigned, because the distance of two int64_t may need 64 bits. */
    const uint64_t distance =
        stop < start ? (uint64_t)start - (uint64_t)stop : (uint64_t)stop - (uint64_t)start;
    const uint64_t stride = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
    const uint64_t last = distance / stride;
    *plan = (struct plan){FORM_RANGE, form->value, start, step,
                          last < SIZE_MAX ? (size_t)last + 1 : SIZE_MAX};
    return true;
}

static bool axis_plan(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                      struct plan *plan)
{
    static const char *const forms[] = {"pow2", "range"};
    const struct kg_yaml_node *node = pair->value;
    char quoted[KG_QUOTE_BYTES];
    if (node->kind == KG_YAML_SEQUENCE) {
        *plan = (struct plan){FORM_LIST, node, 0, 0, node->count};
        return node->count || kg_reader_fail(reader, node->mark,
                                             "parameter '%s' needs at least one value", pair->key);
    }
    if (node->kind == KG_YAML_SCALAR)
        return kg_reader_fail(reader, node->mark,
                              "parameter '%s' of a matrix takes a list; write [%s], or put it "
                              "under 'params'",
                              pair->key, kg_quote(node->text, quoted));
    if (node->count != 1)
        return kg_reader_fail(reader, node->mark,
                              "parameter '%s' takes a list, {pow2: [a, b]} or "
                              "{range: [start, stop, step]}",
                              pair->key);
    const struct kg_yaml_pair *form = &node->pairs[0];
    if (!strcmp(form->key, "pow2"))
        return pow2_plan(reader, form, plan);
    if (!strcmp(form->key, "range"))
        return range_plan(reader, form, plan);
    struct kg_text message = {0};
    kg_text_printf(&message, "unknown key '%s' in matrix parameter '%s'",
                   kg_quote(form->key, quoted), pair->key);
    kg_suggest_append(&message, form->key, forms, 2, "known keys");
    return kg_reader_fail_text(reader, form->mark, &message);
}

static int value_compare(const void *left, const void *right)
{
    const struct kg_yaml_node *a = *(const struct kg_yaml_node *const *)left;
    const struct kg_yaml_node *b = *(const struct kg_yaml_node *const *)right;
    const int texts = strcmp(a->text, b->text);
    return texts                          ? texts
           : a->mark.line != b->mark.line ? (a->mark.line < b->mark.line ? -1 : 1)
                                          : (a->mark.column < b->mark.column ? -1 : 1);
}

/* Refuses a repeated value, because two cases would have the same id. */
static bool values_unique(const struct kg_suite_reader *reader, const char *name,
                          const struct kg_yaml_node *list)
{
    const struct kg_yaml_node **sorted = kg_alloc(list->count, sizeof *sorted);
    char quoted[KG_QUOTE_BYTES];
    bool good = true;
    memcpy(sorted, list->items, list->count * sizeof *sorted);
    qsort(sorted, list->count, sizeof *sorted, value_compare);
    for (size_t i = 1; i < list->count && good; i++)
        if (!strcmp(sorted[i - 1]->text, sorted[i]->text))
            good =
                kg_reader_fail(reader, sorted[i]->mark, "parameter '%s' has the value '%s' twice",
                               name, kg_quote(sorted[i]->text, quoted));
    free(sorted);
    return good;
}

static bool list_fill(const struct kg_suite_reader *reader, struct kg_axis *axis,
                      const struct kg_yaml_node *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!value_check(reader, axis->name, list->items[i]))
            return false;
        axis->values[i] = list->items[i]->text;
        axis->value_marks[i] = list->items[i]->mark;
    }
    return values_unique(reader, axis->name, list);
}

static bool axis_fill(const struct kg_suite_reader *reader, struct kg_axis *axis,
                      const struct plan *plan)
{
    if (plan->form == FORM_LIST)
        return list_fill(reader, axis, plan->node);
    for (size_t i = 0; i < plan->count; i++) {
        /* The count keeps start + i * step within the range's ends; only i * step may wrap. */
        const uint64_t number = plan->form == FORM_POW2
                                    ? UINT64_C(1) << ((uint64_t)plan->start + i)
                                    : (uint64_t)plan->start + i * (uint64_t)plan->step;
        axis->values[i] =
            kg_arena_printf(&reader->suite->arena, "%lld", (long long)(int64_t)number);
        axis->value_marks[i] = plan->node->mark;
    }
    return true;
}

/* Product with saturation: a result above KG_CASES_MOST becomes KG_CASES_MOST + 1. */
static size_t product(size_t a, size_t b)
{
    size_t result;
    return __builtin_mul_overflow(a, b, &result) || result > KG_CASES_MOST ? KG_CASES_MOST + 1
                                                                           : result;
}

bool kg_suite_matrix_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *matrix,
                          struct kg_workload_spec *spec)
{
    struct plan plans[KG_AXES_MOST];
    size_t cases = 1;
    if (!kg_reader_expect(reader, matrix, KG_YAML_MAPPING))
        return false;
    const struct kg_yaml_node *node = matrix->value;
    for (size_t i = 0; i < node->count; i++) {
        if (i == KG_AXES_MOST)
            return kg_reader_fail(reader, node->pairs[i].mark,
                                  "too many parameters: at most %d for a workload", KG_AXES_MOST);
        const struct kg_yaml_pair *pair = &node->pairs[i];
        if (!axis_check(reader, spec, pair, "matrix", "params") ||
            !axis_plan(reader, pair, &plans[i]))
            return false;
        if (plans[i].count > AXIS_VALUES_MOST)
            return kg_reader_fail(reader, pair->value->mark,
                                  "parameter '%s' has more than %d values", pair->key,
                                  AXIS_VALUES_MOST);
        cases = product(cases, plans[i].count);
    }
    if (cases > KG_CASES_MOST)
        return kg_reader_fail(reader, matrix->mark,
                              "the matrix has too many combinations: at most %d cases in a suite",
                              KG_CASES_MOST);
    for (size_t i = 0; i < node->count; i++) {
        const struct kg_yaml_pair *pair = &node->pairs[i];
        /* The second check also counts the axes added before. */
        struct kg_axis *axis = axis_check(reader, spec, pair, "matrix", "params")
                                   ? axis_add(reader, spec, pair, plans[i].count)
                                   : NULL;
        if (!axis || !axis_fill(reader, axis, &plans[i]))
            return false;
    }
    return true;
}

size_t kg_suite_case_count(const struct kg_workload_spec *spec)
{
    size_t count = (size_t)__builtin_popcount(spec->settings.devices);
    for (size_t i = 0; i < spec->axis_count; i++)
        count = product(count, spec->axes[i].value_count);
    return count;
}
