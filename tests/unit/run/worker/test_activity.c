/* Activity records of a device, per call, on hand-made lists. */
#include <math.h>

#include "base/random.h"
#include "run/worker/activity.h"
#include "test_support.h"

enum { CALL_NS = 10000 };

static struct kg_arena arena;
static struct kg_trace trace;
static struct kg_activity list[4096];
static struct kg_activities activities;

static int begin(void **state)
{
    memset(list, 0, sizeof list);
    activities = (struct kg_activities){.of = list};
    for (size_t i = 0; i <= KG_TRACED_CALLS; i++)
        activities.marks[i] = CALL_NS * (1 + i);
    return 0;
}

static int end(void **state)
{
    kg_arena_free(&arena);
    return 0;
}

/* In one call, at a time since its mark. */
static struct kg_activity *add_once(size_t call, enum kg_activity_kind kind, uint64_t start,
                                    uint64_t stop)
{
    struct kg_activity *activity = &list[activities.count++];
    *activity = (struct kg_activity){.kind = kind,
                                     .start_ns = activities.marks[call] + start,
                                     .end_ns = activities.marks[call] + stop,
                                     .correlation = activities.count,
                                     .name = "k",
                                     .blocks = 1,
                                     .threads = 32};
    return activity;
}

/* In every call. */
static void add(enum kg_activity_kind kind, uint64_t start, uint64_t stop)
{
    for (size_t call = 0; call < KG_TRACED_CALLS; call++)
        add_once(call, kind, start, stop);
}

static void summarize(void)
{
    kg_activities_summarize(&activities, &arena, &trace);
}

static void assert_times(double kernel, double transfer, double other, double gap)
{
    if (trace.kernel_ns != kernel || trace.transfer_ns != transfer || trace.other_ns != other ||
        trace.gap_ns != gap)
        fail_msg("kernel %g transfer %g other %g gap %g instead of %g, %g, %g, %g", trace.kernel_ns,
                 trace.transfer_ns, trace.other_ns, trace.gap_ns, kernel, transfer, other, gap);
}

static void times_and_gaps_are_those_of_a_call(void **state)
{
    add(KG_ACTIVITY_TO_DEVICE, 100, 150);
    add(KG_ACTIVITY_KERNEL, 160, 260);
    add(KG_ACTIVITY_OTHER, 260, 270);
    add(KG_ACTIVITY_TO_HOST, 300, 320);
    summarize();
    assert_times(100, 70, 10, 10 + 30);
    assert_true(trace.launches == 4 && trace.hidden_ns == 0);
    assert_string_equal(trace.source, "cupti");
    assert_null(trace.reason);
}

static void pageable_bytes_are_summed_over_both_ways(void **state)
{
    for (size_t call = 0; call < KG_TRACED_CALLS; call++) {
        add_once(call, KG_ACTIVITY_TO_DEVICE, 100, 110)->bytes = 1000;
        struct kg_activity *pageable = add_once(call, KG_ACTIVITY_TO_DEVICE, 120, 130);
        pageable->bytes = 300;
        pageable->pageable = true;
        pageable = add_once(call, KG_ACTIVITY_TO_HOST, 140, 150);
        pageable->bytes = 20;
        pageable->pageable = true;
    }
    summarize();
    assert_true(trace.pageable_bytes == 320);
    assert_true(trace.to_device_bytes == 1300 && trace.to_host_bytes == 20);
}

static void what_overlaps_is_counted_once_as_the_kernels_first(void **state)
{
    add(KG_ACTIVITY_KERNEL, 100, 200);
    add(KG_ACTIVITY_KERNEL, 150, 250);    /* on another stream */
    add(KG_ACTIVITY_TO_DEVICE, 240, 300); /* 10 hidden by a kernel */
    add(KG_ACTIVITY_OTHER, 290, 400);     /* 10 hidden by a transfer */
    add(KG_ACTIVITY_TO_HOST, 110, 190);   /* all hidden */
    summarize();
    assert_times(150, 50, 100, 0);
    assert_true(trace.hidden_ns == 80 + 10);
    assert_true(trace.kernels[0].gpu_ns == 200 && trace.kernels[0].launches == 2);
}

static void records_come_in_any_order(void **state)
{
    struct kg_random random = {.state = 42};
    double before[4];
    add(KG_ACTIVITY_TO_HOST, 700, 750);
    add(KG_ACTIVITY_KERNEL, 160, 260);
    add(KG_ACTIVITY_TO_DEVICE, 100, 150);
    add(KG_ACTIVITY_KERNEL, 300, 500);
    summarize();
    memcpy(before, (double[]){trace.kernel_ns, trace.transfer_ns, trace.other_ns, trace.gap_ns},
           sizeof before);
    assert_times(300, 100, 0, 250);
    for (int round = 0; round < 20; round++) {
        for (size_t i = activities.count; i > 1; i--) {
            const size_t j = (size_t)kg_random_below(&random, i);
            const struct kg_activity swapped = list[i - 1];
            list[i - 1] = list[j];
            list[j] = swapped;
        }
        summarize();
        assert_times(before[0], before[1], before[2], before[3]);
    }
}

static void one_slow_call_of_five_does_not_move_the_medians(void **state)
{
    for (size_t call = 0; call < KG_TRACED_CALLS; call++) {
        add_once(call, KG_ACTIVITY_KERNEL, 100, call == 2 ? 5000 : 200);
        add_once(call, KG_ACTIVITY_KERNEL, 5100, 5200);
    }
    summarize();
    assert_times(200, 0, 0, 4900);
}

static void kernels_are_distinguished_by_name_and_have_their_largest_shape(void **state)
{
    for (size_t call = 0; call < KG_TRACED_CALLS; call++) {
        add_once(call, KG_ACTIVITY_KERNEL, 100, 110)->name = "a";
        struct kg_activity *large = add_once(call, KG_ACTIVITY_KERNEL, 200, 230);
        large->name = "b";
        large->blocks = 100;
        large->registers = 40;
        add_once(call, KG_ACTIVITY_KERNEL, 300, 301)->name = "b";
    }
    summarize();
    assert_int_equal(trace.kernel_count, 2);
    assert_string_equal(trace.kernels[1].name, "b");
    assert_true(trace.kernels[1].launches == 2 && trace.kernels[1].gpu_ns == 31);
    assert_true(trace.kernels[1].blocks == 100 && trace.kernels[1].registers == 40);
    assert_true(isnan(trace.kernels[1].occupancy));
}

static void launches_are_a_mean_where_calls_differ(void **state)
{
    for (size_t call = 0; call < KG_TRACED_CALLS; call++)
        for (size_t i = 0; i <= call; i++)
            add_once(call, KG_ACTIVITY_KERNEL, 100 + 10 * i, 105 + 10 * i);
    summarize();
    assert_true(trace.launches == 3);
    assert_times(15, 0, 0, 10);
}

static void bytes_are_those_of_a_call_by_direction(void **state)
{
    for (size_t call = 0; call < KG_TRACED_CALLS; call++) {
        add_once(call, KG_ACTIVITY_TO_DEVICE, 100, 110)->bytes = 4096;
        add_once(call, KG_ACTIVITY_TO_DEVICE, 120, 130)->bytes = 4;
        add_once(call, KG_ACTIVITY_TO_HOST, 140, 150)->bytes = 8;
        add_once(call, KG_ACTIVITY_OTHER, 160, 170)->bytes = 77;
    }
    summarize();
    assert_true(trace.to_device_bytes == 4100 && trace.to_host_bytes == 8);
}

static void what_ran_outside_the_calls_does_not_count(void **state)
{
    add(KG_ACTIVITY_KERNEL, 100, 200);
    list[activities.count++] = (struct kg_activity){.start_ns = 5, .end_ns = 5000, .name = "k"};
    list[activities.count++] = (struct kg_activity){
        .start_ns = activities.marks[KG_TRACED_CALLS] + 1, .end_ns = 900000, .name = "k"};
    summarize();
    assert_true(trace.launches == 1);
    assert_times(100, 0, 0, 0);
}

static void nothing_seen_is_noted_and_no_time(void **state)
{
    summarize();
    assert_null(trace.source);
    assert_non_null(strstr(trace.reason, "recorded no activity"));
    assert_true(isnan(trace.kernel_ns) && isnan(trace.launches));
}

static void dropped_records_are_noted_and_what_is_left_is_not_used(void **state)
{
    add(KG_ACTIVITY_KERNEL, 100, 200);
    activities.dropped = 3;
    summarize();
    assert_null(trace.source);
    assert_non_null(strstr(trace.reason, "no room for 3 records"));
    assert_true(isnan(trace.kernel_ns));
}

static void records_without_times_are_noted(void **state)
{
    add(KG_ACTIVITY_KERNEL, 100, 200);
    list[1].start_ns = list[1].end_ns = 0;
    summarize();
    assert_non_null(strstr(trace.reason, "no times of 1 of 5 records"));
    assert_true(isnan(trace.kernel_ns));
}

static void parts_add_up_to_the_span_of_a_call(void **state)
{
    struct kg_random random = {.state = 7};
    for (int round = 0; round < 300; round++) {
        uint64_t first = CALL_NS, last = 0;
        activities.count = 0;
        for (size_t i = 0; i < 20; i++) {
            const uint64_t start = kg_random_below(&random, 4000),
                           stop = start + kg_random_below(&random, 900);
            first = start < first ? start : first;
            last = stop > last ? stop : last;
            add((enum kg_activity_kind)kg_random_below(&random, 4), start, stop);
        }
        summarize();
        if (trace.kernel_ns + trace.transfer_ns + trace.other_ns + trace.gap_ns !=
                (double)(last - first) ||
            trace.kernel_ns < 0 || trace.transfer_ns < 0 || trace.other_ns < 0 || trace.gap_ns < 0)
            fail_msg("seed 7, round %d: the parts of %llu ns are wrong", round,
                     (unsigned long long)(last - first));
    }
}

/* --- Joined with a recording ------------------------------------------------------------------ */

static struct kg_kernel_use recorded_uses[] = {
    {.name = "a",
     .launches = 1,
     .blocks = 10,
     .threads = 32,
     .registers = 20,
     .shared_bytes = 0,
     .occupancy = 0.5,
     .waves = 2,
     .gpu_ns = NAN},
    {.name = "b", .launches = 1, .blocks = 4, .threads = 64, .registers = 30, .occupancy = 0.25},
};
static struct kg_kernel_use seen_uses[] = {
    {.name = "b",
     .launches = 3,
     .blocks = 4,
     .threads = 64,
     .registers = 30,
     .occupancy = NAN,
     .waves = NAN,
     .gpu_ns = 700},
    {.name = "c", .launches = 1, .blocks = 1, .threads = 1, .occupancy = NAN, .gpu_ns = 5},
};

static struct kg_trace recorded_trace(void)
{
    struct kg_trace recorded = KG_TRACE_NONE;
    recorded.source = "graph";
    recorded.launches = 2;
    recorded.to_device_bytes = 8;
    recorded.kernels = recorded_uses;
    recorded.kernel_count = 2;
    return recorded;
}

static struct kg_trace seen_trace(void)
{
    struct kg_trace seen = KG_TRACE_NONE;
    seen.source = "cupti";
    seen.launches = 4;
    seen.kernel_ns = 705;
    seen.kernels = seen_uses;
    seen.kernel_count = 2;
    return seen;
}

static void times_are_joined_with_occupancy_by_name(void **state)
{
    const struct kg_trace recorded = recorded_trace(), seen = seen_trace();
    kg_traces_join(&recorded, &seen, &arena, &trace);
    assert_string_equal(trace.source, "graph, cupti");
    assert_true(trace.launches == 4 && trace.kernel_ns == 705);
    assert_int_equal(trace.kernel_count, 2);
    assert_string_equal(trace.kernels[0].name, "b");
    assert_true(trace.kernels[0].gpu_ns == 700 && trace.kernels[0].occupancy == 0.25);
    assert_true(isnan(trace.kernels[1].occupancy));
}

static void launches_that_differ_are_noted(void **state)
{
    struct kg_trace recorded = recorded_trace(), seen = seen_trace();
    kg_traces_join(&recorded, &seen, &arena, &trace);
    assert_string_equal(trace.reason,
                        "CUPTI recorded 4 launches per call; the recorded graph of a call has 2");
    recorded.launches = seen.launches;
    kg_traces_join(&recorded, &seen, &arena, &trace);
    assert_null(trace.reason);
}

static void kernels_that_a_recording_cannot_name_are_joined_by_shape(void **state)
{
    struct kg_trace recorded = recorded_trace();
    const struct kg_trace seen = seen_trace();
    recorded_uses[1].name = "kernel 2";
    kg_traces_join(&recorded, &seen, &arena, &trace);
    recorded_uses[1].name = "b";
    assert_string_equal(trace.kernels[0].name, "b");
    assert_true(trace.kernels[0].occupancy == 0.25);
}

static void what_only_one_of_them_saw_is_the_trace(void **state)
{
    struct kg_trace recorded = recorded_trace(), seen = seen_trace(), none = KG_TRACE_NONE;
    none.reason = "it did not look";
    kg_traces_join(&recorded, &none, &arena, &trace);
    assert_string_equal(trace.source, "graph");
    assert_string_equal(trace.reason, "it did not look");
    assert_true(trace.launches == 2 && trace.kernel_count == 2 && trace.to_device_bytes == 8);
    kg_traces_join(&none, &seen, &arena, &trace);
    assert_string_equal(trace.source, "cupti");
    assert_string_equal(trace.reason, "it did not look");
    assert_true(trace.kernel_ns == 705);
}

static void without_both_there_are_both_reasons(void **state)
{
    struct kg_trace recorded = KG_TRACE_NONE, seen = KG_TRACE_NONE;
    recorded.reason = "it waits";
    seen.reason = "no CUPTI";
    kg_traces_join(&recorded, &seen, &arena, &trace);
    assert_null(trace.source);
    assert_string_equal(trace.reason, "it waits; no CUPTI");
    assert_true(isnan(trace.launches));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(times_and_gaps_are_those_of_a_call),
        TEST(pageable_bytes_are_summed_over_both_ways),
        TEST(what_overlaps_is_counted_once_as_the_kernels_first),
        TEST(records_come_in_any_order),
        TEST(one_slow_call_of_five_does_not_move_the_medians),
        TEST(kernels_are_distinguished_by_name_and_have_their_largest_shape),
        TEST(launches_are_a_mean_where_calls_differ),
        TEST(bytes_are_those_of_a_call_by_direction),
        TEST(what_ran_outside_the_calls_does_not_count),
        TEST(nothing_seen_is_noted_and_no_time),
        TEST(dropped_records_are_noted_and_what_is_left_is_not_used),
        TEST(records_without_times_are_noted),
        TEST(parts_add_up_to_the_span_of_a_call),
        TEST(times_are_joined_with_occupancy_by_name),
        TEST(launches_that_differ_are_noted),
        TEST(kernels_that_a_recording_cannot_name_are_joined_by_shape),
        TEST(what_only_one_of_them_saw_is_the_trace),
        TEST(without_both_there_are_both_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
