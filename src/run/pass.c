#include "run/pass.h"

#include <stdio.h>

#include "run/case_worker.h"

/* A pass begins after the last round, so the bar is full. The verb shows the work that goes on. */
static void progress_show(const struct kg_pass *pass, const struct kg_session *session,
                          const char *id)
{
    struct kg_text text = {0};
    kg_text_printf(&text, "%s %s", pass->verb, id);
    kg_session_progress(session, kg_text_string(&text));
    kg_text_free(&text);
}

static bool case_do(const struct kg_pass *pass, const struct kg_session *session, size_t index,
                    void *user, struct kg_error *err)
{
    const struct kg_case_result *result = &session->results->cases[index];
    progress_show(pass, session, result->id);
    if (!pass->each(session, index, user, err))
        return false;
    return !pass->stored || !session->journal ||
           kg_journal_case(session->journal, index, result, err);
}

bool kg_pass_run(const struct kg_pass *pass, const struct kg_session *session, void *user,
                 struct kg_error *err)
{
    const struct kg_results *results = session->results;
    for (size_t i = 0; i < results->case_count && !kg_interrupt_caught(); i++)
        if (pass->wanted(session, i) && !case_do(pass, session, i, user, err))
            return kg_error_wrap(err, "%s '%s'", pass->verb, results->cases[i].id);
    return true;
}

/* "its cache lines were not counted; no thread could be started" */
static void reason_add(struct kg_results *results, struct kg_look *look, const char *reason)
{
    look->reason = look->reason ? kg_arena_printf(&results->arena, "%s; %s", look->reason, reason)
                                : kg_arena_copy(&results->arena, reason);
}

/* Notes the cases that failed: the first by its id, with the reason. */
static void cases_observe(const struct kg_pass *pass, const struct kg_session *session, void *state,
                          struct kg_advice *advice)
{
    struct kg_results *results = session->results;
    const char *first = NULL;
    char missing[256];
    struct kg_error why, err;
    size_t failed = 0;
    for (size_t i = 0; i < results->case_count && !kg_interrupt_caught(); i++) {
        if (!pass->wanted(session, i) || case_do(pass, session, i, state, &err) ||
            kg_interrupt_caught())
            continue;
        reason_add(results, &results->cases[i].look, err.message);
        if (!failed++) {
            first = results->cases[i].id;
            why = err;
        }
    }
    snprintf(missing, sizeof missing,
             failed > 1 ? "no profile of '%.120s' and %zu more" : "no profile of '%.120s'",
             first ? first : "", failed - 1);
    kg_advice_take(advice, !failed, missing, &why);
}

void kg_observer_run(const struct kg_observer *observer, const struct kg_session *session,
                     struct kg_advice *advice)
{
    struct kg_arena arena = {0};
    if (kg_pass_first(session, observer->pass.wanted) == session->results->case_count)
        return;
    void *state = kg_arena_alloc(&arena, 1, observer->state_bytes);
    if (observer->begin)
        observer->begin(session, state);
    cases_observe(&observer->pass, session, state, advice);
    if (observer->end)
        observer->end(state);
    kg_arena_free(&arena);
}

size_t kg_pass_first(const struct kg_session *session,
                     bool (*wanted)(const struct kg_session *session, size_t index))
{
    size_t i = 0;
    while (i < session->results->case_count && !wanted(session, i))
        i++;
    return i;
}

bool kg_pass_finds_peaks(const struct kg_session *session, size_t index)
{
    return session->plan->cases[index].spec->settings.trace != KG_TRACING_NO &&
           kg_case_measurable(&session->results->cases[index]);
}

bool kg_pass_observes(const struct kg_session *session, size_t index)
{
    return session->plan->cases[index].spec->settings.trace == KG_TRACING_YES &&
           kg_case_measurable(&session->results->cases[index]);
}
