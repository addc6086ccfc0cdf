/* Changes by an experiment in the process that runs a workload. */
#include "run/worker/worker.h"

#include <pthread.h>
#include <sys/mman.h>

#include "test_support.h"

/* Half of a denormal number: again denormal. */
static void *halved(void *result)
{
    volatile double value = 1e-310;
    value = value * 0.5;
    *(double *)result = value;
    return NULL;
}

/* Runs in its own thread, so that other tests keep their mode. */
static void *flushed_thread(void *results)
{
    double *values = results;
    pthread_t child;
    halved(&values[0]);
    kg_denormals_flush();
    halved(&values[1]);
    if (pthread_create(&child, NULL, halved, &values[2]) == 0)
        pthread_join(child, NULL);
    return NULL;
}

static void denormal_numbers_are_zero_in_this_thread_and_those_it_starts(void **state)
{
    double values[3] = {1, 1, 1};
    pthread_t thread;
#if !defined __x86_64__
    skip();
#endif
    assert_int_equal(pthread_create(&thread, NULL, flushed_thread, values), 0);
    pthread_join(thread, NULL);
    assert_true(values[0] > 0);
    assert_true(values[1] == 0);
    assert_true(values[2] == 0);
    halved(&values[0]);
    assert_true(values[0] > 0); /* of another thread */
}

static void memory_keeps_what_is_in_it(void **state)
{
    const size_t bytes = (size_t)9 << 20, step = 4096;
    unsigned char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    for (size_t i = 0; i < bytes; i += step)
        memory[i] = (unsigned char)(i / step);
    kg_huge_pages_ask();
    for (size_t i = 0; i < bytes; i += step)
        if (memory[i] != (unsigned char)(i / step))
            fail_msg("page %zu", i / step);
    munmap(memory, bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(denormal_numbers_are_zero_in_this_thread_and_those_it_starts),
        cmocka_unit_test(memory_keeps_what_is_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
