/* emulator_streams.h: streams, events and graphs of CUDA's runtime. By default all work is done
 * when a call returns. After kg_emulated_put_off, work is done as late as waits allow. The streams'
 * order is then random, except for events. So work that is not joined comes too early, too late or
 * not at all. */
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "cuda/emulator_runtime.h"

typedef struct kg_emulated_event *cudaEvent_t;
typedef struct kg_emulated_graph *cudaGraph_t;
typedef struct kg_emulated_executable *cudaGraphExec_t;
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone,
    cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated
};

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventDestroy(cudaEvent_t event);

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                          unsigned long long flags);
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);

/* Whether the stream exists. */
bool kg_emulated_stream_known(cudaStream_t stream);
/* Puts work on a stream, or into the graph that records it. Returns CUDA's error. */
cudaError_t kg_emulated_put(cudaStream_t stream, std::function<void()> work);

/* From here on work is postponed, in an order by the seed. If `off` is false, postponed work is
 * done, and later work is immediate. */
void kg_emulated_put_off(bool off, uint64_t seed);

/* Number of streams (except the default one), events, graphs and executable graphs that were
 * created and not destroyed. */
size_t kg_emulated_things();
