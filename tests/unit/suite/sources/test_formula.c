/* Formulas: their values, and the errors of invalid ones. */
#include <math.h>

#include "suite/sources/formula.h"
#include "test_support.h"

static double number(const char *text)
{
    double value;
    struct kg_error err;
    if (!kg_formula_number(text, &value, &err))
        fail_msg("%s: %s", text, err.message);
    return value;
}

static void operators_bind_as_in_c(void **state)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"7 - 2 - 1", 4},
        {"8 / 4 / 2", 1},
        {"7 % 4", 3},
        {"-2 * -3", 6},
        {"- (1 + 1)", -2},
        {"2 - -1", 3},
        {"1e3 + .5", 1000.5},
        {"1 + 1 == 2", 1},
        {"1 < 2 && 2 <= 2", 1},
        {"1 > 2 || 3 != 3", 0},
        {"1 >= 1 ? 10 : 20", 10},
        {"0 ? 1 : 0 ? 2 : 3", 3},
        {"ceil(1000 / 256)", 4},
        {"floor(-0.5) + trunc(1.9) + round(1.5)", 2},
        {"max(1, min(5, 3)) + abs(-2) + pow(2, 10)", 1029},
        {"sqrt(16) + exp(0) + log(1) + sin(0) + cos(0) + tanh(0)", 6},
        {"\t 5 ", 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (number(rows[i].text) != rows[i].value)
            fail_msg("%s is %g, but must be %g", rows[i].text, number(rows[i].text), rows[i].value);
    assert_true(fabs(number("pi") - 3.14159265358979) < 1e-14);
}

static void what_is_no_formula_is_refused_where_it_stops(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "a number, a name or '(' must stand at 'the end'"},
        {"1 +", "must stand at 'the end'"},
        {"1 2", "an operator must stand at '2'"},
        {"(1", "')' is missing at 'the end'"},
        {"max(1)", "',' is missing at ')'"},
        {"max 1", "'(' is missing at '1'"},
        {"1 ? 2", "':' is missing"},
        {"foo", "there is no such name or function at 'foo'"},
        {"nan", "no such name"},
        {"0x10", "a number, a name"},
        {"1e999", "a number"},
        {"i", "no such name"}, /* there are no elements */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value;
        struct kg_error err = {0};
        if (kg_formula_number(rows[i].text, &value, &err))
            fail_msg("%s is taken as %g", rows[i].text, value);
        if (err.kind != KG_ERROR_USAGE || !strstr(err.message, rows[i].message))
            fail_msg("%s: %s", rows[i].text, err.message);
    }
}

/* So that no text uses up the stack. */
static void what_is_nested_too_deep_is_refused(void **state)
{
    enum { MANY = 100000 };
    static const char *const openings[] = {"(", "-", "1?", "abs(", "1+(", "0?0:"};
    for (size_t o = 0; o < sizeof openings / sizeof *openings; o++) {
        struct kg_text text = {0};
        struct kg_error err;
        double value;
        for (int i = 0; i < MANY; i++)
            kg_text_append(&text, openings[o]);
        assert_false(text.failed);
        assert_false(kg_formula_number(kg_text_string(&text), &value, &err));
        assert_non_null(strstr(err.message, "nested too deep"));
        kg_text_free(&text);
    }
}

/* The greatest allowed depth, with a pending operand at each level. */
static void what_is_just_not_too_deep_is_evaluated(void **state)
{
    struct kg_text text = {0};
    for (int i = 0; i < 31; i++)
        kg_text_append(&text, "0 || 1 && 0 == 0 < 1 + 1 * max(1, ");
    kg_text_append(&text, "1");
    for (int i = 0; i < 31; i++)
        kg_text_append(&text, ")");
    assert_true(isfinite(number(kg_text_string(&text))));
    kg_text_free(&text);
}

/* x is 10, 20, 30; a is 2. */
static double value_of(void *owner, size_t name, double index)
{
    (void)owner;
    if (name == 0)
        return 2;
    return index >= 0 && index < 3 && index == trunc(index) ? 10 * (index + 1) : (double)NAN;
}

static void names_are_scalars_or_have_elements(void **state)
{
    static const struct kg_formula_name names[] = {{"a", false}, {"x", true}, {NULL, true}};
    static const struct kg_formula_values values = {value_of, NULL};
    struct kg_arena arena = {0};
    struct kg_error err;
    const struct kg_formula *formula =
        kg_formula_parse(&arena, "a * x[i] + x[2 - i]", names, 3, true, &err);
    assert_non_null(formula);
    assert_true(kg_formula_value(formula, 0, &values) == 50);
    assert_true(kg_formula_value(formula, 2, &values) == 70);
    assert_true(isnan(kg_formula_value(formula, 3, &values)));
    /* the unselected branch may be out of bounds */
    formula = kg_formula_parse(&arena, "i > 0 ? x[i - 1] : a", names, 3, true, &err);
    assert_non_null(formula);
    assert_true(kg_formula_value(formula, 0, &values) == 2);
    assert_true(kg_formula_value(formula, 1, &values) == 10);
    assert_null(kg_formula_parse(&arena, "x + 1", names, 3, true, &err));
    assert_non_null(strstr(err.message, "needs its element"));
    assert_null(kg_formula_parse(&arena, "a[0]", names, 3, true, &err));
    assert_non_null(strstr(err.message, "an operator must stand at '[0]'"));
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_in_c),
        cmocka_unit_test(what_is_no_formula_is_refused_where_it_stops),
        cmocka_unit_test(what_is_nested_too_deep_is_refused),
        cmocka_unit_test(what_is_just_not_too_deep_is_evaluated),
        cmocka_unit_test(names_are_scalars_or_have_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
