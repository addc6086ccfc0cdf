/* causes.h: weighs the causes of a case's time, once, from all observations: samples, system calls, loops of
 * machine code, counted lines, experiments, threads. Pure. A case on the GPU is weighed by its trace alone. */
#pragma once
#include "model/suggest_settings.h"
#include "why/rules/cause.h"

/* All zero where nothing was seen of it. */
void kg_causes_weigh(const struct kg_facts *facts, const struct kg_suggest_settings *settings,
                     struct kg_causes *causes);

/* Share of the time in which a case was off the CPU, by samples; NaN where these missed its work:
 * the CPU time that it took would not fit into the rest. */
double kg_off_cpu(const struct kg_facts *facts);

/* Of the work that is seen in parallel regions, what threads other than the first do; NaN: none is. */
double kg_pool_share(const struct kg_hot *hot);
