#include "model/comparison.h"

#include <string.h>

const char *const kg_verdict_names[KG_VERDICT_COUNT + 1] = {
#define KG_VERDICT(constant, ...) #constant,
#include "model/changes.def"
};

const char *const kg_against_names[5] = {"baseline", "base", "pin", "budget", NULL};

/* In the order of enum kg_doubt. */
static const char *const doubt_names[37] = {
    "none",         "code_changed",   "library_other", "code_alone",
    "code_open",    "code_unchanged", "environment",   "clock_explains",
    "unlike",       "mean",           "call_cpu",      "few_rounds",
    "clock_may",    "cycles",         "unconfirmed",   "all_disturbed",
    "unproven",     "effect",         "stepped",       "noise",
    "crossing",     "uncounted",      "busy",          "disturbed",
    "not_stored",   "budget_unknown", "budget_missed", "widened",
    "instructions", "unseen",         "drift",         "clocks",
    "power",        "energy",         "node",          "same_file",
    NULL,
};

#define STRUCT kg_metric
static const struct kg_field metric_fields[] = {
    KG_FIELD(name, STRING,
             "time, peak_memory, instructions, a counter's name, or a budget's metric"),
    KG_FIELD(against, STRING, "reference: baseline, base (of `ab`), pin NAME, or budget"),
    KG_FIELD(unit, STRING,
             "unit of the values; \"\": none, as for instructions, counters and speedup_over_cpu",
             KG_WORDS("ns", "bytes", "J", "1/s", "")),
    KG_FIELD(baseline, REAL, "value of the reference, or limit of the budget", KG_OPTIONAL),
    KG_FIELD(current, REAL, "value of the candidate", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(ratio, REAL, "current / baseline", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(difference, REAL, "current - baseline, in the metric's unit", KG_OPTIONAL),
    KG_FIELD(change_percent, REAL, "ratio as a change, %", KG_OPTIONAL),
    KG_FIELD(interval_low, REAL, "lower end of the ratio's 95 % interval", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(interval_high, REAL, "upper end of the ratio's 95 % interval", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(p_value, REAL, "p-value, adjusted for the number of tests", KG_OPTIONAL,
             KG_BETWEEN(0, 1)),
    KG_FIELD(asked_threshold, REAL,
             "threshold of the suite, as a share; a NO_CHANGE lies within it", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(threshold, REAL, "relative change that counts", KG_FROM_0),
    KG_FIELD(noise_floor, REAL, "scatter between the baseline's runs, as a share", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(min_effect, REAL, "absolute change that counts, in the metric's unit", KG_FROM_0),
    KG_FIELD(pace_shift, REAL, "logarithm of the clock probe's time over the reference's",
             KG_OPTIONAL),
    KG_FIELD(cycles_ratio, REAL, "GPU: current / baseline in cycles of the multiprocessors",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(cycles_low, REAL, "lower end of the 95 % interval of cycles_ratio", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(cycles_high, REAL, "upper end of the 95 % interval of cycles_ratio", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(clock_part, REAL,
             "GPU, memory-bound: factor of the ratio that the clocks may explain; the rest decides",
             KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(power_w, REAL, "GPU whose clock fell at the power limit: power of the candidate, W",
             KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(base_power_w, REAL, "power of the reference, W", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(energy_ratio, REAL,
             "current / baseline of the energy per call, if it confirms a time at the power limit",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(pace_exponent, REAL,
             "power of the clock probe's time that times follow; kgate corrects `current` by it",
             KG_OPTIONAL, KG_BETWEEN(0, 1)),
    KG_FIELD(pace_doubt, REAL,
             "share by which kgate raises the threshold because pace_exponent is uncertain",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(memory_doubt, REAL,
             "share by which kgate raises the threshold because memory bandwidth changed",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(
        wait_doubt, REAL,
        "share by which kgate raises the threshold because the candidate's rounds waited for a CPU",
        KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(step, REAL, "newer level of the stored runs over their older level", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(beyond, REAL, "current over the worse of both levels", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(better, ENUM, "better direction", KG_OPTIONAL, KG_NAMES(kg_better_names)),
    KG_FIELD(suspected, BOOL, "whether rounds show a change that no confirming round supports",
             KG_OPTIONAL),
    KG_FIELD(out_of_budget, BOOL,
             "whether the metric is undecided because --budget left no time for the next rounds",
             KG_OPTIONAL),
    KG_FIELD(change, ENUM, "kind of change", KG_NAMES(kg_change_names)),
    KG_FIELD(doubt, ENUM, "reason code of the change; `reason` explains it in a sentence",
             KG_OPTIONAL, KG_NAMES(doubt_names)),
    KG_FIELD(base_rounds, SIZE, "number of the reference's rounds that decided", KG_OPTIONAL),
    KG_FIELD(current_rounds, SIZE, "number of the candidate's rounds that decided", KG_OPTIONAL),
    KG_FIELD(least_rounds, SIZE, "number of rounds per side that a NO_CHANGE needs", KG_OPTIONAL),
    KG_FIELD(of_processes, BOOL, "whether the rounds are processes of a profile", KG_OPTIONAL),
    KG_FIELD(code_unchanged, BOOL, "time only: whether the machine code equals the reference's",
             KG_OPTIONAL),
    KG_FIELD(code, STRING, "time only: state of the machine code and its libraries", KG_OPTIONAL),
    KG_FIELD(environment, STRING,
             "differing variables of the environment, unless the code is known to have changed",
             KG_OPTIONAL),
    KG_FIELD(needed_p, REAL, "p_value that a change needs", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(mean_ratio, REAL, "ratio of the rounds' means", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(call_cpu_ratio, REAL, "ratio of the CPU times per call, on one core", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(instructions_ratio, REAL,
             "current / baseline of the instructions, if they confirm the time", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(tail, REAL,
             "slowest round over the reference's median, without the slowest tenth of the rounds; "
             "only if a part of the rounds became far slower",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(base_tail, REAL, "slowest round of the reference over its median", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(
        screened_ratio, REAL,
        "ratio of the first rounds, which made the metric suspect; later rounds did not confirm it",
        KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(screened_rounds, SIZE, "number of rounds in screened_ratio", KG_OPTIONAL),
    KG_LIST(history, history_count, REALS,
            "metrics except time: medians in the baseline's ordinary runs, oldest first",
            KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(cause, STRING, "detail that completes the reason code, quoted in `reason`",
             KG_OPTIONAL),
    KG_FIELD(reason, STRING, "reason of the change, one sentence", KG_OPTIONAL),
};
static const struct kg_record metric_record =
    KG_RECORD_OF(metric_fields, "One metric against one reference.");
#undef STRUCT

#define STRUCT kg_figure
static const struct kg_field figure_fields[] = {
    KG_FIELD(name, STRING, "name in the workload's report, or the metric's name"),
    KG_FIELD(unit, STRING, "unit of the value; absent: a plain number", KG_OPTIONAL),
    KG_FIELD(value, REAL, "median over the rounds", KG_FROM_0),
};
static const struct kg_record figure_record =
    KG_RECORD_OF(figure_fields, "A counter that the workload reports.");
#undef STRUCT

#define STRUCT kg_case_change
static const struct kg_field case_fields[] = {
    KG_FIELD(id, STRING, "id of the case", KG_NOT_EMPTY),
    KG_FIELD(workload, STRING, "name of the workload"),
    KG_FIELD(line, SIZE, "line of the suite that names the workload", KG_OPTIONAL, KG_UNKNOWN_IF_0),
    KG_FIELD(device, STRING, "device of the case"),
    KG_FIELD(change, ENUM, "kind of change", KG_NAMES(kg_change_names)),
    KG_FIELD(reason, STRING, "reason of the change, one sentence", KG_OPTIONAL),
    KG_FIELD(stderr_tail, STRING, "last lines that a failed case wrote to standard error",
             KG_OPTIONAL),
    KG_FIELD(fails, BOOL, "whether the policy fails on the change"),
    KG_FIELD(waived, ENUM, "reason why the change does not fail the gate", KG_OPTIONAL,
             KG_NAMES(kg_waiver_names)),
    KG_FIELD(waiver, STRING,
             "accepted change or quarantine of the case, with its reason; `waived` shows whether "
             "it applies",
             KG_OPTIONAL),
    KG_FIELD(instability, REAL, "median step from one stored run to the next, as a share",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(not_measured, BOOL,
             "whether the case is NO_CHANGE because its code equals the reference's", KG_OPTIONAL),
    KG_FIELD(
        missing, BOOL,
        "whether a stored case was not compared: SKIPPED, REMOVED, or a metric without a value",
        KG_OPTIONAL),
    KG_FIELD(unrecorded, BOOL,
             "whether `--update-missing` did not store the case because the case was not measured",
             KG_OPTIONAL),
    KG_FIELD(order, SIZE, "position of the case in the results; removed cases follow", KG_OPTIONAL),
    KG_FIELD(shard, SIZE, "`merge` only: number of the case's shard, from 1", KG_OPTIONAL,
             KG_UNKNOWN_IF_0),
    KG_FIELD(node, STRING, "`merge` only: name of the machine that measured the case", KG_OPTIONAL),
    KG_FIELD(rounds, SIZE, "number of measured rounds"),
    KG_FIELD(confirming_rounds, SIZE, "number of confirming rounds among `rounds`", KG_OPTIONAL),
    KG_FIELD(pairs, SIZE,
             "number of paired rounds against the baseline's build; `metrics` has their result",
             KG_OPTIONAL),
    KG_FIELD(time_ns, REAL, "median time per call, ns", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(baseline_time_ns, REAL, "REMOVED only: median time in the newest stored run, ns",
             KG_OPTIONAL, KG_FROM_0),
    KG_LIST(history, history_count, REALS,
            "medians of the time in the baseline's ordinary runs, oldest first, ns", KG_OPTIONAL,
            KG_FROM_0),
    KG_LIST(metrics, metric_count, RECORDS, "compared metrics, the deciding one first",
            KG_OF(metric_record)),
    KG_LIST(figures, figure_count, RECORDS,
            "counters that the workload reports, judged or not: medians over the rounds",
            KG_OPTIONAL, KG_OF(figure_record)),
};
static const struct kg_record case_record = KG_RECORD_OF(case_fields, "One case.");
#undef STRUCT

#define STRUCT kg_change_counts
static const struct kg_field counts_fields[] = {
#define KG_CHANGE(constant, count, later, ...)                                                     \
    KG_FIELD_AS(#count, of[KG_CHANGE_##constant], SIZE, "number of cases with " #constant,         \
                .optional = later),
#include "model/changes.def"
};
static const struct kg_record counts_record =
    KG_RECORD_OF(counts_fields, "Number of cases per kind of change.");
#undef STRUCT

#define STRUCT kg_overall
static const struct kg_field overall_fields[] = {
    KG_FIELD(workload, STRING, "name of the workload; absent: the suite", KG_OPTIONAL),
    KG_FIELD(of_program, BOOL,
             "profiles: whether the cases are outermost scopes, and the sums totals per process",
             KG_OPTIONAL),
    KG_FIELD(cases, SIZE, "number of cases"),
    KG_FIELD(counted, SIZE,
             "number of cases with a decided time; `geometric_ratio` and the two sums cover these "
             "cases"),
    KG_FIELD(geometric_ratio, REAL, "geometric mean of current / baseline", KG_OPTIONAL,
             KG_ABOVE_0),
    KG_FIELD(baseline_ns, REAL, "sum of one call of each case, ns", KG_FROM_0),
    KG_FIELD(current_ns, REAL, "sum of one call of each case, ns", KG_FROM_0),
    KG_FIELD(compared, SIZE, "number of cases with a compared time, decided or not", KG_OPTIONAL),
    KG_FIELD(compared_ratio, REAL, "geometric mean of current / baseline over the `compared` cases",
             KG_OPTIONAL, KG_ABOVE_0),
};
static const struct kg_record overall_record =
    KG_RECORD_OF(overall_fields, "Change of several cases together.");
#undef STRUCT

#define STRUCT kg_next_command
static const struct kg_field next_command_fields[] = {
    KG_FIELD(purpose, STRING, "reproduce, accept, quarantine or explain"),
    KG_FIELD(command, STRING, "command for a shell"),
};
static const struct kg_record next_command_record =
    KG_RECORD_OF(next_command_fields, "A command that a FAIL suggests.");
#undef STRUCT

#define STRUCT kg_node
static const struct kg_field node_fields[] = {
    KG_FIELD(name, STRING, "name of the machine"),
    KG_FIELD(host, STRING, "hash of the machine's id", KG_OPTIONAL),
    KG_FIELD(fingerprint, STRING, "name of the machine's kind", KG_OPTIONAL),
    KG_FIELD(epoch, STRING, "hash of kernel, microcode, driver, governor and clock limit",
             KG_OPTIONAL),
    KG_FIELD(shards, SIZE, "number of shards with results"),
    KG_FIELD(cases, SIZE, "number of cases with results"),
    KG_FIELD(missing, SIZE, "number of cases without results in its shards"),
    KG_FIELD(seconds, REAL, "duration of its shards, s", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(clock_shift, REAL,
             "share by which its clock probe takes longer than the median of its peers",
             KG_OPTIONAL),
    KG_FIELD(bandwidth_shift, REAL,
             "share by which its memory is slower than the median of its peers", KG_OPTIONAL),
    KG_FIELD(suspect, BOOL, "whether the machine is slower than its peers"),
    KG_FIELD(reason, STRING, "why it is suspect, or why results are missing", KG_OPTIONAL),
};
static const struct kg_record node_record = KG_RECORD_OF(node_fields, "A machine of a fleet.");
#undef STRUCT

#define STRUCT kg_comparison
static const struct kg_field comparison_fields[] = {
    KG_FIELD(created, STRING, "creation time, UTC", KG_PATTERN_TIME),
    KG_FIELD(kgate_version, STRING, "version of kgate"),
    KG_FIELD(suite, STRING, "name of the suite"),
    KG_FIELD(suite_path, STRING, "path of the suite as given", KG_OPTIONAL),
    KG_FIELD(commit, STRING, "commit of the candidate", KG_OPTIONAL),
    KG_FIELD(branch, STRING, "branch of the candidate", KG_OPTIONAL),
    KG_FIELD(base, STRING, "baseline of `ab OLD NEW`: OLD as given, with its --name", KG_OPTIONAL),
    KG_FIELD(head, STRING, "candidate of `ab OLD NEW`: NEW as given, with its --name", KG_OPTIONAL),
    KG_FIELD(verdict, ENUM, "verdict of the whole gate", KG_NAMES(kg_verdict_names)),
    KG_FIELD(exit_status, SIZE, "exit status of kgate", KG_WORDS("0", "1", "3", "4")),
    KG_FIELD(first_run, BOOL, "whether the gate recorded its baseline and compared nothing",
             KG_OPTIONAL),
    KG_LIST(verdict_reasons, verdict_reason_count, STRINGS,
            "reasons of the verdict; the first one set the exit status"),
    KG_FIELD(next, STRING, "next step after an UNDECIDED or a first run", KG_OPTIONAL),
    KG_LIST(next_commands, next_command_count, RECORDS,
            "commands for the worst case that fails the gate", KG_OPTIONAL,
            KG_OF(next_command_record)),
    KG_FIELD(trust, STRING,
             "branch and commit from which the suite, baselines and accepted changes were taken",
             KG_OPTIONAL),
    KG_LIST(edits, edit_count, STRINGS, "files among these that the change edited, used or not",
            KG_OPTIONAL),
    KG_FIELD(policy, RECORD, NULL, KG_OF(kg_results_policy_record)),
    KG_FIELD(complete, BOOL, "false: the run was interrupted"),
    KG_FIELD(baseline_created, STRING, "creation time of the newest ordinary run", KG_OPTIONAL),
    KG_FIELD(baseline_commit, STRING, "commit of the newest ordinary run", KG_OPTIONAL),
    KG_FIELD(baseline_branch, STRING, "branch of the newest ordinary run", KG_OPTIONAL),
    KG_FIELD(baseline_runs, SIZE, "number of ordinary runs in the comparison"),
    KG_FIELD(prior_cases, SIZE, "number of cases whose noise comes from the prior, too",
             KG_OPTIONAL, KG_UNKNOWN_IF_0),
    KG_FIELD(prior_runs, SIZE, "most runs behind the prior of one case", KG_OPTIONAL,
             KG_UNKNOWN_IF_0),
    KG_LIST(pins, pin_count, STRINGS, "pinned runs in the comparison"),
    KG_FIELD(machine, RECORD, NULL, KG_OF(kg_machine_record)),
    KG_LIST(nodes, node_count, RECORDS, "`merge` only: the machines of the fleet", KG_OPTIONAL,
            KG_OF(node_record)),
    KG_FIELD(unnamed, SIZE,
             "`merge` only: number of missing cases whose names are unknown and that `cases` lacks",
             KG_OPTIONAL, KG_UNKNOWN_IF_0),
    KG_LIST(notes, note_count, STRINGS, "notes that a reader must know"),
    KG_FIELD(counts, RECORD, NULL, KG_OF(counts_record)),
    KG_FIELD(not_measured, SIZE,
             "number of cases in counts.no_change whose code equals the reference's", KG_OPTIONAL),
    KG_LIST(overall, overall_count, RECORDS,
            "the suite, then each workload; empty if no time was compared", KG_OPTIONAL,
            KG_OF(overall_record)),
    KG_LIST(cases, case_count, RECORDS, "cases, worst first", KG_OF(case_record)),
};
const struct kg_record kg_comparison_record = KG_RECORD_OF(
    comparison_fields, "Changes between a baseline and results, and the decision of the gate.");
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
