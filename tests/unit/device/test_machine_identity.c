#include "device/machine.h"
#include "test_support.h"

static struct kg_arena arena;

/* A file below a folder, with its folders. */
static void file_put(const char *folder, const char *path, const char *text)
{
    char whole[256], command[300];
    snprintf(whole, sizeof whole, "%s%s", folder, path);
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", whole);
    assert_int_equal(system(command), 0);
    support_file(whole, text, strlen(text));
}

static struct kg_machine identify(const char *folder)
{
    struct kg_machine machine = {.kernel = "Linux 6.1.0", .governor = "performance"};
    kg_machine_identify(&arena, folder, &machine);
    return machine;
}

static void host_and_boot_are_hashes_of_their_ids(void **state)
{
    const char *folder = support_folder();
    (void)state;
    file_put(folder, "/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
    file_put(folder, "/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
    file_put(folder, "/proc/cpuinfo", "processor\t: 0\nmicrocode\t: 0xa201025\n");
    file_put(folder, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "3500000\n");
    const struct kg_machine machine = identify(folder);
    /* printf kgate0123456789abcdef0123456789abcdef | sha256sum */
    assert_string_equal(machine.host, "bf8f52e86eb5c9d7");
    assert_string_equal(machine.boot, "3c22d7c3");
    assert_string_equal(machine.microcode, "0xa201025");
    assert_int_equal(machine.clock_limit_hz, 3500000000);
    assert_int_equal(strlen(machine.epoch), 8);
    support_remove(folder);
}

static void unknown_facts_stay_unknown(void **state)
{
    const char *folder = support_folder();
    (void)state;
    const struct kg_machine machine = identify(folder);
    assert_int_equal(strlen(machine.host), 16); /* of the host's name */
    assert_null(machine.boot);
    assert_null(machine.microcode);
    assert_int_equal(machine.clock_limit_hz, 0);
    file_put(folder, "/etc/machine-id", "uninitialized\n");
    assert_string_equal(identify(folder).host, machine.host);
    support_remove(folder);
}

static void epoch_changes_with_each_of_its_facts(void **state)
{
    const char *folder = support_folder();
    (void)state;
    const struct kg_machine before = identify(folder);
    assert_string_equal(identify(folder).epoch, before.epoch);
    struct kg_machine other = {.kernel = "Linux 6.1.1", .governor = "performance"};
    kg_machine_identify(&arena, folder, &other);
    assert_string_not_equal(other.epoch, before.epoch);
    other = (struct kg_machine){
        .kernel = "Linux 6.1.0", .governor = "performance", .nvidia_driver = "580.65.06"};
    kg_machine_identify(&arena, folder, &other);
    assert_string_not_equal(other.epoch, before.epoch);
    other = (struct kg_machine){.kernel = "Linux 6.1.0", .governor = "powersave"};
    kg_machine_identify(&arena, folder, &other);
    assert_string_not_equal(other.epoch, before.epoch);
    file_put(folder, "/proc/cpuinfo", "microcode\t: 0x1\n");
    assert_string_not_equal(identify(folder).epoch, before.epoch);
    support_remove(folder);
}

static int arena_free(void **state)
{
    (void)state;
    kg_arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(host_and_boot_are_hashes_of_their_ids, arena_free),
        cmocka_unit_test_teardown(unknown_facts_stay_unknown, arena_free),
        cmocka_unit_test_teardown(epoch_changes_with_each_of_its_facts, arena_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
