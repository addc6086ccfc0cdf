/* The file with most of the own code, from samples made by hand. */
#include <unistd.h>

#include "test_support.h"
#include "why/observe/sampler_state.h"

/* These need not exist, because a correct choice never opens them. */
#define LOADER "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
#define C_LIBRARY "/usr/lib/x86_64-linux-gnu/libc.so.6"
#define CHECKER "/usr/lib/x86_64-linux-gnu/libubsan.so.1"

/* Adds samples of the workload's first thread, each with one frame in the file. */
static void samples_add(struct kg_stack_sampler *sampler, const char *path, int count)
{
    const kg_code_address frame =
        (kg_code_address)kg_module_number(sampler->modules, path) << KG_MODULE_SHIFT | 0x40;
    const struct kg_stack_sample sample = {
        .stack = kg_samples_stack(&sampler->samples, &frame, 1), .first = true, .call = -1};
    for (int i = 0; i < count; i++)
        kg_samples_add(&sampler->samples, &sample);
}

/* Sums the samples of both files, and of a program with few samples if `program`. */
static void summarize(bool program, struct kg_arena *arena, struct kg_sampled *sampled)
{
    const struct kg_sampled_process target = {.process = getpid()};
    struct kg_stack_sampler *sampler = kg_stack_sampler_open(&target);
    struct kg_hot_addresses addresses;
    samples_add(sampler, LOADER, 30);
    samples_add(sampler, C_LIBRARY, 20);
    if (program) {
        samples_add(sampler, CHECKER, 10);
        samples_add(sampler, KGATE_REPEATED_PROGRAM, 2);
    }
    kg_stack_sampler_summarize(sampler, arena, sampled, arena, &addresses);
    kg_stack_sampler_close(sampler);
}

static void few_samples_of_the_program_outweigh_its_start(void **state)
{
    struct kg_arena arena = {0};
    struct kg_sampled sampled;
    summarize(true, &arena, &sampled);
    assert_true(sampled.samples == 62);
    assert_non_null(sampled.compiler);
    assert_true(sampled.code_bytes > 0);
    assert_true(sampled.library_count > 0);
    kg_arena_free(&arena);
}

static void loader_and_c_library_hold_no_own_code(void **state)
{
    struct kg_arena arena = {0};
    struct kg_sampled sampled;
    summarize(false, &arena, &sampled);
    assert_true(sampled.samples == 50);
    assert_null(sampled.compiler);
    assert_int_equal(sampled.code_bytes, 0);
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_samples_of_the_program_outweigh_its_start),
        cmocka_unit_test(loader_and_c_library_hold_no_own_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
