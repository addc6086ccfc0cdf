/* protocol.h: what kgate and its worker process say to each other: one request on the worker's
 * standard input, one response on its descriptor KG_WORKER_RESPONSE, both JSON. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/suite.h"
#include "measure/results.h"
#include "util/record.h"

/* Raised when a request or response changes its meaning: a worker refuses another version. */
#define KG_REQUEST_SCHEMA "kgate.request.v1"
#define KG_RESPONSE_SCHEMA "kgate.response.v1"

enum { KG_WORKER_RESPONSE = 3 };

enum kg_task {
    KG_TASK_CHECK, /* set up, run once, check, find the batch; nothing is recorded as timing */
    KG_TASK_ROUND, /* set up, warm up, measure one round */
};

struct kg_request {
    enum kg_task task;
    enum kg_source source;
    const char *target;
    const char *entry; /* plugin: the workload in it */
    struct kg_pair *params;
    size_t param_count;
    const char **command;
    size_t command_count;
    size_t device; /* enum kgate_device */
    size_t threads;
    uint64_t seed;
    uint64_t memory_limit_bytes;
    double min_time_ns;
    uint64_t batch; /* KG_TASK_ROUND: calls a sample */
};

struct kg_response {
    bool good; /* false: message says why the case failed */
    const char *message;
    double timer_resolution_ns;
    uint64_t batch; /* KG_TASK_CHECK: calls a sample needs */
    struct kg_case_check check;
    struct kg_case_work work; /* items, bytes, flops */
    uint64_t allocated_bytes;
    uint64_t harness_bytes;
    struct kg_round *rounds; /* KG_TASK_ROUND: one */
    size_t round_count;
};

extern const struct kg_record kg_request_record;
extern const struct kg_record kg_response_record;
