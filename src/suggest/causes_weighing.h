/* causes_weighing.h: what is shared while the causes of one case are weighed. Internal to causes. */
#pragma once
#include "suggest/causes.h"

/* A cause that explains less is not worth a sentence. */
static const double KG_SHARE_LEAST = 0.1;
/* What is done so often in one call of the function that does it is done over and over. */
static const double KG_OFTEN = 8;

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

/* Whether the place is in a library of the system, not in the workload's own code. */
bool kg_place_is_library(const struct kg_place *place);

/* What the trace of a case on the GPU says. */
void kg_weigh_gpu(struct kg_weighing *weighing);

/* Divides the time in the workload's own code by what its hot loops do. */
void kg_weigh_own_code(struct kg_weighing *weighing);
