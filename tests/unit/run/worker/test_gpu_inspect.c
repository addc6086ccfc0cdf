/* The operations of a recorded call, on graphs from a table of functions. */
#include <math.h>

#include "run/timing/table_driver.h"
#include "run/worker/gpu_inspect.h"
#include "test_support.h"

enum { HOST = 1, DEVICE = 2, UNIFIED = 4 };

static struct kg_arena arena;
static struct kg_error err;
static struct kg_trace trace;
static int stream;

static struct table_function copy_function = {"copy", 24, 1024, 8, 8};
static struct table_function sum_function = {"sum", 64, 0, 0, 2};

static bool inspect(const struct kg_driver *driver)
{
    err = (struct kg_error){0};
    return kg_gpu_inspect(driver, 0, &stream, &table_call, &arena, &trace, &err);
}

static int end(void **state)
{
    kg_arena_free(&arena);
    return 0;
}

static void a_call_is_recorded_once_and_not_run(void **state)
{
    const struct kg_driver driver = table_driver();
    table_add_kernel(0, &copy_function, 264, 256, 0);
    assert_true(inspect(&driver));
    assert_int_equal(table.recorded, 1);
    assert_int_equal(table.runs, 0);
    assert_int_equal(table.destroyed, 1);
    assert_int_equal(table.mode, KG_CAPTURE_RELAXED);
    assert_false(table.capturing);
}

static void a_kernel_has_its_shape_and_resources(void **state)
{
    const struct kg_driver driver = table_driver();
    table_add_kernel(0, &copy_function, 2112, 128, 512);
    assert_true(inspect(&driver));
    assert_string_equal(trace.source, "graph");
    assert_null(trace.reason);
    assert_int_equal(trace.kernel_count, 1);
    const struct kg_kernel_use *use = &trace.kernels[0];
    assert_string_equal(use->name, "copy");
    assert_true(use->launches == 1 && use->blocks == 2112 && use->threads == 128);
    assert_true(use->registers == 24 && use->shared_bytes == 1536 && use->local_bytes == 8);
    assert_true(use->occupancy == 8 * 128 / 2048.0);
    assert_true(use->waves == 2112 / (8.0 * 132));
    assert_true(isnan(use->gpu_ns) && isnan(trace.kernel_ns) && isnan(trace.gap_ns));
}

static void launches_of_one_function_are_one_kernel_by_its_largest(void **state)
{
    const struct kg_driver driver = table_driver();
    table_add_kernel(0, &sum_function, 10, 64, 0);
    table_add_kernel(0, &copy_function, 7, 64, 0);
    table_add_kernel(0, &sum_function, 1000, 512, 0);
    table_add_kernel(0, &sum_function, 1, 1024, 0);
    assert_true(inspect(&driver));
    assert_int_equal(trace.kernel_count, 2);
    assert_true(trace.launches == 4);
    assert_string_equal(trace.kernels[0].name, "sum");
    assert_true(trace.kernels[0].launches == 3 && trace.kernels[0].blocks == 1000);
    assert_true(trace.kernels[0].occupancy == 2 * 512 / 2048.0);
    assert_true(trace.kernels[1].launches == 1);
}

static void functions_of_one_name_are_two_kernels(void **state)
{
    struct table_function other = sum_function;
    const struct kg_driver driver = table_driver();
    table_add_kernel(0, &sum_function, 1, 32, 0);
    table_add_kernel(0, &other, 1, 32, 0);
    assert_true(inspect(&driver));
    assert_int_equal(trace.kernel_count, 2);
}

static void copies_are_distinguished_by_where_they_go(void **state)
{
    const struct kg_driver driver = table_driver();
    table_add_copy(0, HOST, DEVICE, 1000);
    table_add_copy(0, HOST, DEVICE, 24);
    table_add_copy(0, DEVICE, HOST, 8);
    table_add_copy(0, DEVICE, DEVICE, 5000);
    table_add(0, KG_NODE_MEMSET);
    assert_true(inspect(&driver));
    assert_true(trace.launches == 5);
    assert_true(trace.to_device_bytes == 1024 && trace.to_host_bytes == 8);
    assert_int_equal(trace.kernel_count, 0);
}

static int fail_pointer(void *value, int attribute, uint64_t address)
{
    (void)value, (void)attribute, (void)address;
    return TABLE_FAILED;
}

static void what_the_driver_does_not_know_of_the_host_is_pageable(void **state)
{
    static const char locked, pageable;
    struct kg_driver driver = table_driver();
    struct table_node *nodes = table.graphs[0].nodes;
    table_page_locked = &locked;
    table_add_copy(0, HOST, DEVICE, 1000);
    table_add_copy(0, HOST, DEVICE, 24);
    table_add_copy(0, DEVICE, HOST, 8);
    table_add_copy(0, DEVICE, DEVICE, 5000);
    nodes[0].copy.source_host = &locked;
    nodes[1].copy.source_host = &pageable;
    nodes[2].copy.target_host = (void *)&pageable;
    assert_true(inspect(&driver));
    assert_true(trace.pageable_bytes == 32);
    driver.pointer_attribute = fail_pointer;
    assert_true(inspect(&driver));
    assert_true(isnan(trace.pageable_bytes) && trace.to_device_bytes == 1024);
}

static void a_copy_in_three_dimensions_has_all_its_bytes(void **state)
{
    const struct kg_driver driver = table_driver();
    table_add_copy(0, HOST, DEVICE, 10);
    table.graphs[0].nodes[0].copy.height = 3;
    table.graphs[0].nodes[0].copy.depth = 2;
    assert_true(inspect(&driver));
    assert_true(trace.to_device_bytes == 60);
}

static void where_unified_copies_go_is_not_claimed(void **state)
{
    const struct kg_driver driver = table_driver();
    table_add_copy(0, HOST, DEVICE, 1000);
    table_add_copy(0, UNIFIED, UNIFIED, 24);
    assert_true(inspect(&driver));
    assert_true(trace.launches == 2);
    assert_true(isnan(trace.to_device_bytes) && isnan(trace.to_host_bytes) &&
                isnan(trace.pageable_bytes));
}

static void graphs_within_are_read_and_events_passed_over(void **state)
{
    enum { EVENT_RECORD = 7 };
    const struct kg_driver driver = table_driver();
    table_add_kernel(0, &copy_function, 1, 32, 0);
    table_add(0, KG_NODE_GRAPH)->child = &table.graphs[1];
    table_add(0, EVENT_RECORD);
    table_add(0, KG_NODE_EMPTY);
    table_add(0, KG_NODE_HOST);
    table_add_kernel(1, &copy_function, 1, 32, 0);
    table_add_kernel(1, &sum_function, 1, 32, 0);
    assert_true(inspect(&driver));
    assert_true(trace.launches == 3);
    assert_int_equal(trace.kernel_count, 2);
    assert_true(trace.kernels[0].launches == 2);
}

static void a_graph_within_itself_is_refused(void **state)
{
    const struct kg_driver driver = table_driver();
    table_add(0, KG_NODE_GRAPH)->child = &table.graphs[0];
    assert_false(inspect(&driver));
    assert_int_equal(err.kind, KG_ERROR_MEASURE);
    assert_int_equal(table.destroyed, 1);
}

static void a_call_of_nothing_has_no_launches(void **state)
{
    const struct kg_driver driver = table_driver();
    assert_true(inspect(&driver));
    assert_true(trace.launches == 0 && trace.to_device_bytes == 0);
    assert_int_equal(trace.kernel_count, 0);
    assert_string_equal(trace.source, "graph");
}

static void a_kernel_of_a_library_is_found_by_its_function(void **state)
{
    const struct kg_driver driver = table_driver();
    table_add(0, KG_NODE_KERNEL)->kernel =
        (struct kg_kernel_node){.kernel = &sum_function, .grid = {2, 3, 4}, .block = {8, 4, 2}};
    assert_true(inspect(&driver));
    assert_string_equal(trace.kernels[0].name, "sum");
    assert_true(trace.kernels[0].blocks == 24 && trace.kernels[0].threads == 64);
}

static void an_older_driver_names_no_kernels(void **state)
{
    struct kg_driver driver = table_driver();
    driver.function_name = NULL;
    driver.kernel_function = NULL;
    table_add_kernel(0, &copy_function, 1, 32, 0);
    table_add_kernel(0, &sum_function, 1, 32, 0);
    table_add(0, KG_NODE_KERNEL)->kernel =
        (struct kg_kernel_node){.kernel = &stream, .grid = {1, 1, 1}, .block = {1, 1, 1}};
    assert_true(inspect(&driver));
    assert_string_equal(trace.kernels[0].name, "kernel 1");
    assert_string_equal(trace.kernels[1].name, "kernel 2");
    assert_true(trace.kernels[1].registers == 64);
    assert_string_equal(trace.kernels[2].name, "kernel 3");
    assert_true(isnan(trace.kernels[2].registers) && trace.kernels[2].blocks == 1);
}

static void occupancy_is_unknown_where_the_driver_does_not_report(void **state)
{
    struct table_function mute = {"mute", 1, 1, 1, -1};
    const struct kg_driver driver = table_driver();
    table_add_kernel(0, &mute, 1, 32, 0);
    assert_true(inspect(&driver));
    assert_true(isnan(trace.kernels[0].occupancy) && isnan(trace.kernels[0].waves));
}

static void a_call_that_waits_for_the_device_is_noted_as_no_recording(void **state)
{
    const struct kg_driver driver = table_driver();
    table.end_code = KG_DRIVER_CAPTURE_INVALIDATED;
    assert_false(inspect(&driver));
    assert_int_equal(err.kind, KG_ERROR_MEASURE);
    assert_string_equal(err.message, "a call cannot be recorded: operation failed due to a "
                                     "previous error (CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)");
    assert_false(table.capturing);
    assert_null(trace.source);
}

static void a_stream_that_does_not_record_runs_nothing(void **state)
{
    const struct kg_driver driver = table_driver();
    table.begin_code = TABLE_FAILED;
    assert_false(inspect(&driver));
    assert_int_equal(table.runs + table.recorded, 0);
}

static int fail_nodes(void *graph, void **nodes, size_t *count)
{
    (void)graph, (void)nodes, (void)count;
    return TABLE_FAILED;
}

static int fail_type(void *node, int *type)
{
    (void)node, (void)type;
    return TABLE_FAILED;
}

static int fail_kernel(void *node, struct kg_kernel_node *parameters)
{
    (void)node, (void)parameters;
    return TABLE_FAILED;
}

static int fail_memcpy(void *node, struct kg_memcpy_node *parameters)
{
    (void)node, (void)parameters;
    return TABLE_FAILED;
}

static int fail_child(void *node, void **graph)
{
    (void)node, (void)graph;
    return TABLE_FAILED;
}

/* A driver in which function number `which` fails. */
static struct kg_driver failing_driver(int which)
{
    struct kg_driver driver = table_driver();
    if (which == 0)
        driver.graph_nodes = fail_nodes;
    if (which == 1)
        driver.node_type = fail_type;
    if (which == 2)
        driver.node_kernel = fail_kernel;
    if (which == 3)
        driver.node_memcpy = fail_memcpy;
    if (which == 4)
        driver.node_child = fail_child;
    table_add_kernel(0, &copy_function, 1, 32, 0);
    table_add_copy(0, HOST, DEVICE, 8);
    table_add(0, KG_NODE_GRAPH)->child = &table.graphs[1];
    table_add_kernel(1, &sum_function, 1, 32, 0);
    return driver;
}

static void what_the_driver_does_not_give_is_an_error_and_the_graph_is_freed(void **state)
{
    for (int which = 0; which < 5; which++) {
        const struct kg_driver driver = failing_driver(which);
        if (inspect(&driver) || err.kind != KG_ERROR_MEASURE || table.destroyed != 1)
            fail_msg("function %d failed: kind %d, %u graphs freed", which, (int)err.kind,
                     table.destroyed);
    }
}

static void more_nodes_than_room_are_all_read(void **state)
{
    struct kg_gpu_node nodes[300] = {0};
    const struct kg_gpu_shape shape = {132, 2048};
    for (size_t i = 0; i < 300; i++)
        nodes[i] = (struct kg_gpu_node){.kind = KG_GPU_KERNEL,
                                        .function = &nodes[i % 7],
                                        .name = "k",
                                        .blocks = 1,
                                        .threads = 32,
                                        .resident_blocks = 1};
    kg_gpu_nodes_summarize(nodes, 300, &shape, &arena, &trace);
    assert_int_equal(trace.kernel_count, 7);
    assert_true(trace.launches == 300 && trace.kernels[0].launches == 43);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_call_is_recorded_once_and_not_run, end),
        cmocka_unit_test_teardown(a_kernel_has_its_shape_and_resources, end),
        cmocka_unit_test_teardown(launches_of_one_function_are_one_kernel_by_its_largest, end),
        cmocka_unit_test_teardown(functions_of_one_name_are_two_kernels, end),
        cmocka_unit_test_teardown(copies_are_distinguished_by_where_they_go, end),
        cmocka_unit_test_teardown(what_the_driver_does_not_know_of_the_host_is_pageable, end),
        cmocka_unit_test_teardown(a_copy_in_three_dimensions_has_all_its_bytes, end),
        cmocka_unit_test_teardown(where_unified_copies_go_is_not_claimed, end),
        cmocka_unit_test_teardown(graphs_within_are_read_and_events_passed_over, end),
        cmocka_unit_test_teardown(a_graph_within_itself_is_refused, end),
        cmocka_unit_test_teardown(a_call_of_nothing_has_no_launches, end),
        cmocka_unit_test_teardown(a_kernel_of_a_library_is_found_by_its_function, end),
        cmocka_unit_test_teardown(an_older_driver_names_no_kernels, end),
        cmocka_unit_test_teardown(occupancy_is_unknown_where_the_driver_does_not_report, end),
        cmocka_unit_test_teardown(a_call_that_waits_for_the_device_is_noted_as_no_recording, end),
        cmocka_unit_test_teardown(a_stream_that_does_not_record_runs_nothing, end),
        cmocka_unit_test_teardown(what_the_driver_does_not_give_is_an_error_and_the_graph_is_freed,
                                  end),
        cmocka_unit_test_teardown(more_nodes_than_room_are_all_read, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
