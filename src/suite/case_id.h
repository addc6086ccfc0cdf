/* case_id.h: what tells cases apart: their ids, and the hashes of what they do. Thread-safe. */
#pragma once
#include <stdbool.h>

#include "suite/plan.h"

/* "workload/key=value,…/device" in `arena`, the keys in the suite's order. A timing other than `cold`
 * stands as one more key. */
const char *kg_case_id(struct kg_arena *arena, const struct kg_case *planned);

/* 16 hexadecimal digits in `arena`: equal hashes mean the same work. How long and how often a case is
 * measured does not matter.
 * kernel   the built-in kernel that the case runs; NULL for a plugin or a command */
const char *kg_case_definition_hash(struct kg_arena *arena, const struct kg_case *planned,
                                    const struct kgate_workload *kernel);

/* Refuses a plan in which two cases have one id: KG_ERROR_USAGE that names it.
 * path  the suite's file, for the error */
bool kg_case_ids_unique(struct kg_plan *plan, const char *path, struct kg_error *err);
