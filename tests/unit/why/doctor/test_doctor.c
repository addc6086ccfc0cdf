#include "device/sysfs.h"
#include "why/doctor/doctor_support.h"

static void an_empty_machine_gives_no_warning(void **state)
{
    struct machine *machine = *state;
    inspect(machine);
    for (size_t i = 0; i < machine->findings.count; i++)
        if (machine->findings.items[i].level == KG_FINDING_WARNING)
            fail_msg("warned of '%s'", machine->findings.items[i].topic);
    assert_true(machine->findings.count > 0);
}

static void every_topic_is_found_once(void **state)
{
    struct machine *machine = *state;
    inspect(machine);
    for (size_t i = 0; i < machine->findings.count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(machine->findings.items[i].topic,
                                    machine->findings.items[j].topic);
}

static void lists_of_cpus_are_read_and_written_alike(void **state)
{
    static const char *const good[] = {"", "0", "0-3", "0,2-3,1023"};
    static const char *const bad[] = {"x", "1-", "3-1", "1,,2", "-1", "1;2", "1 2"};
    char text[KG_TREE_LINE];
    cpu_set_t set;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!kg_cpu_list_parse(good[i], &set))
            fail_msg("'%s' was refused", good[i]);
        kg_cpu_list_format(&set, text);
        assert_string_equal(text, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (kg_cpu_list_parse(bad[i], &set))
            fail_msg("'%s' was taken", bad[i]);
    assert_true(kg_cpu_list_parse("4000-4294967295", &set));
    assert_int_equal(CPU_COUNT(&set), 0);
}

static void a_long_list_of_cpus_is_cut(void **state)
{
    char text[KG_TREE_LINE];
    cpu_set_t set;
    CPU_ZERO(&set);
    for (size_t i = 0; i < CPU_SETSIZE; i += 2)
        CPU_SET(i, &set);
    kg_cpu_list_format(&set, text);
    assert_true(strlen(text) < sizeof text);
    assert_non_null(strstr(text, ",..."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EMPTY(an_empty_machine_gives_no_warning),
        TEST(every_topic_is_found_once),
        cmocka_unit_test(lists_of_cpus_are_read_and_written_alike),
        cmocka_unit_test(a_long_list_of_cpus_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
