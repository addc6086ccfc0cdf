/* case_id.h: the id of a case, and the hash of its definition. Thread-safe. */
#pragma once
#include <stdbool.h>

#include "suite/plan.h"

/* "workload/key=value,…/device" in `arena`, the keys in the suite's order. If the timing is not `cold`, the id has the
 * extra key `timing`. */
const char *kg_case_id(struct kg_arena *arena, const struct kg_case *planned);

/* The hash of a case's definition, 16 hexadecimal digits in `arena`. Equal hashes mean the same work. Number and length
 * of the rounds are not part of the definition.
 * kernel   built-in kernel of the case; NULL for a plugin or a command */
const char *kg_case_definition_hash(struct kg_arena *arena, const struct kg_case *planned,
                                    const struct kgate_workload *kernel);

/* Checks that no two cases of the plan share an id.
 * path  the suite's file, for the error
 * err   KG_ERROR_USAGE with the id */
bool kg_case_ids_unique(struct kg_plan *plan, const char *path, struct kg_error *err);
