/* code_words.h: describes the change of a case's machine code in words. */
#pragma once
#include "base/arena.h"
#include "base/code/code_identity.h"

/* Returns a phrase that says whether the code and its libraries changed, and which parts kgate did not check: "the code
 * and its 3 libraries are unchanged". In `arena`; NULL if a side has no hash. */
const char *kg_code_words(struct kg_arena *arena, const struct kg_code_identity *now,
                          const struct kg_code_identity *before);
