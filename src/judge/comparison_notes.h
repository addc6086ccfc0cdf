/* comparison_notes.h: the facts beside a verdict: what differs from the baseline's machine, what disturbed the
 * measuring, what speaks against single figures. None of them decides anything. */
#pragma once
#include <stdbool.h>

#include "base/advice.h"
#include "model/comparison.h"

/* Makes the notes of a comparison that has none yet. */
void kg_comparison_notes_make(const struct kg_baseline *baseline, const struct kg_results *current,
                              struct kg_comparison *comparison);

/* Adds a note. */
void kg_comparison_note(struct kg_comparison *comparison, const char *text);

/* Advice whose notes become notes of the comparison, which must outlive it. */
struct kg_advice kg_comparison_advice(struct kg_comparison *comparison);

/* The verdict, comparison.json and the store are written. From now on a failed allocation ends the process with the
 * verdict's exit status. */
void kg_comparison_stands(const struct kg_comparison *comparison);
