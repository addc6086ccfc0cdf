/* braces.h: parameters in the texts of a workload: "{name}" becomes the value, "{{" and "}}" a brace. */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/suite.h"

/* A workload with the parameters of one case, whose texts are expanded. */
struct kg_expanding {
    struct kg_arena *arena;
    const char *path; /* of the suite */
    const struct kg_workload_spec *spec;
    const struct kg_pair *params;
    struct kg_error *err;
};

/* Expands a text of the workload.
 * mark      its place in the suite
 * what      its name in errors; NULL: errors quote the text
 * given     NULL stays NULL
 * expanded  in the arena
 * returns   false with err if a name in braces is that of no parameter */
bool kg_text_expand(const struct kg_expanding *with, struct kg_mark mark, const char *what,
                    const char *given, const char **expanded);
