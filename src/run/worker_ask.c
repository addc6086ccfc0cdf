#include "run/worker_ask.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/case_threads.h"
#include "run/case_worker.h"

/* --- The request ------------------------------------------------------------------------------- */

/* A command of another build in the place of the suite's. Words are only read. */
static void command_apply(const struct kg_build *build, struct kg_request *request)
{
    if (!build || kg_sources[request->source]->unfit[build->kind])
        return;
    if (build->words.count) {
        request->command = build->words.at;
        request->command_count = build->words.count;
    } else if (build->command && request->command_count) {
        request->command[0] = build->command;
    }
}

/* The worker of another checkout starts in that folder. Both builds read the suite's file: its content is
 * part of the case. */
static void input_apply(const struct kg_build *build, struct kg_arena *arena,
                        struct kg_request *request)
{
    char here[PATH_MAX];
    const char **input = &request->setting.input;
    if (!build || !build->directory || !*input || **input == '/' || !getcwd(here, sizeof here))
        return;
    *input = kg_arena_printf(arena, "%s/%s", here, *input);
}

/* The request in `arena`. */
static const char *json_text(struct kg_arena *arena, const struct kg_request *request)
{
    struct kg_text line = {0};
    kg_record_line(&kg_request_record, request, KG_REQUEST_SCHEMA, &line);
    const char *text = kg_arena_copy(arena, kg_text_string(&line));
    kg_text_free(&line);
    return text;
}

/* "sm_90" for the capability "9.0", which is also the default without a GPU. */
static const char *architecture(const struct kg_session *session, struct kg_arena *arena)
{
    const struct kg_gpu *gpu = kg_machine_gpu(&session->results->machine);
    const char *capability = gpu && gpu->compute_capability ? gpu->compute_capability : "9.0";
    const size_t major = strcspn(capability, ".");
    return kg_arena_printf(arena, "sm_%.*s%s", (int)major, capability,
                           capability[major] ? capability + major + 1 : "");
}

static const char *request_text(const struct kg_session *session, size_t index,
                                const struct kg_task_options *options, uint64_t threads,
                                struct kg_arena *arena)
{
    const struct kg_case *planned = &session->plan->cases[index];
    const struct kg_workload_spec *spec = planned->spec;
    /* a copy, whose first word a build may replace */
    const char **words = kg_arena_alloc(arena, planned->command_count + 1, sizeof *words);
    if (planned->command_count)
        memcpy(words, planned->command, planned->command_count * sizeof *words);
    struct kg_cuda_call *call = kg_arena_alloc(arena, 1, sizeof *call);
    if (planned->call)
        *call = *planned->call;
    const bool timed = options->task == KG_TASK_ROUND || options->task == KG_TASK_TURNS;
    struct kg_request request = {
        .task = options->task,
        .source = spec->source,
        .target = kg_build_object(arena, kg_session_build(session, index), planned),
        .entry = planned->entry,
        .entry_given = spec->entry_given,
        .params = planned->params,
        .param_count = planned->param_count,
        .command = words,
        .command_count = planned->command_count,
        .setting = planned->setting,
        .calls = call,
        .call_count = planned->call ? 1 : 0,
        .architecture = planned->call ? architecture(session, arena) : NULL,
        .device = (size_t)planned->device,
        .timing = (size_t)planned->timing,
        .held_calls = session->launcher->call_timing[index].held_calls,
        .call_ns = session->launcher->call_timing[index].call_ns,
        .threads = (size_t)threads,
        .seed = spec->settings.seed,
        .check_seed =
            spec->settings.check_seed ? spec->settings.check_seed : session->launcher->check_seed,
        .check_after = options->counts && session->launcher->check_due[index],
        /* not while instructions are counted: Valgrind needs memory of its own */
        .memory_limit_bytes =
            options->task == KG_TASK_COUNT ? 0 : spec->settings.memory_limit_bytes,
        .metrics = spec->settings.metrics,
        .min_time_ns = options->task == KG_TASK_PROFILE ? options->profile_time_ns
                       : timed                          ? kg_session_round_ns(session, index)
                                                        : spec->settings.min_time_ns,
        .iterations =
            options->task == KG_TASK_ROUND || options->turn_calls ? spec->settings.iterations : 0,
        .warm_calls = timed ? spec->settings.warmup : 0,
        .batch = options->batch ? options->batch : session->launcher->batch[index],
        .turn_ns = options->turn_ns,
        .turn_calls = options->turn_calls,
        .cold = options->cold,
        .count_directory = options->count_directory,
        .count_source = options->count_source,
        .count_lines = options->count_lines,
        .count_core = options->count_core,
        .count_options = options->count_options,
        .count_option_count = options->count_option_count,
        .count_time_ns = options->count_time_ns,
        .count_cold = options->count_cold,
        .flush_denormals = options->flush_denormals,
        .huge_pages = options->huge_pages,
        .profile_path = options->profile_path,
        .profile_label = options->profile_label,
    };
    const struct kg_build *build = kg_session_build(session, index);
    command_apply(build, &request);
    input_apply(build, arena, &request);
    return json_text(arena, &request);
}

/* Least time limit of a cleanup, which otherwise has the limit of its case. Its command has another
 * second to end. */
static const double CLEANUP_NS = 15e9;

/* The device that a case of the GPU shall see; NULL for others. */
static const char *case_gpu(const struct kg_session *session, size_t index)
{
    const struct kg_machine *machine = &session->results->machine;
    const struct kg_gpu *gpu = kg_machine_gpu(machine);
    return gpu && session->plan->cases[index].device == KGATE_DEVICE_CUDA ? gpu->uuid : NULL;
}

void kg_case_launch_make(const struct kg_session *session, size_t index,
                         const struct kg_task_options *options, struct kg_arena *arena,
                         struct kg_launch *launch)
{
    const struct kg_settings *settings = &session->plan->cases[index].spec->settings;
    const struct kg_build *build = kg_session_build(session, index);
    const bool machine = options->machine_ns > 0;
    const int pin = machine               ? -1
                    : options->shares_cpu ? kg_case_pin_shared(session, index)
                                          : kg_case_pin(session, index);
    const uint64_t threads =
        options->threads ? options->threads : kg_case_threads(session, settings, pin);
    const char *request = request_text(session, index, options, threads, arena);
    *launch = (struct kg_launch){
        .program = options->program ? options->program : session->launcher->program,
        .arguments = options->arguments,
        .directory = build && !machine ? build->directory : NULL,
        .request = request,
        .request_length = request ? strlen(request) : 0,
        .threads = threads,
        .threads_set = settings->threads || options->threads,
        .gpu = case_gpu(session, index),
        .waits_asleep = options->task == KG_TASK_TURNS || options->task == KG_TASK_COUNT,
        .spins_briefly = kg_session_own_process(session, index) && threads > 1,
        .huge_pages = options->huge_pages,
        .keeps_memory = options->keeps_memory,
        .preload = options->preload,
        .pin = pin,
        .timeout_ns = machine ? options->machine_ns : settings->timeout_ns * options->patience,
        .cleanup_ns = session->plan->cases[index].setting.cleanup_count
                          ? fmax(settings->timeout_ns, CLEANUP_NS)
                          : 0,
        .mask = &session->launcher->interrupt->mask};
}

/* --- The answer -------------------------------------------------------------------------------- */

/* Ten years. No real time is longer, and sums of longer times would overflow the file's range. */
static const double LONGEST_NS = 3e17;

static bool round_refuse(const char *name, struct kg_error *err)
{
    return kg_error_set(err, KG_ERROR_USAGE, "rounds[0].%s: a round has no such field", name);
}

/* Checks figures against each other. The records' ranges check each figure alone. */
static bool round_check(const struct kg_round *round, struct kg_error *err)
{
    const struct {
        const char *name;
        double ns;
    } times[] = {{"median_ns", round->median_ns}, {"mean_ns", round->mean_ns},
                 {"max_ns", round->max_ns},       {"p95_ns", round->p95_ns},
                 {"cpu_ns", round->cpu_ns},       {"wall_ns", round->wall_ns},
                 {"pulse_ns", round->pulse_ns},   {"warm_up_ns", round->warm_up_ns}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (times[i].ns > LONGEST_NS)
            return round_refuse(times[i].name, err);
    if (round->min_ns > round->max_ns)
        return round_refuse("min_ns", err);
    if (!round->calls || !round->batch)
        return round_refuse(round->calls ? "batch" : "calls", err);
    return true;
}

static bool response_check(const struct kg_response *response, struct kg_error *err)
{
    if (response->round_count > 1)
        return kg_error_set(err, KG_ERROR_USAGE, "rounds: more than one");
    return !response->round_count || round_check(response->rounds, err);
}

/* A worker shares its process with the measured code, which may write into the response or over the
 * worker's memory. So kgate accepts only a plausible response. */
static bool response_read(const struct kg_outcome *outcome, struct kg_arena *arena,
                          struct kg_answer *answer)
{
    struct kg_error err;
    const char *text = kg_text_string(&outcome->response);
    if (kg_record_parse(&kg_response_record, KG_RESPONSE_SCHEMA, "response", text,
                        outcome->response.length, arena, &answer->response, &err) &&
        response_check(&answer->response, &err))
        return true;
    if (outcome->response.length)
        snprintf(answer->refusal, sizeof answer->refusal, "%.290s", err.message);
    return false;
}

void kg_answer_read(const struct kg_outcome *outcome, struct kg_arena *arena,
                    struct kg_answer *answer)
{
    *answer = (struct kg_answer){
        .ending = outcome->ending, .code = outcome->code, .out_of_memory = outcome->out_of_memory};
    memcpy(answer->tail, outcome->tail, sizeof answer->tail);
    answer->whole = outcome->ending != KG_ENDED_INTERRUPT && response_read(outcome, arena, answer);
    if (!answer->whole)
        answer->response.good = false;
}

/* Why the answer is not good. */
static const char *reason_of(const struct kg_answer *answer, const char *what,
                             struct kg_arena *arena)
{
    if (answer->whole)
        return answer->response.message
                   ? answer->response.message
                   : kg_arena_printf(arena, "the process that %s failed without a reason", what);
    switch (answer->ending) {
    case KG_ENDED_TIMEOUT:
        return kg_arena_printf(arena, "the process that %s timed out", what);
    case KG_ENDED_SIGNAL:
        return kg_arena_printf(arena, "the process that %s crashed: signal %d (%s)", what,
                               answer->code, strsignal(answer->code));
    default:
        if (answer->refusal[0] && !answer->code)
            return kg_arena_printf(arena, "the process that %s gave an impossible answer: %s", what,
                                   answer->refusal);
        return kg_arena_printf(arena, "the process that %s ended with status %d", what,
                               answer->code);
    }
}

void kg_answer_explain(struct kg_answer *answer, const char *what, struct kg_arena *arena)
{
    if (!answer->response.good && answer->ending != KG_ENDED_INTERRUPT)
        answer->reason = reason_of(answer, what ? what : "measured it", arena);
}

bool kg_worker_start(const struct kg_session *session, size_t index,
                     const struct kg_task_options *options, struct kg_asked *asked,
                     struct kg_error *err)
{
    *asked = (struct kg_asked){.what = options->what};
    kg_case_launch_make(session, index, options, &asked->arena, &asked->launch);
    if (kg_supervise_start(&asked->launch, &asked->worker, err))
        return true;
    kg_arena_free(&asked->arena);
    return false;
}

void kg_worker_answer(struct kg_asked *asked, struct kg_arena *arena, struct kg_answer *answer)
{
    struct kg_outcome outcome;
    kg_supervise_finish(&asked->launch, &asked->worker, &outcome);
    kg_arena_free(&asked->arena);
    kg_answer_read(&outcome, arena, answer);
    kg_outcome_free(&outcome);
    kg_answer_explain(answer, asked->what, arena);
}

bool kg_worker_ask(const struct kg_session *session, size_t index,
                   const struct kg_task_options *options, struct kg_arena *arena,
                   struct kg_answer *answer, struct kg_error *err)
{
    struct kg_asked asked;
    if (!kg_worker_start(session, index, options, &asked, err))
        return false;
    kg_worker_answer(&asked, arena, answer);
    return true;
}
