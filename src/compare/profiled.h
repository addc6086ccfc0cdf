/* profiled.h: two profiles compared as two sets of results are: every path is a case, its time the
 * total of a process, its rounds the processes. */
#pragma once
#include <stdbool.h>

#include "compare/comparison.h"
#include "profile/profile.h"

struct kg_profile_judging {
    double threshold; /* the smallest relative change that counts */
    double alpha;     /* false alarms for all paths together */
    double share;     /* of the program's time: a smaller change of a path's total never counts */
};
extern const struct kg_profile_judging kg_profile_judging_usual;

/* A profile as results: a case for each path that is not the profiler's own. With one process its
 * parts stand in for rounds (struct kg_profile_row). results: to be freed with kg_results_free */
bool kg_profile_results(const struct kg_profile *profile, const struct kg_profile_judging *judging,
                        struct kg_results *results, struct kg_error *err);

/* Compares two profiles; what a reader must know beside the verdict is in the notes.
 * comparison: as kg_compare
 * err: KG_ERROR_USAGE where a side lost entries or has a process without any, or where the two are
 * sampled differently or have no path in common */
bool kg_profile_compare(const struct kg_profile *base, const struct kg_profile *current,
                        const struct kg_profile_judging *judging, struct kg_comparison *comparison,
                        struct kg_error *err);
