/* scopes_split.h: a recording of many cases, taken apart into what there is of each: to look through all of it
 * for every case took time by the square of their number. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "profiler/read/profile.h"

/* Where what belongs to a case is in a profile, which it borrows. */
struct kg_scope_split {
    const struct kg_profile *profile;
    size_t *processes; /* by label; those without one come first */
    size_t *roots;     /* outermost rows by name; of one name the first comes first */
    size_t root_count;
    size_t *shares; /* of each process its first share, and at the end their number */
    size_t *places; /* of each row its place in the part at hand, or KG_SCOPE_NONE */
};

/* In `arena`. false where memory is out. */
bool kg_scope_split_make(const struct kg_profile *profile, struct kg_arena *arena,
                         struct kg_scope_split *split, struct kg_error *err);

/* What the profile has of one case: the processes with that label, their shares, the rows of those with
 * the ones around them, and the outermost row of that name. kg_scopes_of_case and kg_scopes_find say of
 * the case with it what they say with the profile.
 * part   in `arena`, which is to live as long; strings and figures are borrowed; not to be freed
 * false  where memory is out */
bool kg_scope_split_part(struct kg_scope_split *split, const char *label, struct kg_arena *arena,
                         struct kg_profile *part, struct kg_error *err);
