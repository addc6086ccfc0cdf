/* case_worker.h: what a measurement does with one case and one worker process: asks, reads the
 * answer, stores it, or says why the case failed. For measurement.c, pairing.c and count_pass.c. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "measure/measurement.h"
#include "measure/process.h"
#include "worker/protocol.h"

/* What a worker is asked, beyond what the plan says of its case. */
struct kg_task_options {
    enum kg_task task;
    double patience;             /* the case's time-out is taken so many times */
    uint64_t threads;            /* 0: those of the case */
    uint64_t batch;              /* 0: calls a sample that the check found */
    double turn_ns;              /* KG_TASK_TURNS */
    const char *count_directory; /* KG_TASK_COUNT */
    const char *count_source;
    bool count_lines;
    const char **count_options;
    size_t count_option_count;
    const char *profile_path; /* KG_TASK_PROFILE */
    double profile_time_ns;
    const char *profile_label;
    const char *program;    /* NULL: the side's kgate, or this one */
    char *const *arguments; /* NULL: those of a worker */
};

/* The CPU that the case runs on; -1: any. */
int kg_case_pin(const struct kg_measurement *measurement, size_t index);

/* Threads that a case of these settings may use: one for each CPU unless they say how many. */
uint64_t kg_case_threads(const struct kg_measurement *measurement,
                         const struct kg_settings *settings, int pin);

/* Whether the case can have a round: it is neither FAILED nor SKIPPED. */
bool kg_case_measurable(const struct kg_case_result *result);

/* Everything to start a worker with; launch->request is to be freed. */
bool kg_case_launch_make(const struct kg_measurement *measurement, size_t index,
                         const struct kg_task_options *options, struct kg_launch *launch,
                         struct kg_error *err);

/* Runs one worker to its end. `response->good` says whether it did what was asked; the case is
 * FAILED otherwise, but for an interruption, which is nobody's fault. */
bool kg_case_worker_run(struct kg_measurement *measurement, size_t index,
                        const struct kg_task_options *options, struct kg_arena *arena,
                        struct kg_response *response, struct kg_error *err);

/* Reads the worker's response; anything that is none is how the worker ended. */
bool kg_case_outcome_read(struct kg_measurement *measurement, size_t index,
                          const struct kg_outcome *outcome, struct kg_arena *arena,
                          struct kg_response *response, struct kg_error *err);

/* Marks the case as FAILED, or as SKIPPED where that is not its fault; `tail` may be empty. */
bool kg_case_fail(struct kg_measurement *measurement, size_t index, const char *reason,
                  const char *tail, struct kg_error *err);
bool kg_case_skip(struct kg_measurement *measurement, size_t index, const char *reason,
                  struct kg_error *err);

/* Takes over what a check found. */
bool kg_case_check_store(struct kg_measurement *measurement, size_t index,
                         const struct kg_response *response, struct kg_error *err);

/* Checks the case: a wrong result is FAILED before anything is timed. */
bool kg_case_check(struct kg_measurement *measurement, size_t index, struct kg_error *err);

/* Measures one round. */
bool kg_case_round(struct kg_measurement *measurement, size_t index, bool confirm,
                   struct kg_error *err);

/* Appends the round of a response and its counters; strings and samples are copied. */
bool kg_case_round_store(struct kg_measurement *measurement, size_t index,
                         const struct kg_response *response, struct kg_error *err);
