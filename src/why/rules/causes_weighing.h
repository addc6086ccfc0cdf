/* causes_weighing.h: what is shared while the causes of one case are weighed. Internal to causes. */
#pragma once
#include "why/rules/cause.h"

/* A cause that explains less is not worth a sentence. */
static const double KG_SHARE_LEAST = 0.1;
/* And one for which nothing but its looks speaks must explain more. */
static const double KG_TELLS_LEAST = 0.25;
/* What is done so often in one call of the function that does it is done over and over. */
static const double KG_OFTEN = 8;
/* Fewer requests to the kernel, in one call of the workload, are not many. */
static const double KG_REQUESTS = 4;

struct kg_weighing {
    const struct kg_facts *facts;
    const struct kg_suggest_settings *settings;
    const struct kg_hot *hot;
    struct kg_cause of[KG_CAUSE_COUNT]; /* by kind; a share of 0 is none */
    double own;                         /* share of the samples in code of the workload itself */
};

/* Adds a share of the time to what a cause explains. */
struct kg_cause *kg_weighing_add(struct kg_weighing *weighing, enum kg_cause_kind kind,
                                 double share);

/* Adds what mending saves of the case's time, by a model: at the least, and at the most. */
void kg_cause_saves(struct kg_cause *cause, double least, double most);

/* What was measured takes its share from what was only seen. */
void kg_weighing_shrink(struct kg_weighing *weighing, double share);

/* Share of the samples in a system call. */
double kg_in_call(const struct kg_sampled *sampled, const char *call);

/* Share of the samples with a function anywhere on the stack: of one that is not among those that
 * most stacks go through, as far as the stacks that are kept say. */
double kg_on_stacks(const struct kg_sampled *sampled, const char *function);

/* Whether the place is in a library of the system, not in the workload's own code. */
bool kg_place_is_library(const struct kg_place *place);
bool kg_place_is_openmp(const struct kg_place *place);

/* The cause that a function of a library, or a system call, speaks for. KG_CAUSE_NONE: own code.
 * callee  all NULL: none
 * call    NULL: none */
enum kg_cause_kind kg_cause_of_site(const struct kg_hot *hot, const struct kg_place *callee,
                                    const char *call);

/* How often a function is called in one call of the workload. */
double kg_calls_in_all(const struct kg_counted *counted, const char *callee);

/* A function that is called for entry after entry: how often in one call of the function that calls
 * it. `callee` is a part of its name. */
double kg_calls_each(const struct kg_counted *counted, const char *caller, const char *callee);

/* Whether what a cause accuses was counted to be done over and over. */
bool kg_cause_is_often(const struct kg_hot *hot, const struct kg_cause *cause);

/* Of an experiment the cause that it measures, KG_CAUSE_NONE without one, and what it changes. */
enum kg_cause_kind kg_experiment_cause(const char *name);
const char *kg_experiment_words(const char *name);

/* What experiments measured, and what page faults take. */
void kg_weigh_experiments(struct kg_weighing *weighing);
void kg_weigh_faults(struct kg_weighing *weighing);

/* What the trace of a case on the GPU says. */
void kg_weigh_gpu(struct kg_weighing *weighing);

/* Divides the time in the workload's own code by what its hot loops do. */
void kg_weigh_own_code(struct kg_weighing *weighing);

/* What threads do to each other: an uneven share, waiting, shared lines. */
void kg_weigh_threads(struct kg_weighing *weighing);

/* What mending it saves, where no loop, experiment or thread has said so yet; stays unknown where
 * that depends on what takes its place. */
void kg_cause_saving(const struct kg_hot *hot, struct kg_cause *cause);
