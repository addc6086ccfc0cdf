/* causes_weighing.h: state and functions shared by the files that weigh the causes of one case.
 * Internal. */
#pragma once
#include "why/rules/cause.h"

/* A cause that explains a smaller share of the time is not reported. */
static const double KG_SHARE_LEAST = 0.1;
/* Minimum share for a cause without proof: no count and no measurement supports it. */
static const double KG_TELLS_LEAST = 0.25;
/* From this number of calls per call of the calling function, an action counts as repeated. */
static const double KG_OFTEN = 8;
/* Fewer system calls per call of the workload are not many. */
static const double KG_REQUESTS = 4;

struct kg_weighing {
    const struct kg_facts *facts;
    const struct kg_suggest_settings *settings;
    const struct kg_hot *hot;
    struct kg_cause of[KG_CAUSE_COUNT]; /* indexed by kind; a share of 0: not found */
    double own;                         /* share of the samples in code of the workload itself */
};

/* Adds `share` of the case's time to a cause and returns the cause. */
struct kg_cause *kg_weighing_add(struct kg_weighing *weighing, enum kg_cause_kind kind,
                                 double share);

/* Adds a modelled saving of the case's time: its lowest and highest share. */
void kg_cause_saves(struct kg_cause *cause, double least, double most);

/* Scales all causes down so that a measured cause can take `share` of the time. */
void kg_weighing_shrink(struct kg_weighing *weighing, double share);

/* Share of the samples in a system call. */
double kg_in_call(const struct kg_sampled *sampled, const char *call);

/* Share of the samples with the function anywhere on the stack. If the sampled table of
 * functions lacks it, the kept stacks decide. */
double kg_on_stacks(const struct kg_sampled *sampled, const char *function);

/* Whether the place is in a library of the system, not in the workload's own code. */
bool kg_place_is_library(const struct kg_place *place);
bool kg_place_is_openmp(const struct kg_place *place);

/* The cause that a library function or a system call indicates. KG_CAUSE_NONE: the workload's
 * own code.
 * callee  all fields NULL: no function
 * call    NULL: no system call */
enum kg_cause_kind kg_cause_of_site(const struct kg_hot *hot, const struct kg_place *callee,
                                    const char *call);

/* Calls of a function per call of the workload. */
double kg_calls_in_all(const struct kg_counted *counted, const char *callee);

/* Calls of a function per call of its caller. `callee` is a part of the function's name. */
double kg_calls_each(const struct kg_counted *counted, const char *caller, const char *callee);

/* Whether counts show that the cause's action repeats many times. */
bool kg_cause_is_often(const struct kg_hot *hot, const struct kg_cause *cause);

/* The cause that an experiment measures (KG_CAUSE_NONE: no rule names it), and the rule's words
 * for the change. */
enum kg_cause_kind kg_experiment_cause(const char *name);
const char *kg_experiment_words(const char *name);

/* Weigh the results of experiments, and the cost of page faults. */
void kg_weigh_experiments(struct kg_weighing *weighing);
void kg_weigh_faults(struct kg_weighing *weighing);

/* Weighs the trace of a case on the GPU. */
void kg_weigh_gpu(struct kg_weighing *weighing);

/* Divides the time in the workload's own code among the causes that its hot loops show. */
void kg_weigh_own_code(struct kg_weighing *weighing);

/* Weighs conflicts between threads: uneven shares, waiting, shared cache lines. */
void kg_weigh_threads(struct kg_weighing *weighing);

/* Sets the cause's saving if no loop, experiment or thread has set it. It stays NaN if the
 * rule's `needs` is 0, because the saving then depends on the replacement. */
void kg_cause_saving(const struct kg_hot *hot, struct kg_cause *cause);
