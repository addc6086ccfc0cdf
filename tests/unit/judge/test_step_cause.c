/* Causes of steps, by the alarms of a night. */
#include "judge/step_cause.h"
#include "test_support.h"

enum { MOST = 16 };

/* Three hosts of ten series: two of one class, one of another. */
static const struct kg_night_host hosts[] = {{0, 10}, {0, 10}, {1, 10}};

/* The cause of the first alarm. */
static enum kg_step_cause cause_of(const struct kg_night_alarm *alarms, size_t count,
                                   const struct kg_night_host *of)
{
    struct kg_night_alarm copies[MOST];
    assert_true(count <= MOST);
    memcpy(copies, alarms, count * sizeof *copies);
    kg_step_causes_find(copies, count, of, 3);
    return copies[0].cause;
}

/* Alarms of the first `count` cases of a host. */
static size_t host_steps(struct kg_night_alarm *alarms, size_t host, size_t count, double step)
{
    for (size_t i = 0; i < count; i++)
        alarms[i] = (struct kg_night_alarm){.host = host, .case_number = i, .step = step};
    return count;
}

static void a_step_alone_is_unknown(void **unused)
{
    const struct kg_night_alarm alarm = {.step = 0.1};
    (void)unused;
    assert_int_equal(cause_of(&alarm, 1, hosts), KG_STEP_UNKNOWN);
}

static void a_step_at_an_unchanged_hash_is_the_machine(void **unused)
{
    struct kg_night_alarm alarm = {.step = 0.1, .code_unchanged = true};
    (void)unused;
    assert_int_equal(cause_of(&alarm, 1, hosts), KG_STEP_MACHINE);
    alarm.epoch_changed = true;
    assert_int_equal(cause_of(&alarm, 1, hosts), KG_STEP_ENVIRONMENT);
}

static void a_step_of_an_epoch_is_the_environment(void **unused)
{
    const struct kg_night_alarm alarm = {.step = 0.1, .epoch_changed = true};
    (void)unused;
    assert_int_equal(cause_of(&alarm, 1, hosts), KG_STEP_ENVIRONMENT);
}

static void a_changed_definition_comes_first(void **unused)
{
    const struct kg_night_alarm alarm = {
        .step = 0.1, .definition_changed = true, .code_unchanged = true, .epoch_changed = true};
    (void)unused;
    assert_int_equal(cause_of(&alarm, 1, hosts), KG_STEP_DEFINITION);
}

static void the_same_case_on_another_host_is_the_code(void **unused)
{
    struct kg_night_alarm alarms[] = {{.host = 0, .case_number = 4, .step = 0.1},
                                      {.host = 2, .case_number = 4, .step = 0.05}};
    (void)unused;
    assert_int_equal(cause_of(alarms, 2, hosts), KG_STEP_CODE);
    alarms[0].epoch_changed = true;
    assert_int_equal(cause_of(alarms, 2, hosts), KG_STEP_CODE);
    alarms[1].epoch_changed = true; /* the whole fleet was updated */
    assert_int_equal(cause_of(alarms, 2, hosts), KG_STEP_ENVIRONMENT);
    alarms[0].epoch_changed = alarms[1].epoch_changed = false;
    alarms[1].step = -0.05;
    assert_int_equal(cause_of(alarms, 2, hosts), KG_STEP_UNKNOWN);
    alarms[1] = (struct kg_night_alarm){.host = 2, .case_number = 3, .step = 0.1};
    assert_int_equal(cause_of(alarms, 2, hosts), KG_STEP_UNKNOWN);
}

static void a_whole_host_is_the_machine(void **unused)
{
    struct kg_night_alarm alarms[MOST];
    (void)unused;
    assert_int_equal(cause_of(alarms, host_steps(alarms, 0, 5, 0.1), hosts), KG_STEP_MACHINE);
    assert_int_equal(cause_of(alarms, host_steps(alarms, 0, 4, 0.1), hosts), KG_STEP_UNKNOWN);
    host_steps(alarms, 0, 5, 0.1);
    alarms[4].step = -0.1; /* in the other direction */
    assert_int_equal(cause_of(alarms, 5, hosts), KG_STEP_UNKNOWN);
}

/* A compiler's flag moves all cases too. */
static void a_whole_host_without_a_peer_is_unknown(void **unused)
{
    struct kg_night_alarm alarms[MOST];
    struct kg_night_host alone[] = {{0, 10}, {0, 0}, {1, 10}};
    (void)unused;
    assert_int_equal(cause_of(alarms, host_steps(alarms, 2, 10, 0.1), hosts), KG_STEP_UNKNOWN);
    assert_int_equal(cause_of(alarms, host_steps(alarms, 0, 10, 0.1), alone), KG_STEP_UNKNOWN);
}

static void two_whole_hosts_are_the_code(void **unused)
{
    struct kg_night_alarm alarms[MOST];
    (void)unused;
    host_steps(alarms, 0, 8, 0.1);
    host_steps(alarms + 8, 1, 8, 0.12);
    assert_int_equal(cause_of(alarms, 16, hosts), KG_STEP_CODE);
}

static void the_control_names_the_machine(void **unused)
{
    struct kg_night_alarm alarm = {.step = 0.1, .control_step = 0.06};
    (void)unused;
    assert_int_equal(cause_of(&alarm, 1, hosts), KG_STEP_CONTROL);
    alarm.control_step = 0.04; /* too little to explain the step */
    assert_int_equal(cause_of(&alarm, 1, hosts), KG_STEP_UNKNOWN);
    alarm.control_step = -0.1;
    assert_int_equal(cause_of(&alarm, 1, hosts), KG_STEP_UNKNOWN);
}

static void causes_have_names(void **unused)
{
    (void)unused;
    assert_string_equal(kg_step_cause_name(KG_STEP_UNKNOWN), "unknown");
    assert_string_equal(kg_step_cause_name(KG_STEP_DEFINITION), "definition");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_alone_is_unknown),
        cmocka_unit_test(a_step_at_an_unchanged_hash_is_the_machine),
        cmocka_unit_test(a_step_of_an_epoch_is_the_environment),
        cmocka_unit_test(a_changed_definition_comes_first),
        cmocka_unit_test(the_same_case_on_another_host_is_the_code),
        cmocka_unit_test(a_whole_host_is_the_machine),
        cmocka_unit_test(a_whole_host_without_a_peer_is_unknown),
        cmocka_unit_test(two_whole_hosts_are_the_code),
        cmocka_unit_test(the_control_names_the_machine),
        cmocka_unit_test(causes_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
