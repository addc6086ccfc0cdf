/* CUPTI as kgate uses it, against a fake one and a driver that is a table. */
#include <math.h>

#include "run/timing/table_driver.h"
#include "run/worker/cupti_abi.h"
#include "run/worker/cupti_counters.h"
#include "run/worker/trace_task.h"
#include "test_support.h"

#include "cupti_support.h"

static struct kg_cupti cupti;
static struct kg_error err;
static char why[256];
static struct kg_activities activities;

static int begin(void **state)
{
    fake_open();
    err = (struct kg_error){0};
    return kg_cupti_open(KGATE_FAKE_CUPTI, 13000, &cupti, why, sizeof why) ? 0 : -1;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static void versions_are_read_as_the_toolkits(void **state)
{
    assert_int_equal(kg_cupti_version(18), 0);
    assert_int_equal(kg_cupti_version(19), 12000);
    assert_int_equal(kg_cupti_version(28), 12000);
    assert_int_equal(kg_cupti_version(130001), 13000);
    assert_int_equal(kg_cupti_version(130201), 13020);
    assert_int_equal(kg_cupti_version(140000), 14000);
}

static void one_of_an_unknown_version_is_refused(void **state)
{
    struct kg_cupti older;
    assert_false(kg_cupti_open(KGATE_FAKE_CUPTI_OLDER, 13000, &older, why, sizeof why));
    assert_non_null(strstr(why, "kgate does not know version 18 of the CUPTI that it found"));
}

static void one_that_is_newer_than_the_driver_is_refused(void **state)
{
    struct kg_cupti newer;
    assert_false(kg_cupti_open(KGATE_FAKE_CUPTI, 12080, &newer, why, sizeof why));
    assert_non_null(strstr(why, "for CUDA 13, but the driver knows only up to CUDA 12"));
}

static void none_is_noted(void **state)
{
    struct kg_cupti none;
    assert_false(kg_cupti_open("/nowhere/libcupti.so.13", 13000, &none, why, sizeof why));
    assert_non_null(strstr(why, "is not installed"));
}

/* --- Activity --------------------------------------------------------------------------------- */

static void work(void)
{
    fake->copy(KG_CUPTI_HOST_TO_DEVICE, 4096, 100, 200);
    fake->kernel("_Z4copyPf", 300, 400);
    fake->fill(64, 400, 410);
    fake->copy(KG_CUPTI_DEVICE_TO_HOST, 8, 500, 520);
    fake->copy(8, 99, 600, 610); /* within the device */
}

static bool trace_calls(void)
{
    const struct kg_driver driver = table_driver();
    table.on_run = work;
    return kg_cupti_trace(&cupti, &driver, &table_call, &activities, &err);
}

static void records_of_all_calls_come_with_their_figures(void **state)
{
    struct kg_arena arena = {0};
    struct kg_trace trace;
    assert_true(trace_calls());
    assert_int_equal(table.runs, 1 + KG_TRACED_CALLS);
    assert_int_equal(activities.count, 5 * (1 + KG_TRACED_CALLS));
    kg_activities_summarize(&activities, &arena, &trace);
    assert_null(trace.reason);
    assert_true(trace.launches == 5);
    assert_true(trace.kernel_ns == 100 && trace.transfer_ns == 120 && trace.other_ns == 20);
    assert_true(trace.gap_ns == 510 - 240);
    assert_true(trace.to_device_bytes == 4096 && trace.to_host_bytes == 8);
    assert_true(trace.pageable_bytes == 4096 + 8);
    assert_int_equal(trace.kernel_count, 1);
    const struct kg_kernel_use *use = &trace.kernels[0];
    assert_string_equal(use->name, "_Z4copyPf");
    assert_true(use->blocks == 8 && use->threads == 128 && use->registers == 32);
    assert_true(use->shared_bytes == 1536 && use->local_bytes == 16);
    kg_arena_free(&arena);
    kg_activities_free(&activities);
}

static void nothing_is_recorded_afterwards(void **state)
{
    assert_true(trace_calls());
    kg_activities_free(&activities);
    assert_int_equal(fake->counts->enabled, 0);
}

static void records_that_were_dropped_are_counted(void **state)
{
    fake->drop(3);
    assert_true(trace_calls());
    assert_int_equal(activities.dropped, 3);
    assert_int_equal(activities.count, 5 * (1 + KG_TRACED_CALLS) - 3);
    kg_activities_free(&activities);
}

static void refused_functions_are_noted_and_leave_nothing_on(void **state)
{
    static const char *const functions[] = {"cuptiActivityRegisterCallbacks", "cuptiActivityEnable",
                                            "cuptiGetTimestamp", "cuptiActivityFlushAll"};
    for (size_t i = 0; i < 4; i++) {
        fake->restart();
        fake->refuse(functions[i], 999);
        if (trace_calls())
            fail_msg("%s was refused and nobody said so", functions[i]);
        assert_int_equal(err.kind, KG_ERROR_MEASURE);
        assert_non_null(strstr(err.message, "CUPTI_ERROR_OF_THE_FAKE (code 999)"));
        assert_int_equal(fake->counts->enabled, 0);
        assert_null(activities.of);
    }
}

static void a_call_that_fails_on_the_device_is_noted(void **state)
{
    const struct kg_driver driver = table_driver();
    table.synchronize_code = TABLE_FAILED;
    assert_false(kg_cupti_trace(&cupti, &driver, &table_call, &activities, &err));
    assert_non_null(strstr(err.message, "a call failed on the device"));
    assert_int_equal(fake->counts->enabled, 0);
}

/* --- Counters --------------------------------------------------------------------------------- */

static struct kg_reported reported[KG_CUPTI_METRICS];
static size_t reported_count;

static bool count_call(void)
{
    const struct kg_driver driver = table_driver();
    return kg_cupti_count(&cupti, &driver, &cupti, &table_call, reported, &reported_count, &err);
}

static void counters_are_values_of_a_call_in_kgates_units(void **state)
{
    if (!count_call())
        fail_msg("%s", err.message);
    assert_int_equal(reported_count, KG_CUPTI_METRICS);
    for (size_t i = 0; i < KG_CUPTI_METRICS; i++) {
        assert_string_equal(reported[i].name, kg_cupti_metrics[i].name);
        assert_true(fabs(reported[i].value - 10 * (double)(i + 1) * kg_cupti_metrics[i].scale) <
                    1e-12);
    }
    assert_int_equal(table.runs, 3); /* one a pass */
    assert_int_equal(fake->counts->misuse, 0);
    assert_int_equal(fake->counts->open, 0);
}

static void a_metric_that_the_device_lacks_is_left_out(void **state)
{
    fake->without(kg_cupti_metrics[2].metric);
    assert_true(count_call());
    assert_int_equal(reported_count, KG_CUPTI_METRICS - 1);
    assert_string_equal(reported[2].name, kg_cupti_metrics[3].name);
    assert_true(fabs(reported[2].value - 30 * kg_cupti_metrics[3].scale) < 1e-12);
}

static void missing_permission_is_noted_with_what_to_do(void **state)
{
    fake->refuse("cuptiRangeProfilerEnable", KG_CUPTI_INSUFFICIENT_PRIVILEGES);
    assert_false(count_call());
    assert_int_equal(err.kind, KG_ERROR_MEASURE);
    assert_non_null(strstr(err.message, "no hardware counters"));
    assert_non_null(strstr(err.message, "NVreg_RestrictProfilingToAdminUsers=0"));
    assert_non_null(strstr(err.message, "CAP_SYS_ADMIN"));
    assert_int_equal(fake->counts->open, 0);
}

static void whatever_is_refused_everything_is_closed(void **state)
{
    static const char *const functions[] = {
        "cuptiProfilerInitialize",
        "cuptiDeviceGetChipName",
        "cuptiProfilerHostInitialize",
        "cuptiProfilerHostConfigAddMetrics",
        "cuptiProfilerHostGetConfigImageSize",
        "cuptiProfilerHostGetConfigImage",
        "cuptiRangeProfilerEnable",
        "cuptiRangeProfilerGetCounterDataSize",
        "cuptiRangeProfilerCounterDataImageInitialize",
        "cuptiRangeProfilerSetConfig",
        "cuptiRangeProfilerStart",
        "cuptiRangeProfilerPushRange",
        "cuptiRangeProfilerPopRange",
        "cuptiRangeProfilerStop",
        "cuptiRangeProfilerDecodeData",
        "cuptiProfilerHostEvaluateToGpuValues",
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        fake->restart();
        fake->refuse(functions[i], 999);
        if (count_call())
            fail_msg("%s was refused and nobody said so", functions[i]);
        if (!strstr(err.message, functions[i]) || reported_count)
            fail_msg("%s was refused: %s", functions[i], err.message);
        if (fake->counts->open || fake->counts->misuse)
            fail_msg("%s was refused: %u open, %u misused", functions[i], fake->counts->open,
                     fake->counts->misuse);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, begin)
    const struct CMUnitTest tests[] = {
        TEST(versions_are_read_as_the_toolkits),
        TEST(one_of_an_unknown_version_is_refused),
        TEST(one_that_is_newer_than_the_driver_is_refused),
        TEST(none_is_noted),
        TEST(records_of_all_calls_come_with_their_figures),
        TEST(nothing_is_recorded_afterwards),
        TEST(records_that_were_dropped_are_counted),
        TEST(refused_functions_are_noted_and_leave_nothing_on),
        TEST(a_call_that_fails_on_the_device_is_noted),
        TEST(counters_are_values_of_a_call_in_kgates_units),
        TEST(a_metric_that_the_device_lacks_is_left_out),
        TEST(missing_permission_is_noted_with_what_to_do),
        TEST(whatever_is_refused_everything_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
