#include "why/suggest_parts.h"

#include <string.h>

#include "why/explanation.h"

/* If at least this share of the samples has no function name, naming the code comes first. */
static const double NAMELESS = 0.5;

static bool is_unseen(const struct kg_case_result *result)
{
    return !result->hot.sampled.source;
}

static bool is_nameless(const struct kg_case_result *result)
{
    const struct kg_sampled *sampled = &result->hot.sampled;
    return sampled->blocks >= NAMELESS || (!sampled->line_count && sampled->function_count &&
                                           !sampled->functions[0].place.function);
}

static bool is_uncounted(const struct kg_case_result *result)
{
    return !result->hot.counted.source && !kg_known(result->look.instructions);
}

static const char *sampled_reason(const struct kg_case_result *result)
{
    return result->hot.sampled.reason;
}

static const char *counted_reason(const struct kg_case_result *result)
{
    return result->hot.counted.reason ? result->hot.counted.reason : result->look.reason;
}

/* Steps not yet taken, most informative first. The first matching row is printed. */
static const struct step {
    bool (*missing)(const struct kg_case_result *result); /* NULL: without a profile */
    const char *(*reason)(const struct kg_case_result *result);
    const char *lacks;   /* reason for the missing information */
    const char *refuses; /* the same with a specific reason after it; or NULL */
    const char *first;   /* instruction before the command */
    const char *before;  /* `kgate run …` */
    const char *settings;
    const char *after;
    const char *shows;
} steps[] = {
    {.missing = is_unseen,
     .reason = sampled_reason,
     .refuses = "its functions could not be sampled",
     .before = "perf record -g -o deeper.perf ",
     .settings = KG_DEEPER_LONG,
     .after = " && perf report -i deeper.perf",
     .shows = "names them"},
    {.missing = is_unseen,
     .lacks = "it was not profiled",
     .settings = " --set trace=yes --set sample_time=500ms",
     .shows = "names its functions and lines"},
    {.missing = is_nameless,
     .lacks = "its hottest code has no name",
     .first = "build it with `-g`, then ",
     .settings = "",
     .shows = "names functions and lines"},
    {.missing = is_uncounted,
     .reason = counted_reason,
     .lacks = "its instructions were not counted",
     .refuses = "its instructions were not counted",
     .first = "with Valgrind installed ",
     .settings = "",
     .shows = "counts branches and cache misses by line"},
    {.missing = NULL,
     .lacks = "its scopes were not recorded",
     .settings = " --set rounds.min=1 --set trace=no",
     .after = " --profile && kgate suggest deeper.json",
     .shows = "shows its scopes"},
};
enum { STEPS = sizeof steps / sizeof *steps };

static const struct step busy = {
    .lacks = "other programs preempted its threads",
    .first = "on an idle machine ",
    .settings = "",
    .shows = "shows more",
};

static const struct step last = {
    .lacks = "no known cause explains it",
    .before = "perf stat -d ",
    .settings = KG_DEEPER_LONG,
    .shows = "counts cache misses and branches",
};

static const char *or_empty(const char *words)
{
    return words ? words : "";
}

static const struct step *step_of(const struct kg_case_result *result, bool profiled, bool taken)
{
    for (size_t i = 0; i < STEPS; i++) {
        const struct step *step = &steps[i];
        /* the case was profiled, but other programs preempted its threads */
        if (!step->missing && taken)
            return &busy;
        const bool missing = step->missing ? step->missing(result) : !profiled;
        const bool sayable = step->lacks || (step->reason && step->reason(result));
        if (missing && sayable)
            return step;
    }
    return &last;
}

bool kg_next_look(const struct kg_results *results, const struct kg_case_result *result,
                  bool profiled, bool taken, struct kg_text *text)
{
    if (!result->device || strcmp(result->device, "cpu") != 0 || !kg_deeper_possible(results))
        return false;
    const struct step *step = step_of(result, profiled, taken);
    const char *reason = step->reason ? step->reason(result) : NULL;
    kg_text_append(text, reason ? step->refuses : step->lacks);
    if (reason)
        kg_text_printf(text, ": %s", reason);
    kg_text_printf(text, "; %s`%s", or_empty(step->first), or_empty(step->before));
    kg_deeper_run(results, result, step->settings, text);
    kg_text_printf(text, "%s` %s", or_empty(step->after), step->shows);
    return true;
}
