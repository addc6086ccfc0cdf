#include "model/comparison.h"

#include <string.h>

const char *const kg_verdict_names[KG_VERDICT_COUNT + 1] = {
#define KG_VERDICT(constant, ...) #constant,
#include "model/changes.def"
};

const char *const kg_against_names[5] = {"baseline", "base", "pin", "budget", NULL};

/* In the order of enum kg_doubt. */
static const char *const doubt_names[32] = {
    "none",         "code_changed",   "library_other", "code_alone",
    "code_open",    "code_unchanged", "environment",   "clock_explains",
    "unlike",       "mean",           "call_cpu",      "few_rounds",
    "clock_may",    "cycles",         "unconfirmed",   "all_disturbed",
    "unproven",     "effect",         "stepped",       "noise",
    "crossing",     "uncounted",      "busy",          "disturbed",
    "not_stored",   "budget_unknown", "budget_missed", "widened",
    "instructions", "unseen",         "drift",         NULL,
};

#define STRUCT kg_metric
static const struct kg_field metric_fields[] = {
    KG_FIELD(name, STRING,
             "time, peak_memory, instructions, a counter's name, or a budget's metric"),
    KG_FIELD(against, STRING, "baseline, base (of `ab`), pin NAME, or budget"),
    KG_FIELD(unit, STRING, "\"\" of what has none: instructions, counters, speedup_over_cpu",
             KG_WORDS("ns", "bytes", "J", "1/s", "")),
    KG_FIELD(baseline, REAL, "the reference's value, or the budget's limit", KG_OPTIONAL),
    KG_FIELD(current, REAL, "this run's", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(ratio, REAL, "current / baseline", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(interval_low, REAL, "95 % interval of the ratio", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(interval_high, REAL, "95 % interval of the ratio", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(p_value, REAL, "adjusted for the number of tests", KG_OPTIONAL, KG_BETWEEN(0, 1)),
    KG_FIELD(asked_threshold, REAL, "the suite's: what NO_CHANGE has to lie within", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(threshold, REAL, "the relative change that counts", KG_FROM_0),
    KG_FIELD(noise_floor, REAL, "what the baseline's runs scatter by", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(min_effect, REAL, "the absolute change that counts", KG_FROM_0),
    KG_FIELD(pace_shift, REAL, "logarithm of the core's pace over the reference's", KG_OPTIONAL),
    KG_FIELD(cycles_ratio, REAL, "GPU: the ratio in cycles of its multiprocessors", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(cycles_low, REAL, "lower end of its 95 % interval", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(cycles_high, REAL, "upper end", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(pace_exponent, REAL, "how far times follow it; it is taken out so far", KG_OPTIONAL,
             KG_BETWEEN(0, 1)),
    KG_FIELD(pace_doubt, REAL, "share by which the threshold is raised for the exponent's doubt",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(memory_doubt, REAL,
             "share by which the threshold is raised for a moved memory bandwidth", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(wait_doubt, REAL, "raises the threshold, for what the current rounds waited for a CPU",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(step, REAL, "the stored runs' newer level over their older one", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(beyond, REAL, "current over the worse of both", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(better, ENUM, "which way is better", KG_OPTIONAL, KG_NAMES(kg_better_names)),
    KG_FIELD(suspected, BOOL, "it looks changed, on rounds that do not confirm it", KG_OPTIONAL),
    KG_FIELD(out_of_budget, BOOL,
             "undecided, and --budget had no time for the rounds that it wanted next", KG_OPTIONAL),
    KG_FIELD(change, ENUM, "what became of it", KG_NAMES(kg_change_names)),
    KG_FIELD(doubt, ENUM, "why it is judged as it is; `reason` says it in a sentence", KG_OPTIONAL,
             KG_NAMES(doubt_names)),
    KG_FIELD(base_rounds, SIZE, "of the reference, that it was decided from", KG_OPTIONAL),
    KG_FIELD(current_rounds, SIZE, "of this run, that it was decided from", KG_OPTIONAL),
    KG_FIELD(least_rounds, SIZE, "of both that it takes to call anything unchanged", KG_OPTIONAL),
    KG_FIELD(of_processes, BOOL, "a profile's: its rounds are processes", KG_OPTIONAL),
    KG_FIELD(code_unchanged, BOOL, "of a time: the machine code is the reference's", KG_OPTIONAL),
    KG_FIELD(code, STRING, "of a time: what the machine code and its libraries did", KG_OPTIONAL),
    KG_FIELD(
        environment, STRING,
        "variables of the environment that differ, where the code is not known to have changed",
        KG_OPTIONAL),
    KG_FIELD(needed_p, REAL, "what p_value had to reach", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(mean_ratio, REAL, "of the rounds' means", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(call_cpu_ratio, REAL, "of the CPU times of a call, on one core", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(instructions_ratio, REAL,
             "current / baseline of the instructions, where they confirm the time", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(
        tail, REAL,
        "slowest round over the reference's median, without the slowest tenth of the rounds, if a "
        "part of the rounds became far slower",
        KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(base_tail, REAL, "slowest round of the reference over its median", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(screened_ratio, REAL, "what made it suspect, and was not confirmed", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(screened_rounds, SIZE, "that this was seen in", KG_OPTIONAL),
    KG_LIST(history, history_count, REALS,
            "of another than the time: its medians in the baseline's ordinary runs, oldest first",
            KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(cause, STRING, "of a doubt whose cause is said elsewhere", KG_OPTIONAL),
    KG_FIELD(reason, STRING, "why", KG_OPTIONAL),
};
static const struct kg_record metric_record =
    KG_RECORD_OF(metric_fields, "One metric against one reference.");
#undef STRUCT

#define STRUCT kg_figure
static const struct kg_field figure_fields[] = {
    KG_FIELD(name, STRING, "as the workload reports it, or the metric's"),
    KG_FIELD(unit, STRING, "of the value; absent: a number", KG_OPTIONAL),
    KG_FIELD(value, REAL, "median over the rounds", KG_FROM_0),
};
static const struct kg_record figure_record =
    KG_RECORD_OF(figure_fields, "A figure that the workload reports.");
#undef STRUCT

#define STRUCT kg_case_change
static const struct kg_field case_fields[] = {
    KG_FIELD(id, STRING, "of the case", KG_NOT_EMPTY),
    KG_FIELD(workload, STRING, "its name"),
    KG_FIELD(line, SIZE, "of the suite, on which the workload is named", KG_OPTIONAL,
             KG_UNKNOWN_IF_0),
    KG_FIELD(device, STRING, "where it ran"),
    KG_FIELD(change, ENUM, "what became of it", KG_NAMES(kg_change_names)),
    KG_FIELD(reason, STRING, "why", KG_OPTIONAL),
    KG_FIELD(stderr_tail, STRING, "the last that a failed case wrote to standard error",
             KG_OPTIONAL),
    KG_FIELD(fails, BOOL, "the policy fails on it"),
    KG_FIELD(waived, ENUM, "why it fails nothing all the same", KG_OPTIONAL,
             KG_NAMES(kg_waiver_names)),
    KG_FIELD(waiver, STRING,
             "what was accepted or is in quarantine, and why; `waived` says whether that holds",
             KG_OPTIONAL),
    KG_FIELD(instability, REAL, "median step from one stored run to the next, as a share",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(not_measured, BOOL, "NO_CHANGE because its code is its reference's", KG_OPTIONAL),
    KG_FIELD(missing, BOOL,
             "it is stored, and was not compared: SKIPPED, REMOVED, or a metric without a figure",
             KG_OPTIONAL),
    KG_FIELD(unrecorded, BOOL,
             "case that `--update-missing` was to store and did not, since it was not measured",
             KG_OPTIONAL),
    KG_FIELD(order, SIZE, "its place in the results; removed cases come after all of them",
             KG_OPTIONAL),
    KG_FIELD(rounds, SIZE, "measured"),
    KG_FIELD(confirming_rounds, SIZE, "of the rounds, those that decided", KG_OPTIONAL),
    KG_FIELD(pairs, SIZE,
             "measured against the baseline's build; what they decided is in the metrics",
             KG_OPTIONAL),
    KG_FIELD(time_ns, REAL, "median", KG_OPTIONAL, KG_FROM_0),
    KG_LIST(history, history_count, REALS,
            "medians of its time in the baseline's ordinary runs, oldest first, ns", KG_OPTIONAL,
            KG_FROM_0),
    KG_LIST(metrics, metric_count, RECORDS, "the deciding one first", KG_OF(metric_record)),
    KG_LIST(figures, figure_count, RECORDS,
            "what its workload itself reports, judged or not: medians over the rounds", KG_OPTIONAL,
            KG_OF(figure_record)),
};
static const struct kg_record case_record = KG_RECORD_OF(case_fields, "One case.");
#undef STRUCT

#define STRUCT kg_change_counts
static const struct kg_field counts_fields[] = {
#define KG_CHANGE(constant, count, later, ...)                                                     \
    KG_FIELD_AS(#count, of[KG_CHANGE_##constant], SIZE, "cases of " #constant, .optional = later),
#include "model/changes.def"
};
static const struct kg_record counts_record = KG_RECORD_OF(counts_fields, "Cases of each change.");
#undef STRUCT

#define STRUCT kg_overall
static const struct kg_field overall_fields[] = {
    KG_FIELD(workload, STRING, "its name; absent: the suite", KG_OPTIONAL),
    KG_FIELD(cases, SIZE, "that it has"),
    KG_FIELD(counted, SIZE, "of the cases, those whose time was decided: what the rest is of"),
    KG_FIELD(geometric_ratio, REAL, "geometric mean of current / baseline", KG_OPTIONAL,
             KG_ABOVE_0),
    KG_FIELD(baseline_ns, REAL, "sum of one call of each", KG_FROM_0),
    KG_FIELD(current_ns, REAL, "likewise", KG_FROM_0),
    KG_FIELD(compared, SIZE, "of the cases, those whose time was compared, decided or not",
             KG_OPTIONAL),
    KG_FIELD(compared_ratio, REAL, "geometric mean of theirs", KG_OPTIONAL, KG_ABOVE_0),
};
static const struct kg_record overall_record =
    KG_RECORD_OF(overall_fields, "How cases changed together.");
#undef STRUCT

#define STRUCT kg_next_command
static const struct kg_field next_command_fields[] = {
    KG_FIELD(purpose, STRING, "reproduce, accept, quarantine or explain"),
    KG_FIELD(command, STRING, "command for a shell"),
};
static const struct kg_record next_command_record =
    KG_RECORD_OF(next_command_fields, "A command that a FAIL suggests.");
#undef STRUCT

#define STRUCT kg_comparison
static const struct kg_field comparison_fields[] = {
    KG_FIELD(created, STRING, "UTC", KG_PATTERN_TIME),
    KG_FIELD(kgate_version, STRING, "of the program"),
    KG_FIELD(suite, STRING, "its name"),
    KG_FIELD(suite_path, STRING, "as given", KG_OPTIONAL),
    KG_FIELD(commit, STRING, "commit of the candidate", KG_OPTIONAL),
    KG_FIELD(branch, STRING, "branch of the candidate", KG_OPTIONAL),
    KG_FIELD(
        base, STRING,
        "of `ab OLD NEW`: OLD as given, behind its --name if it has one: what is compared with",
        KG_OPTIONAL),
    KG_FIELD(head, STRING, "likewise NEW: what is judged", KG_OPTIONAL),
    KG_FIELD(verdict, ENUM, "of the whole gate", KG_NAMES(kg_verdict_names)),
    KG_FIELD(exit_status, SIZE, "of kgate", KG_WORDS("0", "1", "3", "4")),
    KG_LIST(verdict_reasons, verdict_reason_count, STRINGS,
            "the one that set the exit status first"),
    KG_FIELD(next, STRING, "next step after an UNDECIDED or a first run", KG_OPTIONAL),
    KG_LIST(next_commands, next_command_count, RECORDS,
            "commands for the worst case that fails the gate", KG_OPTIONAL,
            KG_OF(next_command_record)),
    KG_FIELD(trust, STRING,
             "the branch and commit that suite, baselines and accepted changes were taken from",
             KG_OPTIONAL),
    KG_LIST(edits, edit_count, STRINGS, "what the change edited of these: used or not",
            KG_OPTIONAL),
    KG_FIELD(policy, RECORD, NULL, KG_OF(kg_results_policy_record)),
    KG_FIELD(complete, BOOL, "false: the run was interrupted"),
    KG_FIELD(baseline_created, STRING, "of the newest ordinary run", KG_OPTIONAL),
    KG_FIELD(baseline_commit, STRING, "commit of the newest ordinary run", KG_OPTIONAL),
    KG_FIELD(baseline_branch, STRING, "branch of the newest ordinary run", KG_OPTIONAL),
    KG_FIELD(baseline_runs, SIZE, "ordinary runs compared with"),
    KG_LIST(pins, pin_count, STRINGS, "pinned runs compared with"),
    KG_FIELD(machine, RECORD, NULL, KG_OF(kg_machine_record)),
    KG_LIST(notes, note_count, STRINGS, "what a reader must know"),
    KG_FIELD(counts, RECORD, NULL, KG_OF(counts_record)),
    KG_FIELD(not_measured, SIZE, "of counts.no_change, the cases whose code is their reference's",
             KG_OPTIONAL),
    KG_LIST(overall, overall_count, RECORDS,
            "the suite, then each workload; none where no time was compared", KG_OPTIONAL,
            KG_OF(overall_record)),
    KG_LIST(cases, case_count, RECORDS, "worst first", KG_OF(case_record)),
};
const struct kg_record kg_comparison_record = KG_RECORD_OF(
    comparison_fields, "What changed between a baseline and results, and what the gate decides.");
#undef STRUCT

bool kg_comparison_write(const struct kg_comparison *comparison, const char *path,
                         struct kg_error *err)
{
    return kg_record_save(&kg_comparison_record, comparison, KG_COMPARISON_SCHEMA, path, err);
}

bool kg_comparison_load(const char *path, struct kg_comparison *comparison, struct kg_error *err)
{
    *comparison = (struct kg_comparison){0};
    if (kg_record_load(&kg_comparison_record, KG_COMPARISON_SCHEMA, path, &comparison->arena,
                       comparison, err))
        return true;
    kg_comparison_free(comparison);
    return false;
}

void kg_comparison_free(struct kg_comparison *comparison)
{
    kg_arena_free(&comparison->arena);
    *comparison = (struct kg_comparison){0};
}

enum kg_against kg_metric_against(const struct kg_metric *metric)
{
    for (int i = 0; kg_against_names[i]; i++)
        if (i != KG_AGAINST_PIN && !strcmp(metric->against, kg_against_names[i]))
            return (enum kg_against)i;
    return KG_AGAINST_PIN;
}

const char *kg_metric_pin(const struct kg_metric *metric)
{
    const size_t before = strlen(kg_against_names[KG_AGAINST_PIN]) + 1;
    return kg_metric_against(metric) == KG_AGAINST_PIN && strlen(metric->against) > before
               ? metric->against + before
               : NULL;
}

const char *kg_metric_relation(const struct kg_metric *metric)
{
    return metric->better == KG_BETTER_HIGHER ? ">=" : "<=";
}
