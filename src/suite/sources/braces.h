/* braces.h: expands parameters in the texts of a workload: "{name}" becomes the value, "{{" and "}}" a brace. */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/suite.h"

/* The context of an expansion: a workload and the parameters of one case. */
struct kg_expanding {
    struct kg_arena *arena;
    const char *path; /* of the suite */
    const struct kg_workload_spec *spec;
    const struct kg_pair *params;
    struct kg_error *err;
};

/* Expands a text of the workload.
 * mark      place of the text in the suite
 * what      name of the text in errors; NULL: errors quote the text.
 * given     the text; NULL stays NULL
 * expanded  the expanded text, in the arena.
 * returns   false with err if the braces name no parameter */
bool kg_text_expand(const struct kg_expanding *with, struct kg_mark mark, const char *what,
                    const char *given, const char **expanded);
