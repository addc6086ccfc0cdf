#include "gpu_support.h"

static bool nothing_is_timed(void)
{
    struct kg_gpu_mark mark;
    struct kg_gpu_done done;
    gpu = kg_gpu_new();
    const bool right = gpu && !kg_gpu_begin(gpu, NULL, &mark) && !mark.start &&
                       !kg_gpu_end(gpu, &mark, &(struct kg_entry){0}, NULL) &&
                       !kg_gpu_collect(gpu, 0, &done, 1) && !kg_gpu_dropped(gpu);
    kg_gpu_free(gpu);
    return right;
}

static bool without_driver;

static void without_a_driver_nothing_is_timed(void **state)
{
    (void)state;
    assert_true(without_driver);
}

static void without_a_context_nothing_is_timed(void **state)
{
    (void)state;
    struct kg_gpu_mark mark;
    fake->context_use(NULL);
    assert_false(kg_gpu_begin(gpu, NULL, &mark));
    assert_null(mark.start);
    assert_int_equal(kg_gpu_dropped(gpu), 0);
}

static void a_scope_is_timed_once_its_work_is_done(void **state)
{
    (void)state;
    struct kg_gpu_done done;
    double start_ns = 0;
    assert_true(scope(stream, 1.5e6, 7, &start_ns));
    assert_int_equal(kg_gpu_collect(gpu, 0, &done, 1), 0);
    pass(2e6);
    assert_int_equal(kg_gpu_collect(gpu, 0, &done, 1), 1);
    assert_true(is_timed(&done));
    assert_int_equal(done.entry.bytes, 7);
    assert_int_equal(done.entry.node, 1);
    assert_float_equal((float)done.gpu.duration_ns, 1.5e6F, 100);
    assert_true(fabs((double)done.gpu.start - start_ns) < 1000);
    assert_int_equal(done.gpu.stream, (uintptr_t)stream);
    assert_int_equal(kg_gpu_dropped(gpu), 0);
    assert_all_destroyed();
}

static void an_entry_comes_out_as_it_went_in(void **state)
{
    (void)state;
    struct kg_gpu_mark mark;
    struct kg_gpu_done done;
    const uint32_t flags = (KG_ENTRY_USAGE | KG_ENTRY_UNFINISHED) << 24 | 12345;
    const struct kg_entry entry = {1, 2, 3, 4, flags};
    const struct kg_entry_usage usage = {5, 6, 7, 0};
    assert_true(kg_gpu_begin(gpu, NULL, &mark));
    assert_true(kg_gpu_end(gpu, &mark, &entry, &usage));
    assert_null(mark.start);
    pass(1e6);
    assert_int_equal(kg_gpu_collect(gpu, 0, &done, 1), 1);
    assert_int_equal(done.entry.nested_flags, flags | KG_ENTRY_GPU << 24);
    done.entry.nested_flags = flags;
    assert_memory_equal(&done.entry, &entry, sizeof entry);
    assert_memory_equal(&done.usage, &usage, sizeof usage);
}

static void nothing_is_waited_for_while_work_goes_on(void **state)
{
    (void)state;
    struct kg_gpu_done done[8];
    fake->hold(stream, true);
    for (uint64_t i = 0; i < 500; i++) {
        const uint64_t begun = host_ns;
        assert_true(scope(stream, 1e6, i, NULL));
        assert_int_equal(kg_gpu_collect(gpu, 0, done, 8), 0);
        assert_in_range(host_ns - begun, 0, 100000);
        pass(1e5);
    }
    fake->hold(stream, false);
    pass(1e9);
    for (uint64_t i = 0; i < 500; i++) {
        assert_int_equal(kg_gpu_collect(gpu, 0, done, 1), 1);
        assert_int_equal(done->entry.bytes, i);
    }
    assert_int_equal(fake->counts->synchronised, 0);
}

static void entries_keep_their_order_over_streams(void **state)
{
    (void)state;
    struct kg_gpu_done done[4];
    void *other = fake->stream_new();
    assert_true(scope(stream, 1e7, 1, NULL));
    assert_true(scope(other, 1e3, 2, NULL));
    assert_true(scope(NULL, 1e3, 3, NULL));
    pass(1e6);
    assert_int_equal(kg_gpu_collect(gpu, 0, done, 4), 0);
    pass(1e7);
    assert_int_equal(kg_gpu_collect(gpu, 0, done, 2), 2);
    assert_int_equal(kg_gpu_collect(gpu, 0, done + 2, 2), 1);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(done[i].entry.bytes, i + 1);
}

static void scopes_nest(void **state)
{
    (void)state;
    struct kg_gpu_mark outer, inner;
    struct kg_gpu_done done[2];
    assert_true(kg_gpu_begin(gpu, stream, &outer));
    fake->launch(stream, 1e6);
    assert_true(kg_gpu_begin(gpu, stream, &inner));
    fake->launch(stream, 2e6);
    assert_true(kg_gpu_end(gpu, &inner, &(struct kg_entry){0}, NULL));
    fake->launch(stream, 4e6);
    assert_true(kg_gpu_end(gpu, &outer, &(struct kg_entry){0}, NULL));
    pass(1e8);
    assert_int_equal(kg_gpu_collect(gpu, 0, done, 2), 2);
    assert_float_equal((float)done[0].gpu.duration_ns, 2e6F, 100);
    assert_float_equal((float)done[1].gpu.duration_ns, 7e6F, 100);
}

static void events_are_used_again(void **state)
{
    (void)state;
    struct kg_gpu_done done[16];
    size_t taken = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        assert_true(scope(stream, 1e4, i, NULL));
        pass(1e3 + (double)(i % 2) * 3e4);
        taken += kg_gpu_collect(gpu, 0, done, 16);
    }
    pass(1e9);
    for (size_t count = 16; count == 16; taken += count)
        count = kg_gpu_collect(gpu, 0, done, 16);
    assert_int_equal(taken, 100000);
    assert_in_range(fake->counts->events_created, 4, 20);
    assert_int_equal(kg_gpu_dropped(gpu), 0);
    assert_all_destroyed();
}

static void what_finds_no_room_is_counted(void **state)
{
    (void)state;
    struct kg_gpu_mark open, refused;
    struct kg_gpu_done done[KG_GPU_PENDING_MOST];
    fake->hold(stream, true);
    assert_true(kg_gpu_begin(gpu, stream, &open));
    for (uint64_t i = 1; i < KG_GPU_PENDING_MOST; i++)
        assert_true(scope(stream, 1e3, i, NULL));
    assert_false(kg_gpu_begin(gpu, stream, &refused));
    assert_null(refused.start);
    assert_false(kg_gpu_begin(gpu, stream, &refused));
    assert_int_equal(kg_gpu_dropped(gpu), 2);
    assert_true(kg_gpu_end(gpu, &open, &(struct kg_entry){.bytes = KG_GPU_PENDING_MOST}, NULL));
    fake->hold(stream, false);
    pass(1e9);
    assert_int_equal(kg_gpu_collect(gpu, 0, done, KG_GPU_PENDING_MOST), KG_GPU_PENDING_MOST);
    assert_int_equal(done[KG_GPU_PENDING_MOST - 1].entry.bytes, KG_GPU_PENDING_MOST);
    assert_true(scope(stream, 1e3, 0, NULL));
    assert_int_equal(kg_gpu_dropped(gpu), 2);
    assert_all_destroyed();
}

static void a_cancelled_mark_leaves_nothing(void **state)
{
    (void)state;
    struct kg_gpu_mark mark;
    struct kg_gpu_done done;
    for (int i = 0; i < 5000; i++) {
        assert_true(kg_gpu_begin(gpu, stream, &mark));
        kg_gpu_cancel(gpu, &mark);
        kg_gpu_cancel(gpu, &mark);
    }
    pass(1e9);
    assert_int_equal(kg_gpu_collect(gpu, 0, &done, 1), 0);
    assert_int_equal(fake->counts->events_created, 4);
    assert_int_equal(kg_gpu_dropped(gpu), 0);
    assert_all_destroyed();
}

static void at_the_end_work_is_waited_for(void **state)
{
    (void)state;
    struct kg_gpu_done done[3];
    for (uint64_t i = 0; i < 3; i++)
        assert_true(scope(stream, 4e6, i, NULL));
    assert_int_equal(kg_gpu_collect(gpu, 5e6, done, 3), 3);
    assert_true(is_timed(&done[0]) && is_timed(&done[1]) && is_timed(&done[2]));
    assert_int_equal(kg_gpu_dropped(gpu), 0);
}

static void at_the_end_nothing_is_waited_for_long(void **state)
{
    (void)state;
    struct kg_gpu_done done[KG_GPU_PENDING_MOST];
    assert_true(scope(NULL, 1e3, 0, NULL));
    fake->hold(stream, true);
    for (uint64_t i = 1; i < 1000; i++)
        assert_true(scope(stream, 1e3, i, NULL));
    const uint64_t begun = host_ns;
    assert_int_equal(kg_gpu_collect(gpu, 5e6, done, 100), 100);
    assert_int_equal(kg_gpu_collect(gpu, 5e6, done + 100, KG_GPU_PENDING_MOST), 900);
    assert_in_range(host_ns - begun, 5e6, 8e6);
    assert_true(is_timed(&done[0]));
    for (uint64_t i = 1; i < 1000; i++) {
        assert_false(is_timed(&done[i]));
        assert_int_equal(done[i].entry.bytes, i);
    }
    assert_int_equal(kg_gpu_dropped(gpu), 999);
    /* The profiler waits again for scopes that begin later. */
    assert_true(scope(NULL, 1e6, 0, NULL));
    assert_int_equal(kg_gpu_collect(gpu, 5e6, done, 1), 1);
    assert_true(is_timed(&done[0]));
    assert_all_destroyed();
}

static void what_is_not_collected_is_freed(void **state)
{
    (void)state;
    fake->hold(stream, true);
    for (uint64_t i = 0; i < 10; i++)
        assert_true(scope(stream, 1e3, i, NULL));
    assert_all_destroyed();
}

#define GPU_TEST(function) cmocka_unit_test_setup_teardown(function, gpu_setup, gpu_teardown)

int main(void)
{
    without_driver = right_in_child(nothing_is_timed);
    fake_open(KGATE_FAKE_CUDA);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_driver_nothing_is_timed),
        GPU_TEST(without_a_context_nothing_is_timed),
        GPU_TEST(a_scope_is_timed_once_its_work_is_done),
        GPU_TEST(an_entry_comes_out_as_it_went_in),
        GPU_TEST(nothing_is_waited_for_while_work_goes_on),
        GPU_TEST(entries_keep_their_order_over_streams),
        GPU_TEST(scopes_nest),
        GPU_TEST(events_are_used_again),
        GPU_TEST(what_finds_no_room_is_counted),
        GPU_TEST(a_cancelled_mark_leaves_nothing),
        GPU_TEST(at_the_end_work_is_waited_for),
        GPU_TEST(at_the_end_nothing_is_waited_for_long),
        GPU_TEST(what_is_not_collected_is_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
