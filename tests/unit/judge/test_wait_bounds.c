/* Slowdowns that waiting for a CPU can explain, and slowdowns that it cannot. */
#include <math.h>

#include "judge/wait_bounds.h"
#include "test_support.h"

enum { ROUNDS = 10 };

/* Rounds between two times; round i has bounds i. */
static struct kg_wait_bounds bounds_of(double least[ROUNDS], double most[ROUNDS], double low,
                                       double high)
{
    for (size_t i = 0; i < ROUNDS; i++) {
        least[i] = low + 0.01 * (double)i;
        most[i] = high + 0.01 * (double)i;
    }
    return (struct kg_wait_bounds){least, most, ROUNDS};
}

static bool exceeded(double base_low, double base_high, double low, double high, bool paired)
{
    double room[4][ROUNDS];
    struct kg_wait_bounds base = bounds_of(room[0], room[1], base_low, base_high);
    struct kg_wait_bounds now = bounds_of(room[2], room[3], low, high);
    return kg_waits_exceeded(&base, &now, 0.05, paired ? 1 : KG_SHARED_MOST);
}

static void a_time_that_is_longer_without_its_waits_is_slower(void **state)
{
    assert_true(exceeded(10, 15, 17, 60, true));
    assert_false(exceeded(10, 15, 14, 60, true));
    assert_false(exceeded(10, 15, 15.5, 60, true)); /* within the threshold */
}

static void a_time_that_is_shorter_with_its_waits_is_faster(void **state)
{
    assert_true(exceeded(10, 15, 2, 9, true));
    assert_false(exceeded(10, 15, 2, 11, true));
}

static void beside_stored_runs_it_must_take_twice_as_long(void **state)
{
    assert_false(exceeded(10, 15, 17, 60, false));
    assert_true(exceeded(10, 15, 33, 60, false));
}

static void the_wildest_tenth_does_not_count_and_unknown_waits_do(void **state)
{
    double room[4][ROUNDS];
    struct kg_wait_bounds base = bounds_of(room[0], room[1], 10, 15);
    struct kg_wait_bounds now = bounds_of(room[2], room[3], 17, 60);
    now.least_ns[3] = 1;
    assert_true(kg_waits_exceeded(&base, &now, 0.05, 1));
    base = bounds_of(room[0], room[1], 10, 15);
    now = bounds_of(room[2], room[3], 17, 60);
    now.least_ns[3] = NAN;
    assert_false(kg_waits_exceeded(&base, &now, 0.05, 1));
    now = bounds_of(room[2], room[3], 17, 60);
    now.count = 4;
    assert_false(kg_waits_exceeded(&base, &now, 0.05, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_that_is_longer_without_its_waits_is_slower),
        cmocka_unit_test(a_time_that_is_shorter_with_its_waits_is_faster),
        cmocka_unit_test(beside_stored_runs_it_must_take_twice_as_long),
        cmocka_unit_test(the_wildest_tenth_does_not_count_and_unknown_waits_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
