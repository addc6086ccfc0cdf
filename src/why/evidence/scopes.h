/* scopes.h: what a profile says: of a case all its scopes together, and each scope by itself. Pure
 * but for the memory; thread-safe.
 *
 * A case's recording is that of the processes whose label is the case's id. In them the case is the
 * outermost scope of that name, as `run --profile` puts around each call, and its thread is the
 * first; the outermost scopes of other threads stand beside it. A command has no such scope: each
 * of its processes is a call, and its first thread is the first that recorded. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/cpu_ceilings.h"
#include "model/suggest_settings.h"
#include "profiler/read/profile.h"
#include "why/evidence/facts.h"
#include "why/evidence/scopes_view.h"

/* scopes_subject.c: a case, or an outermost scope, that is looked at, and its rows' times and bytes
 * in one call of it. For scopes.c and scopes_parts.c. */

/* From this share of its time on the GPU, a whole's time is that of the GPU; and from this share of
 * what is inside a scope, one inside it is what it is there for. */
#define KG_SCOPE_MOSTLY 0.5

struct kg_scope_subject {
    struct kg_scope_view view; /* without calls nothing was recorded of it */
    const struct kg_suggest_settings *settings;
    const struct kg_cpu_ceilings *ceilings; /* or NULL */
    bool on_gpu;
    double scale;     /* of the host's times: from all calls to one as it was measured */
    double gpu_scale; /* of the GPU's */
};

/* of    facts of the case; NULL: the outermost scope `root` of a profile of any program
 * View and memory are to be freed by kg_scope_view_free, but not on failure. */
void kg_scope_subject_open(const struct kg_profile *profile, const struct kg_facts *of, size_t root,
                           const struct kg_suggest_settings *settings,
                           struct kg_scope_subject *subject);

/* a / b where both are known. */
double kg_scope_ratio(double a, double b);

const struct kg_profile_figures *kg_scope_figures(const struct kg_scope_subject *subject,
                                                  size_t row);
size_t kg_scope_kind(const struct kg_scope_subject *subject, size_t row);

/* The part of a row's figures that is of the first thread in the processes looked at. */
double kg_scope_part(const struct kg_scope_subject *subject, size_t row);

/* A row's calls and time in a call of the whole. Of what is on the GPU that is its time there: the
 * host may only have launched it. */
double kg_scope_calls(const struct kg_scope_subject *subject, size_t row);
double kg_scope_time(const struct kg_scope_subject *subject, size_t row);

/* Time on the GPU, of all calls, as it was recorded. */
double kg_scope_gpu_time(const struct kg_scope_subject *subject, size_t row);

/* Read and written in a call of the whole, by all threads; NaN where nothing was said. */
double kg_scope_bytes(const struct kg_scope_subject *subject, size_t row);

/* Whether the first thread waited there, and was not waiting already; or
 * began a parallel region. */
bool kg_scope_is_wait(const struct kg_scope_subject *subject, size_t row);
bool kg_scope_is_region(const struct kg_scope_subject *subject, size_t row);

/* Rows from `first` up to `end`: a scope and those inside it. */
struct kg_scope_rows {
    size_t first, end;
    bool whole;
};
struct kg_scope_rows kg_scope_rows_at(const struct kg_scope_subject *subject, size_t row);

/* scopes_lanes.c: the threads that recorded, where a call may start its own anew: those that come
 * after each other are one. For scopes_view.c. */

/* What one thread of a process had: some of the profile's shares, by row. */
struct kg_scope_section {
    const struct kg_profile_share *shares;
    size_t count;
    size_t process;
    double start_ns, end_ns;
    bool first; /* the thread that does the calls; set by the caller */
    size_t lane;
};

/* Shares of one thread, from `from` on; in no lane. */
struct kg_scope_section kg_scope_section_at(const struct kg_profile *profile, size_t from);

/* Threads that come after each other, of which it has the last. */
struct kg_scope_lane {
    double end_ns;
    size_t turn; /* when it got that, among the threads of its process */
};

/* Gives each thread its lane, and sorts them by process and lane. A process has as many as there
 * were threads at a time, and they take turns: the first thread of a call is the first one of the
 * call before again, and the second the second, though it may have begun only when the first was
 * done. lanes: room for as many as there are sections. */
void kg_scope_lanes_find(struct kg_scope_section *sections, size_t count,
                         struct kg_scope_lane *lanes);

/* scopes_split.c: a recording of many cases, taken apart into what there is of each: to look through all of it
 * for every case took time by the square of their number. */

/* Where what belongs to a case is in a profile, which it borrows. */
struct kg_scope_split {
    const struct kg_profile *profile;
    size_t *processes; /* by label; those without one come first */
    size_t *roots;     /* outermost rows by name; of one name the first comes first */
    size_t root_count;
    size_t *shares; /* of each process its first share, and at the end their number */
    size_t *places; /* of each row its place in the part at hand, or KG_SCOPE_NONE */
};

/* In `arena`. */
void kg_scope_split_make(const struct kg_profile *profile, struct kg_arena *arena,
                         struct kg_scope_split *split);

/* What the profile has of one case: the processes with that label, their shares, the rows of those with
 * the ones around them, and the outermost row of that name. kg_scopes_of_case and kg_scopes_find say of
 * the case with it what they say with the profile.
 * part   in `arena`, which is to live as long; strings and figures are borrowed; not to be freed */
void kg_scope_split_part(struct kg_scope_split *split, const char *label, struct kg_arena *arena,
                         struct kg_profile *part);

/* scopes_parts.c: what the time in a scope goes to besides work, how threads shared it, and what
 * could be fused. For scopes.c. */

/* The profile's part of the facts, but calls, of a row and what is inside it; of the subject's root
 * everything. What there is nothing of stays as it is. */
void kg_scope_profile_tell(struct kg_scope_subject *subject, size_t row, struct kg_facts *facts);

/* Adds to the facts of a case what the recording has of it (facts->operation is its id): waits,
 * parallel regions, balance of threads, what could be fused. What there is nothing of stays as it
 * is. Times are scaled from the recorded call's mean, less what the profiler took, to the time
 * that was measured, so that a slower moment does not count; those of a command are made smaller
 * only, for it does more than its scopes say. Whether a scope is limited by memory is told by
 * facts->memory_ceiling_bytes_per_s, on the GPU by traits.bandwidth_ceiling_bytes_per_s. */
void kg_scopes_of_case(const struct kg_profile *profile, const struct kg_suggest_settings *settings,
                       struct kg_facts *facts);

/* Facts of each scope on the first thread that takes at least `least_share` of what it is inside
 * of, in `arena`, added to the list; strings are in it too, or borrowed from `of`.
 * of        facts of the case whose scopes they are; what they say of the machine is copied. NULL:
 *           a profile of any program: its outermost scopes on a first thread (the 200 with the most
 *           time), and those inside them
 * ceilings  may be NULL
 * Of scopes of the kinds waiting and parallel region `calls` and what goes with it is not told: to
 * call them less often is what `wait_count` and `parallel_count` are for. */
void kg_scopes_find(const struct kg_profile *profile, const struct kg_facts *of,
                    const struct kg_suggest_settings *settings,
                    const struct kg_cpu_ceilings *ceilings, double least_share,
                    struct kg_arena *arena, struct kg_facts_list *list);
