#include "run/worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "run/ceilings/ceilings_measure.h"
#include "run/worker/mark.h"
#include "run/worker/worker_state.h"
#include "suite/sources/source.h"

uint64_t kg_worker_status_bytes(const char *key)
{
    char line[256];
    uint64_t kib = 0;
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ':') {
            kib = strtoull(line + strlen(key) + 1, NULL, 10);
            break;
        }
    if (file)
        fclose(file);
    return kib * 1024;
}

/* Fills the figures of malloc, from all its arenas.
 * before_bytes  memory in use before the workload's set-up */
static void malloc_read(size_t before_bytes, struct kg_response *response)
{
    const struct mallinfo2 info = mallinfo2();
    const size_t used_bytes = info.uordblks + info.hblkhd;
    response->malloc_used_bytes =
        used_bytes > before_bytes ? (double)(used_bytes - before_bytes) : 0;
    response->malloc_cached_bytes = (double)info.fordblks;
}

/* Resets VmHWM to the memory that is resident now (proc(5)). If the kernel does not allow it, the
 * peak includes the memory for loading the program. */
static void peak_reset(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "we");
    if (!file)
        return;
    fputs("5", file);
    fclose(file);
}

bool kg_worker_send(const char *text)
{
    for (size_t done = 0, length = strlen(text); done < length;) {
        const ssize_t count = write(KG_WORKER_RESPONSE, text + done, length - done);
        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

static void command_fail(void *owner, const char *message);

static bool respond(struct kg_worker *worker)
{
    struct kg_text text = {0};
    kg_record_line(&kg_response_record, &worker->response, KG_RESPONSE_SCHEMA, &text);
    const bool written = kg_worker_send(text.data);
    kg_text_free(&text);
    return written;
}

struct kg_command_run kg_worker_command(struct kg_worker *worker, const char **words)
{
    return (struct kg_command_run){.argv = (char *const *)words,
                                   .fail = command_fail,
                                   .owner = worker,
                                   .setting = &worker->request.setting,
                                   .output = -1,
                                   .shows = true};
}

/* Runs even after the command has failed. A failure of the cleanup itself is then ignored. */
static void command_clean_up(struct kg_worker *worker)
{
    const struct kg_request *request = &worker->request;
    if (!worker->cleanup_due)
        return;
    worker->cleanup_due = false;
    struct kg_command_run cleanup = kg_worker_command(worker, request->setting.cleanup);
    kg_command_call(&cleanup);
}

void kg_worker_signal_take(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigaction(number, &action, NULL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static struct kg_worker *cleaned; /* the worker that has something to clean up */

/* Handles kgate's request to end early, after a time-out or a signal to kgate. If a cleanup already runs,
 * it may finish, and then the worker ends. Some functions called here are not async-signal-safe. That
 * is no danger, because the only thread waits for its command or for kgate. */
static void end_handle(int number)
{
    if (!cleaned->cleanup_due)
        return;
    kg_command_end();
    cleaned->response.message = "a signal ended it"; /* the cleanup's own failure is no matter */
    cleaned->response.good = false;
    /* in the handler the signal is blocked, and the cleanup would inherit that */
    kg_worker_signal_take(number, end_handle);
    command_clean_up(cleaned);
    _exit(EXIT_FAILURE);
}

/* For a command: its failure ends the worker from within the timed call. */
static void command_fail(void *owner, const char *message)
{
    struct kg_worker *worker = owner;
    if (worker->response.message)
        return; /* cleaning up after a failure */
    worker->response.good = false;
    worker->response.message = message;
    if (worker->command.trouble.step != KG_COMMAND_NONE) /* it was not started */
        worker->response.unavailable = false;
    kg_worker_output_show(worker);
    command_clean_up(worker);
    kg_worker_harness_close(worker);
    _exit(respond(worker) ? EXIT_SUCCESS : EXIT_FAILURE);
}

static bool request_parse(struct kg_worker *worker, const char *text, size_t length,
                          struct kg_error *err)
{
    return kg_record_parse(&kg_request_record, KG_REQUEST_SCHEMA, "request", text, length,
                           &worker->arena, &worker->request, err);
}

bool kg_worker_on_stream(const struct kg_worker *worker)
{
    return worker->request.device == KGATE_DEVICE_CUDA &&
           !kg_source_facts[worker->request.source].own_process;
}

/* A CUDA context reserves tens of GiB of address space: there the allocators keep to the limit. */
static bool limit_memory(const struct kg_worker *worker, struct kg_error *err)
{
    const uint64_t bytes = worker->request.memory_limit_bytes;
    if (!bytes || kg_worker_on_stream(worker))
        return true;
    const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};
    return setrlimit(RLIMIT_AS, &limit) == 0
               ? true
               : kg_error_set(err, KG_ERROR_MEASURE, "cannot set memory_limit");
}

/* The pause shows a tracer that this work is the worker's, not the workload's. */
static bool settle_again(void *owner, double measured_ns)
{
    syscall(SYS_prctl, KG_MARK_PAUSE, 0, 0, 0, 0);
    const bool called = kg_settle_again(owner, measured_ns);
    syscall(SYS_prctl, KG_MARK_RESUME, 0, 0, 0, 0);
    return called;
}

static bool set_up(struct kg_worker *worker, struct kg_error *err)
{
    const size_t room = kg_sampler_room(worker->request.min_time_ns);
    /* Touched now, so that the buffer counts as the harness's memory. */
    memset(worker->buffer, 1, room * sizeof *worker->buffer);
    malloc_trim(0);
    worker->response.harness_bytes = kg_worker_status_bytes("VmRSS");
    peak_reset();
    worker->host.context.message[0] = '\0';
    if (worker->workload && !worker->workload->set_up(&worker->host.context, &worker->state))
        return kg_worker_host_error(worker, "set-up", err);
    const bool in_this_process = worker->workload && !kg_worker_on_stream(worker);
    worker->sampler = (struct kg_sampler){
        .run = worker->workload                ? worker->workload->run
               : kg_worker_has_harness(worker) ? kg_worker_harness_call
                                               : kg_command_time,
        .after = worker->workload ? NULL : kg_command_reap,
        .state = worker->workload ? worker->state : &worker->command,
        .settle = in_this_process ? kg_settle : NULL,
        .settle_again = in_this_process ? settle_again : NULL,
        .own_ns = kg_worker_has_harness(worker) ? kg_worker_harness_ns : NULL,
        .owner = worker,
        .resolution_ns = worker->response.timer_resolution_ns,
        .min_time_ns = worker->request.min_time_ns,
        .iterations = worker->request.iterations,
        .piece_calls = worker->request.turn_calls,
        .warm_calls = worker->request.warm_calls,
        .cold = worker->request.cold && !worker->workload,
        .children = !worker->workload,
        .buffer = worker->buffer,
        .capacity = room,
    };
    return true;
}

/* Before set_up, which may start threads. */
static bool count_prepare(struct kg_worker *worker, struct kg_error *err)
{
    const struct kg_request *request = &worker->request;
    if (request->task != KG_TASK_COUNT || request->count_directory)
        return true;
    if (request->count_core)
        kg_core_events_find(KG_CORE_DEVICES, KG_CORE_CPUINFO, &worker->core.events);
    if (request->count_core && !kg_core_counting_open(&worker->core))
        return kg_error_set(err, KG_ERROR_MEASURE, "cannot count cycles: %s", strerror(errno));
    return kg_counting_open(&worker->counting,
                            request->count_source && !strcmp(request->count_source, "perf"),
                            request->count_lines, err);
}

/* A command writes its counters to a file in memory, whose path is in its environment. */
static void counters_prepare(struct kg_worker *worker)
{
    char path[64];
    worker->counters_file = -1;
    if (worker->workload)
        return;
    worker->counters_file = memfd_create("kgate-counters", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), worker->counters_file);
    if (worker->counters_file >= 0)
        setenv("KGATE_COUNTERS", path, 1);
}

/* For checks that draw rows or projections: another build's kgate, and plugins, may read it too. */
void kg_worker_check_seed(uint64_t seed)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, seed);
    if (seed)
        setenv("KGATE_CHECK_SEED", text, 1);
}

/* Everything between describing and tearing down. */
static bool work_set_up(struct kg_worker *worker, struct kg_error *err)
{
    const bool on_stream = kg_worker_on_stream(worker);
    if (on_stream && !kg_worker_gpu_start(worker, err))
        return false;
    worker->cleanup_due = worker->request.setting.cleanup_count > 0;
    cleaned = worker;
    if (worker->cleanup_due)
        kg_worker_signal_take(SIGTERM, end_handle);
    if (worker->request.setting.setup_count) {
        struct kg_command_run before = kg_worker_command(worker, worker->request.setting.setup);
        kg_command_call(&before);
    }
    const struct mallinfo2 before = mallinfo2();
    if (!set_up(worker, err))
        return false;
    if (on_stream)
        kg_worker_gpu_ready(worker);
    if (worker->request.huge_pages && worker->workload && !on_stream) {
        kg_worker_call(worker); /* has memory allocated that is not yet */
        kg_huge_pages_ask();
    }
    const bool good = kg_worker_task(worker, err);
    command_clean_up(worker);
    worker->response.allocated_bytes = worker->host.allocated_peak_bytes;
    if (on_stream)
        kg_worker_gpu_finish(worker);
    else if (worker->workload)
        malloc_read(before.uordblks + before.hblkhd, &worker->response);
    if (worker->workload && worker->workload->tear_down && !worker->torn_down)
        worker->workload->tear_down(&worker->host.context, worker->state);
    return good;
}

static bool work(struct kg_worker *worker, struct kg_error *err)
{
    const struct kg_request *request = &worker->request;
    kg_host_start(&worker->host, worker->values, (enum kgate_device)request->device,
                  (unsigned)request->threads, request->seed);
    if (request->task == KG_TASK_CEILINGS)
        return kg_worker_gpu_ceilings(worker, err);
    if (request->task == KG_TASK_CPU_CEILINGS)
        return kg_cpu_ceilings_load_measure(&worker->arena, &worker->response.cpu_ceilings, err);
    worker->response.timer_resolution_ns = kg_clock_resolution_ns();
    if (!limit_memory(worker, err) || !kg_worker_workload_open(worker, err) ||
        !count_prepare(worker, err))
        return false;
    if (request->task == KG_TASK_OPEN)
        return true;
    if (request->task == KG_TASK_LIST)
        return kg_worker_harness_list(worker, err);
    counters_prepare(worker);
    kg_worker_check_seed(request->check_seed);
    if (request->flush_denormals)
        kg_denormals_flush();
    return work_set_up(worker, err);
}

/* Does one request. False if its response could not be written. */
static bool request_do(struct kg_worker *worker)
{
    struct kg_error err = {0};
    struct kg_response *response = &worker->response;
    response->work = (struct kg_case_work)KG_WORK_UNKNOWN;
    response->check = (struct kg_case_check){.error = NAN, .tolerance = NAN};
    response->trace = (struct kg_trace)KG_TRACE_NONE;
    response->ceilings = (struct kg_ceilings)KG_CEILINGS_NONE;
    response->cpu_ceilings = (struct kg_cpu_ceilings)KG_CPU_CEILINGS_NONE;
    response->malloc_used_bytes = response->malloc_cached_bytes = NAN;
    response->device_peak_bytes = response->device_allocated_bytes = response->check_ns = NAN;
    response->good = work(worker, &err);
    kg_worker_harness_close(worker);
    if (!response->good)
        response->message = err.message;
    response->last = response->last && worker->request.source == KG_SOURCE_PLUGIN;
    const bool responded = respond(worker);
    kg_host_end(&worker->host);
    return responded;
}

/* A user may have switched profiling on for other programs. It must not slow down the timed calls. */
static struct kg_worker *worker_new(void)
{
    unsetenv("KGATE_PROFILE");
    /* A command must not write responses instead of the worker. */
    fcntl(KG_WORKER_RESPONSE, F_SETFD, FD_CLOEXEC);
    return kg_alloc(1, sizeof(struct kg_worker));
}

static int refuse(const char *why)
{
    fprintf(stderr, "worker: %s\n", why);
    return 2;
}

int kg_worker_main(void)
{
    struct kg_error err = {0};
    struct kg_text text = {0};
    struct kg_worker *worker = worker_new();
    int status = 2;
    if (kg_file_read("-", REQUEST_MOST, &text, &err) &&
        request_parse(worker, kg_text_string(&text), text.length, &err))
        status = request_do(worker) ? 0 : 2;
    else
        refuse(err.message);
    kg_text_free(&text);
    kg_arena_free(&worker->arena);
    kg_worker_gpu_close(&worker->gpu);
    free(worker);
    return status;
}

/* Does the request of a line; *again is whether another can follow. */
static int group_request(struct kg_worker *worker, const char *line, size_t length, bool *again)
{
    struct kg_error err = {0};
    struct kg_arena arena = {0};
    const struct worker_gpu gpu = worker->gpu;
    *worker = (struct kg_worker){.gpu = gpu, .arena = arena};
    *again = false;
    if (!request_parse(worker, line, length, &err))
        return refuse(err.message);
    const bool responded = request_do(worker) && kg_worker_send("\n");
    *again = responded && !worker->response.last &&
             (worker->response.good || worker->response.unavailable);
    kg_arena_free(&worker->arena);
    return responded ? 0 : 2;
}

/* Request after request. */
static int group_serve(struct kg_worker *worker, FILE *requests)
{
    char *line = NULL;
    size_t capacity = 0;
    int status = 0;
    for (bool again = true; again;) {
        const ssize_t length = getline(&line, &capacity, requests);
        if (length <= 0)
            break;
        status = group_request(worker, line, (size_t)length, &again);
    }
    free(line);
    return status;
}

int kg_worker_group_main(void)
{
    struct kg_worker *worker = worker_new();
    FILE *requests = fdopen(dup(KG_WORKER_RESPONSE), "r");
    const int status = requests ? group_serve(worker, requests) : refuse("cannot read requests");
    if (requests)
        fclose(requests);
    kg_worker_gpu_close(&worker->gpu);
    free(worker);
    return status;
}
