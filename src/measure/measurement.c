#include "measure/measurement.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/case_result.h"
#include "measure/clock.h"
#include "measure/protocol.h"
#include "measure/supervise.h"

/* The CPU to pin to: the asked one, or the last that this process may use, since the first serves
 * most interrupts. */
static int pin_choose(int pin)
{
    cpu_set_t set;
    if (pin != KG_PIN_AUTO)
        return pin == KG_PIN_NONE ? -1 : pin;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return -1;
    int last = -1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((unsigned)cpu, &set))
            last = cpu;
    return last;
}

static char *request_text(const struct kg_measurement *measurement, size_t index, enum kg_task task,
                          uint64_t threads)
{
    const struct kg_case *planned = &measurement->plan->cases[index];
    const struct kg_workload_spec *spec = planned->spec;
    const struct kg_request request = {
        .task = task,
        .source = spec->source,
        .target = spec->target,
        .entry = spec->entry,
        .params = planned->params,
        .param_count = planned->param_count,
        .command = planned->command,
        .command_count = planned->command_count,
        .device = (size_t)planned->device,
        .threads = (size_t)threads,
        .seed = spec->settings.seed,
        .memory_limit_bytes = spec->settings.memory_limit_bytes,
        .min_time_ns = spec->settings.min_time_ns,
        .batch = measurement->batch[index],
    };
    json_t *json = kg_record_write(&kg_request_record, &request);
    if (json && json_object_set_new(json, "schema", json_string(KG_REQUEST_SCHEMA)) != 0) {
        json_decref(json);
        return NULL;
    }
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return text;
}

/* Why a worker that gave no response failed, in words. */
static void ending_describe(const struct kg_outcome *outcome, double timeout_ns, char *reason,
                            size_t bytes)
{
    switch (outcome->ending) {
    case KG_ENDED_TIMEOUT:
        snprintf(reason, bytes, "timed out after %g s (`timeout:` of the suite)", timeout_ns / 1e9);
        break;
    case KG_ENDED_SIGNAL:
        if (outcome->code == SIGKILL)
            snprintf(reason, bytes,
                     outcome->out_of_memory ? "killed by the kernel: out of memory"
                                            : "killed by signal 9 (SIGKILL): out of memory, or a "
                                              "person or program killed it");
        else
            snprintf(reason, bytes, "crashed: signal %d (%s)", outcome->code,
                     strsignal(outcome->code));
        break;
    case KG_ENDED_INTERRUPT:
        snprintf(reason, bytes, "interrupted");
        break;
    case KG_ENDED_EXIT:
        snprintf(reason, bytes, "exited with status %d before it was measured", outcome->code);
        break;
    }
}

static bool case_fail(struct kg_measurement *measurement, size_t index, const char *reason,
                      const char *tail, struct kg_error *err)
{
    struct kg_results *results = &measurement->results;
    struct kg_case_result *result = &results->cases[index];
    result->status = KG_STATUS_FAILED;
    result->reason = kg_arena_copy(&results->arena, reason);
    result->stderr_tail = tail[0] ? kg_arena_copy(&results->arena, tail) : NULL;
    if (!result->reason || (tail[0] && !result->stderr_tail))
        return kg_error_memory(err);
    return !measurement->journaled || kg_journal_case(&measurement->journal, index, result, err);
}

/* Reads the worker's response; anything that is none is how the worker ended. */
static bool outcome_read(struct kg_measurement *measurement, size_t index,
                         const struct kg_outcome *outcome, struct kg_arena *arena,
                         struct kg_response *response, struct kg_error *err)
{
    char reason[512];
    struct kg_error unread;
    const double timeout_ns = measurement->plan->cases[index].spec->settings.timeout_ns;
    if (outcome->ending == KG_ENDED_EXIT && outcome->code == 0 &&
        kg_record_parse(&kg_response_record, KG_RESPONSE_SCHEMA, "response",
                        kg_text_string(&outcome->response), outcome->response.length, arena,
                        response, &unread)) {
        if (response->good)
            return true;
        return case_fail(measurement, index,
                         response->message ? response->message : "failed without a reason",
                         outcome->tail, err);
    }
    ending_describe(outcome, timeout_ns, reason, sizeof reason);
    response->good = false;
    return case_fail(measurement, index, reason, outcome->tail, err);
}

/* Runs one worker for a case. `response->good` says whether it did what was asked; the case is
 * FAILED otherwise, but for an interruption, which is nobody's fault. */
static bool worker_run(struct kg_measurement *measurement, size_t index, enum kg_task task,
                       struct kg_arena *arena, struct kg_response *response, struct kg_error *err)
{
    const struct kg_settings *settings = &measurement->plan->cases[index].spec->settings;
    const int pin = pin_choose(settings->pin);
    const uint64_t cpus = pin >= 0 ? 1 : measurement->results.machine.cpu_count;
    const uint64_t threads = settings->threads ? settings->threads : cpus;
    struct kg_outcome outcome;
    char *request = request_text(measurement, index, task, threads);
    if (!request)
        return kg_error_memory(err);
    const struct kg_launch launch = {.program = measurement->program,
                                     .request = request,
                                     .request_length = strlen(request),
                                     .threads = threads,
                                     .pin = pin,
                                     .timeout_ns = settings->timeout_ns,
                                     .mask = &measurement->interrupt.mask};
    bool good = kg_supervise(&launch, &outcome, err);
    free(request);
    if (!good)
        return false;
    if (outcome.ending != KG_ENDED_INTERRUPT)
        good = outcome_read(measurement, index, &outcome, arena, response, err);
    kg_outcome_free(&outcome);
    return good;
}

static void progress_report(struct kg_measurement *measurement, const char *id)
{
    if (measurement->progress.report)
        measurement->progress.report(measurement->progress.user, measurement->done,
                                     measurement->planned, id);
}

/* Takes over what the check found. */
static void check_store(struct kg_measurement *measurement, size_t index,
                        const struct kg_response *response)
{
    struct kg_results *results = &measurement->results;
    struct kg_case_result *result = &results->cases[index];
    measurement->batch[index] = response->batch;
    result->check = response->check;
    result->work.items = response->work.items;
    result->work.bytes = response->work.bytes;
    result->work.flops = response->work.flops;
    result->memory.allocated_bytes = response->allocated_bytes;
    result->memory.harness_bytes = response->harness_bytes;
    result->breakdown.overhead_ns = response->timer_resolution_ns / (double)response->batch;
    result->min_effect_ns = fmax(result->min_effect_ns, result->breakdown.overhead_ns);
    results->timer_resolution_ns =
        fmax(results->timer_resolution_ns, response->timer_resolution_ns);
}

static bool case_check(struct kg_measurement *measurement, size_t index, struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_response response = {0};
    bool good = worker_run(measurement, index, KG_TASK_CHECK, &arena, &response, err);
    if (good && response.good) {
        check_store(measurement, index, &response);
        good = !measurement->journaled || kg_journal_case(&measurement->journal, index,
                                                          &measurement->results.cases[index], err);
    }
    kg_arena_free(&arena);
    return good;
}

/* Appends a round; its samples move into the results' arena. */
static bool round_store(struct kg_measurement *measurement, size_t index,
                        const struct kg_round *round, struct kg_error *err)
{
    struct kg_results *results = &measurement->results;
    struct kg_case_result *result = &results->cases[index];
    if (result->round_count == measurement->round_capacity[index]) {
        const size_t capacity = result->round_count ? 2 * result->round_count : 8;
        struct kg_round *rounds = kg_arena_alloc(&results->arena, capacity, sizeof *rounds);
        if (!rounds)
            return kg_error_memory(err);
        if (result->round_count)
            memcpy(rounds, result->rounds, result->round_count * sizeof *rounds);
        result->rounds = rounds;
        measurement->round_capacity[index] = capacity;
    }
    struct kg_round *stored = &result->rounds[result->round_count];
    *stored = *round;
    stored->samples_ns =
        kg_arena_alloc(&results->arena, round->sample_count, sizeof *stored->samples_ns);
    if (!stored->samples_ns)
        return kg_error_memory(err);
    if (round->sample_count)
        memcpy(stored->samples_ns, round->samples_ns,
               round->sample_count * sizeof *stored->samples_ns);
    result->round_count++;
    result->status = KG_STATUS_OK;
    results->measured_ns += round->wall_ns;
    return !measurement->journaled || kg_journal_round(&measurement->journal, index, stored, err);
}

static bool case_round(struct kg_measurement *measurement, size_t index, struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_response response = {0};
    bool good = worker_run(measurement, index, KG_TASK_ROUND, &arena, &response, err);
    if (good && response.good)
        good = response.round_count == 1
                   ? round_store(measurement, index, &response.rounds[0], err)
                   : case_fail(measurement, index, "the worker gave no round", "", err);
    kg_arena_free(&arena);
    return good;
}

static bool measurable(const struct kg_case_result *result)
{
    return result->status == KG_STATUS_OK || result->status == KG_STATUS_UNMEASURED;
}

static bool check_all(struct kg_measurement *measurement, struct kg_error *err)
{
    const struct kg_results *results = &measurement->results;
    for (size_t i = 0; i < results->case_count && !kg_interrupt_caught(); i++) {
        if (!measurable(&results->cases[i]))
            continue;
        progress_report(measurement, results->cases[i].id);
        if (!case_check(measurement, i, err))
            return kg_error_wrap(err, "checking '%s'", results->cases[i].id);
        measurement->done++;
    }
    return true;
}

static bool program_find(struct kg_measurement *measurement, struct kg_error *err)
{
    const ssize_t length =
        readlink("/proc/self/exe", measurement->program, sizeof measurement->program - 1);
    if (length < 0)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot find kgate's own executable: %s",
                            strerror(errno));
    measurement->program[length] = '\0';
    return true;
}

static bool arrays_make(struct kg_measurement *measurement, struct kg_error *err)
{
    struct kg_arena *arena = &measurement->results.arena;
    const size_t count = measurement->results.case_count;
    measurement->batch = kg_arena_alloc(arena, count, sizeof *measurement->batch);
    measurement->round_capacity = kg_arena_alloc(arena, count, sizeof(size_t));
    measurement->order = kg_arena_alloc(arena, count, sizeof(size_t));
    if (!measurement->batch || !measurement->round_capacity || !measurement->order)
        return kg_error_memory(err);
    return true;
}

/* Checks, and the rounds that every case has at the least: what the progress bar counts towards. */
static size_t work_planned(const struct kg_measurement *measurement)
{
    size_t planned = 0;
    for (size_t i = 0; i < measurement->plan->case_count; i++)
        if (measurable(&measurement->results.cases[i]))
            planned += 1 + (size_t)measurement->plan->cases[i].spec->settings.rounds_min;
    return planned;
}

bool kg_measurement_begin(struct kg_measurement *measurement, const struct kg_suite *suite,
                          const struct kg_plan *plan, const struct kg_machine *machine,
                          const char *results_path, const char *filter,
                          const struct kg_progress *progress, struct kg_error *err)
{
    *measurement =
        (struct kg_measurement){.plan = plan, .progress = *progress, .started_ns = kg_clock_ns()};
    measurement->random.state = measurement->started_ns;
    if (!program_find(measurement, err) ||
        !kg_results_start(&measurement->results, suite, plan, machine, filter, err))
        return false;
    bool good = arrays_make(measurement, err);
    if (good && results_path) {
        good = kg_journal_open(results_path, &measurement->results, &measurement->journal, err);
        measurement->journaled = good;
    }
    if (!good) {
        kg_measurement_free(measurement);
        return false;
    }
    kg_interrupt_begin(&measurement->interrupt);
    measurement->planned = work_planned(measurement);
    if (check_all(measurement, err))
        return true;
    kg_interrupt_end(&measurement->interrupt);
    kg_measurement_free(measurement);
    return false;
}

static size_t rounds_missing(const struct kg_measurement *measurement, kg_rounds_wanted *wanted,
                             const void *user, size_t i)
{
    const struct kg_case_result *result = &measurement->results.cases[i];
    const size_t target = measurable(result) ? wanted(user, i) : 0;
    return target > result->round_count ? target - result->round_count : 0;
}

bool kg_measurement_rounds(struct kg_measurement *measurement, kg_rounds_wanted *wanted,
                           const void *user, struct kg_error *err)
{
    const struct kg_results *results = &measurement->results;
    size_t total = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        measurement->order[i] = i;
        total += rounds_missing(measurement, wanted, user, i);
    }
    measurement->planned = measurement->done + total;
    for (bool more = total > 0; more;) {
        more = false;
        kg_random_shuffle(&measurement->random, measurement->order, results->case_count);
        for (size_t k = 0; k < results->case_count; k++) {
            const size_t i = measurement->order[k];
            if (!rounds_missing(measurement, wanted, user, i))
                continue;
            if (kg_interrupt_caught())
                return true;
            progress_report(measurement, results->cases[i].id);
            if (!case_round(measurement, i, err))
                return kg_error_wrap(err, "measuring '%s'", results->cases[i].id);
            measurement->done++;
            more = more || rounds_missing(measurement, wanted, user, i);
        }
    }
    return true;
}

int kg_measurement_interrupted(const struct kg_measurement *measurement)
{
    (void)measurement;
    return kg_interrupt_caught();
}

void kg_measurement_summarize(struct kg_measurement *measurement)
{
    struct kg_results *results = &measurement->results;
    for (size_t i = 0; i < results->case_count; i++) {
        struct kg_case_result *result = &results->cases[i];
        kg_case_summarize(result);
        if (result->status == KG_STATUS_UNMEASURED && kg_interrupt_caught())
            result->reason = "the run was interrupted before its first round";
    }
    results->complete = !kg_interrupt_caught();
    results->elapsed_ns = (double)(kg_clock_ns() - measurement->started_ns);
}

void kg_measurement_end(struct kg_measurement *measurement)
{
    kg_measurement_summarize(measurement);
    kg_interrupt_end(&measurement->interrupt);
}

void kg_measurement_written(struct kg_measurement *measurement)
{
    if (measurement->journaled)
        kg_journal_remove(&measurement->journal);
    measurement->journaled = false;
}

void kg_measurement_free(struct kg_measurement *measurement)
{
    if (measurement->journaled)
        kg_journal_close(&measurement->journal);
    kg_arena_free(&measurement->results.arena);
    *measurement = (struct kg_measurement){0};
}
