/* A worker's task of tracing a call, against a fake CUPTI and a driver that is a table. Also its
 * answer after the protocol. */
#include <math.h>

#include "run/timing/table_driver.h"
#include "run/worker/cupti_abi.h"
#include "run/worker/cupti_counters.h"
#include "run/worker/trace_task.h"
#include "test_support.h"

#include "cupti_support.h"

static struct kg_arena arena;
static struct kg_error err;
static struct kg_gpu_timer timer;
static struct kg_response response;
static struct table_function copy_function = {"_Z4copyIfEvPT_", 32, 1024, 16, 8};

static void work(void)
{
    fake->kernel("_Z4copyIfEvPT_", 300, 400);
}

static int begin(void **state)
{
    fake_open();
    timer = (struct kg_gpu_timer){.driver = table_driver()};
    table.on_run = work;
    table_add_kernel(0, &copy_function, 8, 128, 512);
    response = (struct kg_response){.good = true,
                                    .trace = KG_TRACE_NONE,
                                    .ceilings = KG_CEILINGS_NONE,
                                    .cpu_ceilings = KG_CPU_CEILINGS_NONE};
    err = (struct kg_error){0};
    return 0;
}

static int end(void **state)
{
    kg_arena_free(&arena);
    return 0;
}

static bool task_run(const char *library)
{
    struct kg_tracer tracer = {.library = library};
    return kg_trace_task(&timer, &tracer, &table_call, &arena, &response, &err);
}

static void one_search_for_cupti_serves_all_calls_of_a_process(void **state)
{
    struct kg_tracer tracer = {.library = KGATE_FAKE_CUPTI};
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_true(kg_trace_task(&timer, &tracer, &table_call, &arena, &response, &err));
        assert_string_equal(response.trace.source, "graph, cupti");
        assert_null(response.trace.reason);
        assert_int_equal(response.reported_count, KG_CUPTI_METRICS);
        tracer.library = "/nowhere/libcupti.so.13"; /* not read again */
    }
}

static void both_views_of_a_call_are_joined(void **state)
{
    if (!task_run(KGATE_FAKE_CUPTI))
        fail_msg("%s", err.message);
    const struct kg_trace *trace = &response.trace;
    assert_string_equal(trace->source, "graph, cupti");
    if (trace->reason)
        fail_msg("%s", trace->reason);
    assert_true(trace->launches == 1 && trace->kernel_ns == 100 && trace->gap_ns == 0);
    assert_int_equal(trace->kernel_count, 1);
    assert_true(trace->kernels[0].gpu_ns == 100 && trace->kernels[0].occupancy == 0.5);
    assert_non_null(strstr(trace->kernels[0].name, "copy"));
    assert_int_equal(response.reported_count, KG_CUPTI_METRICS);
}

static void recording_comes_last(void **state)
{
    assert_true(task_run(KGATE_FAKE_CUPTI));
    /* once, then the traced calls with one to warm up, then three passes of counting */
    assert_int_equal(table.runs, 1 + 1 + 5 + 3);
    assert_int_equal(table.recorded, 1);
}

static void without_cupti_there_is_the_recording_and_why(void **state)
{
    assert_true(task_run("/nowhere/libcupti.so.13"));
    assert_string_equal(response.trace.source, "graph");
    assert_non_null(strstr(response.trace.reason, "CUPTI"));
    assert_true(response.trace.launches == 1 && isnan(response.trace.kernel_ns));
    assert_int_equal(response.reported_count, 0);
}

static void without_permission_to_count_the_rest_is_there(void **state)
{
    fake->refuse("cuptiRangeProfilerEnable", KG_CUPTI_INSUFFICIENT_PRIVILEGES);
    assert_true(task_run(KGATE_FAKE_CUPTI));
    assert_string_equal(response.trace.source, "graph, cupti");
    assert_true(response.trace.kernel_ns == 100);
    assert_non_null(strstr(response.trace.reason, "NVreg_RestrictProfilingToAdminUsers=0"));
    assert_int_equal(response.reported_count, 0);
}

static void a_call_that_cannot_be_recorded_is_still_seen(void **state)
{
    table.end_code = KG_DRIVER_CAPTURE_INVALIDATED;
    assert_true(task_run(KGATE_FAKE_CUPTI));
    assert_string_equal(response.trace.source, "cupti");
    assert_non_null(strstr(response.trace.reason, "a call cannot be recorded"));
    assert_true(response.trace.kernel_ns == 100 && isnan(response.trace.kernels[0].occupancy));
}

static void with_neither_both_reasons_are_there_and_no_figure(void **state)
{
    table.end_code = KG_DRIVER_CAPTURE_INVALIDATED;
    assert_true(task_run("/nowhere/libcupti.so.13"));
    assert_null(response.trace.source);
    assert_non_null(strstr(response.trace.reason, "a call cannot be recorded"));
    assert_non_null(strstr(response.trace.reason, "CUPTI"));
}

static void a_call_that_fails_is_a_failure(void **state)
{
    table.synchronize_code = TABLE_FAILED;
    assert_false(task_run(KGATE_FAKE_CUPTI));
    assert_non_null(strstr(err.message, "a call failed on the device"));
}

static void the_answer_survives_the_protocol(void **state)
{
    struct kg_response read = {0};
    assert_true(task_run(KGATE_FAKE_CUPTI));
    struct kg_text text = {0};
    kg_record_line(&kg_response_record, &response, NULL, &text);
    assert_true(kg_record_parse(&kg_response_record, NULL, "response", text.data, text.length,
                                &arena, &read, &err));
    kg_text_free(&text);
    assert_string_equal(read.trace.source, "graph, cupti");
    assert_null(read.trace.reason);
    assert_true(read.trace.kernel_ns == 100 && read.trace.kernels[0].occupancy == 0.5);
    assert_string_equal(read.reported[0].name, kg_cupti_metrics[0].name);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(both_views_of_a_call_are_joined),
        TEST(one_search_for_cupti_serves_all_calls_of_a_process),
        TEST(recording_comes_last),
        TEST(without_cupti_there_is_the_recording_and_why),
        TEST(without_permission_to_count_the_rest_is_there),
        TEST(a_call_that_cannot_be_recorded_is_still_seen),
        TEST(with_neither_both_reasons_are_there_and_no_figure),
        TEST(a_call_that_fails_is_a_failure),
        TEST(the_answer_survives_the_protocol),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
