#include "base/file.h"
#include "device/gpus.h"
#include "device/machine.h"
#include "device/nvml.h"
#include "test_support.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static const char *const settings[] = {
    "FAKE_CUDA_DEVICES", "FAKE_CUDA_NAMES",      "FAKE_CUDA_CAPABILITY",
    "FAKE_CUDA_MIG",     "FAKE_CUDA_VERSION",    "FAKE_CUDA_FAIL",
    "FAKE_NVML_MIG",     "CUDA_VISIBLE_DEVICES", "FAKE_NVML_FAIL",
};

/* Settings of the fake driver: "NAME=VALUE", up to NULL; other settings have their defaults. */
static void driver_set(const char *first, ...)
{
    va_list rest;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        unsetenv(settings[i]);
    va_start(rest, first);
    for (const char *setting = first; setting; setting = va_arg(rest, const char *)) {
        char name[64];
        const size_t length = strcspn(setting, "=");
        snprintf(name, sizeof name, "%.*s", (int)length, setting);
        setenv(name, setting + length + 1, 1);
    }
    va_end(rest);
}

static struct kg_gpus gpus;

static bool ask(const char *library, const char *device, int timeout_ms, struct kg_error *err)
{
    char *root = support_folder();
    const struct kg_gpus_query query = {.library = library,
                                        .nvml = KGATE_FAKE_NVML,
                                        .root = root,
                                        .device = device,
                                        .timeout_ms = timeout_ms};
    memset(&gpus, 0xff, sizeof gpus);
    const bool good = kg_gpus_read(&query, &gpus, err);
    support_remove(root);
    return good;
}

/* Generous if nothing hangs: a slow machine must not look like a hanging driver. */
enum { LONG_MS = 60000, SHORT_MS = 200 };

/* There is no device, for this reason. */
static void expect_none(int timeout_ms, const char *why)
{
    struct kg_error err;
    assert_true(ask(KGATE_FAKE_CUDA, NULL, timeout_ms, &err));
    assert_int_equal(gpus.count, 0);
    assert_string_equal(gpus.problem, "");
    if (!strstr(gpus.why, why))
        fail_msg("'%s' is not in '%s'", why, gpus.why);
}

/* There are devices, but the chosen one cannot be used, for this reason. */
static void expect_problem(int timeout_ms, const char *problem)
{
    struct kg_error err;
    assert_true(ask(KGATE_FAKE_CUDA, NULL, timeout_ms, &err));
    assert_true(gpus.count > 0);
    assert_string_equal(gpus.why, "");
    if (!strstr(gpus.problem, problem))
        fail_msg("'%s' is not in '%s'", problem, gpus.problem);
}

static void expect_refused(const char *device, const char *message)
{
    struct kg_error err = {0};
    assert_false(ask(KGATE_FAKE_CUDA, device, LONG_MS, &err));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
    if (!strstr(err.message, message))
        fail_msg("'%s' is not in '%s'", message, err.message);
}

static void facts_of_a_device_are_those_the_driver_reports(void **state)
{
    struct kg_error err;
    const struct kg_gpu_facts *facts = &gpus.devices[0];
    (void)state;
    driver_set(NULL, NULL);
    assert_true(ask(KGATE_FAKE_CUDA, NULL, LONG_MS, &err));
    assert_string_equal(gpus.why, "");
    assert_int_equal(gpus.count, 1);
    assert_int_equal(gpus.chosen, 0);
    assert_string_equal(gpus.problem, "");
    assert_int_equal(gpus.cuda_version, 13000);
    assert_string_equal(gpus.nvidia_driver, "580.65.06");
    assert_string_equal(facts->name, "Simulated GPU");
    assert_string_equal(facts->uuid, "GPU-10111213-1415-1617-1819-1a1b1c1d1e1f");
    assert_string_equal(facts->pci_bus_id, "0000:01:00.0");
    assert_int_equal(facts->major * 10 + facts->minor, 90);
    assert_int_equal(facts->multiprocessors, 132);
    assert_int_equal(facts->memory_bus_bits, 5120);
    assert_int_equal(facts->ecc, 1);
    assert_int_equal(facts->integrated, 0);
    assert_false(facts->mig);
    assert_int_equal(facts->compute_mode, KG_COMPUTE_MODE_DEFAULT);
    assert_int_equal(facts->sm_clock_hz, INT64_C(1980000000));
    assert_int_equal(facts->memory_clock_hz, INT64_C(2619000000));
    assert_int_equal(facts->l2_bytes, 50 << 20);
    assert_int_equal(facts->memory_bytes, UINT64_C(80) << 30);
}

static void version_of_the_driver_is_read_from_its_kernel_module(void **state)
{
    static const char *const lines[] = {
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.14  Release Build  (root)",
    };
    static const char *const versions[] = {"535.129.03", "550.54.14"};
    char path[128];
    struct kg_error err;
    (void)state;
    driver_set(NULL, NULL);
    for (size_t i = 0; i < 2; i++) {
        char *root = support_folder();
        const struct kg_gpus_query query = {.library = KGATE_FAKE_CUDA,
                                            .nvml = "/nonexistent",
                                            .root = root,
                                            .timeout_ms = LONG_MS};
        snprintf(path, sizeof path, "%s/proc/driver/nvidia", root);
        assert_true(kg_directory_make(path, &err));
        snprintf(path, sizeof path, "%s/proc/driver/nvidia/version", root);
        assert_true(kg_file_write(path, lines[i], strlen(lines[i]), &err));
        assert_true(kg_gpus_read(&query, &gpus, &err));
        assert_string_equal(gpus.nvidia_driver, versions[i]);
        support_remove(root);
    }
}

static void no_driver_is_noted_and_no_error(void **state)
{
    struct kg_error err;
    (void)state;
    driver_set(NULL, NULL);
    assert_true(ask("/nonexistent/libcuda.so.1", NULL, LONG_MS, &err));
    assert_int_equal(gpus.count, 0);
    assert_string_equal(gpus.why, "no NVIDIA driver is installed");
    assert_true(ask("/nonexistent/libcuda.so.1", "cuda:7", LONG_MS, &err));
    assert_true(ask("/nonexistent/libcuda.so.1", "cuda:GPU-12", LONG_MS, &err));
}

static void a_library_of_another_kind_is_no_driver(void **state)
{
    struct kg_error err;
    (void)state;
    driver_set(NULL, NULL);
    assert_true(ask("libm.so.6", NULL, LONG_MS, &err));
    assert_int_equal(gpus.count, 0);
    assert_non_null(strstr(gpus.why, "not NVIDIA's driver"));
    assert_true(ask("/dev/null", NULL, LONG_MS, &err));
    assert_int_equal(gpus.count, 0);
    assert_non_null(strstr(gpus.why, "library cannot be opened: /dev/null: file too short"));
}

static void a_driver_without_devices_notes_it(void **state)
{
    (void)state;
    driver_set("FAKE_CUDA_DEVICES=0", NULL);
    expect_none(LONG_MS, "the NVIDIA driver reports none");
    driver_set("FAKE_CUDA_DEVICES=0", "FAKE_NVML_FAIL=lost", NULL);
    expect_none(LONG_MS, "a GPU has fallen off the bus");
    driver_set("FAKE_CUDA_DEVICES=0", "FAKE_NVML_MIG=1", NULL);
    expect_none(LONG_MS, "MIG is enabled, but the GPU has no instance");
    driver_set("CUDA_VISIBLE_DEVICES=", NULL);
    expect_none(LONG_MS, "CUDA_VISIBLE_DEVICES is ''");
    driver_set("CUDA_VISIBLE_DEVICES=3", NULL);
    expect_none(LONG_MS, "CUDA_VISIBLE_DEVICES is '3'");
}

static void a_driver_that_does_not_start_gives_the_reason_and_what_to_do(void **state)
{
    (void)state;
    driver_set("FAKE_CUDA_FAIL=init:803", NULL);
    expect_none(LONG_MS, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    expect_none(LONG_MS, "reboot");
    driver_set("FAKE_CUDA_FAIL=init:804", NULL);
    expect_none(LONG_MS, "compatibility package");
    driver_set("FAKE_CUDA_FAIL=init:802", NULL);
    expect_none(LONG_MS, "nvidia-fabricmanager");
    driver_set("FAKE_CUDA_FAIL=init:999", NULL);
    expect_none(LONG_MS, "unknown error (CUDA_ERROR_UNKNOWN)");
    driver_set("FAKE_CUDA_FAIL=init:12345", NULL);
    expect_none(LONG_MS, "code 12345");
}

static void a_driver_that_crashes_hangs_or_exits_costs_a_phrase(void **state)
{
    (void)state;
    driver_set("FAKE_CUDA_FAIL=crash", NULL);
    expect_none(LONG_MS, "the NVIDIA driver crashed: signal 11");
    driver_set("FAKE_CUDA_FAIL=hang", NULL);
    expect_none(SHORT_MS, "the NVIDIA driver did not answer in 0.2 s");
    driver_set("FAKE_CUDA_FAIL=exit", NULL);
    expect_none(LONG_MS, "ended the process that queried it, with status 7");
    /* none of these processes is left */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void a_device_that_cannot_be_used_gives_the_reason(void **state)
{
    (void)state;
    driver_set("FAKE_CUDA_FAIL=busy", NULL);
    expect_problem(LONG_MS, "busy: its compute mode is exclusive");
    driver_set("FAKE_CUDA_FAIL=prohibited", NULL);
    expect_problem(LONG_MS, "its compute mode prohibits computing");
    driver_set("FAKE_CUDA_FAIL=memory", NULL);
    expect_problem(LONG_MS, "its memory is full");
    driver_set("FAKE_CUDA_FAIL=context:46", NULL);
    expect_problem(LONG_MS, "busy or unavailable");
    driver_set("FAKE_CUDA_FAIL=context:999", NULL);
    expect_problem(LONG_MS, "unknown error (CUDA_ERROR_UNKNOWN)");
    driver_set("FAKE_CUDA_FAIL=crash-context", NULL);
    expect_problem(LONG_MS, "the NVIDIA driver crashed: signal 11");
    assert_string_equal(gpus.devices[0].name, "Simulated GPU");
    driver_set("FAKE_CUDA_FAIL=hang-context", NULL);
    expect_problem(1000, "the NVIDIA driver did not answer in 1 s");
}

static void devices_after_one_that_does_not_answer_are_left_out(void **state)
{
    struct kg_error err;
    (void)state;
    driver_set("FAKE_CUDA_DEVICES=3", "FAKE_CUDA_FAIL=device:1", NULL);
    assert_true(ask(KGATE_FAKE_CUDA, NULL, LONG_MS, &err));
    assert_int_equal(gpus.count, 1);
    driver_set("FAKE_CUDA_DEVICES=3", "FAKE_CUDA_FAIL=device:0", NULL);
    expect_none(LONG_MS, "the device does not answer: unknown error");
}

static void an_instance_is_named_as_one(void **state)
{
    struct kg_error err;
    (void)state;
    driver_set("FAKE_CUDA_MIG=1", NULL);
    assert_true(ask(KGATE_FAKE_CUDA, "cuda:mig-1011", LONG_MS, &err));
    assert_int_equal(gpus.count, 1);
    assert_true(gpus.devices[0].mig);
    assert_string_equal(gpus.devices[0].uuid, "MIG-10111213-1415-1617-1819-1a1b1c1d1e1f");
}

static void a_device_is_chosen_by_number_or_beginning_of_its_uuid(void **state)
{
    static const struct {
        const char *device;
        size_t chosen;
    } choices[] = {{NULL, 0},     {"cuda", 0},        {"cuda:0", 0},
                   {"cuda:2", 2}, {"cuda:GPU-20", 1}, {"cuda:gpu-30313233-3435", 2}};
    struct kg_error err;
    (void)state;
    driver_set("FAKE_CUDA_DEVICES=3", "FAKE_CUDA_NAMES=One;Two", NULL);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        assert_true(ask(KGATE_FAKE_CUDA, choices[i].device, LONG_MS, &err));
        assert_int_equal(gpus.count, 3);
        if (gpus.chosen != choices[i].chosen)
            fail_msg("%s chose %zu", choices[i].device, gpus.chosen);
    }
    assert_string_equal(gpus.devices[1].name, "Two");
    assert_string_equal(gpus.devices[2].name, "One");
}

static void a_wrong_choice_is_refused_with_what_there_is(void **state)
{
    (void)state;
    driver_set("FAKE_CUDA_DEVICES=2", NULL);
    expect_refused("cuda:2", "no device has this number; cuda:0 is Simulated GPU");
    expect_refused("cuda:2", "cuda:1 is Simulated GPU (GPU-20212223-");
    expect_refused("cuda:GPU-ff", "no device has a UUID with this beginning; cuda:0 is");
    expect_refused("cuda:GPU-", "several devices have a UUID with this beginning");
    expect_refused("cpu", "must be cuda, cuda:NUMBER or cuda:UUID");
    expect_refused("cuda:", "must be cuda");
    expect_refused("cuda:-1", "must be cuda");
    expect_refused("cuda:1x", "must be cuda");
    expect_refused("", "must be cuda");
    driver_set("FAKE_CUDA_DEVICES=0", NULL);
    expect_refused("tpu:0", "must be cuda");
}

static void code_fits_its_own_major_version_and_what_it_can_be_compiled_for(void **state)
{
    static const char usual[] = "80-real,90-real,90-virtual";
    char words[64];
    (void)state;
    assert_false(kg_architectures_fit(usual, 7, 5));
    assert_true(kg_architectures_fit(usual, 8, 0));
    assert_true(kg_architectures_fit(usual, 8, 9));
    assert_true(kg_architectures_fit(usual, 9, 0));
    assert_true(kg_architectures_fit(usual, 12, 0));
    assert_false(kg_architectures_fit("90-real", 8, 6));
    assert_false(kg_architectures_fit("90-real", 10, 0));
    assert_false(kg_architectures_fit("86-real", 8, 0));
    assert_true(kg_architectures_fit("90a", 9, 0));
    assert_false(kg_architectures_fit("90a", 10, 0));
    assert_true(kg_architectures_fit("100f", 10, 3));
    assert_false(kg_architectures_fit("100f", 12, 0));
    assert_true(kg_architectures_fit("75;90", 8, 0));
    assert_true(kg_architectures_fit("native", 7, 5));
    kg_architectures_words(usual, words, sizeof words);
    assert_string_equal(words, "8.0, 9.0 and later");
    kg_architectures_words("90-real", words, sizeof words);
    assert_string_equal(words, "9.0");
}

static void relatives_are_distinguished_from_strangers(void **state)
{
    int go[2];
    (void)state;
    assert_int_equal(pipe(go), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char byte;
        close(go[1]);
        while (read(go[0], &byte, 1) > 0)
            continue;
        _exit(0);
    }
    assert_int_equal(kg_kinship((long)getpid()), KG_KINSHIP_OWN);
    assert_int_equal(kg_kinship((long)getppid()), KG_KINSHIP_OWN);
    assert_int_equal(kg_kinship((long)child), KG_KINSHIP_OWN);
    assert_int_equal(kg_kinship(INT32_MAX), KG_KINSHIP_UNSEEN);
    assert_int_equal(kg_kinship(0), KG_KINSHIP_UNSEEN);
    close(go[0]);
    close(go[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* The status of a process that must end by itself. */
static int status_of(pid_t process)
{
    int status = -1;
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A worker of a first process: its kinship to that process's other worker. */
static int kinship_beside(pid_t other)
{
    const pid_t worker = fork();
    if (worker == 0)
        _exit((int)kg_kinship((long)other));
    return status_of(worker);
}

enum { NO_NAMESPACES = 77, GOOD = 0 };

/* As the first process of a container: the workers of kgate are a family, those of another program are
 * strangers. */
static int first_process(void)
{
    if (mount("proc", "/proc", "proc", 0, NULL) != 0)
        return NO_NAMESPACES;
    const pid_t other = fork();
    if (other == 0) {
        pause();
        _exit(0);
    }
    const int of_kgate = kinship_beside(other);
    const pid_t worker = fork();
    if (worker == 0) {
        prctl(PR_SET_NAME, "another");
        _exit((int)kg_kinship((long)other));
    }
    const int of_another = status_of(worker);
    kill(other, SIGKILL);
    return of_kgate == KG_KINSHIP_OWN && of_another == KG_KINSHIP_OTHER
               ? GOOD
               : 1 + 10 * of_kgate + of_another;
}

static int in_namespaces(void)
{
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return NO_NAMESPACES;
    const pid_t first = fork();
    if (first == 0)
        _exit(first_process());
    return status_of(first);
}

static void workers_of_a_first_process_are_relatives(void **state)
{
    (void)state;
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0)
        _exit(in_namespaces());
    const int status = status_of(process);
    if (status == NO_NAMESPACES)
        skip();
    if (status != GOOD)
        fail_msg("status %d", status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_of_a_device_are_those_the_driver_reports),
        cmocka_unit_test(version_of_the_driver_is_read_from_its_kernel_module),
        cmocka_unit_test(no_driver_is_noted_and_no_error),
        cmocka_unit_test(a_library_of_another_kind_is_no_driver),
        cmocka_unit_test(a_driver_without_devices_notes_it),
        cmocka_unit_test(a_driver_that_does_not_start_gives_the_reason_and_what_to_do),
        cmocka_unit_test(a_driver_that_crashes_hangs_or_exits_costs_a_phrase),
        cmocka_unit_test(a_device_that_cannot_be_used_gives_the_reason),
        cmocka_unit_test(devices_after_one_that_does_not_answer_are_left_out),
        cmocka_unit_test(an_instance_is_named_as_one),
        cmocka_unit_test(a_device_is_chosen_by_number_or_beginning_of_its_uuid),
        cmocka_unit_test(a_wrong_choice_is_refused_with_what_there_is),
        cmocka_unit_test(code_fits_its_own_major_version_and_what_it_can_be_compiled_for),
        cmocka_unit_test(relatives_are_distinguished_from_strangers),
        cmocka_unit_test(workers_of_a_first_process_are_relatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
