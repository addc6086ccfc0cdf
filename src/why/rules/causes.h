/* causes.h: weighs the causes of a case's time from samples, system calls, loops of machine
 * code, counted lines, experiments and threads. Pure. On the GPU only the trace counts. */
#pragma once
#include "model/suggest_settings.h"
#include "why/rules/cause.h"

/* If no observation covers the case, all fields are zero except `unexplained`, which is NaN. */
void kg_causes_weigh(const struct kg_facts *facts, const struct kg_suggest_settings *settings,
                     struct kg_causes *causes);

/* Share of the time that the case spent off the CPU, by samples. NaN if the samples contradict
 * the measured CPU time. */
double kg_off_cpu(const struct kg_facts *facts);

/* Share of the sampled work in parallel regions that threads other than the first do. NaN: too
 * few samples in parallel regions. */
double kg_pool_share(const struct kg_hot *hot);
