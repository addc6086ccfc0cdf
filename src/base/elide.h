/* elide.h: names of one list in little room, so that what tells them apart stays. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Fills shown[i] with names[i], or a shorter form of it in `arena`, in at most `most` characters. Where
 * names of a group (those with the same text before the first '/') do not fit, "…" stands for the
 * parameters (between '/' or ',') that all of the group have in common, as many as need be, then for the
 * names of the others, of which the values stay; then for the middle of what is left. Where names
 * would become equal they are longer than `most`.
 * names    count of them, harmless: escaped for where they are shown
 * returns false where memory is out: shown is incomplete */
bool kg_elide(struct kg_arena *arena, const char *const *names, size_t count, size_t most,
              const char **shown);
