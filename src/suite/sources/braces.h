/* braces.h: parameters in the texts of a suite. Pure; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/record.h"
#include "base/text.h"

/* Appends `given` with parameters put in: "{name}" becomes the value, "{{" and "}}" a brace.
 * params   `count` of them
 * unknown  on failure the brace in `given` that opens the name of no parameter; NULL where memory is
 *          out, and on success */
bool kg_braces_fill(struct kg_text *text, const char *given, const struct kg_pair *params,
                    size_t count, const char **unknown);
