/* core_step.h: a step of the hot pass: what the processor's counters say of a call, where it has
 * any that may be read. */
#pragma once
#include "run/timing/topdown.h"
#include "why/observe/hot_step.h"

/* Fills `core` of the case's `hot`; without counters nothing, and no reason. */
kg_hot_step kg_core_step;

/* What was counted of a call, as results have it.
 * counts   a call, NaN for what was not counted
 * returns  false where they are of no processor: then `core` has a reason and no figures */
bool kg_core_counts_take(const double counts[KG_CORE_EVENTS], struct kg_core_counts *core);
