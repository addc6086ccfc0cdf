/* The tasks of a worker whose workload is set up. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/random.h"
#include "kgate/profiler.h"
#include "model/disturbance.h"
#include "profiler/read/profile.h"
#include "run/worker/mark.h"
#include "run/worker/worker_state.h"
#include "suite/sources/source.h"

void kg_worker_call(struct kg_worker *worker)
{
    worker->sampler.run(worker->sampler.state);
    if (worker->sampler.after)
        worker->sampler.after(worker->sampler.state);
}

/* Checks the result of the last call. when: part of an error's message */
static bool result_check(struct kg_worker *worker, const char *when, struct kg_error *err)
{
    struct kgate_check found = {.error = NAN};
    const uint64_t seed = worker->request.check_seed;
    if (kg_worker_on_stream(worker) && !kg_worker_gpu_wait(worker, err))
        return false;
    if (!worker->workload || !worker->workload->check)
        return true;
    if (!worker->workload->check(&worker->host.context, worker->state, &found))
        return kg_worker_host_error(worker, "check", err);
    worker->response.check = (struct kg_case_check){
        .checked = true, .error = found.error, .tolerance = found.tolerance, .seed = seed};
    if (isinf(found.tolerance))
        return kg_error_set(err, KG_ERROR_MEASURE,
                            "the check allows any error: its tolerance is infinite");
    /* A check that starts with the least number and compares nothing gives such an error. */
    if (found.error < 0)
        return kg_error_set(err, KG_ERROR_MEASURE,
                            "the check reported an impossible error: %.3g is below 0", found.error);
    if (found.error <= found.tolerance)
        return true;
    return kg_error_set(
        err, KG_ERROR_MEASURE,
        "wrong result%s: error %.3g is above the tolerance %.3g (`check_seed: %" PRIu64
        "` repeats this check)",
        when, found.error, found.tolerance, seed);
}

static bool check(struct kg_worker *worker, struct kg_error *err)
{
    kg_worker_call(worker);
    worker->response.check = (struct kg_case_check){.error = NAN, .tolerance = NAN};
    if (kg_worker_has_harness(worker))
        kg_worker_harness_ns(worker);
    return kg_worker_output_figures(worker, err) && result_check(worker, "", err);
}

/* Sets the workload up again and calls it once, because a plugin's check need only hold after one call.
 * The process is the one that made the timed calls. */
static bool state_renew(struct kg_worker *worker, struct kg_error *err)
{
    const struct kgate_workload *workload = worker->workload;
    if (workload->tear_down)
        workload->tear_down(&worker->host.context, worker->state);
    worker->state = NULL;
    worker->torn_down = true;
    worker->host.context.message[0] = '\0';
    if (!workload->set_up(&worker->host.context, &worker->state))
        return kg_worker_host_error(worker, "set-up", err);
    worker->torn_down = false;
    worker->sampler.state = worker->state;
    kg_worker_call(worker);
    return true;
}

/* Makes other input at the same addresses: a result kept from the timed calls is then wrong. */
static bool state_refresh(struct kg_worker *worker, struct kg_error *err)
{
    struct kgate_context *context = &worker->host.context;
    context->seed = kg_seed_other(worker->request.seed);
    context->message[0] = '\0';
    if (!worker->workload->refresh(context, worker->state))
        return kg_worker_host_error(worker, "refresh", err);
    kg_worker_call(worker);
    return true;
}

/* Runs after the timed calls, when all their figures are taken: no figure includes the check. */
static bool check_after(struct kg_worker *worker, struct kg_error *err)
{
    const struct kgate_workload *workload = worker->workload;
    const uint64_t start = kg_clock_ns();
    if (!worker->request.check_after || !workload || !workload->check)
        return true;
    if (!kg_sources[worker->request.source]->checks_often &&
        !(workload->refresh ? state_refresh(worker, err) : state_renew(worker, err)))
        return false;
    if (worker->request.check_seed)
        kg_worker_check_seed(worker->request.check_seed + 1); /* other rows than before */
    const bool good = result_check(worker, " after the timed calls", err);
    worker->response.check_ns = (double)(kg_clock_ns() - start);
    return good;
}

/* Collects the reported figures: a plugin reports by calls, a command by lines "name value". */
static bool reported_collect(struct kg_worker *worker, struct kg_error *err)
{
    struct kg_response *response = &worker->response;
    struct kg_text text = {0};
    char path[64], name[KG_REPORT_NAME_MOST + 1];
    double value;
    int used;
    snprintf(path, sizeof path, "/proc/self/fd/%d", worker->counters_file);
    if (worker->counters_file >= 0 && !kg_file_read(path, REQUEST_MOST, &text, err))
        return false;
    for (const char *line = kg_text_string(&text);
         sscanf(line, " %100s %lf%n", name, &value, &used) == 2; line += used)
        kg_host_report(&worker->host, name, value);
    kg_text_free(&text);
    if (!kg_worker_output_figures(worker, err))
        return false;
    for (size_t i = 0; i < worker->host.report_count; i++)
        worker->reported[response->reported_count++] =
            (struct kg_reported){worker->host.reports[i].name, worker->host.reports[i].value};
    response->reported = worker->reported;
    return true;
}

static void round_room(struct kg_worker *worker)
{
    worker->response.rounds = kg_arena_alloc(&worker->arena, 1, sizeof *worker->response.rounds);
}

/* On the GPU this is the device memory that the workload allocated. The process's resident memory and
 * the device's free memory would also depend on earlier cases. */
static uint64_t peak_memory(const struct kg_worker *worker)
{
    const uint64_t harness = worker->response.harness_bytes;
    if (kg_worker_on_stream(worker))
        return worker->host.device_peak_bytes;
    if (!worker->workload)
        return worker->command.peak_bytes;
    const uint64_t peak = kg_worker_status_bytes("VmHWM");
    return peak > harness ? peak - harness : 0;
}

/* Whether the timed work needs a CPU all the time. Work on the GPU does not. */
static bool times_are_hosts(const struct kg_worker *worker)
{
    return !kg_worker_on_stream(worker) || worker->request.timing == KG_TIMING_WALL;
}

static bool round_finish(struct kg_worker *worker, struct kg_error *err)
{
    struct kg_response *response = &worker->response;
    response->round_count = 1;
    response->rounds->peak_bytes = peak_memory(worker);
    const struct kg_waited waited = kg_waiting_close(&worker->waiting);
    response->rounds->wait_ns = waited.wait_ns;
    response->rounds->stolen_ns = waited.stolen_ns;
    if (times_are_hosts(worker))
        response->rounds->disturbance = kg_round_disturbance(response->rounds);
    kg_worker_harness_record(worker, response->rounds); /* its process did more than time calls */
    kg_readings_collect(worker);
    return reported_collect(worker, err);
}

/* A round piece by piece, on either device. */
struct pieces {
    struct kg_worker *worker;
    struct kg_sampling sampling; /* on the CPU */
    bool on_stream;
};

static bool pieces_begin(struct pieces *pieces, struct kg_worker *worker, struct kg_error *err)
{
    pieces->worker = worker;
    pieces->on_stream = kg_worker_on_stream(worker);
    kg_readings_open(worker);
    kg_waiting_open(&worker->waiting);
    if (pieces->on_stream)
        return kg_worker_gpu_begin(worker, err);
    kg_sampling_begin(&pieces->sampling, &worker->sampler, worker->request.batch);
    return true;
}

/* Marks the calls for a tracer. */
static void sampling_mark(const struct kg_sampling *sampling, int mark)
{
    syscall(SYS_prctl, mark, sampling->taken * sampling->batch, (uint64_t)sampling->spent_ns,
            (uint64_t)sampling->usage.cpu_ns, (uint64_t)sampling->usage.system_ns);
}

static double sampling_run(struct kg_sampling *sampling, double time_ns)
{
    sampling_mark(sampling, KG_MARK_BEGIN);
    const double measured_ns = kg_sampling_run(sampling, time_ns);
    sampling_mark(sampling, KG_MARK_END);
    return measured_ns;
}

static bool pieces_run(struct pieces *pieces, double time_ns, double *measured_ns,
                       struct kg_error *err)
{
    struct kg_worker *worker = pieces->worker;
    const double children_ns = worker->command.wait_ns;
    bool good = true;
    *measured_ns = 0;
    kg_readings_begin(worker);
    kg_waiting_begin(&worker->waiting);
    if (pieces->on_stream)
        good = kg_worker_gpu_run(worker, time_ns, measured_ns, err);
    else
        *measured_ns = sampling_run(&pieces->sampling, time_ns);
    kg_waiting_end(&worker->waiting);
    kg_waiting_add(&worker->waiting, worker->command.wait_ns - children_ns);
    kg_readings_end(worker);
    return good;
}

static bool pieces_end(struct pieces *pieces, struct kg_error *err)
{
    struct kg_worker *worker = pieces->worker;
    return (pieces->on_stream ? kg_worker_gpu_end(worker, worker->response.rounds, err)
                              : kg_sampling_end(&pieces->sampling, &worker->arena,
                                                worker->response.rounds, err)) &&
           round_finish(worker, err);
}

static void pieces_free(struct pieces *pieces)
{
    if (pieces->on_stream)
        kg_worker_gpu_drop(pieces->worker);
}

static bool measure_round(struct kg_worker *worker, struct kg_error *err)
{
    struct pieces pieces;
    double measured_ns;
    round_room(worker);
    if (!pieces_begin(&pieces, worker, err))
        return false;
    double time_ns = fmax(1, worker->request.min_time_ns);
    if (pieces.on_stream)
        time_ns = kg_worker_gpu_round_ns(worker, time_ns);
    const bool good = pieces_run(&pieces, time_ns, &measured_ns, err) && pieces_end(&pieces, err);
    pieces_free(&pieces);
    if (good && pieces.on_stream)
        kg_worker_gpu_pause(worker->response.rounds);
    return good && check_after(worker, err);
}

/* Waits for the next request of a turn; false at the end, or if the other side has ended. */
static bool turn_asked(void)
{
    char asked[sizeof KG_TURN];
    size_t length = 0;
    while (length + 1 < sizeof asked && read(KG_WORKER_RESPONSE, asked + length, 1) == 1)
        if (asked[length++] == '\n')
            break;
    asked[length] = '\0';
    return !strcmp(asked, KG_TURN);
}

static uint64_t calls_so_far(const struct pieces *pieces)
{
    return pieces->on_stream ? kg_worker_gpu_calls(pieces->worker)
                             : pieces->sampling.taken * pieces->sampling.batch;
}

static bool turns_take(struct pieces *pieces, struct kg_error *err)
{
    char line[64];
    double measured_ns;
    bool heard = kg_worker_send(KG_TURN_READY);
    while (heard && turn_asked()) {
        if (!pieces_run(pieces, pieces->worker->request.turn_ns, &measured_ns, err))
            return false;
        snprintf(line, sizeof line, "%.17g %" PRIu64 "\n", measured_ns, calls_so_far(pieces));
        heard = kg_worker_send(line);
    }
    return heard ? pieces_end(pieces, err)
                 : kg_error_set(err, KG_ERROR_SYSTEM, "kgate no longer listens");
}

static bool measure_turns(struct kg_worker *worker, struct kg_error *err)
{
    struct pieces pieces;
    round_room(worker);
    if (!pieces_begin(&pieces, worker, err))
        return false;
    const bool good = turns_take(&pieces, err);
    pieces_free(&pieces);
    return good && check_after(worker, err);
}

/* A command built with the profiler records itself, and so does each process that it starts. */
static void command_profile(struct kg_worker *worker)
{
    enum { CALLS_MOST = 10 };
    const struct kg_request *request = &worker->request;
    const uint64_t start = kg_clock_ns();
    setenv("KGATE_PROFILE", request->profile_path, 1);
    setenv("KGATE_PROFILE_LABEL", request->profile_label, 1);
    for (int i = 0; i < CALLS_MOST; i++) {
        kg_command_call(&worker->command);
        if ((double)(kg_clock_ns() - start) >= request->min_time_ns)
            break;
    }
}

/* A call on the GPU, inside a scope that lasts until it is done: one at a time, for the next must
 * not wait in the queue behind it. */
static bool stream_call(struct kg_worker *worker, struct kg_error *err)
{
    static struct kgate_site site = {.name = KG_PROFILE_STREAM_SCOPE, .device = KGATE_DEVICE_CUDA};
    struct kgate_scope scope = kgate_scope_begin_cuda(NULL, &site, worker->host.context.stream, 0);
    kg_worker_call(worker);
    kgate_scope_end(&scope);
    return kg_worker_gpu_wait(worker, err);
}

static bool profiled_call(struct kg_worker *worker, struct kgate_site *site, uint64_t bytes,
                          struct kg_error *err)
{
    bool good = true;
    struct kgate_scope scope = kgate_scope_begin(NULL, site, bytes);
    if (kg_worker_on_stream(worker))
        good = stream_call(worker, err);
    else
        kg_worker_call(worker);
    kgate_scope_end(&scope);
    return good;
}

static bool profile(struct kg_worker *worker, struct kg_error *err)
{
    enum { CALLS_MOST = 10000 }; /* the scopes of more say nothing new, and fill the disk */
    const struct kg_request *request = &worker->request;
    const struct kgate_profiler_options options = {.path = request->profile_path,
                                                   .label = request->profile_label};
    char message[256];
    if (!request->profile_path || !request->profile_label)
        return kg_error_set(err, KG_ERROR_USAGE, "no path for the profile");
    if (!worker->workload) {
        command_profile(worker);
        return true;
    }
    static struct kgate_site site;
    site.name = request->profile_label; /* distinguishes the cases of one workload */
    site.device = worker->host.context.device;
    const uint64_t bytes =
        worker->response.work.bytes > 0 ? (uint64_t)worker->response.work.bytes : 0;
    kg_worker_call(worker);
    if (!kgate_profiler_start(&options, message))
        return kg_error_set(err, KG_ERROR_SYSTEM, "%s", message);
    const uint64_t start = kg_clock_ns();
    bool good = true;
    for (int i = 0; i < CALLS_MOST && good; i++) {
        good = profiled_call(worker, &site, bytes, err);
        if ((double)(kg_clock_ns() - start) >= request->min_time_ns)
            break;
    }
    kgate_profiler_stop();
    return good;
}

bool kg_worker_task(struct kg_worker *worker, struct kg_error *err)
{
    switch (worker->request.task) {
    case KG_TASK_CHECK:
        if (!check(worker, err))
            return false;
        if (kg_worker_on_stream(worker))
            return kg_worker_gpu_check(worker, err);
        if (worker->sampler.settle)
            worker->sampler.settle(worker->sampler.owner);
        worker->response.batch =
            worker->sampler.own_ns ? 1 : kg_sampler_batch(&worker->sampler, worker->request.batch);
        return true;
    case KG_TASK_ROUND:
        return measure_round(worker, err);
    case KG_TASK_TURNS:
        return measure_turns(worker, err);
    case KG_TASK_COUNT:
        return kg_worker_count(worker, err);
    case KG_TASK_PROFILE:
        return profile(worker, err);
    case KG_TASK_TRACE:
        return kg_worker_gpu_trace(worker, err);
    case KG_TASK_LIST:
    case KG_TASK_OPEN: /* these need no workload that is set up: worker.c */
    case KG_TASK_CEILINGS:
    case KG_TASK_CPU_CEILINGS:
        break;
    }
    return false;
}
