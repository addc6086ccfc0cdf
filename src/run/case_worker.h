/* case_worker.h: what the answers of worker processes mean for a case: they are stored in its
 * results, or the case is marked as FAILED with the reason. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "run/session.h"
#include "run/worker_ask.h"

/* The CPU that the case runs on; -1: any. */
int kg_case_pin(const struct kg_session *session, size_t index);
/* The CPU of two processes of the case that take turns: they must not be compared on two CPUs, and
 * share one wherever one is enough. */
int kg_case_pin_shared(const struct kg_session *session, size_t index);

/* Whether the case can have a round: it is neither FAILED nor SKIPPED. */
bool kg_case_measurable(const struct kg_case_result *result);

/* Runs one worker to its end. `response->good` says whether it did what was asked. Otherwise the
 * case is FAILED, unless the user asked to stop. */
bool kg_case_worker_run(const struct kg_session *session, size_t index,
                        const struct kg_task_options *options, struct kg_arena *arena,
                        struct kg_response *response, struct kg_error *err);

/* Takes an answer. Unless it is good and the process ended well, the case is FAILED, or SKIPPED
 * where this machine cannot run it, or left as it is where the user asked to stop.
 * `answer->response.good` says whether to use the response. */
bool kg_case_answer_take(const struct kg_session *session, size_t index, struct kg_answer *answer,
                         struct kg_error *err);

/* Marks the case as FAILED, or as SKIPPED where that is not its fault; `tail` may be empty. */
bool kg_case_fail(const struct kg_session *session, size_t index, const char *reason,
                  const char *tail, struct kg_error *err);
bool kg_case_skip(const struct kg_session *session, size_t index, const char *reason,
                  struct kg_error *err);

/* Takes over what a check found. */
bool kg_case_check_store(const struct kg_session *session, size_t index,
                         const struct kg_response *response, struct kg_error *err);

/* Checks the case: a wrong result is FAILED before anything is timed. */
bool kg_case_check(const struct kg_session *session, size_t index, struct kg_error *err);

/* Measures one round. */
bool kg_case_round(const struct kg_session *session, size_t index, bool confirm,
                   struct kg_error *err);

/* Appends the round of a response and its counters; strings and samples are copied. */
bool kg_case_round_store(const struct kg_session *session, size_t index,
                         const struct kg_response *response, struct kg_error *err);
