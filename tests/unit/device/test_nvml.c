#include "device/nvml.h"
#include "test_support.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static const char *const settings[] = {
    "FAKE_NVML_DEVICES",     "FAKE_NVML_FAIL",         "FAKE_NVML_MIG",
    "FAKE_NVML_SM_MHZ",      "FAKE_NVML_MEMORY_MHZ",   "FAKE_NVML_POWER",
    "FAKE_NVML_TEMPERATURE", "FAKE_NVML_THROTTLE",     "FAKE_NVML_PROCESSES",
    "FAKE_NVML_UTILIZATION", "FAKE_NVML_ENERGY",       "FAKE_NVML_INSTANCE_PROCESSES",
    "FAKE_NVML_POWER_HELD",  "FAKE_NVML_THERMAL_HELD", "FAKE_NVML_POWER_LIMIT",
};

/* Closes and opens the library again, so that its counts start again. */
static struct kg_nvml opened(const char *name, const char *value)
{
    struct kg_nvml nvml;
    char why[160];
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        unsetenv(settings[i]);
    if (name)
        setenv(name, value, 1);
    assert_int_equal(kg_nvml_open(KGATE_FAKE_NVML, &nvml, why, sizeof why), KG_NVML_GOOD);
    return nvml;
}

static void telemetry_is_what_the_library_reports(void **state)
{
    struct kg_nvml_telemetry now;
    struct kg_nvml nvml = opened(NULL, NULL);
    (void)state;
    assert_true(kg_nvml_telemetry_read(&nvml, 0, &now));
    assert_int_equal(now.sm_mhz, 1980);
    assert_int_equal(now.memory_mhz, 2619);
    assert_int_equal(now.temperature_c, 45);
    assert_int_equal(now.power_mw, 120000);
    assert_int_equal(now.utilization_percent, 0);
    assert_int_equal(now.other_processes, 0);
    assert_int_equal(now.throttle, 0);
    assert_false(kg_nvml_telemetry_read(&nvml, 1, &now));
    assert_int_equal(now.sm_mhz, -1);
    kg_nvml_close(&nvml);
    assert_false(kg_nvml_telemetry_read(&nvml, 0, &now));
}

static void energy_is_a_growing_sum_or_unknown(void **state)
{
    struct kg_nvml nvml = opened(NULL, NULL);
    (void)state;
    const double before = kg_nvml_energy_read(&nvml, 0);
    assert_true(fabs(kg_nvml_energy_read(&nvml, 0) - before - 1) < 1e-9);
    assert_true(isnan(kg_nvml_energy_read(&nvml, 1)));
    kg_nvml_close(&nvml);
    assert_true(isnan(kg_nvml_energy_read(&nvml, 0)));
    nvml = opened("FAKE_NVML_ENERGY", "-");
    assert_true(isnan(kg_nvml_energy_read(&nvml, 0)));
    kg_nvml_close(&nvml);
}

static void figures_follow_the_device_from_call_to_call(void **state)
{
    static const char *const clocks = "1980,1200,900";
    struct kg_nvml_telemetry now;
    struct kg_nvml nvml = opened("FAKE_NVML_SM_MHZ", clocks);
    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_true(kg_nvml_telemetry_read(&nvml, 0, &now));
        assert_int_equal(now.sm_mhz, i == 0 ? 1980 : i == 1 ? 1200 : 900);
    }
    kg_nvml_close(&nvml);
}

static void figures_that_are_not_supported_are_unknown(void **state)
{
    struct kg_nvml_telemetry now;
    struct kg_nvml nvml = opened(NULL, NULL);
    (void)state;
    setenv("FAKE_NVML_POWER", "-", 1);
    setenv("FAKE_NVML_THROTTLE", "-", 1);
    setenv("FAKE_NVML_UTILIZATION", "-", 1);
    setenv("FAKE_NVML_PROCESSES", "-", 1);
    assert_true(kg_nvml_telemetry_read(&nvml, 0, &now));
    assert_int_equal(now.power_mw, -1);
    assert_int_equal(now.throttle, -1);
    assert_int_equal(now.utilization_percent, -1);
    assert_int_equal(now.other_processes, -1);
    assert_int_equal(now.temperature_c, 45);
    kg_nvml_close(&nvml);
}

static void only_what_holds_back_against_the_will_is_throttling(void **state)
{
    static const int64_t held[] = {KG_NVML_POWER_CAP,
                                   KG_NVML_SLOWDOWN,
                                   KG_NVML_SYNC_BOOST,
                                   KG_NVML_THERMAL_SOFTWARE,
                                   KG_NVML_THERMAL_HARDWARE,
                                   KG_NVML_POWER_BRAKE,
                                   KG_NVML_IDLE | KG_NVML_POWER_CAP};
    static const int64_t free_[] = {-1,
                                    0,
                                    KG_NVML_IDLE,
                                    KG_NVML_APPLICATION_CLOCKS,
                                    KG_NVML_DISPLAY_CLOCKS,
                                    KG_NVML_IDLE | KG_NVML_APPLICATION_CLOCKS,
                                    INT64_C(1) << 40};
    char words[192];
    (void)state;
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        kg_nvml_throttle_words(held[i], words, sizeof words);
        assert_true(kg_nvml_throttled(held[i]) && *words);
    }
    for (size_t i = 0; i < sizeof free_ / sizeof *free_; i++) {
        kg_nvml_throttle_words(free_[i], words, sizeof words);
        assert_true(!kg_nvml_throttled(free_[i]) && !*words);
    }
    kg_nvml_throttle_words(0x1ff, words, sizeof words);
    assert_non_null(strstr(words, "the power limit, a hardware slowdown"));
    char few[8];
    kg_nvml_throttle_words(0x1ff, few, sizeof few);
    assert_int_equal(strlen(few), sizeof few - 1);
}

static void throttling_is_read(void **state)
{
    struct kg_nvml_telemetry now;
    struct kg_nvml nvml = opened("FAKE_NVML_THROTTLE", "0x1,0x24");
    (void)state;
    assert_true(kg_nvml_telemetry_read(&nvml, 0, &now));
    assert_false(kg_nvml_throttled(now.throttle));
    assert_true(kg_nvml_telemetry_read(&nvml, 0, &now));
    assert_true(kg_nvml_throttled(now.throttle));
    kg_nvml_close(&nvml);
}

static void the_power_limit_and_throttled_times_are_read_or_unknown(void **state)
{
    struct kg_nvml_telemetry now;
    struct kg_nvml nvml = opened("FAKE_NVML_POWER_HELD", "1000,2500");
    (void)state;
    assert_true(kg_nvml_telemetry_read(&nvml, 0, &now));
    assert_int_equal(now.power_limit_mw, 700000);
    assert_true(now.power_held_ns == 1000 && isnan(now.thermal_held_ns));
    assert_true(kg_nvml_telemetry_read(&nvml, 0, &now));
    assert_true(now.power_held_ns == 2500);
    kg_nvml_close(&nvml);
}

/* Throttling between two readings, a second apart, with the throttled times of the later one. */
static int64_t between(int64_t bits, double power_ns, double thermal_ns)
{
    const struct kg_nvml_telemetry before = {.power_held_ns = 5e9, .thermal_held_ns = 7e9};
    const struct kg_nvml_telemetry after = {
        .throttle = bits, .power_held_ns = 5e9 + power_ns, .thermal_held_ns = 7e9 + thermal_ns};
    return kg_nvml_throttle_between(&before, &after, 1e9);
}

static void throttled_times_see_what_one_instant_does_not(void **state)
{
    (void)state;
    /* the device was idle at the end */
    assert_int_equal(between(KG_NVML_IDLE, 0.2e9, 0), KG_NVML_IDLE | KG_NVML_POWER_CAP);
    assert_int_equal(between(0, 0, 0.2e9), KG_NVML_THERMAL_SOFTWARE);
    assert_int_equal(between(KG_NVML_THERMAL_HARDWARE, 0, 0.2e9), KG_NVML_THERMAL_HARDWARE);
    assert_int_equal(between(-1, 0.2e9, 0), KG_NVML_POWER_CAP);
    /* an instant of a round that was not throttled */
    assert_int_equal(between(KG_NVML_POWER_CAP | KG_NVML_THERMAL_SOFTWARE, 1e6, 0), 0);
    /* other reasons have no times */
    assert_int_equal(between(KG_NVML_SYNC_BOOST | KG_NVML_POWER_BRAKE, 0, 0),
                     KG_NVML_SYNC_BOOST | KG_NVML_POWER_BRAKE);
    /* without times the instant counts */
    assert_int_equal(between(KG_NVML_POWER_CAP, NAN, NAN), KG_NVML_POWER_CAP);
    assert_int_equal(between(-1, NAN, NAN), -1);
}

static void a_device_is_found_by_its_uuid_or_that_of_its_instance(void **state)
{
    struct kg_nvml nvml = opened("FAKE_NVML_DEVICES", "3");
    size_t index = 99;
    (void)state;
    assert_true(kg_nvml_find(&nvml, "GPU-30313233-3435-3637-3839-3a3b3c3d3e3f", &index));
    assert_int_equal(index, 2);
    assert_true(kg_nvml_find(&nvml, "MIG-20212223-2425-2627-2829-2a2b2c2d2e2f", &index));
    assert_int_equal(index, 1);
    assert_false(kg_nvml_find(&nvml, "GPU-ffffffff-0000-0000-0000-000000000000", &index));
    assert_int_equal(index, 1);
    kg_nvml_close(&nvml);
    assert_false(kg_nvml_find(&nvml, "GPU-30313233-3435-3637-3839-3a3b3c3d3e3f", &index));
}

/* As a worker asks: a child of this process, which stands for kgate. */
static int others_with(const char *processes)
{
    struct kg_nvml_telemetry now;
    int status = 0;
    struct kg_nvml nvml = opened("FAKE_NVML_PROCESSES", processes);
    const pid_t worker = fork();
    assert_true(worker >= 0);
    if (worker == 0)
        _exit(kg_nvml_telemetry_read(&nvml, 0, &now) ? 1 + now.other_processes : 99);
    assert_int_equal(waitpid(worker, &status, 0), worker);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 99);
    kg_nvml_close(&nvml);
    return WEXITSTATUS(status) - 1;
}

/* A live process that is not this one's child: its parent ends. Its new parent may be an ancestor
 * of this process, but the process itself is none. */
static long stranger_start(void)
{
    int ends[2];
    long pid = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t between = fork();
    assert_true(between >= 0);
    if (between == 0) {
        const pid_t stranger = fork();
        if (stranger == 0) {
            alarm(60);
            for (;;)
                pause();
        }
        pid = (long)stranger;
        _exit(write(ends[1], &pid, sizeof pid) == sizeof pid ? 0 : 1);
    }
    assert_int_equal(read(ends[0], &pid, sizeof pid), sizeof pid);
    assert_int_equal(waitpid(between, NULL, 0), between);
    close(ends[0]);
    close(ends[1]);
    return pid;
}

static void processes_of_others_are_counted_and_own_ones_are_not(void **state)
{
    char list[64];
    const long stranger = stranger_start();
    (void)state;
    assert_int_equal(others_with(""), 0);
    snprintf(list, sizeof list, "%ld,%ld", (long)getpid(), (long)getppid());
    assert_int_equal(others_with(list), 0);
    snprintf(list, sizeof list, "%ld,%ld", (long)getpid(), stranger);
    assert_int_equal(others_with(list), 1);
    snprintf(list, sizeof list, "%d,%ld", INT32_MAX, stranger);
    assert_int_equal(others_with(list), 1);
    /* a number of another namespace can be our own process's there */
    snprintf(list, sizeof list, "%d", INT32_MAX);
    assert_int_equal(others_with(list), -1);
    kill((pid_t)stranger, SIGKILL);
}

static pid_t sleeper_start(const char *name)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_NAME, name);
        alarm(60);
        for (;;)
            pause();
    }
    return child;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void the_other_sides_worker_is_no_stranger(void **state)
{
    char list[64];
    const pid_t other_side = sleeper_start("kgate");
    (void)state;
    snprintf(list, sizeof list, "%ld", (long)other_side);
    assert_int_equal(others_with(list), 0);
    end(other_side);
}

static void the_server_of_mps_is_no_stranger(void **state)
{
    char list[64];
    int ends[2];
    pid_t server = 0;
    (void)state;
    /* beside this process, not below it */
    assert_int_equal(pipe(ends), 0);
    const pid_t between = fork();
    assert_true(between >= 0);
    if (between == 0) {
        server = sleeper_start("nvidia-cuda-mps-server");
        _exit(write(ends[1], &server, sizeof server) == sizeof server ? 0 : 1);
    }
    assert_int_equal(read(ends[0], &server, sizeof server), sizeof server);
    assert_int_equal(waitpid(between, NULL, 0), between);
    snprintf(list, sizeof list, "%ld", (long)server);
    int others = 1; /* until it has taken its name */
    for (int i = 0; i < 1000 && others; i++) {
        usleep(1000);
        others = others_with(list);
    }
    assert_int_equal(others, 0);
    kill(server, SIGKILL);
    close(ends[0]);
    close(ends[1]);
}

static void neighbours_of_an_instance_do_not_count(void **state)
{
    struct kg_nvml_telemetry now;
    size_t index;
    char list[64];
    const long stranger = stranger_start();
    snprintf(list, sizeof list, "%ld", stranger);
    struct kg_nvml nvml = opened("FAKE_NVML_PROCESSES", list);
    (void)state;
    assert_true(kg_nvml_find(&nvml, "MIG-10111213-1415-1617-1819-1a1b1c1d1e1f", &index));
    assert_true(kg_nvml_telemetry_read(&nvml, index, &now));
    assert_int_equal(now.other_processes, 0);
    setenv("FAKE_NVML_INSTANCE_PROCESSES", list, 1);
    assert_true(kg_nvml_telemetry_read(&nvml, index, &now));
    assert_int_equal(now.other_processes, 1);
    kg_nvml_close(&nvml);
    kill((pid_t)stranger, SIGKILL);
}

static void facts_of_a_device_have_instances_and_loss(void **state)
{
    struct kg_nvml_device device;
    char version[64];
    struct kg_nvml nvml = opened("FAKE_NVML_MIG", "1");
    (void)state;
    assert_true(kg_nvml_device_read(&nvml, 0, &device));
    assert_int_equal(device.mig, 1);
    assert_int_equal(device.compute_processes, 0);
    kg_nvml_driver_version(&nvml, version, sizeof version);
    assert_string_equal(version, "580.65.06");
    kg_nvml_close(&nvml);
    nvml = opened("FAKE_NVML_FAIL", "lost");
    assert_false(kg_nvml_device_read(&nvml, 0, &device));
    assert_true(device.lost);
    kg_nvml_close(&nvml);
}

static void all_devices_are_read_in_a_process_of_its_own(void **state)
{
    struct kg_nvml_gpus *gpus = malloc(sizeof *gpus);
    struct kg_nvml nvml = opened("FAKE_NVML_DEVICES", "2");
    (void)state;
    assert_non_null(gpus);
    kg_nvml_close(&nvml);
    kg_nvml_gpus_read(KGATE_FAKE_NVML, 60000, gpus);
    assert_int_equal(gpus->status, KG_NVML_GOOD);
    assert_int_equal(gpus->count, 2);
    assert_int_equal(gpus->devices[1].sm_most_mhz, 1980);
    kg_nvml_gpus_read("/nonexistent", 60000, gpus);
    assert_int_equal(gpus->status, KG_NVML_MISSING);
    setenv("FAKE_NVML_FAIL", "hang", 1);
    kg_nvml_gpus_read(KGATE_FAKE_NVML, 200, gpus);
    assert_int_equal(gpus->status, KG_NVML_FAILED);
    assert_int_equal(gpus->count, 0);
    assert_string_equal(gpus->why, "the NVIDIA driver did not answer in 0.2 s");
    free(gpus);
}

static void a_library_that_does_not_start_gives_the_reason(void **state)
{
    struct kg_nvml nvml;
    char why[160];
    (void)state;
    setenv("FAKE_NVML_FAIL", "init:18", 1);
    assert_int_equal(kg_nvml_open(KGATE_FAKE_NVML, &nvml, why, sizeof why), KG_NVML_FAILED);
    assert_string_equal(why, "Driver/library version mismatch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(telemetry_is_what_the_library_reports),
        cmocka_unit_test(energy_is_a_growing_sum_or_unknown),
        cmocka_unit_test(figures_follow_the_device_from_call_to_call),
        cmocka_unit_test(figures_that_are_not_supported_are_unknown),
        cmocka_unit_test(only_what_holds_back_against_the_will_is_throttling),
        cmocka_unit_test(throttling_is_read),
        cmocka_unit_test(the_power_limit_and_throttled_times_are_read_or_unknown),
        cmocka_unit_test(throttled_times_see_what_one_instant_does_not),
        cmocka_unit_test(a_device_is_found_by_its_uuid_or_that_of_its_instance),
        cmocka_unit_test(processes_of_others_are_counted_and_own_ones_are_not),
        cmocka_unit_test(the_other_sides_worker_is_no_stranger),
        cmocka_unit_test(the_server_of_mps_is_no_stranger),
        cmocka_unit_test(neighbours_of_an_instance_do_not_count),
        cmocka_unit_test(facts_of_a_device_have_instances_and_loss),
        cmocka_unit_test(all_devices_are_read_in_a_process_of_its_own),
        cmocka_unit_test(a_library_that_does_not_start_gives_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
