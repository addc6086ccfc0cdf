#include "why/doctor/doctor_support.h"

static void an_idle_machine_is_good(void **state)
{
    machine_write(*state, "/proc/loadavg", "0.02 0.01 0.00 1/80 99\n");
    machine_write(*state, "/proc/stat", "cpu  1 2 3 4\nprocs_running 1\n");
    machine_write(*state, "/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n");
    expect(*state, "other load", KG_FINDING_GOOD, "load 0.02 on 4 CPUs, 0 other tasks", NULL);
}

static void pressure_is_a_warning(void **state)
{
    machine_write(*state, "/proc/loadavg", "0.02 0.01 0.00 1/80 99\n");
    machine_write(*state, "/proc/pressure/cpu",
                  "some avg10=12.50 avg60=0.00 avg300=0.00 total=1\n");
    expect(*state, "other load", KG_FINDING_WARNING, "CPU pressure 12.5 %", "ps -eo");
}

static void a_load_of_half_the_cpus_is_a_warning(void **state)
{
    machine_write(*state, "/proc/loadavg", "2.00 0.01 0.00 1/80 99\n");
    expect(*state, "other load", KG_FINDING_WARNING, "load 2.00", "ps -eo");
}

static void another_runnable_task_is_a_note(void **state)
{
    machine_write(*state, "/proc/loadavg", "0.02 0.01 0.00 1/80 99\n");
    machine_write(*state, "/proc/stat", "cpu  1 2 3 4\nprocs_running 2\n");
    expect(*state, "other load", KG_FINDING_NOTE, "1 other task runnable", "ps -eo");
}

static void no_load_average_is_a_note(void **state)
{
    expect(*state, "other load", KG_FINDING_NOTE, "cannot read /proc/loadavg", NULL);
}

static void garbage_for_load_is_a_note(void **state)
{
    machine_write(*state, "/proc/loadavg", "nan inf -1\n");
    expect(*state, "other load", KG_FINDING_NOTE, "understand 'nan inf -1'", NULL);
}

static void steal(struct machine *machine, const char *before, const char *after)
{
    machine_write(machine, "/proc/stat", before);
    const struct kg_cpu_times first = kg_cpu_times_read(machine->root);
    machine_write(machine, "/proc/stat", after);
    const struct kg_cpu_times second = kg_cpu_times_read(machine->root);
    kg_doctor_steal(&first, &second, &machine->findings);
}

static void stolen_time_is_the_share_between_two_readings(void **state)
{
    struct machine *machine = *state;
    steal(machine, "cpu  100 0 0 800 0 0 0 100 0 0\n", "cpu  150 0 0 840 0 0 0 110 50 0\n");
    expect_of(&machine->findings, "steal time", KG_FINDING_WARNING, "10.00 % of CPU time",
              "use a host with dedicated CPUs");
}

static void no_stolen_time_is_good(void **state)
{
    struct machine *machine = *state;
    steal(machine, "cpu  100 0 0 800 0 0 0 7 0 0\n", "cpu  900 0 0 900 0 0 0 7 0 0\n");
    expect_of(&machine->findings, "steal time", KG_FINDING_GOOD, "0.00 %", NULL);
}

static void times_that_stand_still_or_run_back_are_no_finding(void **state)
{
    struct machine *machine = *state;
    steal(machine, "cpu  100 0 0 800 0 0 0 7 0 0\n", "cpu  100 0 0 800 0 0 0 7 0 0\n");
    steal(machine, "cpu  100 0 0 800 0 0 0 7 0 0\n", "cpu  900 0 0 800 0 0 0 6 0 0\n");
    steal(machine, "cpu  one two\n", "no such thing\n");
    assert_int_equal(machine->findings.count, 0);
}

static void swap_in_use_is_a_note(void **state)
{
    machine_write(
        *state, "/proc/meminfo",
        "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\nSwapTotal: 4096 kB\nSwapFree: 1024 kB\n");
    expect(*state, "memory", KG_FINDING_NOTE, "4096 of 8192 MiB available, 3 MiB swapped",
           "swapoff");
}

static void little_memory_is_a_warning(void **state)
{
    machine_write(*state, "/proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 700000 kB\n");
    expect(*state, "memory", KG_FINDING_WARNING, "684 of 8192 MiB",
           "stop programs that use much memory");
}

static void enough_memory_without_swap_is_good(void **state)
{
    machine_write(*state, "/proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n");
    expect(*state, "memory", KG_FINDING_GOOD, "0 MiB swapped", NULL);
}

static void garbage_for_memory_is_a_note(void **state)
{
    machine_write(*state, "/proc/meminfo", "MemTotal: much\n");
    expect(*state, "memory", KG_FINDING_NOTE, "unknown", NULL);
}

static void huge_pages_are_judged_by_the_word_in_brackets(void **state)
{
    static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    static const struct {
        const char *content;
        enum kg_finding_level level;
        const char *found;
        const char *remedy;
    } cases[] = {
        {"[always] madvise never\n", KG_FINDING_NOTE, "always", "echo madvise"},
        {"always [madvise] never\n", KG_FINDING_GOOD, "madvise", NULL},
        {"always madvise [never]\n", KG_FINDING_GOOD, "never", NULL},
        {"sometimes\n", KG_FINDING_NOTE, "'sometimes'", NULL},
    };
    struct machine *machine = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        machine->findings = (struct kg_findings){.arena = &machine->arena};
        machine_write(machine, path, cases[i].content);
        expect(machine, "huge pages", cases[i].level, cases[i].found, cases[i].remedy);
    }
}

static void counters_that_open_are_good(void **state)
{
    machine_write(*state, "/proc/sys/kernel/perf_event_paranoid", "2\n");
    expect(*state, "counters", KG_FINDING_GOOD, "(perf_event_paranoid is 2)", NULL);
}

static void forbidden_counters_name_the_setting(void **state)
{
    struct machine *machine = *state;
    machine->counters_errno = EACCES;
    machine_write(machine, "/proc/sys/kernel/perf_event_paranoid", "4\n");
    expect(machine, "counters", KG_FINDING_NOTE,
           "no permission to count instructions (perf_event_paranoid is 4)",
           "sysctl kernel.perf_event_paranoid=2");
}

static void a_machine_without_counters_is_distinguished(void **state)
{
    struct machine *machine = *state;
    machine->counters_errno = ENOENT;
    expect(machine, "counters", KG_FINDING_NOTE, "no instruction counter", "valgrind");
}

static void any_other_refusal_of_counters_is_noted(void **state)
{
    struct machine *machine = *state;
    machine->counters_errno = ENOSYS;
    expect(machine, "counters", KG_FINDING_NOTE, strerror(ENOSYS), NULL);
}

static void valgrind_is_found_on_the_path(void **state)
{
    struct machine *machine = *state;
    char path[512];
    machine_write(machine, "/usr/bin/valgrind", "#!/bin/sh\n");
    snprintf(path, sizeof path, "%s/usr/bin/valgrind", machine->root);
    assert_int_equal(chmod(path, 0755), 0);
    expect(machine, "valgrind", KG_FINDING_GOOD, "installed", NULL);
}

static void valgrind_that_is_not_there_is_a_note(void **state)
{
    expect(*state, "valgrind", KG_FINDING_NOTE, "not installed", "install valgrind");
}

static void no_control_groups_mean_no_quota(void **state)
{
    expect(*state, "CPU quota", KG_FINDING_GOOD, "none", NULL);
}

static void a_quota_of_version_2_is_found_above_the_own_group(void **state)
{
    machine_write(*state, "/proc/self/cgroup", "0::/jobs/job7\n");
    machine_write(*state, "/sys/fs/cgroup/jobs/job7/cpu.max", "max 100000\n");
    machine_write(*state, "/sys/fs/cgroup/jobs/cpu.max", "150000 100000\n");
    machine_write(*state, "/sys/fs/cgroup/jobs/cpu.stat", "nr_periods 50\nnr_throttled 7\n");
    expect(*state, "CPU quota", KG_FINDING_WARNING,
           "1.5 CPUs per period of 100 ms, on 4 CPUs; throttled in 7 of 50 periods", "cpuset");
}

static void a_container_sees_its_quota_at_the_mount(void **state)
{
    machine_write(*state, "/proc/self/cgroup", "0::/../../elsewhere\n");
    machine_write(*state, "/sys/fs/cgroup/cpu.max", "50000 100000\n");
    expect(*state, "CPU quota", KG_FINDING_WARNING, "0.5 CPUs", "cpuset");
}

static void a_quota_of_version_1_is_found_by_its_controller(void **state)
{
    machine_write(*state, "/proc/self/cgroup", "5:cpuset:/x\n4:cpu,cpuacct:/docker/abc\n0::/\n");
    machine_write(*state, "/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "200000\n");
    machine_write(*state, "/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "50000\n");
    machine_write(*state, "/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.stat",
                  "nr_periods 9\nnr_throttled 0");
    expect(*state, "CPU quota", KG_FINDING_NOTE, "4 CPUs per period of 50 ms", "cpuset");
}

static void minus_one_in_version_1_is_no_quota(void **state)
{
    machine_write(*state, "/proc/self/cgroup", "1:cpu:/\n");
    machine_write(*state, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    machine_write(*state, "/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    expect(*state, "CPU quota", KG_FINDING_GOOD, "none", NULL);
}

static void the_tightest_quota_counts(void **state)
{
    machine_write(*state, "/proc/self/cgroup", "0::/a/b\n");
    machine_write(*state, "/sys/fs/cgroup/a/b/cpu.max", "300000 100000\n");
    machine_write(*state, "/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
    expect(*state, "CPU quota", KG_FINDING_WARNING, "2 CPUs per period", "cpuset");
}

static void garbage_for_a_quota_is_a_note(void **state)
{
    machine_write(*state, "/sys/fs/cgroup/cpu.max", "plenty\n");
    expect(*state, "CPU quota", KG_FINDING_NOTE, "/sys/fs/cgroup/cpu.max", NULL);
}

static void a_quota_that_cannot_be_read_is_a_note(void **state)
{
    refuses(*state, "/sys/fs/cgroup/cpu.max");
    expect(*state, "CPU quota", KG_FINDING_NOTE, strerror(EISDIR), NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_idle_machine_is_good),
        TEST(pressure_is_a_warning),
        TEST(a_load_of_half_the_cpus_is_a_warning),
        TEST(another_runnable_task_is_a_note),
        TEST(no_load_average_is_a_note),
        TEST(garbage_for_load_is_a_note),
        TEST(stolen_time_is_the_share_between_two_readings),
        TEST(no_stolen_time_is_good),
        TEST(times_that_stand_still_or_run_back_are_no_finding),
        TEST(swap_in_use_is_a_note),
        TEST(little_memory_is_a_warning),
        TEST(enough_memory_without_swap_is_good),
        TEST(garbage_for_memory_is_a_note),
        TEST(huge_pages_are_judged_by_the_word_in_brackets),
        TEST(counters_that_open_are_good),
        TEST(forbidden_counters_name_the_setting),
        TEST(a_machine_without_counters_is_distinguished),
        TEST(any_other_refusal_of_counters_is_noted),
        TEST(valgrind_is_found_on_the_path),
        TEST(valgrind_that_is_not_there_is_a_note),
        TEST(no_control_groups_mean_no_quota),
        TEST(a_quota_of_version_2_is_found_above_the_own_group),
        TEST(a_container_sees_its_quota_at_the_mount),
        TEST(a_quota_of_version_1_is_found_by_its_controller),
        TEST(minus_one_in_version_1_is_no_quota),
        TEST(the_tightest_quota_counts),
        TEST(garbage_for_a_quota_is_a_note),
        TEST(a_quota_that_cannot_be_read_is_a_note),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
