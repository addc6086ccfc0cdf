#include "gpu_support.h"

enum { UNKNOWN = 999, DEINITIALIZED = 4, CONTEXT_IS_DESTROYED = 709, OUT_OF_MEMORY = 2 };

/* The state of a scope while a function of the driver fails throughout. */
struct outcome {
    const char *function;
    bool begins;
    bool ends;      /* if it begins */
    bool is_timed;  /* if it ends */
    bool is_placed; /* if it is timed: its start is known */
    bool counts;    /* as dropped */
};

static const struct outcome outcomes[] = {
    {"cuCtxGetCurrent", false, false, false, false, false},
    {"cuCtxGetId", false, false, false, false, false},
    {"cuStreamIsCapturing", false, false, false, false, false},
    {"cuStreamCreate", true, true, true, false, false},
    {"cuEventCreate", false, false, false, false, true},
    {"cuEventRecord", false, false, false, false, true},
    {"cuEventQuery", true, true, false, false, true},
    {"cuEventElapsedTime_v2", true, true, false, false, true},
    {"cuThreadExchangeStreamCaptureMode", true, true, true, true, false},
    {"cuCtxPushCurrent_v2", true, true, true, true, false},
    {"cuEventDestroy_v2", true, true, true, true, false},
    {"cuStreamDestroy_v2", true, true, true, true, false},
};
enum { OUTCOME_COUNT = sizeof outcomes / sizeof *outcomes };

/* The function fails from before the first scope until after everything is freed. */
static void fails_throughout(const struct outcome *outcome, int code, bool counts)
{
    struct kg_gpu_done done;
    fake_restart(1);
    gpu = kg_gpu_new();
    fake->refuse(outcome->function, code, UINT32_MAX);
    const bool waits = scope(stream, 1e6, 1, NULL);
    pass(1e7);
    const size_t count = kg_gpu_collect(gpu, 0, &done, 1);
    const uint64_t dropped = kg_gpu_dropped(gpu);
    const bool timed = count && is_timed(&done);
    kg_gpu_free(gpu);
    fake->refuse(NULL, 0, 0);
    const bool placed = timed && done.gpu.start;
    const bool right = waits == (outcome->begins && outcome->ends) && count == waits &&
                       timed == (waits && outcome->is_timed) &&
                       placed == (timed && outcome->is_placed) && dropped == counts;
    if (!right)
        fail_msg("%s, %d: pending %d, timed %d, placed %d, dropped %d", outcome->function, code,
                 waits, timed, placed, (int)dropped);
    assert_int_equal(fake->counts->misuse + fake->counts->synchronised, 0);
}

static void a_function_that_fails_costs_gpu_times_only(void **state)
{
    (void)state;
    for (size_t i = 0; i < OUTCOME_COUNT; i++)
        fails_throughout(&outcomes[i], UNKNOWN, outcomes[i].counts);
}

static void a_driver_that_is_shut_down_is_no_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < OUTCOME_COUNT; i++) {
        fails_throughout(&outcomes[i], DEINITIALIZED, false);
        fails_throughout(&outcomes[i], CONTEXT_IS_DESTROYED, false);
    }
}

/* Nothing that a function does once is needed to stay in order. */
static void a_function_may_fail_at_any_moment(void **state)
{
    (void)state;
    struct kg_gpu_done done[64];
    uint64_t ended = 0, next = 0;
    srand(1);
    for (int i = 0; i < 20000; i++) {
        const struct outcome *outcome = &outcomes[rand() % OUTCOME_COUNT];
        if (i % 2)
            fake->refuse(outcome->function, rand() % 2 ? UNKNOWN : OUT_OF_MEMORY, 1);
        ended += scope(stream, 1e4, ended, NULL);
        pass(rand() % 50000);
        const size_t count = kg_gpu_collect(gpu, 0, done, 64);
        for (size_t k = 0; k < count; k++)
            assert_int_equal(done[k].entry.bytes, next++);
    }
    fake->refuse(NULL, 0, 0);
    pass(1e9);
    next += kg_gpu_collect(gpu, 0, done, 64);
    assert_int_equal(next, ended);
    assert_in_range(fake->counts->events_created, 4, 64);
    assert_all_destroyed();
}

static void the_whole_driver_may_go_between_begin_and_end(void **state)
{
    (void)state;
    struct kg_gpu_mark mark;
    struct kg_gpu_done done;
    assert_true(scope(stream, 1e3, 1, NULL));
    assert_true(kg_gpu_begin(gpu, stream, &mark));
    fake->refuse(NULL, DEINITIALIZED, UINT32_MAX);
    assert_false(kg_gpu_end(gpu, &mark, &(struct kg_entry){0}, NULL));
    assert_int_equal(kg_gpu_collect(gpu, 1e9, &done, 1), 1);
    assert_false(is_timed(&done));
    assert_int_equal(kg_gpu_dropped(gpu), 0);
}

static void a_stream_that_is_captured_is_not_timed(void **state)
{
    (void)state;
    struct kg_gpu_mark mark;
    fake->capture(stream, true);
    assert_false(kg_gpu_begin(gpu, stream, &mark));
    assert_false(kg_gpu_begin(gpu, NULL, &mark));
    fake->capture(stream, false);
    assert_true(kg_gpu_begin(gpu, stream, &mark));
    fake->capture(stream, true);
    assert_false(kg_gpu_end(gpu, &mark, &(struct kg_entry){0}, NULL));
    fake->capture(stream, false);
    assert_int_equal(kg_gpu_dropped(gpu), 0);
    assert_all_destroyed();
}

static void a_capture_elsewhere_is_not_broken(void **state)
{
    (void)state;
    struct kg_gpu_done done;
    void *captured = fake->stream_new();
    fake->capture(captured, true);
    assert_true(scope(stream, 1e3, 1, NULL));
    pass(1e9);
    assert_int_equal(kg_gpu_collect(gpu, 0, &done, 1), 1);
    assert_true(is_timed(&done));
    assert_true(scope(stream, 1e3, 2, NULL));
    assert_all_destroyed();
    assert_true(fake->strict());
    assert_int_equal(fake->counts->captures_broken, 0);
}

static void a_scope_may_end_and_be_collected_in_another_context(void **state)
{
    (void)state;
    struct kg_gpu_mark mark;
    struct kg_gpu_done done[2];
    void *streams[] = {NULL, stream};
    void *other = fake->context_new();
    for (size_t i = 0; i < 2; i++) {
        fake->context_use(context);
        assert_true(kg_gpu_begin(gpu, streams[i], &mark));
        fake->launch(streams[i], 1e6);
        fake->context_use(other);
        assert_true(kg_gpu_end(gpu, &mark, &(struct kg_entry){0}, NULL));
        pass(1e7);
    }
    fake->context_use(NULL);
    assert_int_equal(kg_gpu_collect(gpu, 0, done, 2), 2);
    for (size_t i = 0; i < 2; i++) {
        assert_true(is_timed(&done[i]));
        assert_float_equal((float)done[i].gpu.duration_ns, 1e6F, 4000);
    }
    assert_int_equal(kg_gpu_dropped(gpu), 0);
    assert_all_destroyed();
}

static void contexts_have_their_own_events(void **state)
{
    (void)state;
    struct kg_gpu_done done[2];
    void *contexts[17];
    for (uint64_t i = 0; i < 17; i++) {
        contexts[i] = i ? fake->context_new() : context;
        fake->context_use(contexts[i]);
        assert_int_equal(scope(NULL, 1e3, i, NULL), i < 16);
    }
    assert_int_equal(kg_gpu_dropped(gpu), 1);
    pass(1e6);
    for (uint64_t i = 0; i < 16; i++) {
        assert_int_equal(kg_gpu_collect(gpu, 0, done, 1), 1);
        assert_true(is_timed(done) && done->gpu.start);
        assert_int_equal(done->entry.bytes, i);
    }
    /* A destroyed context frees its slot once the profiler notices its end. */
    fake->context_end(contexts[3]);
    fake->context_use(contexts[3]);
    assert_false(scope(NULL, 1e3, 0, NULL));
    fake->context_use(contexts[16]);
    assert_false(scope(NULL, 1e3, 0, NULL));
    fake->context_reset(contexts[5]);
    fake->context_use(contexts[5]);
    assert_true(scope(NULL, 1e3, 5, NULL));
}

static void what_a_context_had_is_lost_with_it(void **state)
{
    (void)state;
    struct kg_gpu_mark mark;
    struct kg_gpu_done done[2];
    void (*const ends[])(void *) = {fake->context_end, fake->context_reset};
    for (size_t i = 0; i < 2; i++) {
        gpu_teardown(NULL);
        gpu_setup(NULL);
        assert_true(scope(stream, 1e3, 1, NULL));
        assert_true(kg_gpu_begin(gpu, stream, &mark));
        ends[i](context);
        assert_false(kg_gpu_end(gpu, &mark, &(struct kg_entry){0}, NULL));
        assert_int_equal(kg_gpu_collect(gpu, 0, done, 2), 1);
        assert_false(is_timed(done));
        assert_int_equal(kg_gpu_dropped(gpu), 0);
        assert_int_equal(fake->counts->misuse, 0);
    }
    stream = fake->stream_new();
    assert_true(scope(stream, 1e3, 2, NULL));
    pass(1e6);
    assert_int_equal(kg_gpu_collect(gpu, 0, done, 2), 1);
    assert_true(is_timed(done));
}

static void a_handle_that_the_driver_no_longer_knows_is_no_error(void **state)
{
    (void)state;
    struct kg_gpu_done done;
    assert_true(scope(stream, 1e3, 1, NULL));
    pass(1e6);
    fake->refuse("cuCtxGetId", 201, 1);
    assert_int_equal(kg_gpu_collect(gpu, 0, &done, 1), 1);
    assert_false(is_timed(&done));
    assert_int_equal(kg_gpu_dropped(gpu), 0);
}

static void a_stream_of_another_context_is_dropped(void **state)
{
    (void)state;
    struct kg_gpu_mark mark;
    fake->context_use(fake->context_new());
    assert_false(kg_gpu_begin(gpu, stream, &mark));
    assert_int_equal(kg_gpu_dropped(gpu), 1);
    assert_all_destroyed();
}

/* A child leaves its parent's objects alone: there the same handle is another context. */
static bool child_of_parent(void)
{
    struct kg_gpu_done done[2];
    struct kg_gpu_mark mark;
    bool right = kg_gpu_collect(gpu, 0, done, 2) == 1 && !is_timed(done);
    right &= kg_gpu_begin(gpu, NULL, &mark) && kg_gpu_end(gpu, &mark, &done->entry, NULL);
    pass(1e6);
    right &= kg_gpu_collect(gpu, 0, done, 2) == 1 && is_timed(done);
    right &= !kg_gpu_dropped(gpu);
    kg_gpu_free(gpu);
    return right && !fake->counts->misuse;
}

static void a_forked_child_starts_afresh(void **state)
{
    (void)state;
    assert_true(scope(stream, 1e3, 1, NULL));
    pass(1e6);
    assert_true(right_in_child(child_of_parent));
}

#define GPU_TEST(function) cmocka_unit_test_setup_teardown(function, gpu_setup, gpu_teardown)

int main(void)
{
    fake_open(KGATE_FAKE_CUDA);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_that_fails_costs_gpu_times_only),
        cmocka_unit_test(a_driver_that_is_shut_down_is_no_error),
        GPU_TEST(a_function_may_fail_at_any_moment),
        GPU_TEST(the_whole_driver_may_go_between_begin_and_end),
        GPU_TEST(a_stream_that_is_captured_is_not_timed),
        GPU_TEST(a_capture_elsewhere_is_not_broken),
        GPU_TEST(a_scope_may_end_and_be_collected_in_another_context),
        GPU_TEST(contexts_have_their_own_events),
        GPU_TEST(what_a_context_had_is_lost_with_it),
        GPU_TEST(a_handle_that_the_driver_no_longer_knows_is_no_error),
        GPU_TEST(a_stream_of_another_context_is_dropped),
        GPU_TEST(a_forked_child_starts_afresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
