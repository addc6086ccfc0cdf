/* params.h: a workload's parameters from the suite's text to values. Pure; thread-safe. */
#pragma once
#include <stddef.h>

#include "base/error.h"
#include "base/record.h"
#include "kgate/plugin.h"

/* Parameters that a workload may declare. */
enum { KG_PARAMS_MOST = 64 };

/* Fills one value for each parameter that `workload` declares, in its order, from the given pairs,
 * or from the parameter's default where there is no pair of its name.
 * values   workload->param_count of them
 * at       on failure the index of the pair at fault, where it is a pair's fault; else untouched
 * returns  false with KG_ERROR_USAGE for an unknown name (with the nearest known one), text that
 *          does not read as the parameter's type, or a value out of range */
bool kg_params_resolve(const struct kgate_workload *workload, const struct kg_pair *pairs,
                       size_t count, struct kgate_value *values, size_t *at, struct kg_error *err);
