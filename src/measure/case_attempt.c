#include "measure/case_attempt.h"

#include <stdlib.h>
#include <string.h>

#include "measure/supervise.h"

static const char *ending_words(const struct kg_outcome *outcome, const char *what,
                                struct kg_arena *arena)
{
    switch (outcome->ending) {
    case KG_ENDED_TIMEOUT:
        return kg_arena_printf(arena, "the process that %s timed out", what);
    case KG_ENDED_SIGNAL:
        return kg_arena_printf(arena, "the process that %s crashed: signal %d (%s)", what,
                               outcome->code, strsignal(outcome->code));
    default:
        return kg_arena_printf(arena, "the process that %s ended with status %d", what,
                               outcome->code);
    }
}

static bool answer_read(const struct kg_outcome *outcome, const char *what, struct kg_arena *arena,
                        struct kg_attempt *attempt, struct kg_error *err)
{
    struct kg_error unread;
    attempt->signal = outcome->ending == KG_ENDED_SIGNAL ? outcome->code : 0;
    attempt->timed_out = outcome->ending == KG_ENDED_TIMEOUT;
    attempt->interrupted = outcome->ending == KG_ENDED_INTERRUPT;
    if (attempt->interrupted)
        return true;
    if (!kg_record_parse(&kg_response_record, KG_RESPONSE_SCHEMA, "response",
                         kg_text_string(&outcome->response), outcome->response.length, arena,
                         &attempt->response, &unread)) {
        attempt->response.good = false;
        attempt->reason = ending_words(outcome, what, arena);
    } else if (!attempt->response.good) {
        attempt->reason =
            attempt->response.message
                ? attempt->response.message
                : kg_arena_printf(arena, "the process that %s failed without a reason", what);
    }
    return attempt->response.good || attempt->reason ? true : kg_error_memory(err);
}

bool kg_case_attempt(struct kg_measurement *measurement, size_t index,
                     const struct kg_task_options *options, const char *what,
                     struct kg_attempt *attempt, struct kg_error *err)
{
    struct kg_launch launch;
    struct kg_outcome outcome;
    *attempt = (struct kg_attempt){0};
    if (!kg_case_launch_make(measurement, index, options, &launch, err))
        return false;
    bool good = kg_supervise(&launch, &outcome, err);
    free((char *)launch.request);
    if (!good)
        return false;
    good = answer_read(&outcome, what, &measurement->results.arena, attempt, err);
    kg_outcome_free(&outcome);
    return good;
}
