/* stored_slower.h: cases that `baseline update` stores though they became slower. */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/waiving.h"
#include "model/results.h"

/* Appends a line for each case that is a REGRESSION or SUSPECT against the runs stored so far, and that no
 * entry covers: later runs are compared with it too. Before the update. */
bool kg_stored_slower_text(const struct kg_arguments *arguments, const struct kg_results *results,
                           const struct kg_waiving *waiving, struct kg_text *text,
                           struct kg_error *err);
