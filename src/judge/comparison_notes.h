/* comparison_notes.h: notes beside a verdict: differences from the baseline's machine, disturbances during the run, and
 * warnings of single cases. No note decides anything. */
#pragma once
#include <stdbool.h>

#include "base/advice.h"
#include "model/comparison.h"

/* Makes the notes of a comparison. */
void kg_comparison_notes_make(const struct kg_baseline *baseline, const struct kg_results *current,
                              struct kg_comparison *comparison);

void kg_comparison_note(struct kg_comparison *comparison, const char *text);

/* Returns an advice sink that adds its notes to the comparison. The comparison must outlive the sink. */
struct kg_advice kg_comparison_advice(struct kg_comparison *comparison);

/* Call this once the verdict, comparison.json and the store are written. A failed allocation then ends the process with
 * the verdict's exit status. */
void kg_comparison_stands(const struct kg_comparison *comparison);
