#include "run/case_worker.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "model/series.h"
#include "run/case_counters.h"
#include "run/case_threads.h"

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

int kg_case_pin_shared(const struct kg_session *session, size_t index)
{
    const struct kg_settings *settings = &session->plan->cases[index].spec->settings;
    const bool share = settings->threads == 1 && settings->pin == KG_PIN_NONE;
    return pin_choose(share ? KG_PIN_AUTO : settings->pin);
}

int kg_case_pin(const struct kg_session *session, size_t index)
{
    return session->launcher->paired ? kg_case_pin_shared(session, index)
                                     : pin_choose(session->plan->cases[index].spec->settings.pin);
}

/* Why a worker that gave no response failed, in words. */
static void ending_describe(const struct kg_answer *answer, const struct kg_settings *settings,
                            char *reason, size_t bytes)
{
    switch (answer->ending) {
    case KG_ENDED_TIMEOUT:
        snprintf(reason, bytes, "timed out after %g s (`timeout:` of the suite)%s",
                 settings->timeout_ns / 1e9,
                 settings->iterations ? ": raise it, or lower `iterations`" : "");
        break;
    case KG_ENDED_SIGNAL:
        if (answer->code == SIGKILL)
            snprintf(reason, bytes,
                     answer->out_of_memory ? "killed by the kernel: out of memory"
                                           : "killed by signal 9 (SIGKILL): out of memory, or a "
                                             "person or program killed it");
        else
            snprintf(reason, bytes, "crashed: signal %d (%s)", answer->code,
                     strsignal(answer->code));
        break;
    case KG_ENDED_INTERRUPT:
        snprintf(reason, bytes, "interrupted");
        break;
    case KG_ENDED_EXIT:
    case KG_ENDED_LINE:
        if (answer->refusal[0] && !answer->code) {
            snprintf(reason, bytes, "its worker gave an impossible answer: %s", answer->refusal);
            break;
        }
        snprintf(reason, bytes, "exited with status %d before kgate measured it", answer->code);
        break;
    }
}

static bool case_give_up(const struct kg_session *session, size_t index, enum kg_status status,
                         const char *reason, const char *tail, struct kg_error *err)
{
    struct kg_results *results = session->results;
    struct kg_case_result *result = &results->cases[index];
    result->status = status;
    result->reason = kg_arena_copy(&results->arena, reason);
    result->stderr_tail = tail[0] ? kg_arena_copy(&results->arena, tail) : NULL;
    return !session->journal || kg_journal_case(session->journal, index, result, err);
}

bool kg_case_fail(const struct kg_session *session, size_t index, const char *reason,
                  const char *tail, struct kg_error *err)
{
    return case_give_up(session, index, KG_STATUS_FAILED, reason, tail, err);
}

/* A program without the arguments that it needs may print its usage and exit with 0. Its time is then that of
 * starting a process, which no change of the code makes slower. */
static void usage_note(const struct kg_session *session, size_t index,
                       const struct kg_answer *answer)
{
    struct kg_case_result *result = &session->results->cases[index];
    const enum kg_source source = session->plan->cases[index].spec->source;
    if (!result->note && kg_sources[source]->code == KG_CODE_ANYWHERE &&
        strcasestr(answer->tail, "usage:"))
        result->note = "the program prints its usage, so it may measure nothing: add the arguments "
                       "that it needs to its command";
}

bool kg_case_answer_take(const struct kg_session *session, size_t index, struct kg_answer *answer,
                         struct kg_error *err)
{
    char reason[512];
    struct kg_response *response = &answer->response;
    if (answer->ending == KG_ENDED_INTERRUPT)
        return true;
    if (answer->whole && answer->ending == KG_ENDED_EXIT && answer->code == 0) {
        if (response->good) {
            usage_note(session, index, answer);
            return true;
        }
        if (response->unavailable && response->message)
            return case_give_up(session, index, KG_STATUS_SKIPPED, response->message, "", err);
        return kg_case_fail(session, index,
                            response->message ? response->message : "failed without a reason",
                            answer->tail, err);
    }
    ending_describe(answer, &session->plan->cases[index].spec->settings, reason, sizeof reason);
    response->good = false;
    return kg_case_fail(session, index, reason, answer->tail, err);
}

/* Runs one worker to its end. If it did its task, `response->good` is true. Otherwise the status of
 * the case changes as in kg_case_answer_take. */
static bool worker_run(const struct kg_session *session, size_t index,
                       const struct kg_task_options *options, struct kg_arena *arena,
                       struct kg_response *response, struct kg_error *err)
{
    struct kg_answer answer;
    if (!kg_worker_ask(session, index, options, arena, &answer, err) ||
        !kg_case_answer_take(session, index, &answer, err))
        return false;
    *response = answer.response;
    return true;
}

bool kg_case_check_store(const struct kg_session *session, size_t index,
                         const struct kg_response *response, struct kg_error *err)
{
    struct kg_results *results = session->results;
    struct kg_case_result *result = &results->cases[index];
    if (!response->batch)
        return kg_case_fail(session, index,
                            "its worker gave an impossible answer: a batch of 0 calls", "", err);
    session->launcher->batch[index] = response->batch;
    session->launcher->call_timing[index] =
        (struct kg_call_timing){response->held_calls, response->call_ns};
    result->check = response->check;
    if (response->code_hash)
        result->code =
            (struct kg_code_identity){.hash = kg_arena_keep(&results->arena, response->code_hash),
                                      .scope = KG_CODE_FILE_ALONE};
    result->note = response->note ? kg_arena_keep(&results->arena, response->note)
                                  : kg_case_threads_note(session, index, &results->arena);
    result->work.items = response->work.items;
    result->work.bytes = response->work.bytes;
    result->work.flops = response->work.flops;
    result->work.written_bytes = response->work.written_bytes;
    result->work.arithmetic = kg_arena_keep(&results->arena, response->work.arithmetic);
    result->work.item_name = kg_arena_keep(&results->arena, response->work.item_name);
    result->memory.allocated_bytes = response->allocated_bytes;
    result->memory.harness_bytes = response->harness_bytes;
    result->memory.malloc_used_bytes = response->malloc_used_bytes;
    result->memory.malloc_cached_bytes = response->malloc_cached_bytes;
    result->memory.device_peak_bytes = response->device_peak_bytes;
    result->memory.device_allocated_bytes = response->device_allocated_bytes;
    result->memory.device_cached_bytes =
        fmax(0, response->device_peak_bytes - response->device_allocated_bytes);
    if (isnan(response->device_peak_bytes))
        result->memory.device_cached_bytes = NAN;
    result->breakdown.overhead_ns = response->timer_resolution_ns / (double)response->batch;
    struct kg_series *time = kg_case_series(result, KG_METRIC_TIME);
    time->min_effect = fmax(time->min_effect, result->breakdown.overhead_ns);
    results->timer_resolution_ns =
        fmax(results->timer_resolution_ns, response->timer_resolution_ns);
    return !session->journal || kg_journal_case(session->journal, index, result, err);
}

bool kg_case_check(const struct kg_session *session, size_t index, struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_response response = {0};
    const struct kg_task_options options = {.task = KG_TASK_CHECK, .patience = 1};
    bool good = worker_run(session, index, &options, &arena, &response, err);
    if (good && response.good)
        good = kg_case_check_store(session, index, &response, err);
    kg_arena_free(&arena);
    return good;
}

/* Appends a round; its samples move into the results' arena. */
static void round_append(const struct kg_session *session, size_t index,
                         const struct kg_round *round)
{
    struct kg_results *results = session->results;
    struct kg_case_result *result = &results->cases[index];
    kg_arena_grow(&results->arena, &result->rounds, result->round_count, &result->round_capacity,
                  sizeof *result->rounds);
    struct kg_round *stored = &result->rounds[result->round_count];
    *stored = *round;
    stored->samples_ns =
        kg_arena_alloc(&results->arena, round->sample_count, sizeof *stored->samples_ns);
    if (round->sample_count)
        memcpy(stored->samples_ns, round->samples_ns,
               round->sample_count * sizeof *stored->samples_ns);
    result->round_count++;
    result->status = KG_STATUS_OK;
    results->measured_ns += round->wall_ns;
}

/* Whether the rounds give values that their records do not have. */
static bool reported(const struct kg_case_result *result)
{
    for (size_t i = 0; i < result->series_count; i++)
        if (result->series[i].value_count)
            return true;
    return false;
}

bool kg_case_round_store(const struct kg_session *session, size_t index,
                         const struct kg_response *response, struct kg_error *err)
{
    struct kg_case_result *result = &session->results->cases[index];
    bool all;
    if (response->check_ns > 0) {
        session->launcher->checked_ns[index] += response->check_ns;
        result->check = response->check;
    }
    if (response->round_count != 1)
        return kg_case_fail(session, index, "the worker gave no round", "", err);
    if (!kg_case_counters_append(session, index, response, &all, err))
        return false;
    if (!all)
        return true;
    round_append(session, index, &response->rounds[0]);
    if (!session->journal)
        return true;
    return kg_journal_round(session->journal, index, &result->rounds[result->round_count - 1],
                            err) &&
           (!reported(result) || kg_journal_case(session->journal, index, result, err));
}

bool kg_case_round(const struct kg_session *session, size_t index, bool confirm,
                   struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_response response = {0};
    const struct kg_task_options options = {.task = KG_TASK_ROUND, .patience = 1, .counts = true};
    bool good = worker_run(session, index, &options, &arena, &response, err);
    if (response.round_count == 1)
        response.rounds[0].confirms = confirm;
    if (good && response.good)
        good = kg_case_round_store(session, index, &response, err);
    kg_arena_free(&arena);
    return good;
}

bool kg_case_measurable(const struct kg_case_result *result)
{
    return result->status == KG_STATUS_OK || result->status == KG_STATUS_UNMEASURED;
}
