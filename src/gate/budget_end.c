#include "gate/budget_end.h"

#include <math.h>
#include <stdio.h>

#include "compare/comparison_notes.h"
#include "util/units.h"

static const double WORTH_SAYING = 1.1;

uint64_t kg_budget_end(uint64_t started_ns, double budget_ns)
{
    const double end = (double)started_ns + fmax(0, budget_ns);
    return end < 0x1p63 ? (uint64_t)end : 0;
}

bool kg_budget_note(const struct kg_results *results, double budget_ns,
                    struct kg_comparison *comparison, struct kg_error *err)
{
    char took[KG_UNIT_BYTES], asked[KG_UNIT_BYTES], note[200];
    if (!(results->elapsed_ns > WORTH_SAYING * budget_ns))
        return true;
    snprintf(note, sizeof note,
             "measuring took %s, --budget asks for %s: every case has its fewest rounds; lower "
             "rounds.min or min_time, or measure fewer cases",
             kg_duration_format(results->elapsed_ns, took), kg_duration_format(budget_ns, asked));
    return kg_comparison_note(comparison, note, err);
}
