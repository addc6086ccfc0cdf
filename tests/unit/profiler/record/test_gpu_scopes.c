/* GPU times through the public interface: from the macros to the figures. */
#include "gpu_support.h"

#include <pthread.h>

#include "kgate/profiler.h"

enum { STEPS = 300, KERNEL_NS = 20000, COPY_NS = 10000, BUSY_NS = 200000000 };

static uint64_t real_now(void)
{
    return kg_monotonic_ns();
}

static void step_run(void)
{
    KGATE_SCOPE("step");
    {
        KGATE_SCOPE_TRANSFER_CUDA("copy", stream, 4096);
        fake->launch(stream, COPY_NS);
    }
    {
        KGATE_SCOPE_CUDA("kernel", stream, 0);
        fake->launch(stream, KERNEL_NS);
    }
}

static void *thread_run(void *argument)
{
    (void)argument;
    fake->context_use(context);
    step_run();
    return NULL;
}

static const struct kgate_scope_statistics *of_name(const struct kgate_profile_results *results,
                                                    const char *name)
{
    for (size_t i = 0; i < results->name_count; i++)
        if (!strcmp(results->names[i].name, name))
            return &results->names[i];
    fail_msg("no scope is called \"%s\"", name);
    return NULL;
}

static void assert_near(double value_ns, double expected_ns)
{
    if (fabs(value_ns - expected_ns) > expected_ns * 1e-3)
        fail_msg("%.0f ns are not %.0f ns", value_ns, expected_ns);
}

static void time_expect(const struct kgate_profile_results *results, const char *name,
                        double gpu_ns, double transfer_ns)
{
    const struct kgate_scope_statistics *scope = of_name(results, name);
    assert_int_equal(scope->calls, STEPS + 1);
    assert_near(scope->gpu_ns, gpu_ns);
    assert_near(scope->transfer_ns, transfer_ns);
}

static void scopes_on_streams_have_gpu_times_in_the_figures(void **state)
{
    (void)state;
    char message[256];
    pthread_t thread;
    assert_true(kgate_profiler_start(NULL, message));
    /* The device is busy until all scopes are on the stream: then their times are exact. */
    fake->launch(stream, BUSY_NS);
    for (int i = 0; i < STEPS; i++)
        step_run();
    assert_int_equal(pthread_create(&thread, NULL, thread_run, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    kgate_profiler_stop();
    struct kgate_profile_results *results = kgate_profiler_results(NULL, message);
    assert_non_null(results);
    const double kernels_ns = (STEPS + 1.0) * KERNEL_NS, copies_ns = (STEPS + 1.0) * COPY_NS;
    time_expect(results, "kernel", kernels_ns, 0);
    time_expect(results, "copy", 0, copies_ns);
    time_expect(results, "step", kernels_ns, copies_ns);
    assert_int_equal(results->losses.gpu_dropped, 0);
    kgate_profile_results_free(results);
    assert_int_equal(fake->counts->synchronised, 0);
    assert_int_equal(fake->counts->misuse, 0);
}

/* A report of the process-wide recording, to be freed. */
static char *printed(enum kgate_profile_format format)
{
    char message[256], *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    assert_true(kgate_profiler_print(NULL, format, file, 0, message));
    fclose(file);
    return text;
}

static void backend_run(bool on_gpu)
{
    KGATE_SCOPE_AUTO("either");
    if (on_gpu)
        fake->launch(NULL, KERNEL_NS);
}

static void a_scope_without_a_stated_backend_uses_the_device_of_the_thread(void **state)
{
    (void)state;
    for (int on_gpu = 0; on_gpu < 2; on_gpu++) {
        char message[256];
        assert_true(kgate_profiler_start(NULL, message));
        fake->launch(NULL, BUSY_NS);
        fake->context_use(on_gpu ? context : NULL);
        backend_run(on_gpu);
        fake->context_use(context);
        kgate_profiler_stop();
        struct kgate_profile_results *results = kgate_profiler_results(NULL, message);
        assert_non_null(results);
        assert_near(of_name(results, "either")->gpu_ns, on_gpu ? KERNEL_NS : 0);
        kgate_profile_results_free(results);
        char *json = printed(KGATE_PROFILE_JSON);
        if ((strstr(json, "\"cuda\"") != NULL) != on_gpu)
            fail_msg("%s", json);
        free(json);
    }
}

enum { BLOCK_BYTES = 8 << 20 };

/* Allocates on the device, as the program would by the CUDA runtime. */
static uint64_t device_block(void)
{
    static int (*allocate)(uint64_t * address, size_t bytes);
    uint64_t address = 0;
    void *function = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemAlloc_v2");
    memcpy(&allocate, &function, sizeof allocate);
    assert_int_equal(allocate(&address, BLOCK_BYTES), 0);
    return address;
}

static void scopes_on_streams_have_the_memory_that_the_device_gave(void **state)
{
    (void)state;
    char message[256];
    const struct kgate_profiler_options options = {.device_memory = true};
    assert_true(kgate_profiler_start(&options, message));
    {
        KGATE_SCOPE("load");
        KGATE_SCOPE_CUDA("both", stream, 0);
        device_block();
        {
            KGATE_SCOPE_CUDA("one", stream, 0);
            device_block();
        }
        KGATE_SCOPE_CUDA("none", stream, 0);
    }
    kgate_profiler_stop();
    struct kgate_profile_results *results = kgate_profiler_results(NULL, message);
    assert_non_null(results);
    assert_int_equal(of_name(results, "one")->device_peak_bytes, BLOCK_BYTES);
    assert_int_equal(of_name(results, "both")->device_peak_bytes, 2 * BLOCK_BYTES);
    assert_int_equal(of_name(results, "load")->device_peak_bytes, 2 * BLOCK_BYTES);
    assert_int_equal(of_name(results, "none")->device_peak_bytes, 0);
    kgate_profile_results_free(results);
    char *table = printed(KGATE_PROFILE_TABLE);
    if (!strstr(table, "gpu peak") || !strstr(table, "16.0 MiB"))
        fail_msg("%s", table);
    free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scopes_on_streams_have_gpu_times_in_the_figures),
        cmocka_unit_test(a_scope_without_a_stated_backend_uses_the_device_of_the_thread),
        cmocka_unit_test(scopes_on_streams_have_the_memory_that_the_device_gave),
    };
    host_is_real = true;
    fake_open(KGATE_FAKE_CUDA);
    fake->restart(real_now, 1, 5e15);
    context = fake->context_new();
    fake->context_use(context);
    stream = fake->stream_new();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
