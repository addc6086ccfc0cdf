/* code_words.h: says what the machine code of a case did. */
#pragma once
#include "base/arena.h"
#include "base/code/code_identity.h"

/* What became of the code and its libraries, with what was not looked at: "the code and its 3
 * libraries are unchanged". In `arena`; NULL where a side has no hash. */
const char *kg_code_words(struct kg_arena *arena, const struct kg_code_identity *now,
                          const struct kg_code_identity *before);
