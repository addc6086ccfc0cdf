/* scopes_lanes.h: the threads that recorded, where a call may start its own anew: those that come
 * after each other are one. For scopes_view.c. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "profiler/read/profile.h"

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
