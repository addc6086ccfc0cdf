/* profile_compare.h: compares two profiles like two sets of results: each path is a case, each process one
 * of its rounds, and the path's total in that process the round's time. */
#pragma once
#include <stdbool.h>

#include "model/comparison.h"
#include "profiler/read/profile.h"

struct kg_profile_judging {
    double threshold; /* the smallest relative change that counts */
    double alpha;     /* false alarms for all paths together */
    double share;     /* of the program's time: a smaller change of a path's total never counts */
};
extern const struct kg_profile_judging kg_profile_judging_usual;

/* Compares two profiles. The notes hold what a reader must know besides the verdict.
 * comparison: as kg_compare
 * err: KG_ERROR_USAGE where a side lost entries or has a process without any, or where the two are
 * sampled differently or have no path in common */
bool kg_profile_compare(const struct kg_profile *base, const struct kg_profile *current,
                        const struct kg_profile_judging *judging, struct kg_comparison *comparison,
                        struct kg_error *err);
