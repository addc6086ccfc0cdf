#include "cuda/emulator_streams.h"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "cuda/emulator.h"
#include "cuda/emulator_limits.h"

/* How far an event has come: records are counted, so that a later one is no earlier one. */
struct progress {
    uint64_t recorded;
    uint64_t done;
};

/* Something on a stream: work, a record of an event, or waiting for one. */
struct operation {
    std::function<void()> work;
    std::shared_ptr<progress> waits_for; /* may begin when this has come to `number` */
    uint64_t number;
};

struct kg_emulated_graph {
    std::vector<std::function<void()>> nodes; /* in an order that their dependencies allow */
    uint64_t number;                          /* of the recording */
    bool broken;
};
struct kg_emulated_executable {
    std::vector<std::function<void()>> nodes;
};

struct CUstream_st {
    std::deque<operation> waiting;
    kg_emulated_graph *recording; /* the one that this stream's work goes into, if any */
    bool origin;                  /* recording began here */
    uint64_t recorded;            /* how much went into it from here */
    bool unjoined;                /* and not all of that is waited for by another stream of it */
};

struct kg_emulated_event {
    std::shared_ptr<progress> reached;
    CUstream_st *stream; /* where it was recorded last */
    uint64_t recording;  /* in the recording of that number; 0: in none */
    uint64_t recorded;   /* how much that stream had put into it */
};

static CUstream_st first_stream;
static std::set<CUstream_st *> streams;
static bool put_off;
static uint64_t random_state;
static uint64_t recordings;
static size_t things;

static uint64_t random_below(uint64_t end)
{
    uint64_t x = random_state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) % end;
}

cudaStream_t kg_emulated_stream()
{
    return &first_stream;
}

bool kg_emulated_stream_known(cudaStream_t stream)
{
    return stream == &first_stream || streams.count(stream);
}

size_t kg_emulated_things()
{
    return things;
}

/* --- Doing what was put off ---------------------------------------------------------------- */

/* Does the first thing of one of the streams that have one which may begin;
 * false: there is none. */
static bool anything_do()
{
    std::vector<CUstream_st *> ready;
    const auto look = [&ready](CUstream_st *stream) {
        if (stream->waiting.empty())
            return;
        const operation &first = stream->waiting.front();
        if (!first.waits_for || first.waits_for->done >= first.number)
            ready.push_back(stream);
    };
    look(&first_stream);
    for (CUstream_st *stream : streams)
        look(stream);
    if (ready.empty())
        return false;
    CUstream_st *stream = ready[random_below(ready.size())];
    const operation chosen = stream->waiting.front();
    stream->waiting.pop_front();
    if (chosen.work)
        chosen.work();
    return true;
}

static void stream_finish(CUstream_st *stream)
{
    while (!stream->waiting.empty())
        if (!anything_do()) {
            fprintf(stderr, "emulator: a stream waits for an event that never comes\n");
            abort();
        }
}

static void operation_put(CUstream_st *stream, const operation &one)
{
    stream->waiting.push_back(one);
    if (!put_off)
        stream_finish(stream);
    else if (random_below(4) == 0)
        anything_do();
}

void kg_emulated_put_off(bool off, uint64_t seed)
{
    random_state = seed;
    put_off = off;
    while (!off && anything_do())
        ;
}

/* --- Streams ------------------------------------------------------------------------------- */

/* What cannot be done on a stream that is recorded: the recording is of no use any more. */
static cudaError_t recording_break(CUstream_st *stream, cudaError_t error)
{
    stream->recording->broken = true;
    return kg_emulated_failed(error);
}

cudaError_t kg_emulated_put(cudaStream_t stream, std::function<void()> work)
{
    if (!kg_emulated_stream_known(stream))
        return kg_emulated_failed(cudaErrorInvalidResourceHandle);
    if (!stream->recording) {
        operation_put(stream, {std::move(work), nullptr, 0});
        return cudaSuccess;
    }
    if (stream->recording->broken)
        return kg_emulated_failed(cudaErrorStreamCaptureInvalidated);
    stream->recording->nodes.push_back(std::move(work));
    stream->recorded++;
    stream->unjoined = !stream->origin;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    if (flags > cudaStreamNonBlocking)
        return kg_emulated_failed(cudaErrorInvalidValue);
    *stream = new CUstream_st();
    streams.insert(*stream);
    things++;
    return cudaSuccess;
}

/* CUDA returns at once and does what is left; here that is done now. */
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    if (!streams.count(stream))
        return kg_emulated_failed(cudaErrorInvalidResourceHandle);
    stream_finish(stream);
    streams.erase(stream);
    things--;
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    if (!kg_emulated_stream_known(stream))
        return kg_emulated_failed(cudaErrorInvalidResourceHandle);
    if (stream->recording)
        return recording_break(stream, cudaErrorStreamCaptureUnsupported);
    stream_finish(stream);
    return cudaSuccess;
}

/* --- Events -------------------------------------------------------------------------------- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    if (flags > (cudaEventBlockingSync | cudaEventDisableTiming))
        return kg_emulated_failed(cudaErrorInvalidValue);
    *event = new kg_emulated_event{std::make_shared<progress>(), nullptr, 0, 0};
    things++;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    things--;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (!kg_emulated_stream_known(stream))
        return kg_emulated_failed(cudaErrorInvalidResourceHandle);
    event->stream = stream;
    event->recording = stream->recording ? stream->recording->number : 0;
    event->recorded = stream->recorded;
    if (stream->recording)
        return cudaSuccess;
    const std::shared_ptr<progress> reached = event->reached;
    const uint64_t number = ++reached->recorded;
    operation_put(stream, {[reached, number] { reached->done = number; }, nullptr, 0});
    return cudaSuccess;
}

/* While a graph is recorded, waiting for an event of it takes the stream into the recording, and
 * makes it answer for what it waits for. */
static cudaError_t recorded_wait(CUstream_st *stream, const kg_emulated_event *event)
{
    CUstream_st *from = event->stream;
    if (stream->recording && stream->recording->number != event->recording)
        return recording_break(stream, cudaErrorStreamCaptureIsolation);
    if (!from->recording || from->recording->number != event->recording)
        return kg_emulated_failed(cudaErrorInvalidValue); /* of a recording that is over */
    stream->recording = from->recording;
    stream->unjoined = !stream->origin;
    if (stream != from && event->recorded == from->recorded)
        from->unjoined = false;
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    if (!kg_emulated_stream_known(stream) || flags)
        return kg_emulated_failed(cudaErrorInvalidResourceHandle);
    if (stream->recording || event->recording)
        return recorded_wait(stream, event);
    operation_put(stream, {nullptr, event->reached, event->reached->recorded});
    return cudaSuccess;
}

/* --- Graphs -------------------------------------------------------------------------------- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    if (!kg_emulated_stream_known(stream) || stream->recording)
        return kg_emulated_failed(cudaErrorInvalidValue);
    stream->recording = new kg_emulated_graph{{}, ++recordings, false};
    stream->origin = true;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
    *status = !stream->recording          ? cudaStreamCaptureStatusNone
              : stream->recording->broken ? cudaStreamCaptureStatusInvalidated
                                          : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

/* Takes all streams out of the recording. Whether all of them had been joined to its origin. */
static bool recording_leave(const kg_emulated_graph *graph)
{
    bool joined = true;
    const auto leave = [&joined, graph](CUstream_st *stream) {
        if (stream->recording != graph)
            return;
        joined = joined && !stream->unjoined;
        stream->recording = nullptr;
        stream->origin = stream->unjoined = false;
        stream->recorded = 0;
    };
    leave(&first_stream);
    for (CUstream_st *stream : streams)
        leave(stream);
    return joined;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    *graph = nullptr;
    if (!kg_emulated_stream_known(stream) || !stream->recording || !stream->origin)
        return kg_emulated_failed(cudaErrorInvalidValue);
    kg_emulated_graph *recorded = stream->recording;
    const bool joined = recording_leave(recorded), broken = recorded->broken;
    if (joined && !broken) {
        *graph = recorded;
        things++;
        return cudaSuccess;
    }
    delete recorded;
    return kg_emulated_failed(broken ? cudaErrorStreamCaptureInvalidated
                                     : cudaErrorStreamCaptureUnjoined);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                          unsigned long long flags)
{
    if (!graph || flags)
        return kg_emulated_failed(cudaErrorInvalidValue);
    *executable = new kg_emulated_executable{graph->nodes};
    things++;
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream)
{
    return executable && kg_emulated_stream_known(stream)
               ? cudaSuccess
               : kg_emulated_failed(cudaErrorInvalidValue);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    if (!executable)
        return kg_emulated_failed(cudaErrorInvalidValue);
    if (kg_emulated_stream_known(stream) && stream->recording)
        return recording_break(stream, cudaErrorStreamCaptureUnsupported);
    const std::vector<std::function<void()>> nodes = executable->nodes;
    return kg_emulated_put(stream, [nodes] {
        for (const std::function<void()> &node : nodes)
            node();
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    delete graph;
    things--;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    delete executable;
    things--;
    return cudaSuccess;
}
