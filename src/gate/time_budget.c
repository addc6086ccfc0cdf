#include "gate/time_budget.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "judge/comparison_notes.h"

static const double WORTH_SAYING = 1.1;
/* A forecast from one round per case must exceed the budget by this factor. */
static const double SURELY = 1.25;

uint64_t kg_budget_end(uint64_t started_ns, double budget_ns)
{
    const double end = (double)started_ns + fmax(0, budget_ns);
    return end < 0x1p63 ? (uint64_t)end : 0;
}

/* Writes a sufficient value for --budget: two digits, rounded up, with a reserve. */
static void budget_enough(double needed_ns, char *text, size_t size)
{
    const double wanted = WORTH_SAYING * needed_ns;
    const double unit = wanted < 1e10 ? 1e6 : 1e9;
    const double step = pow(10, fmax(0, floor(log10(wanted / unit)) - 1));
    snprintf(text, size, "%.0f%s", ceil(wanted / unit / step) * step, unit < 1e9 ? "ms" : "s");
}

bool kg_budget_short(double elapsed_ns, double missing_ns, double budget_ns, char *note)
{
    char takes[KG_UNIT_BYTES], asked[KG_UNIT_BYTES], enough[KG_UNIT_BYTES];
    const double needed_ns = elapsed_ns + missing_ns;
    if (!(needed_ns > SURELY * budget_ns))
        return false;
    budget_enough(needed_ns, enough, sizeof enough);
    snprintf(note, KG_BUDGET_NOTE_BYTES,
             "the minimum rounds take about %s, but --budget is %s: give --budget %s or more, "
             "lower rounds.min, min_time or iterations, or measure fewer cases",
             kg_duration_format(needed_ns, takes), kg_duration_format(budget_ns, asked), enough);
    return true;
}

void kg_budget_warn(struct kg_warning *warned, double elapsed_ns, double missing_ns,
                    double budget_ns)
{
    char note[KG_BUDGET_NOTE_BYTES];
    if (!warned->print || !kg_budget_short(elapsed_ns, missing_ns, budget_ns, note))
        return;
    warned->print(warned->user, note);
    *warned = (struct kg_warning){0};
}

void kg_budget_note(const struct kg_results *results, double budget_ns,
                    struct kg_comparison *comparison)
{
    char took[KG_UNIT_BYTES], asked[KG_UNIT_BYTES], note[200];
    if (!(results->elapsed_ns > WORTH_SAYING * budget_ns))
        return;
    snprintf(note, sizeof note,
             "measuring took %s, but --budget is %s: every case got its minimum rounds. Lower "
             "rounds.min, min_time or iterations, or measure fewer cases",
             kg_duration_format(results->elapsed_ns, took), kg_duration_format(budget_ns, asked));
    kg_comparison_note(comparison, note);
}
