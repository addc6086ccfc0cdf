#include "base/file.h"
#include "test_support.h"
#include "why/doctor/doctor.h"

/* A GPU with nothing to complain of. */
static struct kg_nvml_device quiet_gpu(void)
{
    return (struct kg_nvml_device){
        .name = "Some GPU",
        .uuid = "GPU-0",
        .persistence = 1,
        .sm_mhz = 1500,
        .sm_most_mhz = 1980,
        .sm_application_mhz = -1,
        .memory_mhz = 2600,
        .memory_most_mhz = 2600,
        .temperature_c = 40,
        .slowdown_c = 90,
        .utilization_percent = 0,
        .compute_processes = 0,
        .throttle = KG_NVML_IDLE,
    };
}

/* Expects a finding on one GPU at this level, with this text. */
static void expect(const struct kg_nvml_device *device, enum kg_finding_level level,
                   const char *found, const char *remedy)
{
    struct kg_arena arena = {0};
    struct kg_findings findings = {.arena = &arena};
    struct kg_nvml_gpus *gpus = kg_arena_alloc(&arena, 1, sizeof *gpus);
    bool there = false;
    assert_non_null(gpus);
    gpus->count = 1;
    gpus->devices[0] = *device;
    kg_doctor_gpus("", gpus, &findings);
    for (size_t i = 0; i < findings.count; i++) {
        const struct kg_finding *finding = &findings.items[i];
        assert_string_equal(finding->topic, "GPU 0");
        there =
            there || (finding->level == level && strstr(finding->found, found) &&
                      !remedy == !finding->remedy && (!remedy || strstr(finding->remedy, remedy)));
    }
    if (!there)
        fail_msg("no %s '%s'", kg_finding_level_names[level], found);
    kg_arena_free(&arena);
}

/* Expects a single finding, since NVML gives no data. */
static void expect_none(const char *root, enum kg_nvml_status status, const char *why,
                        enum kg_finding_level level, const char *found)
{
    struct kg_arena arena = {0};
    struct kg_findings findings = {.arena = &arena};
    struct kg_nvml_gpus *gpus = kg_arena_alloc(&arena, 1, sizeof *gpus);
    assert_non_null(gpus);
    gpus->status = status;
    snprintf(gpus->why, sizeof gpus->why, "%s", why);
    kg_doctor_gpus(root, gpus, &findings);
    assert_int_equal(findings.count, 1);
    assert_int_equal(findings.items[0].level, level);
    assert_non_null(strstr(findings.items[0].found, found));
    kg_arena_free(&arena);
}

static void a_quiet_gpu_gives_no_warning(void **state)
{
    const struct kg_nvml_device device = quiet_gpu();
    expect(&device, KG_FINDING_GOOD, "Some GPU", NULL);
    expect(&device, KG_FINDING_GOOD, "persistence mode is on", NULL);
    expect(&device, KG_FINDING_GOOD, "not throttled now", NULL);
    expect(&device, KG_FINDING_GOOD, "40 C, throttles at 90", NULL);
    expect(&device, KG_FINDING_GOOD, "no other compute process", NULL);
    expect(&device, KG_FINDING_NOTE, "SM clock 1500 MHz now (maximum 1980)", "-lgc");
}

static void persistence_off_is_a_warning(void **state)
{
    struct kg_nvml_device device = quiet_gpu();
    device.persistence = 0;
    expect(&device, KG_FINDING_WARNING, "persistence mode is off", "nvidia-smi -pm 1");
}

static void throttling_names_every_reason_but_idleness(void **state)
{
    struct kg_nvml_device device = quiet_gpu();
    device.throttle = KG_NVML_IDLE | KG_NVML_POWER_CAP | KG_NVML_THERMAL_HARDWARE;
    expect(&device, KG_FINDING_WARNING, "the power limit, temperature (hardware)", "cool");
}

static void heat_near_the_slowdown_is_a_warning(void **state)
{
    struct kg_nvml_device device = quiet_gpu();
    device.temperature_c = 85;
    expect(&device, KG_FINDING_WARNING, "85 C, throttles at 90", "cool");
    device.slowdown_c = -1;
    expect(&device, KG_FINDING_WARNING, "85 C", "cool");
}

static void other_processes_are_a_warning(void **state)
{
    struct kg_nvml_device device = quiet_gpu();
    device.compute_processes = 2;
    device.utilization_percent = 63;
    expect(&device, KG_FINDING_WARNING, "2 compute processes, 63 % busy", "nvidia-smi");
}

static void a_lower_application_clock_is_a_note(void **state)
{
    struct kg_nvml_device device = quiet_gpu();
    device.sm_application_mhz = 1200;
    expect(&device, KG_FINDING_NOTE, "application clock 1200 MHz (maximum 1980)", "-rac");
}

static void a_gpu_that_reports_nothing_is_only_named(void **state)
{
    struct kg_arena arena = {0};
    struct kg_findings findings = {.arena = &arena};
    struct kg_nvml_gpus *gpus = kg_arena_alloc(&arena, 1, sizeof *gpus);
    assert_non_null(gpus);
    gpus->count = 1;
    gpus->devices[0] = (struct kg_nvml_device){
        .name = "Old\x1bGPU",
        .persistence = -1,
        .sm_mhz = -1,
        .sm_most_mhz = -1,
        .sm_application_mhz = -1,
        .memory_mhz = -1,
        .memory_most_mhz = -1,
        .temperature_c = -1,
        .slowdown_c = -1,
        .utilization_percent = -1,
        .compute_processes = -1,
        .throttle = -1,
    };
    kg_doctor_gpus("", gpus, &findings);
    assert_int_equal(findings.count, 1);
    assert_string_equal(findings.items[0].found, "Old?GPU");
    kg_arena_free(&arena);
}

static void no_driver_is_one_line(void **state)
{
    char *root = support_folder();
    expect_none(root, KG_NVML_MISSING, "no NVIDIA driver", KG_FINDING_NOTE, "no GPU");
    support_remove(root);
}

static void a_driver_without_its_library_is_distinguished(void **state)
{
    char *root = support_folder();
    char path[128];
    struct kg_error err;
    snprintf(path, sizeof path, "%s/proc/driver/nvidia/version", root);
    assert_true(kg_directory_make(path, &err));
    expect_none(root, KG_NVML_MISSING, "no NVIDIA driver", KG_FINDING_NOTE, "driver is loaded");
    support_remove(root);
}

static void a_driver_that_does_not_answer_gives_the_reason(void **state)
{
    expect_none("", KG_NVML_FAILED, "version mismatch", KG_FINDING_WARNING, "version mismatch");
}

static void a_library_that_is_not_there_is_missing(void **state)
{
    struct kg_nvml nvml;
    char why[160] = "";
    assert_int_equal(kg_nvml_open("/nonexistent/libnvidia-ml.so.1", &nvml, why, sizeof why),
                     KG_NVML_MISSING);
    assert_true(why[0]);
    kg_nvml_close(&nvml);
}

static void a_library_of_another_kind_is_refused_by_what_it_lacks(void **state)
{
    struct kg_nvml nvml;
    char why[160] = "";
    assert_int_equal(kg_nvml_open("libm.so.6", &nvml, why, sizeof why), KG_NVML_FAILED);
    assert_non_null(strstr(why, "nvmlInit_v2"));
    kg_nvml_close(&nvml);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_gpu_gives_no_warning),
        cmocka_unit_test(persistence_off_is_a_warning),
        cmocka_unit_test(throttling_names_every_reason_but_idleness),
        cmocka_unit_test(heat_near_the_slowdown_is_a_warning),
        cmocka_unit_test(other_processes_are_a_warning),
        cmocka_unit_test(a_lower_application_clock_is_a_note),
        cmocka_unit_test(a_gpu_that_reports_nothing_is_only_named),
        cmocka_unit_test(no_driver_is_one_line),
        cmocka_unit_test(a_driver_without_its_library_is_distinguished),
        cmocka_unit_test(a_driver_that_does_not_answer_gives_the_reason),
        cmocka_unit_test(a_library_that_is_not_there_is_missing),
        cmocka_unit_test(a_library_of_another_kind_is_refused_by_what_it_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
