#include "show/advice_text.h"

#include <math.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/units.h"
#include "show/cells.h"
#include "why/explanation.h"

char *kg_advice_factor(double factor, char *buffer)
{
    snprintf(buffer, KG_FACTOR_BYTES,
             factor < 10    ? "%.2fx"
             : factor < 100 ? "%.1fx"
                            : "%.0fx",
             factor);
    return buffer;
}

static void time_append(const struct kg_suggestion *suggestion, struct kg_text *text)
{
    char factor[KG_FACTOR_BYTES], saved[KG_UNIT_BYTES], current[KG_UNIT_BYTES];
    /* above this factor, an estimate only repeats the saved time */
    static const double USELESS_FACTOR = 20;
    static const double ROUNDED_UP = 1.005; /* a smaller speedup prints as 1.00x */
    const bool at_most = suggestion->basis == KG_BASIS_AT_MOST;
    const bool of_whole = suggestion->whole_ns > suggestion->current_ns;
    const bool whole = of_whole && suggestion->whole_speedup >= ROUNDED_UP;
    const bool here =
        suggestion->basis == KG_BASIS_MEASURED || suggestion->speedup < USELESS_FACTOR;
    const char *most = at_most ? "at most " : "";
    if (here)
        kg_text_printf(text, "%s%s here, ", most, kg_advice_factor(suggestion->speedup, factor));
    if (whole)
        kg_text_printf(text, "%s%s overall, ", here ? "" : most,
                       kg_advice_factor(suggestion->whole_speedup, factor));
    kg_text_printf(text, "saves %s%s of %s", here || whole ? "" : most,
                   kg_duration_format(suggestion->saved_ns, saved),
                   kg_duration_format(suggestion->current_ns, current));
}

const char *kg_advice_gain(struct kg_arena *arena, const struct kg_suggestion *suggestion)
{
    struct kg_text text = {0};
    char before[KG_UNIT_BYTES], after[KG_UNIT_BYTES];
    if (isfinite(suggestion->saved_ns))
        time_append(suggestion, &text);
    else if (isfinite(suggestion->share))
        kg_text_printf(&text, "explains %.0f %% of %s; the saving depends on the replacement",
                       100 * suggestion->share, kg_duration_format(suggestion->current_ns, before));
    if (isfinite(suggestion->estimated_bytes))
        kg_text_printf(&text, "%speak memory %s -> %s", text.length ? ", " : "",
                       kg_size_format(suggestion->current_bytes, before),
                       kg_size_format(suggestion->estimated_bytes, after));
    if (suggestion->basis != KG_BASIS_AT_MOST)
        kg_text_printf(&text, " (%s)", kg_basis_names[suggestion->basis]);
    else if (!isfinite(suggestion->saved_ns))
        kg_text_append(&text, " (at most)");
    return kg_cell_take(arena, &text);
}

void kg_advice_count(const struct kg_suggestions *suggestions, struct kg_text *text)
{
    const size_t high = kg_suggestions_count(suggestions, KG_PRIORITY_HIGH);
    const size_t all = suggestions->suggestion_count + suggestions->left_out_count;
    if (suggestions->left_out_count)
        kg_text_printf(text, "%zu of ", suggestions->suggestion_count);
    kg_text_printf(text, "%zu suggestion%s", all, all == 1 ? "" : "s");
    if (suggestions->suggestion_count)
        kg_text_printf(text, " (%zu of priority high or above)", high);
}

void kg_advice_command(const struct kg_suggestions *suggestions, struct kg_text *text)
{
    kg_text_append(text, "kgate suggest ");
    kg_shell_quote(text, suggestions->source);
    if (!suggestions->base)
        return;
    kg_text_append(text, " --base ");
    kg_shell_quote(text, suggestions->base);
}

void kg_advice_none(const struct kg_suggestions *suggestions, struct kg_text *text)
{
    size_t unknown = 0;
    if (suggestions->left_out_count) {
        kg_text_printf(text, "%zu suggestion%s, none with the requested priority and type",
                       suggestions->left_out_count, suggestions->left_out_count == 1 ? "" : "s");
        return;
    }
    for (size_t i = 0; i < suggestions->finding_count; i++)
        unknown += suggestions->findings[i].bound == KG_BOUND_UNKNOWN;
    kg_text_append(text, "nothing to suggest: ");
    if (!suggestions->finding_count)
        kg_text_append(text, "no operation has a time");
    else if (unknown == suggestions->finding_count)
        kg_text_append(text, "the measurements show no bottleneck");
    else
        kg_text_printf(text, "no rule can save %.3g %% of an operation's time",
                       100 * suggestions->settings.min_gain);
}

const char *kg_advice_evidence(struct kg_arena *arena, const struct kg_evidence_figure *figures,
                               size_t count)
{
    struct kg_text text = {0};
    for (size_t i = 0; i < count; i++)
        kg_text_printf(&text, "%s%s", i ? "; " : "", figures[i].text);
    return kg_cell_take(arena, &text);
}
