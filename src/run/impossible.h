/* impossible.h: whether a case's rates are ones that its machine can have. Pure; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/results.h"

/* Whether a rate of the case is above KG_IMPOSSIBLE times what the machine is capable of: its floating-point operations, where they are multiply-adds in single precision or tensor
 * cores'; its bytes, on the CPU by the first level of cache, on the GPU by memory, where they do not
 * fit into the L2 cache. Such work was not done, or is not what `describe` says. Where ceilings have a
 * note that makes them doubtful, it is KG_IMPOSSIBLE_DOUBTFUL times; where one is not known, nothing
 * is impossible.
 * result  summarised, with its shares of the GPU's ceilings
 * reason  both figures, for the user; unchanged where false is returned */
bool kg_case_impossible(const struct kg_cpu_ceilings *cpu, const struct kg_ceilings *gpu,
                        const struct kg_case_result *result, char *reason, size_t bytes);

/* Beyond what measuring can be off by: other work, a clock that falls, a virtual machine's
 * neighbours can make a ceiling half of what it is on another day. */
enum { KG_IMPOSSIBLE = 4 };
/* Beyond what ceilings that were measured on a busy machine can be off by. */
enum { KG_IMPOSSIBLE_DOUBTFUL = 100 };
