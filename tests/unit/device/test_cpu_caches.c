#include "device/cpu_caches.h"
#include "device/sysfs.h"
#include "why/doctor/doctor_support.h"

/* Writes one cache of one CPU in the kernel's format. */
static void cache_write(const struct machine *machine, int cpu, int index, const char *level,
                        const char *type, const char *size, const char *shared)
{
    const char *const names[] = {"level", "type", "size", "shared_cpu_list"};
    const char *const values[] = {level, type, size, shared};
    char path[128];
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, CPU "/cpu%d/cache/index%d/%s", cpu, index, names[i]);
        machine_write(machine, path, values[i]);
    }
}

/* Four CPUs of two cores, each with its caches, under one last level. */
static void two_cores_write(const struct machine *machine)
{
    for (int cpu = 0; cpu < 4; cpu++) {
        const char *core = cpu % 2 ? "1,3\n" : "0,2\n";
        cache_write(machine, cpu, 0, "1\n", "Data\n", "48K\n", core);
        cache_write(machine, cpu, 1, "1\n", "Instruction\n", "32K\n", core);
        cache_write(machine, cpu, 2, "2\n", "Unified\n", "2M\n", core);
        cache_write(machine, cpu, 3, "3\n", "Unified\n", "32768K\n", "0-3\n");
    }
}

static struct kg_cpu_caches caches_of(const struct machine *machine, const char *cpus)
{
    struct kg_cpu_caches caches;
    cpu_set_t set;
    assert_true(kg_cpu_list_parse(cpus, &set));
    kg_cpu_caches_read(machine->root, &set, &caches);
    return caches;
}

static void assert_cache(const struct kg_cpu_caches *caches, enum kg_cache_level level,
                         double bytes, double count)
{
    const struct kg_cpu_cache *cache = &caches->levels[level];
    if (!(cache->bytes == bytes) || !(cache->count == count))
        fail_msg("%s is %g of %g bytes, not %g of %g", kg_level_names[level], cache->count,
                 cache->bytes, count, bytes);
}

static void caches_that_cpus_share_are_counted_once(void **state)
{
    two_cores_write(*state);
    const struct kg_cpu_caches caches = caches_of(*state, "0-3");
    assert_cache(&caches, KG_LEVEL_L1, 48 << 10, 2);
    assert_cache(&caches, KG_LEVEL_L2, 2 << 20, 2);
    assert_cache(&caches, KG_LEVEL_L3, 32 << 20, 1);
}

static void two_cpus_of_two_cores_are_apart(void **state)
{
    two_cores_write(*state);
    const struct kg_cpu_caches all = caches_of(*state, "0-3"), some = caches_of(*state, "2-3");
    assert_true(all.apart[0] == 0 && all.apart[1] == 1);
    assert_true(some.apart[0] == 2 && some.apart[1] == 3);
}

static void cpus_of_one_core_are_not_apart_and_have_one_of_each(void **state)
{
    two_cores_write(*state);
    const struct kg_cpu_caches caches = caches_of(*state, "1,3");
    assert_cache(&caches, KG_LEVEL_L1, 48 << 10, 1);
    assert_cache(&caches, KG_LEVEL_L3, 32 << 20, 1);
    assert_true(caches.apart[0] == -1 && caches.apart[1] == -1);
}

static void a_level_that_is_not_there_is_not_known(void **state)
{
    cache_write(*state, 0, 0, "1\n", "Data\n", "32K\n", "0\n");
    const struct kg_cpu_caches caches = caches_of(*state, "0");
    assert_cache(&caches, KG_LEVEL_L1, 32 << 10, 1);
    assert_true(isnan(caches.levels[KG_LEVEL_L2].bytes) && isnan(caches.levels[KG_LEVEL_L3].count));
}

static void what_makes_no_sense_is_not_known(void **state)
{
    static const char *const sizes[] = {"K\n", "-4K\n", "0K\n", "4X\n", "inf\n", "\n"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        cache_write(*state, 0, 0, "1\n", "Data\n", sizes[i], "0\n");
        cache_write(*state, 0, 1, "9\n", "Unified\n", "1M\n", "0\n");
        cache_write(*state, 0, 2, "2\n", "Unified\n", "1M\n", "zero\n");
        const struct kg_cpu_caches caches = caches_of(*state, "0");
        if (!isnan(caches.levels[KG_LEVEL_L1].bytes))
            fail_msg("%s is %g", sizes[i], caches.levels[KG_LEVEL_L1].bytes);
        assert_true(isnan(caches.levels[KG_LEVEL_L2].bytes));
    }
}

static void this_machine_has_caches_that_grow(void **state)
{
    struct kg_cpu_caches caches;
    cpu_set_t set;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    kg_cpu_caches_read("", &set, &caches);
    const double l1 = caches.levels[KG_LEVEL_L1].bytes, l2 = caches.levels[KG_LEVEL_L2].bytes;
    if (isnan(l1) || isnan(l2))
        skip();
    assert_true(l1 >= 4096 && l2 > l1);
    assert_true(caches.levels[KG_LEVEL_L1].count <= CPU_COUNT(&set));
}

#define OF_FILES(test) cmocka_unit_test_setup_teardown(test, machine_make, machine_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF_FILES(caches_that_cpus_share_are_counted_once),
        OF_FILES(two_cpus_of_two_cores_are_apart),
        OF_FILES(cpus_of_one_core_are_not_apart_and_have_one_of_each),
        OF_FILES(a_level_that_is_not_there_is_not_known),
        OF_FILES(what_makes_no_sense_is_not_known),
        cmocka_unit_test(this_machine_has_caches_that_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
