/* base_suite.h: which cases the base of `ab` cannot have, because its own suite does not. */
#pragma once
#include <stdbool.h>

#include "cli/cli.h"
#include "cli/sides.h"

/* Finds the cases that the base's suite lacks: with --trust those of workloads that the trusted suite
 * lacks; of two checkouts those that the suite of the base's checkout, at the same path, lacks.
 * alone  one value per case, in `arena`; NULL if nobody can know: two programs, or a suite outside of
 *        the candidate's checkout
 * returns  false if memory is out */
bool kg_base_lacks(const struct kg_sides *sides, const struct kg_prepared *prepared,
                   struct kg_arena *arena, const bool **alone, struct kg_error *err);
