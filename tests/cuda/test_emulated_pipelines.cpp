/* The pipelines' CUDA versions on the emulator: sizes around blocks and chunks, in the order of the
 * calls and in any that their streams and events allow, and recorded as graphs. */
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "cuda/cmocka_cpp.h"
#include "cuda/emulated.h"
#include "cuda/emulator.h"

#include "kgate/profiler.h"
#include "pipelines/host_device_pipeline.h"
#include "pipelines/many_small_kernels.h"
#include "pipelines/sync_heavy.h"
#include "base/random.h"

/* Whatever a test leaves is of that test. */
static int nothing_is_left(void **)
{
    kg_emulated_put_off(false, 0);
    assert_int_equal(kg_emulated_things(), 0);
    return 0;
}

struct text {
    char of[24];
};

static struct text number(uint64_t value, const char *unit = "")
{
    struct text text;
    snprintf(text.of, sizeof text.of, "%llu%s", static_cast<unsigned long long>(value), unit);
    return text;
}

static void pipeline_spoil(void *state)
{
    const struct kg_host_device_pipeline *pipeline =
        static_cast<struct kg_host_device_pipeline *>(state);
    memset(pipeline->output, 0xff, pipeline->n * sizeof(float));
    memset(pipeline->x, 0xff, pipeline->n * sizeof(float));
    memset(pipeline->y, 0xff, pipeline->n * sizeof(float));
}

static void small_kernels_spoil(void *state)
{
    const struct kg_many_small_kernels *work = static_cast<struct kg_many_small_kernels *>(state);
    memset(static_cast<void *>(work->now), 0xff, work->n * sizeof *work->now);
}

static void sync_heavy_spoil(void *state)
{
    const struct kg_sync_heavy *work = static_cast<struct kg_sync_heavy *>(state);
    memset(work->x, 0xff, work->n * sizeof(float));
    memset(work->norms, 0xff, work->steps * sizeof(double));
    memset(work->device_norms, 0xff, work->steps * sizeof(double));
    if (work->seen)
        memset(work->seen, 0xff, work->steps * sizeof(double));
}

static void pipeline_passes(size_t n, unsigned intensity, unsigned chunks, uint64_t seed)
{
    const struct text bytes = number(n * sizeof(float), "B"), pieces = number(chunks),
                      work = number(intensity);
    const struct emulated_param params[] = {
        {"bytes", bytes.of}, {"intensity", work.of}, {"chunks", pieces.of}};
    emulated_spoil(pipeline_spoil);
    assert_int_equal(emulated_run_versions(&kg_kernel_host_device_pipeline, params, 3, seed), 3);
}

static void steps_pass(size_t n, unsigned steps, uint64_t seed)
{
    const struct text elements = number(n), count = number(steps);
    const struct emulated_param params[] = {{"elements", elements.of}, {"steps", count.of}};
    emulated_spoil(small_kernels_spoil);
    assert_int_equal(emulated_run_versions(&kg_kernel_many_small_kernels, params, 2, seed), 3);
    emulated_spoil(sync_heavy_spoil);
    assert_int_equal(emulated_run_versions(&kg_kernel_sync_heavy, params, 2, seed), 2);
}

static void arrays_of_any_length_in_any_number_of_chunks(void **)
{
    static const struct {
        size_t n;
        unsigned intensity, chunks;
    } sizes[] = {{1, 1, 1},     {1, 7, 1024},   {63, 3, 2},   {64, 3, 2},
                 {65, 100, 2},  {255, 2, 5},    {256, 2, 4},  {257, 2, 4},
                 {1000, 64, 3}, {300, 4096, 3}, {5003, 9, 7}, {20011, 5, 16}};
    struct kg_random random = {emulated_seed(0)};
    for (const auto &size : sizes)
        pipeline_passes(size.n, size.intensity, size.chunks, kg_random_next(&random));
}

static void steps_of_any_number_over_any_size(void **)
{
    static const struct {
        size_t n;
        unsigned steps;
    } sizes[] = {{1, 1}, {1, 300}, {2, 3}, {255, 4}, {256, 1}, {257, 7}, {1000, 20}, {2049, 3}};
    struct kg_random random = {emulated_seed(0)};
    for (const auto &size : sizes)
        steps_pass(size.n, size.steps, kg_random_next(&random));
}

/* More blocks than are started: each turns more than once. */
static void blocks_that_turn_more_than_once(void **)
{
    const struct emulated_param params[] = {{"elements", "262500"}, {"steps", "1"}};
    emulated_spoil(sync_heavy_spoil);
    assert_true(emulated_run(&kg_kernel_sync_heavy, params, 2, emulated_seed(0), nullptr));
}

static void results_hold_in_any_order_that_streams_allow(void **)
{
    for (size_t i = 0; i < 25; i++) {
        struct kg_random random = {emulated_seed(i)};
        kg_emulated_put_off(true, kg_random_next(&random));
        pipeline_passes(1 + kg_random_below(&random, 3000), 5,
                        1 + static_cast<unsigned>(kg_random_below(&random, 12)), random.state);
        steps_pass(1 + kg_random_below(&random, 300),
                   1 + static_cast<unsigned>(kg_random_below(&random, 9)), random.state);
    }
}

static __global__ void nothing(int)
{
}

/* What CUDA remembers of an earlier case, as of a call that could not be recorded, is none of this
 * one's. */
static void an_error_of_an_earlier_case_fails_no_later_one(void **)
{
    const struct emulated_param params[] = {{"elements", "400"}, {"steps", "3"}};
    emulated_spoil(sync_heavy_spoil);
    KG_LAUNCH(nothing, 1, 100000, 0, kg_emulated_stream(), 0);
    assert_true(emulated_run(&kg_kernel_sync_heavy, params, 2, emulated_seed(0), nullptr));
    KG_LAUNCH(nothing, 1, 100000, 0, kg_emulated_stream(), 0);
    assert_int_not_equal(cudaGetLastError(), cudaSuccess);
}

static bool recorded(const struct kgate_workload *workload, const char *version)
{
    const bool transfers = workload == &kg_kernel_host_device_pipeline;
    const struct emulated_param params[] = {
        {transfers ? "bytes" : "elements", transfers ? "8000B" : "400"},
        {transfers ? "intensity" : "steps", "6"},
        {"version", version}};
    return emulated_run_recorded(workload, params, 3, emulated_seed(0));
}

static void calls_are_recorded_but_for_one_that_waits(void **)
{
    assert_true(recorded(&kg_kernel_host_device_pipeline, "pinned"));
    assert_true(recorded(&kg_kernel_host_device_pipeline, "overlapped"));
    assert_true(recorded(&kg_kernel_many_small_kernels, "launches"));
    assert_true(recorded(&kg_kernel_many_small_kernels, "graph"));
    assert_true(recorded(&kg_kernel_many_small_kernels, "fused"));
    assert_true(recorded(&kg_kernel_sync_heavy, "once"));
    assert_false(recorded(&kg_kernel_sync_heavy, "every_step"));
}

/* How often two calls of a version, and two of its check, enter a scope. */
static uint64_t scope_calls(const struct kgate_workload *workload, const char *version,
                            const char *scope)
{
    const bool transfers = workload == &kg_kernel_host_device_pipeline;
    const struct emulated_param params[] = {
        {transfers ? "bytes" : "elements", transfers ? "4KiB" : "9"},
        {transfers ? "chunks" : "steps", "3"},
        {"version", version}};
    char message[256];
    uint64_t calls = 0;
    assert_true(kgate_profiler_start(nullptr, message));
    emulated_spoil(nullptr);
    assert_true(emulated_run(workload, params, 3, emulated_seed(0), nullptr));
    kgate_profiler_stop();
    struct kgate_profile_results *results = kgate_profiler_results(nullptr, message);
    assert_non_null(results);
    for (size_t i = 0; i < results->name_count; i++)
        if (!strcmp(results->names[i].name, scope))
            calls = results->names[i].calls;
    kgate_profile_results_free(results);
    return calls;
}

static void profile_shows_the_pattern(void **)
{
    const struct kgate_workload *pipeline = &kg_kernel_host_device_pipeline;
    const struct kgate_workload *small = &kg_kernel_many_small_kernels;
    const struct kgate_workload *sync = &kg_kernel_sync_heavy;
    for (const char *scope : {"host_to_device", "compute", "device_to_host"}) {
        assert_int_equal(scope_calls(pipeline, "pinned", scope), 4);
        assert_int_equal(scope_calls(pipeline, "overlapped", scope), 12);
    }
    assert_int_equal(scope_calls(small, "launches", "step"), 12);
    assert_int_equal(scope_calls(small, "graph", "graph"), 4);
    assert_int_equal(scope_calls(small, "fused", "steps"), 4);
    assert_int_equal(scope_calls(sync, "every_step", "synchronise"), 12);
    assert_int_equal(scope_calls(sync, "every_step", "device_to_host"), 12);
    assert_int_equal(scope_calls(sync, "once", "synchronise"), 0);
    assert_int_equal(scope_calls(sync, "once", "device_to_host"), 4);
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(arrays_of_any_length_in_any_number_of_chunks, nothing_is_left),
        cmocka_unit_test_teardown(steps_of_any_number_over_any_size, nothing_is_left),
        cmocka_unit_test_teardown(blocks_that_turn_more_than_once, nothing_is_left),
        cmocka_unit_test_teardown(results_hold_in_any_order_that_streams_allow, nothing_is_left),
        cmocka_unit_test_teardown(an_error_of_an_earlier_case_fails_no_later_one, nothing_is_left),
        cmocka_unit_test_teardown(calls_are_recorded_but_for_one_that_waits, nothing_is_left),
        cmocka_unit_test_teardown(profile_shows_the_pattern, nothing_is_left),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
