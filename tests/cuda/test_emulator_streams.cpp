/* The emulator's streams, events and graphs: what is joined comes in order,
 * and what is not shows. */
#include <cstdint>
#include <vector>

#include "cuda/cmocka_cpp.h"

#include "device/code/launch.cuh"

static cudaStream_t first()
{
    return kg_emulated_stream();
}

static void assert_good(cudaError_t status)
{
    assert_string_equal(cudaGetErrorName(status), "cudaSuccess");
}

static void assert_failed(cudaError_t status, cudaError_t expected)
{
    assert_string_equal(cudaGetErrorName(status), cudaGetErrorName(expected));
    assert_string_equal(cudaGetErrorName(cudaGetLastError()), cudaGetErrorName(expected));
}

static __global__ void append(int *list, int *count, int value)
{
    list[(*count)++] = value;
}

/* What streams did, in that order. */
struct record {
    int list[64];
    int count;
};

static void put(record &record, cudaStream_t stream, int value)
{
    KG_LAUNCH(append, 1, 1, 0, stream, record.list, &record.count, value);
    assert_good(cudaGetLastError());
}

/* A stream and two events, and a record to write to. */
struct fork {
    record done = {};
    cudaStream_t other = nullptr;
    cudaEvent_t begun = nullptr, ended = nullptr;
    fork()
    {
        assert_good(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
        assert_good(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming));
        assert_good(cudaEventCreateWithFlags(&ended, cudaEventDisableTiming));
    }
    ~fork()
    {
        kg_emulated_put_off(false, 0);
        assert_good(cudaStreamDestroy(other));
        assert_good(cudaEventDestroy(begun));
        assert_good(cudaEventDestroy(ended));
        assert_int_equal(kg_emulated_things(), 0);
    }
    /* 1 on the first stream, 2 and 3 on the other, 4 on the first, joined by events as told. */
    void run(bool before, bool after)
    {
        put(done, first(), 1);
        if (before) {
            assert_good(cudaEventRecord(begun, first()));
            assert_good(cudaStreamWaitEvent(other, begun, 0));
        }
        put(done, other, 2);
        put(done, other, 3);
        if (after) {
            assert_good(cudaEventRecord(ended, other));
            assert_good(cudaStreamWaitEvent(first(), ended, 0));
        }
        put(done, first(), 4);
    }
    bool in_order() const
    {
        bool good = done.count == 4;
        for (int i = 0; good && i < 4; i++)
            good = done.list[i] == i + 1;
        return good;
    }
};

static void work_is_done_at_once_unless_it_is_put_off(void **)
{
    struct fork fork;
    fork.run(false, false);
    assert_true(fork.in_order());
    fork.done = {};
    kg_emulated_put_off(true, 3);
    put(fork.done, first(), 1);
    for (uint64_t seed = 0; fork.done.count && seed < 50; seed++) {
        kg_emulated_put_off(false, 0);
        fork.done = {};
        kg_emulated_put_off(true, seed);
        put(fork.done, first(), 1);
    }
    assert_int_equal(fork.done.count, 0);
    assert_good(cudaStreamSynchronize(first()));
    assert_int_equal(fork.done.count, 1);
}

/* How many of a hundred orders are the one that is wanted once the first stream is done. */
static int orders_good(bool before, bool after)
{
    int good = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct fork fork;
        kg_emulated_put_off(true, seed);
        fork.run(before, after);
        assert_good(cudaStreamSynchronize(first()));
        good += fork.in_order();
    }
    return good;
}

static void events_order_streams_and_a_missing_one_shows(void **)
{
    assert_int_equal(orders_good(true, true), 100);
    assert_true(orders_good(false, true) < 90);
    assert_true(orders_good(true, false) < 90);
}

static void event_means_its_last_record(void **)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct fork fork;
        kg_emulated_put_off(true, seed);
        assert_good(cudaEventRecord(fork.ended, fork.other));
        put(fork.done, fork.other, 1);
        assert_good(cudaEventRecord(fork.ended, fork.other));
        assert_good(cudaStreamWaitEvent(first(), fork.ended, 0));
        put(fork.done, first(), 2);
        assert_good(cudaStreamSynchronize(first()));
        assert_int_equal(fork.done.count, 2);
        assert_int_equal(fork.done.list[0], 1);
    }
}

static void graph_replays_what_was_recorded(void **)
{
    struct fork fork;
    cudaGraph_t graph = nullptr, none = nullptr;
    cudaGraphExec_t ready = nullptr;
    cudaStreamCaptureStatus status;
    assert_good(cudaStreamBeginCapture(first(), cudaStreamCaptureModeThreadLocal));
    fork.run(true, true);
    assert_good(cudaStreamIsCapturing(fork.other, &status));
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    assert_good(cudaStreamEndCapture(first(), &graph));
    assert_good(cudaStreamIsCapturing(fork.other, &status));
    assert_int_equal(status, cudaStreamCaptureStatusNone);
    assert_int_equal(fork.done.count, 0);
    assert_good(cudaGraphInstantiateWithFlags(&ready, graph, 0));
    assert_good(cudaGraphUpload(ready, first()));
    assert_good(cudaGraphLaunch(ready, first()));
    assert_true(fork.in_order());
    fork.done = {};
    /* A stream that is recorded takes no launch of a graph. */
    assert_good(cudaStreamBeginCapture(first(), cudaStreamCaptureModeRelaxed));
    assert_failed(cudaGraphLaunch(ready, first()), cudaErrorStreamCaptureUnsupported);
    assert_failed(cudaStreamEndCapture(first(), &none), cudaErrorStreamCaptureInvalidated);
    assert_int_equal(fork.done.count, 0);
    assert_good(cudaGraphDestroy(graph));
    assert_good(cudaGraphExecDestroy(ready));
}

static void waiting_while_recorded_breaks_the_recording(void **)
{
    struct fork fork;
    cudaGraph_t graph = nullptr;
    assert_good(cudaStreamBeginCapture(first(), cudaStreamCaptureModeThreadLocal));
    put(fork.done, first(), 1);
    assert_failed(cudaStreamSynchronize(first()), cudaErrorStreamCaptureUnsupported);
    KG_LAUNCH(append, 1, 1, 0, first(), fork.done.list, &fork.done.count, 2);
    assert_failed(cudaPeekAtLastError(), cudaErrorStreamCaptureInvalidated);
    assert_failed(cudaStreamEndCapture(first(), &graph), cudaErrorStreamCaptureInvalidated);
    assert_null(graph);
    put(fork.done, first(), 3);
    assert_int_equal(fork.done.count, 1);
}

static void unjoined_streams_break_the_recording(void **)
{
    struct fork fork;
    cudaGraph_t graph = nullptr;
    assert_good(cudaStreamBeginCapture(first(), cudaStreamCaptureModeThreadLocal));
    fork.run(true, false);
    assert_failed(cudaStreamEndCapture(first(), &graph), cudaErrorStreamCaptureUnjoined);
    /* Joined, but for what came after the event. */
    assert_good(cudaStreamBeginCapture(first(), cudaStreamCaptureModeThreadLocal));
    assert_good(cudaEventRecord(fork.begun, first()));
    assert_good(cudaStreamWaitEvent(fork.other, fork.begun, 0));
    assert_good(cudaEventRecord(fork.ended, fork.other));
    put(fork.done, fork.other, 1);
    assert_good(cudaStreamWaitEvent(first(), fork.ended, 0));
    assert_failed(cudaStreamEndCapture(first(), &graph), cudaErrorStreamCaptureUnjoined);
    assert_null(graph);
}

static void events_from_outside_break_the_recording(void **)
{
    struct fork fork;
    cudaGraph_t graph = nullptr;
    assert_good(cudaEventRecord(fork.ended, fork.other));
    assert_good(cudaStreamBeginCapture(first(), cudaStreamCaptureModeThreadLocal));
    assert_failed(cudaStreamWaitEvent(first(), fork.ended, 0), cudaErrorStreamCaptureIsolation);
    assert_failed(cudaStreamEndCapture(first(), &graph), cudaErrorStreamCaptureInvalidated);
    /* And one that was recorded in a recording is none outside of it. */
    assert_good(cudaStreamBeginCapture(first(), cudaStreamCaptureModeThreadLocal));
    assert_good(cudaEventRecord(fork.begun, first()));
    assert_good(cudaStreamEndCapture(first(), &graph));
    assert_failed(cudaStreamWaitEvent(fork.other, fork.begun, 0), cudaErrorInvalidValue);
    assert_good(cudaGraphDestroy(graph));
}

static void what_was_not_made_is_refused(void **)
{
    cudaStream_t none = reinterpret_cast<cudaStream_t>(uintptr_t{16});
    assert_failed(cudaStreamSynchronize(none), cudaErrorInvalidResourceHandle);
    assert_failed(cudaStreamDestroy(first()), cudaErrorInvalidResourceHandle);
    assert_failed(cudaGraphLaunch(nullptr, first()), cudaErrorInvalidValue);
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_done_at_once_unless_it_is_put_off),
        cmocka_unit_test(events_order_streams_and_a_missing_one_shows),
        cmocka_unit_test(event_means_its_last_record),
        cmocka_unit_test(graph_replays_what_was_recorded),
        cmocka_unit_test(waiting_while_recorded_breaks_the_recording),
        cmocka_unit_test(unjoined_streams_break_the_recording),
        cmocka_unit_test(events_from_outside_break_the_recording),
        cmocka_unit_test(what_was_not_made_is_refused),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
