/* shared.h: strings that come again and again, kept once. A file of many cases says the same names, versions
 * and libraries in each; copied each time they were a fifth of what the file takes in memory. */
#pragma once
#include <stddef.h>

#include "base/arena.h"

/* The strings kept last. It has no list of all: one that is forgotten is copied again, so that it
 * takes the same room however many there are. */
struct kg_shared {
    struct kg_shared_string *kept; /* by hash; NULL: nothing is shared */
};

/* Where memory is out nothing will be shared. */
void kg_shared_begin(struct kg_shared *shared);
void kg_shared_end(struct kg_shared *shared);

/* The string of these bytes, terminated, in `arena`: the same as before where it is remembered. It is not to
 * be changed, therefore.
 * bytes    without a NUL
 * arena    the same in each call
 * returns  NULL where memory is out */
const char *kg_shared_copy(struct kg_shared *shared, struct kg_arena *arena, const char *bytes,
                           size_t length);
