#include "run/worker/worker_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "run/ceilings/ceilings_measure.h"
#include "run/timing/gpu_plan.h"
#include "run/worker/worker_state.h"

/* NVML knows nothing of CUDA_VISIBLE_DEVICES, which is the UUID of the device that kgate chose. */
static void nvml_open(struct worker_gpu *gpu)
{
    char why[160];
    const char *uuid = getenv("CUDA_VISIBLE_DEVICES");
    if (!uuid || kg_nvml_open(KG_NVML_LIBRARY, &gpu->nvml, why, sizeof why) != KG_NVML_GOOD)
        return;
    if (!kg_nvml_find(&gpu->nvml, uuid, &gpu->nvml_index))
        kg_nvml_close(&gpu->nvml);
    gpu->before_known =
        gpu->nvml.calls && kg_nvml_telemetry_read(&gpu->nvml, gpu->nvml_index, &gpu->before);
}

static bool gpu_open(struct worker_gpu *gpu, struct kg_error *err)
{
    if (gpu->open)
        return true;
    gpu->buffer = kg_alloc((size_t)KG_GPU_FIGURES * KG_SAMPLES_MOST, sizeof *gpu->buffer);
    nvml_open(gpu);
    if (!kg_gpu_timer_open(KG_DRIVER_LIBRARY, &gpu->timer, err))
        return false;
    gpu->open = true;
    return true;
}

void kg_worker_gpu_close(struct worker_gpu *gpu)
{
    kg_nvml_close(&gpu->nvml);
    free(gpu->buffer);
    gpu->buffer = NULL;
}

bool kg_worker_gpu_start(struct kg_worker *worker, struct kg_error *err)
{
    struct worker_gpu *gpu = &worker->gpu;
    size_t total;
    if (!gpu_open(gpu, err) ||
        !kg_driver_good(&gpu->timer.driver, gpu->timer.driver.memory_info(&gpu->free_bytes, &total),
                        "cannot read the device's free memory", err))
        return false;
    gpu->free_least = gpu->free_bytes;
    kg_host_use_device(&worker->host, &gpu->timer.driver, gpu->timer.stream,
                       worker->request.memory_limit_bytes);
    worker->response.timer_resolution_ns = gpu->timer.resolution_ns;
    return true;
}

/* Notes the free device memory if it is a new minimum. To be called after each possible
 * allocation. */
static void memory_note(struct kg_worker *worker)
{
    struct worker_gpu *gpu = &worker->gpu;
    size_t free_bytes, total;
    if (gpu->timer.driver.memory_info(&free_bytes, &total) == KG_DRIVER_SUCCESS &&
        free_bytes < gpu->free_least)
        gpu->free_least = free_bytes;
}

void kg_worker_gpu_ready(struct kg_worker *worker)
{
    struct worker_gpu *gpu = &worker->gpu;
    memory_note(worker);
    gpu->sampler = (struct kg_gpu_sampler){.timer = &gpu->timer,
                                           .call = {worker->sampler.run, worker->sampler.state},
                                           .call_timing = {.held_calls = worker->request.held_calls,
                                                           .call_ns = worker->request.call_ns},
                                           .timing = (enum kg_timing)worker->request.timing,
                                           .min_time_ns = worker->request.min_time_ns,
                                           .iterations = worker->request.iterations,
                                           .piece_calls = worker->request.turn_calls,
                                           .buffer = gpu->buffer,
                                           .capacity = KG_SAMPLES_MOST};
}

void kg_worker_gpu_finish(struct kg_worker *worker)
{
    const struct worker_gpu *gpu = &worker->gpu;
    struct kg_response *response = &worker->response;
    memory_note(worker);
    response->device_allocated_bytes = (double)worker->host.device_peak_bytes;
    response->device_peak_bytes = (double)(gpu->free_bytes - gpu->free_least);
}

bool kg_worker_gpu_check(struct kg_worker *worker, struct kg_error *err)
{
    struct kg_gpu_sampler *sampler = &worker->gpu.sampler;
    if (!kg_gpu_call_timing_find(sampler->timer, &sampler->call, &sampler->call_timing, err))
        return false;
    const struct kg_gpu_call_timing *call_timing = &sampler->call_timing;
    worker->response.held_calls = call_timing->held_calls;
    worker->response.call_ns = call_timing->call_ns;
    worker->response.last = !call_timing->capturable;
    worker->response.note =
        kg_gpu_doubt(sampler->timing,
                     &(struct kg_gpu_doubt_facts){.gpu_ns = call_timing->gpu_ns,
                                                  .launch_ns = call_timing->launch_ns,
                                                  .resolution_ns = sampler->timer->resolution_ns,
                                                  .holds = sampler->timer->holds,
                                                  .held = call_timing->held_calls > 0,
                                                  .synchronises = call_timing->synchronises});
    if (sampler->timing != KG_TIMING_WALL && sampler->call_timing.empty)
        return kg_error_set(err, KG_ERROR_MEASURE, "a call puts nothing on its stream");
    if (sampler->timing == KG_TIMING_GRAPH && !sampler->call_timing.capturable)
        return kg_error_set(err, KG_ERROR_MEASURE,
                            "cannot be recorded as a CUDA graph (`timing: graph`): %s",
                            sampler->call_timing.why_not);
    return kg_gpu_sampler_batch(sampler, worker->request.batch, &worker->response.batch, err);
}

static double known(int value, double scale)
{
    return value < 0 ? NAN : scale * value;
}

/* Time for the driver to settle the clock at the power limit. */
static const double LIMITED_NS = 200e6;
static const double PAUSE_NS = 100e6;

static void timing_start(struct worker_gpu *gpu)
{
    if (gpu->before_known)
        kg_nvml_telemetry_read(&gpu->nvml, gpu->nvml_index, &gpu->start);
    gpu->start_ns = kg_clock_ns();
}

/* KG_NVML_ bits since timing_start; -1: unknown. */
static int64_t throttle_since(const struct worker_gpu *gpu, const struct kg_nvml_telemetry *now)
{
    return kg_nvml_throttle_between(&gpu->start, now, (double)(kg_clock_ns() - gpu->start_ns));
}

static bool is_limited(const struct worker_gpu *gpu)
{
    struct kg_nvml_telemetry now;
    if (!gpu->before_known || !kg_nvml_telemetry_read(&gpu->nvml, gpu->nvml_index, &now))
        return false;
    const int64_t bits = throttle_since(gpu, &now);
    return bits > 0 && bits & KG_NVML_POWER_CAP;
}

bool kg_worker_gpu_begin(struct kg_worker *worker, struct kg_error *err)
{
    struct worker_gpu *gpu = &worker->gpu;
    timing_start(gpu);
    if (!kg_gpu_sampling_begin(&gpu->sampling, &gpu->sampler, worker->request.batch, err))
        return false;
    gpu->limited = is_limited(gpu);
    if (gpu->limited && !kg_gpu_sampling_warm(&gpu->sampling, LIMITED_NS, err)) {
        kg_gpu_sampling_free(&gpu->sampling);
        return false;
    }
    timing_start(gpu);
    return true;
}

double kg_worker_gpu_round_ns(const struct kg_worker *worker, double wanted_ns)
{
    return worker->gpu.limited ? fmax(wanted_ns, LIMITED_NS) : wanted_ns;
}

void kg_worker_gpu_pause(const struct kg_round *round)
{
    if (round->throttled)
        nanosleep(&(struct timespec){.tv_nsec = (long)PAUSE_NS}, NULL);
}

bool kg_worker_gpu_run(struct kg_worker *worker, double time_ns, double *measured_ns,
                       struct kg_error *err)
{
    return kg_gpu_sampling_run(&worker->gpu.sampling, time_ns, measured_ns, err);
}

uint64_t kg_worker_gpu_calls(const struct kg_worker *worker)
{
    return worker->gpu.sampling.taken * worker->gpu.sampling.batch;
}

/* Time in which power or temperature lowered the clocks; NaN: unknown. */
static double throttled_ns(const struct kg_nvml_telemetry *start,
                           const struct kg_nvml_telemetry *after)
{
    const double power_ns = after->power_held_ns - start->power_held_ns;
    const double thermal_ns = after->thermal_held_ns - start->thermal_held_ns;
    return isnan(power_ns) && isnan(thermal_ns) ? NAN : fmax(0, power_ns) + fmax(0, thermal_ns);
}

bool kg_worker_gpu_end(struct kg_worker *worker, struct kg_round *round, struct kg_error *err)
{
    struct worker_gpu *gpu = &worker->gpu;
    struct kg_nvml_telemetry after;
    /* before the device is idle again: then it is not throttled */
    const bool after_known =
        gpu->before_known && kg_nvml_telemetry_read(&gpu->nvml, gpu->nvml_index, &after);
    const int64_t throttle = after_known ? throttle_since(gpu, &after) : -1;
    if (!kg_gpu_sampling_end(&gpu->sampling, &worker->arena, round, err))
        return false;
    if (!after_known)
        return true;
    round->memory_clock_hz = known(after.memory_mhz, 1e6);
    round->temperature_c = known(after.temperature_c, 1);
    round->power_w = known(after.power_mw, 1e-3);
    round->utilization = known(gpu->before.utilization_percent, 0.01);
    round->other_processes = known(after.other_processes, 1);
    round->power_limit_w = known(after.power_limit_mw, 1e-3);
    round->throttle = throttle < 0 ? NAN : (double)throttle;
    round->throttled = kg_nvml_throttled(throttle);
    round->throttled_ns = throttled_ns(&gpu->start, &after);
    return true;
}

void kg_worker_gpu_drop(struct kg_worker *worker)
{
    kg_gpu_sampling_free(&worker->gpu.sampling);
}

bool kg_worker_gpu_wait(struct kg_worker *worker, struct kg_error *err)
{
    const struct kg_gpu_timer *timer = &worker->gpu.timer;
    return kg_driver_good(&timer->driver, timer->driver.stream_synchronize(timer->stream),
                          "the work on the device failed", err);
}

bool kg_worker_gpu_trace(struct kg_worker *worker, struct kg_error *err)
{
    const struct kg_gpu_sampler *sampler = &worker->gpu.sampler;
    return kg_trace_task(sampler->timer, &worker->gpu.tracer, &sampler->call, &worker->arena,
                         &worker->response, err);
}

static bool telemetry_read(void *state, struct kg_nvml_telemetry *telemetry)
{
    const struct worker_gpu *gpu = state;
    return gpu->nvml.calls && kg_nvml_telemetry_read(&gpu->nvml, gpu->nvml_index, telemetry);
}

bool kg_worker_gpu_ceilings(struct kg_worker *worker, struct kg_error *err)
{
    struct worker_gpu *gpu = &worker->gpu;
    const struct kg_ceilings_watch watch = {telemetry_read, gpu};
    return gpu_open(gpu, err) && kg_ceilings_measure(&gpu->timer, &watch, &worker->arena,
                                                     &worker->response.ceilings, err);
}
