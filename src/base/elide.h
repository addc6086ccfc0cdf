/* elide.h: shortens the names of one list and keeps their differences. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Fills shown[i] with names[i], or a shorter form in `arena`, in at most `most` characters.
 * A group is all names with the same text before the first '/'; parameters lie between '/' or ','.
 * If the names of a group do not fit, the function shortens them in three steps:
 * 1. "…" replaces parameters that the whole group shares, as few as necessary;
 * 2. "…" replaces the keys of the other parameters; the values stay;
 * 3. "…" replaces the middle of the text, or the text before the first "…" is cut.
 * If two names would become equal, names may be longer than `most`.
 * names    `count` names, already escaped for their output
 * returns  false if memory is out: shown is incomplete */
bool kg_elide(struct kg_arena *arena, const char *const *names, size_t count, size_t most,
              const char **shown);
