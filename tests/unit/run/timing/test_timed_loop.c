/* The timed loop on work of known length: its counts, not the machine's speed. */
#include <time.h>

#include "base/clock.h"
#include "run/timing/timed_loop.h"
#include "test_support.h"

struct work {
    uint64_t calls;
    uint64_t length_ns;
};

static void busy(void *state)
{
    struct work *work = state;
    const uint64_t end = kg_clock_ns() + work->length_ns;
    work->calls++;
    while (kg_clock_ns() < end)
        continue;
}

static struct kg_sampler sampler_for(struct work *work, double min_time_ns)
{
    static double buffer[KG_SAMPLES_MOST];
    return (struct kg_sampler){.run = busy,
                               .state = work,
                               .resolution_ns = kg_clock_resolution_ns(),
                               .min_time_ns = min_time_ns,
                               .buffer = buffer,
                               .capacity = KG_SAMPLES_MOST};
}

static void resolution_is_positive_and_below_a_microsecond_or_so(void **state)
{
    const double resolution = kg_clock_resolution_ns();
    assert_true(resolution >= 1 && resolution < 1e5);
}

static void short_calls_are_batched_past_the_clock(void **state)
{
    struct work work = {.length_ns = 500};
    const struct kg_sampler sampler = sampler_for(&work, 1e6);
    const uint64_t batch = kg_sampler_batch(&sampler, 0);
    assert_in_range(batch, 2, 100000);
    /* a call takes at least its length: the batch is never longer than the target asks */
    assert_true((double)batch * 500 <= 2 * fmax(125e3, 1250 * sampler.resolution_ns) * 16);
}

static void long_calls_are_timed_alone(void **state)
{
    struct work work = {.length_ns = 2000000};
    const struct kg_sampler sampler = sampler_for(&work, 1e6);
    assert_int_equal(kg_sampler_batch(&sampler, 0), 1);
}

static void room_grows_with_the_round_up_to_a_limit(void **state)
{
    assert_int_equal(kg_sampler_room(1), 512);
    assert_int_equal(kg_sampler_room(50e6), 4000);
    assert_int_equal(kg_sampler_room(60e9), KG_SAMPLES_MOST);
}

static void round_counts_calls_and_reaches_its_time(void **state)
{
    struct work work = {.length_ns = 20000};
    struct kg_arena arena = {0};
    struct kg_error err;
    struct kg_round round;
    struct kg_sampling sampling;
    const struct kg_sampler sampler = sampler_for(&work, 5e6);
    kg_sampling_begin(&sampling, &sampler, 3);
    kg_sampling_run(&sampling, 5e6);
    assert_true(kg_sampling_end(&sampling, &arena, &round, &err));
    assert_true(round.wall_ns >= 5e6);
    assert_int_equal(round.calls % 3, 0);
    assert_true(work.calls > round.calls); /* the warm-up's are not counted */
    assert_true(round.min_ns >= 20000);
    assert_true(round.min_ns <= round.median_ns && round.median_ns <= round.p95_ns &&
                round.p95_ns <= round.max_ns);
    const uint64_t samples = round.calls / 3; /* a preempted one may be as long as the round */
    assert_int_equal(round.sample_count,
                     samples < KG_ROUND_SAMPLES_MOST ? samples : KG_ROUND_SAMPLES_MOST);
    assert_int_equal(round.sample_count + round.samples_dropped, samples);
    assert_true(round.cpu_ns > 0);
    kg_arena_free(&arena);
}

static void iterations_count_calls_in_whole_samples(void **state)
{
    struct work work = {.length_ns = 20000};
    struct kg_sampler sampler = sampler_for(&work, 5e6);
    struct kg_sampling sampling;
    (void)state;
    sampler.iterations = 10;
    kg_sampling_begin(&sampling, &sampler, 3);
    kg_sampling_run(&sampling, 1); /* a shorter time ends nothing */
    assert_int_equal(sampling.taken, 4);
    kg_sampling_run(&sampling, 1e12); /* and a longer one asks for nothing */
    assert_int_equal(sampling.taken, 4);
}

static void pieces_of_iterations_end_by_calls_or_time(void **state)
{
    struct work work = {.length_ns = 20000};
    struct kg_sampler sampler = sampler_for(&work, 5e6);
    struct kg_sampling sampling;
    (void)state;
    sampler.iterations = 10;
    sampler.piece_calls = 4;
    kg_sampling_begin(&sampling, &sampler, 1);
    kg_sampling_run(&sampling, 1e12);
    assert_int_equal(sampling.taken, 4);
    kg_sampling_run(&sampling, 1); /* at once, after one call */
    assert_int_equal(sampling.taken, 5);
    kg_sampling_run(&sampling, 1e12);
    assert_int_equal(sampling.taken, 9);
    kg_sampling_run(&sampling, 1e12); /* the last piece has the rest */
    assert_int_equal(sampling.taken, 10);
}

/* Work whose first calls are slow, as on a disturbed machine. */
static void busy_later(void *state)
{
    struct work *work = state;
    const uint64_t end = kg_clock_ns() + (work->calls < 4 ? 1000000 : work->length_ns);
    work->calls++;
    while (kg_clock_ns() < end)
        continue;
}

/* 20 us per call: a batch of four is enough. Four earlier calls of 1 ms must not reduce it to one.
 * A preempted fifth call may take as long, but not repeatedly. */
static void disturbed_trials_do_not_choose_the_batch(void **state)
{
    uint64_t batch = 0;
    for (int turn = 0; turn < 10 && batch != 4; turn++) {
        struct work work = {.length_ns = 20000};
        struct kg_sampler sampler = sampler_for(&work, 1e6);
        sampler.resolution_ns = 30;
        sampler.run = busy_later;
        batch = kg_sampler_batch(&sampler, 0);
    }
    assert_int_equal(batch, 4);
}

/* 50 us per call. A reference keeps its batch, even if kgate would choose a shorter or longer one.
 * If the clock cannot resolve its samples, it does not. */
static void a_reference_keeps_its_batch_where_it_does(void **state)
{
    struct work work = {.length_ns = 50000};
    struct kg_sampler sampler = sampler_for(&work, 1e6);
    sampler.resolution_ns = 30;
    assert_int_equal(kg_sampler_batch(&sampler, 1), 1);
    assert_int_equal(kg_sampler_batch(&sampler, 4), 4);
    assert_int_equal(kg_sampler_batch(&sampler, 100), 100);
    work.length_ns = 2000;
    assert_int_equal(kg_sampler_batch(&sampler, 1), 1);
    work.length_ns = 200;
    const uint64_t batch = kg_sampler_batch(&sampler, 1);
    assert_true(batch > 16 && (batch & (batch - 1)) == 0);
}

/* 20 ms per call and 64 calls per sample: more than a second. */
static void a_reference_of_endless_samples_is_left(void **state)
{
    struct work work = {.length_ns = 20000000};
    const struct kg_sampler sampler = sampler_for(&work, 1e6);
    assert_int_equal(kg_sampler_batch(&sampler, 64), 1);
    assert_in_range(work.calls, 3, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolution_is_positive_and_below_a_microsecond_or_so),
        cmocka_unit_test(a_reference_keeps_its_batch_where_it_does),
        cmocka_unit_test(a_reference_of_endless_samples_is_left),
        cmocka_unit_test(disturbed_trials_do_not_choose_the_batch),
        cmocka_unit_test(short_calls_are_batched_past_the_clock),
        cmocka_unit_test(long_calls_are_timed_alone),
        cmocka_unit_test(room_grows_with_the_round_up_to_a_limit),
        cmocka_unit_test(round_counts_calls_and_reaches_its_time),
        cmocka_unit_test(iterations_count_calls_in_whole_samples),
        cmocka_unit_test(pieces_of_iterations_end_by_calls_or_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
