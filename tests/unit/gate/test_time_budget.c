/* Whether --budget can hold the fewest rounds, said before they are measured. */
#include "gate/time_budget.h"
#include "test_support.h"

static void a_budget_that_holds_the_fewest_rounds_is_not_spoken_of(void **state)
{
    char note[KG_BUDGET_NOTE_BYTES];
    (void)state;
    assert_false(kg_budget_short(1e9, 8e9, 10e9, note));
    assert_false(kg_budget_short(1e9, 8e9, INFINITY, note));
    /* nor a budget that may suffice, as the first rounds may be slow ones */
    assert_false(kg_budget_short(1e9, 11e9, 10e9, note));
}

static void one_that_is_too_short_is_noted_with_one_that_does(void **state)
{
    char note[KG_BUDGET_NOTE_BYTES];
    (void)state;
    assert_true(kg_budget_short(10e9, 120e9, 30e9, note));
    assert_string_equal(note, "the minimum rounds take about 2.17 min, but --budget is 30.0 s: "
                              "give --budget 150s or more, lower rounds.min, "
                              "min_time or iterations, or measure fewer cases");
    assert_true(kg_budget_short(5e6, 205e6, 100e6, note));
    assert_non_null(strstr(note, "give --budget 240ms or more"));
    assert_true(kg_budget_short(90e6, 1800e6, 500e6, note));
    assert_non_null(strstr(note, "give --budget 2100ms or more"));
    assert_true(kg_budget_short(0, 3e6, 1e6, note));
    assert_non_null(strstr(note, "give --budget 4ms or more"));
    assert_true(kg_budget_short(0, 40000e9, 1e9, note));
    assert_non_null(strstr(note, "give --budget 44000s or more"));
}

static void keep(void *user, const char *note)
{
    assert_non_null(strstr(note, "but --budget is"));
    ++*(size_t *)user;
}

static void it_is_noted_once(void **state)
{
    size_t count = 0;
    struct kg_warning warned = {keep, &count};
    (void)state;
    kg_budget_warn(&warned, 1e9, 8e9, 10e9);
    assert_int_equal(count, 0);
    kg_budget_warn(&warned, 1e9, 80e9, 10e9);
    kg_budget_warn(&warned, 2e9, 79e9, 10e9);
    assert_int_equal(count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_that_holds_the_fewest_rounds_is_not_spoken_of),
        cmocka_unit_test(one_that_is_too_short_is_noted_with_one_that_does),
        cmocka_unit_test(it_is_noted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
