/* params.h: converts the parameters of a workload from text to values. Pure; thread-safe. */
#pragma once
#include <stddef.h>

#include "base/error.h"
#include "base/record.h"
#include "kgate/plugin.h"

/* Largest number of parameters of a workload. */
enum { KG_PARAMS_MOST = 64 };

/* Fills one value per declared parameter, in the workload's order. If the pairs lack a parameter, it gets its default.
 * values   workload->param_count values
 * at       On failure: index of the wrong pair. Unchanged if a default is wrong.
 * returns  false with KG_ERROR_USAGE: unknown name (with the nearest known one), wrong type, or value out of range */
bool kg_params_resolve(const struct kgate_workload *workload, const struct kg_pair *pairs,
                       size_t count, struct kgate_value *values, size_t *at, struct kg_error *err);
