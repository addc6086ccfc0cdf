/* The energy counters of CPU packages, in a tree laid out as /sys is. */
#include "run/worker/worker_state.h"
#include "test_support.h"

#include <sys/stat.h>

static char root[] = "/tmp/kgate-readings-XXXXXX";

static void put(int number, const char *file, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/sys/class/powercap/intel-rapl:%d/%s", root, number, file);
    FILE *out = fopen(path, "we");
    assert_non_null(out);
    fprintf(out, "%s\n", text);
    fclose(out);
}

static void domain(int number, const char *name, const char *energy_uj)
{
    char command[256];
    snprintf(command, sizeof command, "mkdir -p '%s/sys/class/powercap/intel-rapl:%d'", root,
             number);
    assert_int_equal(system(command), 0);
    put(number, "name", name);
    put(number, "max_energy_range_uj", "1000000000");
    put(number, "energy_uj", energy_uj);
}

static int begin(void **state)
{
    strcpy(root + strlen(root) - 6, "XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
    support_remove(root);
    return 0;
}

static void packages_are_summed_and_their_parts_are_not(void **state)
{
    struct kg_powercap powercap;
    char why[KG_READING_WHY];
    domain(0, "package-0", "100000000");
    domain(1, "package-1", "200000000");
    domain(2, "psys", "900000000");
    assert_true(kg_powercap_open(root, &powercap, why));
    assert_int_equal(powercap.packages, 2);
    put(0, "energy_uj", "103000000");
    put(1, "energy_uj", "204000000");
    put(2, "energy_uj", "950000000");
    assert_true(fabs(kg_powercap_read(&powercap) - 7) < 1e-9);
    assert_true(fabs(kg_powercap_read(&powercap) - 7) < 1e-9);
}

static void a_counter_that_wraps_loses_nothing(void **state)
{
    struct kg_powercap powercap;
    char why[KG_READING_WHY];
    domain(0, "package-0", "999000000");
    assert_true(kg_powercap_open(root, &powercap, why));
    put(0, "energy_uj", "2000000");
    assert_true(fabs(kg_powercap_read(&powercap) - 3) < 1e-6);
}

static void a_machine_without_counters_notes_it_in_a_sentence(void **state)
{
    struct kg_powercap powercap;
    char why[KG_READING_WHY];
    assert_false(kg_powercap_open(root, &powercap, why));
    assert_string_equal(why,
                        "energy is not known: /sys/class/powercap has no counter of a CPU package");
}

static void a_counter_that_cannot_be_read_is_named(void **state)
{
    struct kg_powercap powercap;
    char why[KG_READING_WHY];
    domain(0, "package-0", "");
    assert_false(kg_powercap_open(root, &powercap, why));
    assert_non_null(strstr(why, "may not read /sys/class/powercap/intel-rapl:0/energy_uj"));
}

static void a_counter_that_is_gone_gives_no_figure(void **state)
{
    struct kg_powercap powercap;
    char why[KG_READING_WHY];
    domain(0, "package-0", "1000000");
    assert_true(kg_powercap_open(root, &powercap, why));
    put(0, "energy_uj", "");
    assert_true(isnan(kg_powercap_read(&powercap)));
}

static void every_metric_has_all_of_its_row(void **state)
{
    for (int kind = 0; kind < KG_METRIC_KINDS; kind++) {
        const struct kg_metric_row *row = &kg_metric_rows[kind];
        assert_int_equal(kg_metric_kind_find(kg_metric_kind_names[kind]), kind);
        assert_non_null(row->threshold_key);
        assert_int_equal(row->origin == KG_ORIGIN_FIELD, row->round_field != NULL);
    }
}

static void a_counter_that_stood_still_asks_for_longer_rounds(void **state)
{
    static struct kg_worker worker;
    static const double reader; /* only its presence matters */
    struct kg_round round = {.calls = 3};
    (void)state;
    worker.response.rounds = &round;
    worker.readings.tallies[0].reader = (const void *)&reader;
    worker.readings.count = 1;
    kg_readings_collect(&worker);
    assert_non_null(strstr(worker.response.readings[0].reason, "raise `min_time`"));
    worker.request.iterations = 3;
    worker.response.reading_count = 0;
    kg_readings_collect(&worker);
    assert_non_null(strstr(worker.response.readings[0].reason, "raise `iterations`"));
    kg_arena_free(&worker.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(packages_are_summed_and_their_parts_are_not, begin, end),
        cmocka_unit_test_setup_teardown(a_counter_that_wraps_loses_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_machine_without_counters_notes_it_in_a_sentence, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_counter_that_cannot_be_read_is_named, begin, end),
        cmocka_unit_test_setup_teardown(a_counter_that_is_gone_gives_no_figure, begin, end),
        cmocka_unit_test(every_metric_has_all_of_its_row),
        cmocka_unit_test(a_counter_that_stood_still_asks_for_longer_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
