/* scopes_view.h: some processes of a profile, added up for suggestions: what each path had on the
 * thread that does the calls and on all threads together, and how evenly threads shared each name.
 * For scopes.c. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "profiler/read/profile.h"

#define KG_SCOPE_NONE ((size_t)-1)

/* A path. Self times are without the scopes inside and without what those cost. */
struct kg_scope_row {
    double calls; /* this and the next two on the first thread of each process */
    double total_ns;
    double self_ns;
    double all_calls; /* and these on all threads */
    double all_self_ns;
};

/* How threads shared a name, summed over processes. */
struct kg_scope_balance {
    double threads; /* the most in a process */
    double first_ns;
    double busiest_ns;
    double even_ns;
};

struct kg_scope_view {
    const struct kg_profile *profile;
    size_t root;    /* row of the scope whose calls are meant; KG_SCOPE_NONE: processes are calls */
    size_t end;     /* the first row after those inside it */
    bool *chosen;   /* each process */
    double calls;   /* of the whole, in all chosen processes; 0: nothing was recorded */
    double wall_ns; /* of those */
    double cost_ns; /* of that, what the profiler takes for the scopes inside the root */
    double scope_cost_ns; /* what one of them costs: the most in a process */
    double threads;       /* that scopes ran on at a time: the most in a process; not the one that
                             does the calls where it does nothing else */
    bool regions;         /* parallel regions are told */
    bool alone; /* the first threads do nothing beside the whole: what others do is for it */
    struct kg_scope_row *rows;
    size_t *names;                     /* of each row */
    struct kg_scope_balance *balances; /* of each name */
    struct kg_scope_balance *outer;    /* the same without what is inside a name that several
                                          threads shared: no time is in two of them */
    bool *is_outer;                    /* each row: it is in those */
    size_t name_count;
    struct kg_arena arena; /* owns the above but the profile */
};

/* Adds up the processes of that label, or of any where it is NULL. root: as above; only processes
 * in which it was called count. Where scopes were left out one by one there is nothing to be known.
 * To be freed also on failure, which is want of memory. */
void kg_scope_view_make(const struct kg_profile *profile, const char *label, size_t root,
                        struct kg_scope_view *view);
void kg_scope_view_free(struct kg_scope_view *view);

/* The first row after those inside `row`; of KG_SCOPE_NONE, the end. */
size_t kg_scope_end(const struct kg_profile *profile, size_t row);

/* The row of the scope directly around; KG_SCOPE_NONE of an outermost one. */
size_t kg_scope_parent(const struct kg_profile *profile, size_t row);

/* Whether it waits, or is inside something that does. */
bool kg_scope_waits(const struct kg_profile *profile, size_t row);

/* Whether several threads shared the row's name. */
bool kg_scope_shared(const struct kg_scope_view *view, size_t row);
