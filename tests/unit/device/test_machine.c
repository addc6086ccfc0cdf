#include "device/machine.h"
#include "test_support.h"
#include "workload/host.h"

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
    assert_true(kg_machine_copy(&into, &machine, &copied));
    kg_arena_free(&from);
    assert_string_equal(copied.fingerprint, fingerprint);
    free(fingerprint);
    kg_arena_free(&into);
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
        cmocka_unit_test(allocations_are_counted_aligned_and_apart_in_their_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
