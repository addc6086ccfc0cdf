/* What stands at the end of markdown: the machine, the policy, and what false alarms there are. */
#include "show/markdown_parts.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

/* No further item is taken from so many bytes on. */
enum { REASON_MOST = 300, CLOSING_MOST = 16000 };

void kg_markdown_machine(const struct kg_machine *machine, struct kg_text *text)
{
    char memory[KG_UNIT_BYTES];
    kg_text_append(text, "- machine: ");
    kg_markdown_name(text, machine->cpu_model);
    if (machine->cpu_count) /* other harnesses do not tell */
        kg_text_printf(text, ", %llu CPU%s", (unsigned long long)machine->cpu_count,
                       machine->cpu_count == 1 ? "" : "s");
    if (machine->memory_bytes)
        kg_text_printf(text, ", %s", kg_size_format((double)machine->memory_bytes, memory));
    kg_text_append(text, ", ");
    for (size_t i = 0; i < machine->gpu_count && text->length < CLOSING_MOST; i++) {
        kg_markdown_name(text, machine->gpus[i].name);
        kg_text_append(text, ", ");
    }
    if (machine->gpu_count && machine->nvidia_driver) {
        kg_text_append(text, "NVIDIA driver ");
        kg_markdown_name(text, machine->nvidia_driver);
        kg_text_append(text, ", ");
    }
    kg_text_append(text, "fingerprint ");
    kg_markdown_name(text, machine->fingerprint);
    kg_text_append(text, "\n");
}

/* Whether any metric was judged against that. */
static bool any_against(const struct kg_comparison *comparison, enum kg_against against)
{
    for (size_t i = 0; i < comparison->case_count; i++)
        for (size_t m = 0; m < comparison->cases[i].metric_count; m++)
            if (isfinite(comparison->cases[i].metrics[m].ratio) &&
                kg_metric_against(&comparison->cases[i].metrics[m]) == against)
                return true;
    return false;
}

/* Whether all that was compared are pairs, as in `ab`: no stored run is behind it. */
static bool is_paired(const struct kg_comparison *comparison)
{
    return any_against(comparison, KG_AGAINST_BASE) &&
           !any_against(comparison, KG_AGAINST_BASELINE);
}

/* The rate holds where what runs of the same code differ by is known, or does not matter: of
 * several stored runs, and of pairs. */
static void alarms_print(const struct kg_comparison *comparison, struct kg_text *text)
{
    const bool unknown =
        comparison->baseline_runs == 1 && any_against(comparison, KG_AGAINST_BASELINE);
    const bool pairs = any_against(comparison, KG_AGAINST_BASE);
    if (!unknown || pairs)
        kg_text_printf(text, "at most %g %% false alarms a run%s", 100 * comparison->policy.alpha,
                       unknown ? " among what pairs decided; " : "");
    if (unknown)
        kg_text_printf(text,
                       "with one stored run the rate of false alarms%s is not known, since runs "
                       "of the same code differ",
                       pairs ? " among the rest" : "");
    kg_text_append(text, "\n");
}

void kg_markdown_closing(const struct kg_comparison *comparison, struct kg_text *text)
{
    const char *separator = " ";
    /* profiles know of no machine, and can be of several */
    const bool machine = comparison->machine.cpu_count > 0 || *comparison->machine.cpu_model;
    kg_text_printf(text, "\n<details><summary>%s</summary>\n\n",
                   machine ? "Machine and policy" : "Policy");
    if (machine)
        kg_markdown_machine(&comparison->machine, text);
    kg_text_append(text, "- policy: fails on");
    for (int c = 0; c < KG_CHANGE_COUNT; c++)
        if (comparison->policy.fail_on & 1u << c) {
            kg_text_printf(text, "%s%s", separator, kg_change_names[c]);
            separator = ", ";
        }
    kg_text_printf(text, "; what is undecided %s",
                   comparison->policy.undecided == KG_UNDECIDED_PASS   ? "passes"
                   : comparison->policy.undecided == KG_UNDECIDED_FAIL ? "fails"
                                                                       : "is reported");
    kg_text_printf(text, "; a missing device is %s; ",
                   comparison->policy.missing_device == KG_MISSING_FAIL        ? "a failure"
                   : comparison->policy.missing_device == KG_MISSING_UNDECIDED ? "undecided"
                                                                               : "skipped");
    alarms_print(comparison, text);
    if (is_paired(comparison))
        kg_text_append(text, "- baseline: the base, in paired rounds with the candidate");
    else if (comparison->baseline_runs && !any_against(comparison, KG_AGAINST_BASELINE))
        kg_text_append(text, "- baseline: it has none of these cases");
    else
        kg_text_printf(text, "- baseline: %zu run%s", comparison->baseline_runs,
                       comparison->baseline_runs == 1 ? "" : "s");
    if (comparison->baseline_created && any_against(comparison, KG_AGAINST_BASELINE)) {
        kg_text_append(text, ", the newest of ");
        kg_markdown_name(text, comparison->baseline_created);
    }
    for (size_t i = 0; i < comparison->pin_count && text->length < CLOSING_MOST; i++) {
        kg_text_append(text, i ? ", " : "; pinned: ");
        kg_markdown_name(text, comparison->pins[i]);
    }
    kg_text_append(text, "\n");
    size_t noted = 0;
    for (; noted < comparison->note_count && text->length < CLOSING_MOST; noted++) {
        kg_text_append(text, "- ");
        kg_markdown_words(text, comparison->notes[noted], REASON_MOST);
        kg_text_append(text, "\n");
    }
    if (noted < comparison->note_count)
        kg_text_printf(text, "- and %zu more note%s\n", comparison->note_count - noted,
                       comparison->note_count - noted == 1 ? "" : "s");
    kg_text_append(text, "- kgate ");
    kg_markdown_name(text, comparison->kgate_version);
    kg_text_append(text, ", ");
    kg_markdown_name(text, comparison->created);
    kg_text_append(text, "\n\n</details>\n");
}
