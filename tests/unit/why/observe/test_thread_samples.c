#include "why/observe/sampler_state.h"

#include "test_support.h"

static void equal_stacks_are_kept_once(void **state)
{
    const kg_code_address one[] = {1, 2, 3}, other[] = {1, 2, 4};
    struct kg_samples samples = {0};
    const uint32_t first = kg_samples_stack(&samples, one, 3);
    assert_int_not_equal(kg_samples_stack(&samples, other, 3), first);
    assert_int_equal(kg_samples_stack(&samples, one, 3), first);
    assert_int_equal(samples.stack_count, 2);
    assert_int_equal(samples.pool_count, 6);
    kg_samples_free(&samples);
}

/* As of a process that ends before its first stack can be read: there is no pool yet. */
static void stacks_without_frames_are_one(void **state)
{
    struct kg_samples samples = {0};
    const uint32_t first = kg_samples_stack(&samples, NULL, 0);
    assert_int_equal(kg_samples_stack(&samples, NULL, 0), first);
    assert_int_equal(samples.stack_count, 1);
    kg_samples_free(&samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stacks_are_kept_once),
        cmocka_unit_test(stacks_without_frames_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
