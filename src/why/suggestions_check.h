/* suggestions_check.h: what no file can hold is left out, and costs nothing else. */
#pragma once
#include "why/suggestions.h"

/* Removes suggestions, findings and changes with a figure that the tables of their fields refuse, and
 * counts them in `unwritable_count`.
 * err  that memory is out */
bool kg_suggestions_check(struct kg_suggestions *made, struct kg_error *err);
