/* changed_rows.h: the parts of a case's evidence that changed when the case became slower: the
 * table of such changes, and the judgement of one case. Pure except for the arena. Internal to
 * why. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "model/traits.h"

/* A case that became slower, or that takes more memory or instructions. */
struct kg_slower {
    enum kg_metric_kind metric;
    double base_value; /* value of the metric, in ns, bytes, or as a number */
    double current_value;
    struct kg_traits base;
    struct kg_traits current;
    const struct kg_sampled *base_sampled; /* functions of each side; never NULL, but maybe empty */
    const struct kg_sampled *current_sampled;
    /* System calls of each side; never NULL, but without a source if not counted. */
    const struct kg_system_calls *base_system_calls;
    const struct kg_system_calls *current_system_calls;
    double page_fault_ns; /* cost of a page fault here; NaN: unknown, for the next two as well */
    double launch_ns;
    double memory_latency_ns; /* latency of a load from memory */
    bool one_profile; /* both sides have the profile of one run, as it was kept: no place differs */
    bool placed;      /* a place in code explains most of the change: symptoms add nothing */
    /* Environment variables that differ, if the code may be the same; or NULL. */
    const char *environment;
};

enum { KG_REASONS_MOST = 4 };

/* A change worth reporting. */
struct kg_reason {
    const struct kg_trait *trait;
    double base;
    double current;
    double explains; /* share of the rise that it can explain, 0 to 1 */
    const char *text;
};

/* Finds the strongest changes of a case, strongest first; text lives in `arena`. None if a value
 * is missing or the case did not become worse.
 * *count  at most KG_REASONS_MOST */
void kg_slower_note(struct kg_arena *arena, const struct kg_slower *slower,
                    struct kg_reason reasons[KG_REASONS_MOST], size_t *count);

/* case_changes.c: appends the changed evidence of a case: at most KG_REASONS_MOST entries and a
 * table of places.
 * suggestions  with room for them in `changes` and `differences`
 * slower       a row per metric, time first; at most KG_METRIC_KINDS */
struct kg_suggestions;
void kg_case_changes_add(struct kg_suggestions *suggestions, const char *case_id,
                         const struct kg_slower *slower, size_t slower_count);
