/* profile_compare.h: compares two profiles like two sets of results. A path is a case, and a process is a round. The
 * path's total in the process is the time of the round. If both sides recorded memory, the greatest peaks of a path are
 * compared too. */
#pragma once
#include <stdbool.h>

#include "model/comparison.h"
#include "profiler/read/profile.h"

struct kg_profile_judging {
    double threshold; /* smallest relative change that counts, as a share */
    double alpha;     /* rate of false alarms over all paths */
    /* smallest change of a path's total that counts, as a share of the program's time */
    double share;
    double memory_threshold; /* smallest relative change of a path's peak memory that counts */
    double memory_bytes;     /* smallest absolute change of a path's peak memory that counts */
    bool same_file;          /* whether both sides are the same file */
};
extern const struct kg_profile_judging kg_profile_judging_usual;

/* Compares two profiles. The notes hold everything that a reader needs besides the verdict.
 * comparison  as for kg_compare.
 * err         KG_ERROR_USAGE if a side lost entries or has a process without entries. Also if the profiles differ in
 *             sampling or have no common path. */
bool kg_profile_compare(const struct kg_profile *base, const struct kg_profile *current,
                        const struct kg_profile_judging *judging, struct kg_comparison *comparison,
                        struct kg_error *err);
