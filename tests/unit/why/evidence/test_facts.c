/* Facts are found by name, traits among them, and begin as not known. */
#include "why/facts_support.h"

static void a_fact_and_a_trait_are_found_in_one_name_space(void **state)
{
    struct kg_facts facts;
    struct kg_trait fact;
    kg_facts_clear(&facts);
    facts.wait_ns = 3;
    facts.traits.bandwidth_share = 0.5;
    assert_true(kg_fact_find("wait_ns", &fact));
    assert_float_equal(kg_fact_get(&facts, &fact), 3, 0);
    assert_true(kg_fact_find("bandwidth_share", &fact));
    assert_float_equal(kg_fact_get(&facts, &fact), 0.5, 0);
    assert_int_equal(fact.unit, KG_TRAIT_SHARE);
    assert_false(kg_fact_find("nothing", &fact));
    assert_false(kg_fact_find("", &fact));
}

static void no_fact_is_called_like_a_trait_or_another_fact(void **state)
{
    for (size_t i = 0; i < kg_fact_count; i++) {
        for (size_t t = 0; t < kg_trait_count; t++)
            assert_string_not_equal(kg_fact_table[i].name, kg_trait_table[t].name);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(kg_fact_table[i].name, kg_fact_table[j].name);
            assert_int_not_equal(kg_fact_table[i].offset, kg_fact_table[j].offset);
        }
    }
}

/* The struct has eight bytes per number that is no trait. The rest is texts, pointers, the kernel's
 * place, kind, and two booleans that share eight bytes. */
static void every_number_is_in_the_table(void **state)
{
    enum { TEXTS = 8, POINTERS = 2 };
    const size_t rest = sizeof(struct kg_facts) - sizeof(struct kg_traits) -
                        (TEXTS + POINTERS) * sizeof(char *) - sizeof(struct kg_place) -
                        sizeof(double) - offsetof(struct kg_facts, operation);
    assert_int_equal(kg_fact_count, rest / sizeof(double));
}

static void nothing_is_known_at_first(void **state)
{
    struct kg_facts facts;
    memset(&facts, 0x5a, sizeof facts);
    kg_facts_clear(&facts);
    for (size_t i = 0; i < kg_fact_count; i++)
        assert_true(isnan(kg_fact_get(&facts, &kg_fact_table[i])));
    for (size_t i = 0; i < kg_trait_count; i++)
        assert_true(isnan(kg_trait_get(&facts.traits, &kg_trait_table[i])));
    assert_null(facts.operation);
    assert_null(facts.whole);
    assert_null(facts.device);
    assert_null(facts.workload);
    assert_null(facts.other_device_id);
    assert_null(facts.faster_version_id);
    assert_null(facts.sweep_parameter);
}

static void only_finite_amounts_above_0_are_known(void **state)
{
    assert_true(kg_known(1e-9));
    assert_true(kg_known(5));
    assert_false(kg_known(0));
    assert_false(kg_known(-1));
    assert_false(kg_known(NAN));
    assert_false(kg_known(INFINITY));
}

static void a_call_on_the_gpu_is_all_parts_of_its_breakdown(void **state)
{
    struct kg_facts facts;
    const struct named_fact known[] = {
        {"time_ns", 5}, {"gpu_ns", 4}, {"transfer_ns", 3}, {"overhead_ns", 2}, {0}};
    facts_make(&facts, "cuda", false, known);
    assert_float_equal(kg_facts_call_ns(&facts), 9, 0);
    facts.traits.transfer_ns = NAN;
    assert_float_equal(kg_facts_call_ns(&facts), 6, 0);
    facts.traits.overhead_ns = -1;
    assert_true(isnan(kg_facts_call_ns(&facts)));
    facts.traits.overhead_ns = NAN;
    assert_true(isnan(kg_facts_call_ns(&facts)));
    facts.device = "cpu";
    assert_float_equal(kg_facts_call_ns(&facts), 5, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fact_and_a_trait_are_found_in_one_name_space),
        cmocka_unit_test(no_fact_is_called_like_a_trait_or_another_fact),
        cmocka_unit_test(every_number_is_in_the_table),
        cmocka_unit_test(nothing_is_known_at_first),
        cmocka_unit_test(only_finite_amounts_above_0_are_known),
        cmocka_unit_test(a_call_on_the_gpu_is_all_parts_of_its_breakdown),
    };
    return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
