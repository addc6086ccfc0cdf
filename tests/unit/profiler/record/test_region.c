/* Scopes of threads that a parallel region starts are below that region. */
#include <pthread.h>

#include "kgate/profiler.h"
#include "test_support.h"

static int set_up(void **state)
{
    char message[256] = "";
    (void)state;
    if (!kgate_profiler_start(NULL, message))
        fail_msg("not started: %s", message);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    kgate_profiler_stop();
    return 0;
}

static void rest_ms(int ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};
    nanosleep(&time, NULL);
}

static void part(int ms)
{
    KGATE_SCOPE("part");
    KGATE_SCOPE("inside");
    rest_ms(ms);
}

static void *worker(void *ms)
{
    part(*(int *)ms);
    return NULL;
}

/* A region with the calling thread's part and another thread's. */
static void region(int own_ms, int other_ms)
{
    pthread_t thread;
    KGATE_SCOPE_PARALLEL_REGION("region");
    assert_int_equal(pthread_create(&thread, NULL, worker, &other_ms), 0);
    part(own_ms);
    pthread_join(thread, NULL);
}

static struct kgate_profile_results *results_now(void)
{
    char message[256] = "";
    struct kgate_profile_results *results = kgate_profiler_results(NULL, message);
    if (!results)
        fail_msg("%s", message);
    return results;
}

/* The path "outer;inner"; of an outermost one `outer` is empty. NULL: there is none. */
static const struct kgate_scope_statistics *path_of(const struct kgate_profile_results *results,
                                                    const char *outer, const char *inner)
{
    for (size_t i = 0; i < results->path_count; i++) {
        const struct kgate_scope_statistics *path = &results->paths[i];
        const char *around = path->parent == i ? "" : results->paths[path->parent].name;
        if (!strcmp(path->name, inner) && !strcmp(around, outer))
            return path;
    }
    return NULL;
}

static void scopes_of_a_started_thread_are_below_the_region(void **state)
{
    (void)state;
    {
        KGATE_SCOPE("epoch");
        region(1, 80);
        region(1, 80);
    }
    struct kgate_profile_results *results = results_now();
    assert_null(path_of(results, "", "part"));
    const struct kgate_scope_statistics *parts = path_of(results, "region", "part");
    const struct kgate_scope_statistics *whole = path_of(results, "", "epoch");
    assert_non_null(parts);
    assert_int_equal(parts->calls, 4);
    assert_int_equal(path_of(results, "part", "inside")->calls, 4);
    /* shares are of the wall time: of the thread that started the region */
    assert_true(whole->share > 0.999 && whole->share < 1.001);
    assert_true(parts->share > 0 && parts->share < 0.5);
    assert_true(parts->total_ns > 160e6);
    /* the region waited for the other thread */
    assert_true(path_of(results, "epoch", "region")->self_ns > 80e6);
    kgate_profile_results_free(results);
}

static void scopes_after_the_region_are_outermost(void **state)
{
    (void)state;
    region(0, 0);
    {
        KGATE_SCOPE("after");
    }
    struct kgate_profile_results *results = results_now();
    assert_non_null(path_of(results, "", "after"));
    assert_non_null(path_of(results, "", "region"));
    kgate_profile_results_free(results);
}

static pthread_barrier_t barrier;

static void *independent(void *unused)
{
    {
        KGATE_SCOPE("early");
    }
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    {
        KGATE_SCOPE("log");
    }
    pthread_barrier_wait(&barrier);
    return unused;
}

static void a_thread_that_worked_before_the_region_keeps_its_own_scopes(void **state)
{
    pthread_t thread;
    (void)state;
    pthread_barrier_init(&barrier, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, independent, NULL), 0);
    pthread_barrier_wait(&barrier);
    {
        KGATE_SCOPE_PARALLEL_REGION("region");
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
    pthread_join(thread, NULL);
    struct kgate_profile_results *results = results_now();
    assert_non_null(path_of(results, "", "log"));
    assert_null(path_of(results, "region", "log"));
    kgate_profile_results_free(results);
    pthread_barrier_destroy(&barrier);
}

static void regions_that_nobody_ends_are_bounded(void **state)
{
    (void)state;
    struct kgate_scope scopes[20];
    static struct kgate_site site = {
        "nested", NULL, NULL, 0, KGATE_DEVICE_CPU, KGATE_SCOPE_PARALLEL, 0};
    for (size_t i = 0; i < 20; i++)
        scopes[i] = kgate_scope_begin(NULL, &site, 0);
    kgate_scope_finish(&scopes[0]);
    region(0, 0);
    struct kgate_profile_results *results = results_now();
    assert_int_equal(results->losses.unfinished, 19);
    assert_int_equal(path_of(results, "region", "part")->calls, 2);
    kgate_profile_results_free(results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scopes_of_a_started_thread_are_below_the_region, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(scopes_after_the_region_are_outermost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_thread_that_worked_before_the_region_keeps_its_own_scopes,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(regions_that_nobody_ends_are_bounded, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
