/* scopes.h: facts from a profile, about a case as a whole and about each scope. Pure except for
 * the memory; thread-safe.
 *
 * A case's recording consists of the processes whose label is the case's id. In them, the case
 * is the outermost scope of that name, which `run --profile` puts around each call. The thread
 * of that scope is the first thread. Outermost scopes of other threads stand beside it. A
 * command has no such scope: each of its processes is a call, and its first thread is the first
 * that recorded. */
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

/* scopes_subject.c: the case or outermost scope at hand, with its rows' times and bytes per
 * call. For scopes.c and scopes_parts.c. */

/* If the GPU has this share of a whole's time, the whole's time is the GPU's. If one inner scope
 * has this share of the time inside a scope, that scope exists for it. */
#define KG_SCOPE_MOSTLY 0.5

struct kg_scope_subject {
    struct kg_scope_view view; /* 0 calls: it was not recorded */
    const struct kg_suggest_settings *settings;
    const struct kg_cpu_ceilings *ceilings; /* or NULL */
    bool on_gpu;
    double scale;     /* factor from recorded host time of all calls to measured time per call */
    double gpu_scale; /* the same factor for GPU time */
};

/* Opens a subject. The caller frees `view` with kg_scope_view_free.
 * of    facts of the case; NULL: the subject is the outermost scope `root` of any program's
 *       profile
 * root  ignored if `of` is given */
void kg_scope_subject_open(const struct kg_profile *profile, const struct kg_facts *of, size_t root,
                           const struct kg_suggest_settings *settings,
                           struct kg_scope_subject *subject);

/* a / b if both are known; else NaN. */
double kg_scope_ratio(double a, double b);

const struct kg_profile_figures *kg_scope_figures(const struct kg_scope_subject *subject,
                                                  size_t row);
size_t kg_scope_kind(const struct kg_scope_subject *subject, size_t row);

/* Share of a row's calls that the first threads of the chosen processes made, 0 to 1. */
double kg_scope_part(const struct kg_scope_subject *subject, size_t row);

/* Calls and time of a row per call of the whole. Work on the GPU has its GPU time, because the
 * host may only have launched it. */
double kg_scope_calls(const struct kg_scope_subject *subject, size_t row);
double kg_scope_time(const struct kg_scope_subject *subject, size_t row);

/* Recorded GPU time of all calls. */
double kg_scope_gpu_time(const struct kg_scope_subject *subject, size_t row);

/* Bytes read and written per call of the whole, by all threads. NaN: the scope named no bytes. */
double kg_scope_bytes(const struct kg_scope_subject *subject, size_t row);

/* kg_scope_is_wait: whether the first thread waited in this row, outside of another wait.
 * kg_scope_is_region: whether it began a parallel region there. */
bool kg_scope_is_wait(const struct kg_scope_subject *subject, size_t row);
bool kg_scope_is_region(const struct kg_scope_subject *subject, size_t row);

/* The rows of a scope and of the scopes inside it: `first` up to `end`, exclusive. */
struct kg_scope_rows {
    size_t first, end;
    bool whole;
};
struct kg_scope_rows kg_scope_rows_at(const struct kg_scope_subject *subject, size_t row);

/* scopes_lanes.c: the threads that recorded. If each call starts its own threads, consecutive
 * threads form one lane. For scopes_view.c. */

/* The shares of one thread in a process: a part of the profile's shares, sorted by row. */
struct kg_scope_section {
    const struct kg_profile_share *shares;
    size_t count;
    size_t process;
    double start_ns, end_ns;
    bool first; /* the thread that makes the calls; set by the caller */
    size_t lane;
};

/* The section of the thread whose shares begin at `from`. Its lane is not set. */
struct kg_scope_section kg_scope_section_at(const struct kg_profile *profile, size_t from);

/* A lane: threads that ran one after the other. */
struct kg_scope_lane {
    double end_ns;
    /* position of its last thread in the process's order of start, from 1; 0: none yet */
    size_t turn;
};

/* Gives each thread its lane and sorts the sections by process and lane. A process has one lane
 * per thread that ran at the same time. A new thread takes the free lane that was taken longest
 * ago. So the first thread of a call gets the lane of the previous call's first thread, even if
 * other lanes are free.
 * lanes  room for `count` lanes */
void kg_scope_lanes_find(struct kg_scope_section *sections, size_t count,
                         struct kg_scope_lane *lanes);

/* scopes_split.c: splits a recording of many cases into one part per case. A search of the whole
 * recording per case would take time by the square of the number of cases. */

/* An index of the cases' parts in a profile, which it borrows. */
struct kg_scope_split {
    const struct kg_profile *profile;
    size_t *processes; /* sorted by label; unlabelled ones first */
    size_t *roots;     /* outermost rows by name; rows of one name in the profile's order */
    size_t root_count;
    size_t *shares; /* first share of each process; the last entry is their number */
    size_t *places; /* each row's place in the current part, or KG_SCOPE_NONE */
};

/* Makes the index, in `arena`. */
void kg_scope_split_make(const struct kg_profile *profile, struct kg_arena *arena,
                         struct kg_scope_split *split);

/* Extracts the part of a profile that belongs to one case. It has the processes with the label,
 * their shares, and the rows of these shares with their ancestors. The outermost row named like
 * the label belongs to the part too. kg_scopes_of_case and kg_scopes_find give the same result
 * for the part as for the whole profile.
 * part  in `arena`, which must live as long; strings and figures are borrowed; not to be freed */
void kg_scope_split_part(struct kg_scope_split *split, const char *label, struct kg_arena *arena,
                         struct kg_profile *part);

/* scopes_parts.c: time in a scope besides work, its division among threads, and scopes that
 * could be fused. For scopes.c. */

/* Sets the profile's part of a row's facts, except the facts about calls. The root gets the
 * facts of the whole recording. Facts that the recording lacks keep their value. */
void kg_scope_profile_fill(struct kg_scope_subject *subject, size_t row, struct kg_facts *facts);

/* Adds the recording's facts to a case (facts->operation is its id): waits, parallel regions,
 * balance of threads, scopes that could be fused. Facts that the recording lacks keep their
 * value.
 *
 * kgate subtracts the profiler's cost from the mean recorded call and scales the rest to the
 * measured time. So a slow moment during the recording does not count. A command's times are
 * only scaled down, because a command does more than its scopes show. Memory limits a scope by
 * facts->memory_ceiling_bytes_per_s, on the GPU by traits.bandwidth_ceiling_bytes_per_s. */
void kg_scopes_of_case(const struct kg_profile *profile, const struct kg_suggest_settings *settings,
                       struct kg_facts *facts);

/* Adds the facts of scopes on the first thread to the list. A scope needs at least `least_share`
 * of its whole's time. Facts and strings live in `arena`, or strings are borrowed from `of`.
 * Scopes that wait or start parallel regions have no `calls`, `call_ns` and `between_ns`:
 * wait_count and parallel_count cover them.
 * of        facts of the scopes' case, with the machine's facts. NULL: a profile of any program;
 *           only its 200 outermost scopes with the most time on a first thread count
 * ceilings  may be NULL */
void kg_scopes_find(const struct kg_profile *profile, const struct kg_facts *of,
                    const struct kg_suggest_settings *settings,
                    const struct kg_cpu_ceilings *ceilings, double least_share,
                    struct kg_arena *arena, struct kg_facts_list *list);
