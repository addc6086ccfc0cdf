#include "device/machine.h"
#include "suite/sources/plugin_host.h"
#include "test_support.h"

static void fingerprint_is_the_same_twice_and_fit_for_a_file_name(void **state)
{
    struct kg_arena arena = {0};
    struct kg_machine one, two;
    struct kg_error err;
    (void)state;
    assert_true(kg_machine_read(&arena, NULL, &one, &err));
    assert_true(kg_machine_read(&arena, NULL, &two, &err));
    assert_string_equal(one.fingerprint, two.fingerprint);
    assert_int_equal(strspn(one.fingerprint, "abcdefghijklmnopqrstuvwxyz0123456789-"),
                     strlen(one.fingerprint));
    assert_true(one.cpu_count >= 1 && one.memory_bytes > 0);
    assert_true((one.gpu_count == 0) == (one.cuda_missing != NULL));
    kg_arena_free(&arena);
}

static void copy_outlives_the_original(void **state)
{
    struct kg_arena from = {0}, into = {0};
    struct kg_machine machine, copied;
    struct kg_error err;
    (void)state;
    assert_true(kg_machine_read(&from, NULL, &machine, &err));
    char *fingerprint = strdup(machine.fingerprint);
    kg_machine_copy(&into, &machine, &copied);
    kg_arena_free(&from);
    assert_string_equal(copied.fingerprint, fingerprint);
    free(fingerprint);
    kg_arena_free(&into);
}

static void gpus_survive_a_copy_and_a_file(void **state)
{
    struct kg_arena arena = {0};
    struct kg_gpu gpus[2] = {
        {.name = "Unknown", .uuid = "GPU-0", .compute_capability = "9.0", .memory_bytes = 1},
        {.name = "Known",
         .uuid = "MIG-1",
         .compute_capability = "9.0",
         .memory_bytes = 1,
         .multiprocessors = 132,
         .sm_clock_hz = 1980e6,
         .memory_clock_hz = 2619e6,
         .memory_bus_bits = 5120,
         .l2_bytes = 50 << 20,
         .pci_bus_id = "0000:01:00.0",
         .ecc = "on",
         .mig = "on",
         .compute_mode = "default",
         .integrated = true,
         .problem = "busy"}};
    gpus[0].sm_clock_hz = gpus[0].memory_clock_hz = NAN;
    const struct kg_machine machine = {.fingerprint = "f",
                                       .cpu_model = "CPU",
                                       .gpus = gpus,
                                       .gpu_count = 2,
                                       .gpu_chosen = 1,
                                       .nvidia_driver = "580.65.06",
                                       .cuda_toolkit = "13.0.88",
                                       .cuda_code_missing = "none"};
    struct kg_machine copied, read = {0};
    struct kg_error err;
    (void)state;
    kg_machine_copy(&arena, &machine, &copied);
    struct kg_text text = {0}, again = {0};
    kg_record_line(&kg_machine_record, &copied, NULL, &text);
    assert_true(kg_record_parse(&kg_machine_record, NULL, "machine", text.data, text.length, &arena,
                                &read, &err));
    const struct kg_gpu *gpu = kg_machine_gpu(&read);
    assert_non_null(gpu);
    assert_string_equal(gpu->name, "Known");
    assert_string_equal(gpu->problem, "busy");
    assert_string_equal(gpu->ecc, "on");
    assert_string_equal(gpu->pci_bus_id, "0000:01:00.0");
    assert_true(gpu->sm_clock_hz == 1980e6 && gpu->integrated && gpu->l2_bytes == 50 << 20);
    assert_true(isnan(read.gpus[0].sm_clock_hz));
    assert_null(read.gpus[0].problem);
    assert_string_equal(read.nvidia_driver, "580.65.06");
    assert_string_equal(read.cuda_code_missing, "none");
    kg_record_line(&kg_machine_record, &read, NULL, &again);
    assert_string_equal(text.data, again.data);
    kg_text_free(&text);
    kg_text_free(&again);
    read.gpu_chosen = 2; /* of a file that was written otherwise */
    assert_null(kg_machine_gpu(&read));
    kg_arena_free(&arena);
}

static void a_driver_of_an_earlier_major_version_is_too_old(void **state)
{
    static const struct {
        const char *driver, *toolkit, *needed; /* NULL: will do */
    } pairs[] = {
        {"12.4", "13.0.88", "an NVIDIA driver of version 580 or later"},
        {"11.8", "12.0.76", "an NVIDIA driver of version 525 or later"},
        {"13.2", "14.1.1", "an NVIDIA driver for CUDA 14"},
        {"13.0", "13.0.88", NULL},
        {"13.0", "13.3.10", NULL},
        {"13.0", "12.4.131", NULL},
        {"9.2", "10.0.1", "an NVIDIA driver for CUDA 10"},
        {NULL, "13.0.88", NULL},
        {"13.0", NULL, NULL},
    };
    char why[160], needed[80];
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct kg_machine machine = {.cuda_driver = pairs[i].driver,
                                           .cuda_toolkit = pairs[i].toolkit};
        const bool old = kg_machine_driver_old(&machine, why, sizeof why, needed, sizeof needed);
        if (old != (pairs[i].needed != NULL))
            fail_msg("pair %zu: %s", i, old ? why : "it will do");
        if (old) {
            assert_string_equal(needed, pairs[i].needed);
            assert_non_null(strstr(why, pairs[i].driver));
            assert_non_null(strstr(why, pairs[i].toolkit));
        }
    }
}

static void allocations_are_counted_aligned_and_apart_in_their_pages(void **state)
{
    struct kg_host host;
    unsigned char *memory[3];
    (void)state;
    kg_host_start(&host, NULL, KGATE_DEVICE_CPU, 1, 1);
    for (int i = 0; i < 3; i++) {
        memory[i] = host.context.allocate(&host.context, 100000);
        assert_non_null(memory[i]);
        assert_int_equal((uintptr_t)memory[i] % 64, 0);
        assert_int_equal(memory[i][99999], 0);
        for (int j = 0; j < i; j++)
            assert_int_not_equal((uintptr_t)memory[i] % 4096, (uintptr_t)memory[j] % 4096);
    }
    assert_int_equal(host.allocated_bytes, 300000);
    host.context.release(&host.context, memory[1]);
    host.context.release(&host.context, NULL);
    assert_int_equal(host.allocated_bytes, 200000);
    assert_int_equal(host.allocated_peak_bytes, 300000);
    assert_null(host.context.allocate(&host.context, SIZE_MAX));
    host.context.release(&host.context, memory[0]);
    host.context.release(&host.context, memory[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fingerprint_is_the_same_twice_and_fit_for_a_file_name),
        cmocka_unit_test(copy_outlives_the_original),
        cmocka_unit_test(gpus_survive_a_copy_and_a_file),
        cmocka_unit_test(a_driver_of_an_earlier_major_version_is_too_old),
        cmocka_unit_test(allocations_are_counted_aligned_and_apart_in_their_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
