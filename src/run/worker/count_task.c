/* KG_TASK_COUNT: instructions, cache lines, or all that Callgrind counts of some calls. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "run/worker/worker_state.h"

/* --- The end of its time ---------------------------------------------------------------------- */

/* Callgrind writes its counts to a file; nothing else is left to do. */
static void calls_cut(int number)
{
    (void)number;
    kg_counting_dump();
    _exit(KG_WORKER_COUNT_CUT);
}

/* Ends the calls after time_ns of CPU time. 0 or NaN: never. */
static void limit_set(double time_ns)
{
    struct itimerval timer = {0};
    if (!(time_ns > 0))
        return;
    timer.it_value.tv_sec = (time_t)(time_ns / 1e9);
    timer.it_value.tv_usec = (suseconds_t)(fmod(time_ns, 1e9) / 1e3);
    kg_worker_signal_take(SIGPROF, calls_cut);
    setitimer(ITIMER_PROF, &timer, NULL);
}

static void limit_end(double time_ns)
{
    static const struct itimerval never = {0};
    if (time_ns > 0)
        setitimer(ITIMER_PROF, &never, NULL);
}

/* --- Counting --------------------------------------------------------------------------------- */

/* Runs the command under Callgrind, which counts its process from start to end. It is never cut: it may be in
 * the middle of a file. */
static void command_count(struct kg_worker *worker)
{
    const struct kg_request *request = &worker->request;
    char output[4096];
    const char *const callgrind[] = {"valgrind", "--tool=callgrind", "--quiet",
                                     "--trace-children=yes", output};
    enum { FIXED = sizeof callgrind / sizeof *callgrind };
    const size_t before = FIXED + request->count_option_count;
    const char **argv =
        kg_arena_alloc(&worker->arena, before + request->command_count + 1, sizeof *argv);
    snprintf(output, sizeof output, "--callgrind-out-file=%s/%%p", request->count_directory);
    memcpy(argv, callgrind, sizeof callgrind);
    for (size_t i = 0; i < request->count_option_count; i++)
        argv[FIXED + i] = request->count_options[i];
    for (size_t i = 0; i < request->command_count; i++)
        argv[before + i] = request->command[i];
    worker->command.argv = (char *const *)argv;
    kg_command_call(&worker->command);
}

/* Reports a figure per call. A NaN sum is left out: nothing counted it, or Callgrind writes it to a
 * file. */
static void counted_report(struct kg_worker *worker, const char *name, double sum)
{
    struct kg_response *response = &worker->response;
    response->reported = worker->reported;
    if (!isnan(sum))
        worker->reported[response->reported_count++] =
            (struct kg_reported){name, sum / (double)response->batch};
}

static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Runs the requested calls. If they would not end in time, it stops after a power of two of them. It
 * seldom reads the clock, because the readings are counted too.
 * start_ns  CPU time before the first call, which warmed the caches
 * returns   number of calls */
static uint64_t calls_count(struct kg_worker *worker, double start_ns)
{
    const uint64_t most = worker->request.batch;
    const double time_ns = worker->request.count_time_ns;
    static const double DOUBLED = 2.5; /* and a little more */
    for (uint64_t done = 0, next = 1;;) {
        for (; done < most && done < next; done++)
            kg_worker_call(worker);
        if (done == most || (time_ns > 0 && DOUBLED * (cpu_ns() - start_ns) > time_ns))
            return done;
        next *= 2;
    }
}

bool kg_worker_count(struct kg_worker *worker, struct kg_error *err)
{
    const struct kg_request *request = &worker->request;
    struct kg_counts counts;
    double core[KG_CORE_EVENTS] = {0};
    if (!worker->workload && request->count_directory) {
        command_count(worker);
        return true;
    }
    const bool warm = worker->workload && !request->count_cold;
    const double start_ns = cpu_ns();
    limit_set(request->count_time_ns);
    if (request->count_lines && warm)
        kg_counting_watch(&worker->counting);
    if (warm)
        kg_worker_call(worker);
    kg_counting_start(&worker->counting);
    if (request->count_core)
        kg_core_counting_start(&worker->core);
    worker->response.batch = calls_count(worker, start_ns);
    if (request->count_core)
        kg_core_counting_stop(&worker->core, core);
    const bool counted = kg_counting_stop(&worker->counting, &counts, err);
    limit_end(request->count_time_ns);
    kg_counting_close(&worker->counting);
    if (request->count_core)
        kg_core_counting_close(&worker->core);
    if (!counted)
        return false;
    for (size_t i = 0; request->count_core && i < KG_CORE_EVENTS; i++)
        counted_report(worker, kg_core_event_names[i], core[i]);
    counted_report(worker, KG_COUNTED_INSTRUCTIONS, counts.instructions);
    counted_report(worker, KG_COUNTED_LINE_BYTES, counts.line_bytes);
    counted_report(worker, KG_COUNTED_MEMORY_LINE_BYTES, counts.memory_line_bytes);
    return true;
}
