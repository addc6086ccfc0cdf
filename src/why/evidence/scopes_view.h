/* scopes_view.h: sums over the chosen processes of a profile, for suggestions: times of each
 * path, on the calling thread and on all threads, and the balance of threads per name. For
 * scopes.c. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "profiler/read/profile.h"

#define KG_SCOPE_NONE ((size_t)-1)

/* A path. Self times exclude inner scopes and the profiler's cost for them. */
struct kg_scope_row {
    double calls; /* this and the next two: on the first thread of each process */
    double total_ns;
    double self_ns;
    double all_calls; /* this and the next: on all threads */
    double all_self_ns;
};

/* Division of the time in scopes of one name among threads, summed over processes. */
struct kg_scope_balance {
    double threads; /* largest number in a process */
    double first_ns;
    double busiest_ns;
    double even_ns;
};

struct kg_scope_view {
    const struct kg_profile *profile;
    size_t root;    /* row of the scope whose calls count; KG_SCOPE_NONE: each process is a call */
    size_t end;     /* first row after those inside the root */
    bool *chosen;   /* per process */
    double calls;   /* calls of the whole in all chosen processes; 0: nothing was recorded */
    double wall_ns; /* wall time of all calls */
    double cost_ns; /* part of wall_ns that the profiler takes for scopes inside the root */
    double scope_cost_ns; /* cost of one scope: the largest of a process */
    /* Largest number of threads with scopes at one time in a process. The calling thread counts
     * only if it works. */
    double threads;
    bool regions; /* the recording has parallel regions */
    /* first threads have no outermost scope besides the root: other threads work for it */
    bool alone;
    struct kg_scope_row *rows;
    size_t *names;                     /* number of each row's name */
    struct kg_scope_balance *balances; /* by number of the name */
    /* Balances without rows inside a shared name, so that no time counts twice. */
    struct kg_scope_balance *outer;
    bool *is_outer; /* per row: it counts in `outer` */
    size_t name_count;
    struct kg_arena arena; /* owns all arrays, but not the profile */
};

/* Adds up the processes with this label; NULL: all processes. If there is a root, only processes
 * that called it count. Processes that recorded only a sample of their scopes do not count. The
 * caller frees the view with kg_scope_view_free. */
void kg_scope_view_make(const struct kg_profile *profile, const char *label, size_t root,
                        struct kg_scope_view *view);
void kg_scope_view_free(struct kg_scope_view *view);

/* The first row after those inside `row`; KG_SCOPE_NONE: the number of rows. */
size_t kg_scope_end(const struct kg_profile *profile, size_t row);

/* The row of the scope directly around; KG_SCOPE_NONE: the row is outermost. */
size_t kg_scope_parent(const struct kg_profile *profile, size_t row);

/* Whether the row is a wait, or inside one. */
bool kg_scope_waits(const struct kg_profile *profile, size_t row);

/* Whether several threads shared the row's name. */
bool kg_scope_shared(const struct kg_scope_view *view, size_t row);
