/* case_worker.h: applies the answers of worker processes to a case: stores them in its results, or
 * marks it as FAILED with the reason. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "run/session.h"
#include "run/worker_ask.h"

/* The CPU that the case runs on; -1: any. */
int kg_case_pin(const struct kg_session *session, size_t index);
/* The CPU of two interleaved processes of the case. A case of one thread has one CPU for both, because
 * times of two CPUs are not comparable. -1: any */
int kg_case_pin_shared(const struct kg_session *session, size_t index);

/* Whether the case can have a round: it is neither FAILED nor SKIPPED. */
bool kg_case_measurable(const struct kg_case_result *result);

/* Takes an answer. The answer must be good and the process must have ended well. Otherwise the case
 * is FAILED, or SKIPPED if this machine cannot run it. If the user asked to stop, the case stays
 * unchanged. If `answer->response.good` is true, the caller may use the response. */
bool kg_case_answer_take(const struct kg_session *session, size_t index, struct kg_answer *answer,
                         struct kg_error *err);

/* Marks the case as FAILED, or as SKIPPED if the case is not at fault; `tail` may be empty. */
bool kg_case_fail(const struct kg_session *session, size_t index, const char *reason,
                  const char *tail, struct kg_error *err);

/* Stores the result of a check. */
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
