/* changed_rows.h: what of a case's evidence changed tellingly when it became slower: the table of
 * such changes, and the judging of one case. Pure but for the arena. Internal to why. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "model/traits.h"

/* A case that became slower, or takes more memory or instructions. */
struct kg_slower {
    enum kg_metric_kind metric;
    double base_value; /* of that: ns, bytes, or a number */
    double current_value;
    struct kg_traits base;
    struct kg_traits current;
    const struct kg_sampled *base_sampled; /* functions of each side; never NULL, maybe empty */
    const struct kg_sampled *current_sampled;
    const struct kg_system_calls
        *base_system_calls; /* without a source if not counted; never NULL */
    const struct kg_system_calls *current_system_calls;
    double page_fault_ns; /* what one costs on this machine; NaN where not known, as the next */
    double launch_ns;
    double memory_latency_ns; /* of a load that waits for memory */
    bool placed;             /* a place in code explains most of the change: symptoms add nothing */
    const char *environment; /* variables that differ, of code that may be the same; or NULL */
};

enum { KG_TOLD_MOST = 4 };

/* A change worth telling. */
struct kg_told {
    const struct kg_trait *trait;
    double base;
    double current;
    double explains; /* the share of the rise that it may be the reason for, 0 to 1 */
    const char *text;
};

/* The most telling changes of a case, the first the most telling; text in `arena`. Nothing where
 * the two values are none, or the case is not worse.
 * *count  at most KG_TOLD_MOST */
void kg_slower_tell(struct kg_arena *arena, const struct kg_slower *slower,
                    struct kg_told told[KG_TOLD_MOST], size_t *count);

/* case_changes.c: appends the evidence that changed in a case, at most KG_TOLD_MOST entries and a table of
 * places.
 * suggestions   with room for them in `changes` and `differences`
 * slower        a row per metric, that of time first; at most KG_METRIC_KINDS */
struct kg_suggestions;
void kg_case_changes_add(struct kg_suggestions *suggestions, const char *case_id,
                         const struct kg_slower *slower, size_t slower_count);
