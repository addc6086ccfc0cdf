#include "why/doctor/doctor_support.h"

static void governor_of_all_cpus_performance_is_good(void **state)
{
    machine_write(*state, CPU "/cpu0/cpufreq/scaling_governor", "performance\n");
    machine_write(*state, CPU "/cpu3/cpufreq/scaling_governor", "performance\n");
    expect(*state, "frequency governor", KG_FINDING_GOOD, "performance on 2 CPUs", NULL);
}

static void one_cpu_of_another_governor_is_named(void **state)
{
    machine_write(*state, CPU "/cpu0/cpufreq/scaling_governor", "performance\n");
    machine_write(*state, CPU "/cpu2/cpufreq/scaling_governor", "schedutil\n");
    expect(*state, "frequency governor", KG_FINDING_WARNING,
           "'schedutil' on 1 of 2 CPUs, first CPU 2", "cpupower frequency-set");
}

static void governor_of_a_cpu_that_is_not_allowed_does_not_matter(void **state)
{
    machine_write(*state, "/proc/self/status", "Cpus_allowed_list:\t1\n");
    machine_write(*state, CPU "/cpu0/cpufreq/scaling_governor", "powersave\n");
    machine_write(*state, CPU "/cpu1/cpufreq/scaling_governor", "performance\n");
    expect(*state, "frequency governor", KG_FINDING_GOOD, "performance on 1 CPU", NULL);
}

static void no_governor_is_a_note(void **state)
{
    expect(*state, "frequency governor", KG_FINDING_NOTE, "no governor", NULL);
}

static void governor_that_cannot_be_read_is_a_note_with_the_reason(void **state)
{
    refuses(*state, CPU "/cpu0/cpufreq/scaling_governor");
    expect(*state, "frequency governor", KG_FINDING_NOTE, strerror(EISDIR), NULL);
}

static void governor_without_permission_is_a_note(void **state)
{
    struct machine *machine = *state;
    char path[512];
    if (geteuid() == 0)
        skip(); /* root reads everything */
    machine_write(machine, CPU "/cpu0/cpufreq/scaling_governor", "powersave\n");
    snprintf(path, sizeof path, "%s" CPU "/cpu0/cpufreq/scaling_governor", machine->root);
    assert_int_equal(chmod(path, 0), 0);
    expect(machine, "frequency governor", KG_FINDING_NOTE, strerror(EACCES), NULL);
}

static void governor_of_control_characters_is_made_printable(void **state)
{
    machine_write(*state, CPU "/cpu0/cpufreq/scaling_governor", "\x1b[31mevil\xff\n");
    expect(*state, "frequency governor", KG_FINDING_WARNING, "'?[31mevil?'", "cpupower");
}

static void intel_turbo_on_is_a_warning(void **state)
{
    machine_write(*state, CPU "/intel_pstate/no_turbo", "0\n");
    expect(*state, "boost", KG_FINDING_WARNING, "on", "no_turbo");
}

static void intel_turbo_off_is_good(void **state)
{
    machine_write(*state, CPU "/intel_pstate/no_turbo", "1\n");
    expect(*state, "boost", KG_FINDING_GOOD, "off", NULL);
}

static void amd_boost_on_is_a_warning(void **state)
{
    machine_write(*state, CPU "/cpufreq/boost", "1\n");
    expect(*state, "boost", KG_FINDING_WARNING, "on", "cpufreq/boost");
}

static void garbage_for_boost_is_a_note(void **state)
{
    machine_write(*state, CPU "/cpufreq/boost", "perhaps\n");
    expect(*state, "boost", KG_FINDING_NOTE, "understand 'perhaps'", NULL);
}

static void no_boost_control_is_no_finding(void **state)
{
    expect_nothing(*state, "boost");
}

static void smt_on_gives_one_thread_of_each_core(void **state)
{
    machine_write(*state, CPU "/smt/active", "1\n");
    machine_write(*state, CPU "/cpu0/topology/thread_siblings_list", "0,2\n");
    machine_write(*state, CPU "/cpu1/topology/thread_siblings_list", "1,3\n");
    machine_write(*state, CPU "/cpu2/topology/thread_siblings_list", "0,2\n");
    machine_write(*state, CPU "/cpu3/topology/thread_siblings_list", "1,3\n");
    expect(*state, "SMT", KG_FINDING_NOTE, "on", "taskset -c 0-1 kgate");
}

static void smt_off_is_good(void **state)
{
    machine_write(*state, CPU "/smt/active", "0\n");
    expect(*state, "SMT", KG_FINDING_GOOD, "off", NULL);
}

static void an_empty_file_for_smt_is_a_note(void **state)
{
    machine_write(*state, CPU "/smt/active", "");
    expect(*state, "SMT", KG_FINDING_NOTE, "has no value", NULL);
}

static void all_cpus_allowed_and_none_isolated_is_a_note(void **state)
{
    machine_write(*state, CPU "/isolated", "\n");
    expect(*state, "pinning", KG_FINDING_NOTE, "CPUs 0-3 are allowed, none is isolated",
           "isolcpus");
}

static void isolated_cpus_that_are_not_used_are_named(void **state)
{
    machine_write(*state, CPU "/isolated", "2-3\n");
    machine_write(*state, "/proc/self/status", "Cpus_allowed_list:\t0-1\n");
    expect(*state, "pinning", KG_FINDING_NOTE, "CPUs 2-3 are isolated", "taskset -c 2-3 kgate");
}

static void being_on_isolated_cpus_is_good(void **state)
{
    machine_write(*state, CPU "/isolated", "2-3\n");
    machine_write(*state, "/proc/self/status", "Cpus_allowed_list:\t3\n");
    expect(*state, "pinning", KG_FINDING_GOOD, "isolated CPUs: 3", NULL);
}

static void a_single_cpu_is_a_warning(void **state)
{
    machine_write(*state, "/proc/self/status", "Cpus_allowed_list:\t1\n");
    expect(*state, "pinning", KG_FINDING_WARNING, "only CPU 1", "second CPU");
}

static void a_part_of_the_cpus_is_good(void **state)
{
    machine_write(*state, "/proc/self/status", "Cpus_allowed_list:\t0,2-3\n");
    expect(*state, "pinning", KG_FINDING_GOOD, "CPUs 0,2-3 of 4", NULL);
}

static void garbage_for_allowed_cpus_counts_as_all(void **state)
{
    machine_write(*state, "/proc/self/status", "Cpus_allowed_list:\t3-1,x\n");
    expect(*state, "pinning", KG_FINDING_NOTE, "CPUs 0-3", "isolcpus");
}

static void cpus_of_two_nodes_are_a_warning(void **state)
{
    machine_write(*state, NODE "/has_memory", "0-1\n");
    machine_write(*state, NODE "/node0/cpulist", "0-1\n");
    machine_write(*state, NODE "/node1/cpulist", "2-3\n");
    expect(*state, "NUMA", KG_FINDING_WARNING, "2 memory nodes", "numactl");
}

static void cpus_of_one_of_two_nodes_are_good(void **state)
{
    machine_write(*state, "/proc/self/status", "Cpus_allowed_list:\t2-3\n");
    machine_write(*state, NODE "/has_memory", "0-1\n");
    machine_write(*state, NODE "/node0/cpulist", "0-1\n");
    machine_write(*state, NODE "/node1/cpulist", "2-3\n");
    expect(*state, "NUMA", KG_FINDING_GOOD, "node 1 of 2", NULL);
}

static void one_node_is_good(void **state)
{
    machine_write(*state, NODE "/has_memory", "0\n");
    expect(*state, "NUMA", KG_FINDING_GOOD, "one memory node", NULL);
}

static void garbage_for_nodes_is_a_note(void **state)
{
    machine_write(*state, NODE "/has_memory", "zero\n");
    expect(*state, "NUMA", KG_FINDING_NOTE, "'zero'", NULL);
}

static void hypervisor_flag_is_a_note_with_the_vendor(void **state)
{
    machine_write(*state, "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor sse\n");
    machine_write(*state, "/sys/class/dmi/id/sys_vendor", "QEMU\n");
    expect(*state, "virtual machine", KG_FINDING_NOTE, "QEMU: ", "kgate ab");
}

static void no_hypervisor_flag_is_good(void **state)
{
    machine_write(*state, "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu sse\n");
    expect(*state, "virtual machine", KG_FINDING_GOOD, "none found", NULL);
}

static void hypervisor_type_needs_no_flag(void **state)
{
    machine_write(*state, "/sys/hypervisor/type", "xen\n");
    expect(*state, "virtual machine", KG_FINDING_NOTE, "xen: ", "kgate ab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(governor_of_all_cpus_performance_is_good),
        TEST(one_cpu_of_another_governor_is_named),
        TEST(governor_of_a_cpu_that_is_not_allowed_does_not_matter),
        TEST(no_governor_is_a_note),
        TEST(governor_that_cannot_be_read_is_a_note_with_the_reason),
        TEST(governor_without_permission_is_a_note),
        TEST(governor_of_control_characters_is_made_printable),
        TEST(intel_turbo_on_is_a_warning),
        TEST(intel_turbo_off_is_good),
        TEST(amd_boost_on_is_a_warning),
        TEST(garbage_for_boost_is_a_note),
        TEST(no_boost_control_is_no_finding),
        TEST(smt_on_gives_one_thread_of_each_core),
        TEST(smt_off_is_good),
        TEST(an_empty_file_for_smt_is_a_note),
        TEST(all_cpus_allowed_and_none_isolated_is_a_note),
        TEST(isolated_cpus_that_are_not_used_are_named),
        TEST(being_on_isolated_cpus_is_good),
        TEST(a_single_cpu_is_a_warning),
        TEST(a_part_of_the_cpus_is_good),
        TEST(garbage_for_allowed_cpus_counts_as_all),
        TEST(cpus_of_two_nodes_are_a_warning),
        TEST(cpus_of_one_of_two_nodes_are_good),
        TEST(one_node_is_good),
        TEST(garbage_for_nodes_is_a_note),
        TEST(hypervisor_flag_is_a_note_with_the_vendor),
        TEST(no_hypervisor_flag_is_good),
        TEST(hypervisor_type_needs_no_flag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
