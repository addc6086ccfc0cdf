/* history_record.c: the JSON fields of a history's rows. */
#include "judge/history/history_audit.h"

const char *const kg_history_kind_names[KG_HISTORY_KINDS + 1] = {
    "commit", "nightly", "control", "release", "pull-request", "bisect", NULL};
const char *const kg_change_kind_names[3] = {"step", "creep", NULL};
const char *const kg_history_cause_names[7] = {"code",       "machine", "environment", "control",
                                               "definition", "unknown", NULL};
const char *const kg_history_state_names[7] = {"suspected", "confirmed", "refuted", "accepted",
                                               "fixed",     "gone",      NULL};
static const char *const content_names[KG_HISTORY_CONTENTS + 1] = {"runs", "series", "changes",
                                                                   "audits", NULL};
static const char *const flag_names[KG_HISTORY_FLAGS + 1] = {"incomplete", "noted", "throttled",
                                                             NULL};

#define STRUCT kg_history_run
static const struct kg_field run_fields[] = {
    KG_FIELD(hash, STRING, "SHA-256 of the results file", KG_PATTERN_SHA256),
    KG_FIELD(suite, STRING, "name of the suite"),
    KG_FIELD(kind, ENUM, "purpose of the run", KG_NAMES(kg_history_kind_names)),
    KG_FIELD(started, STRING, "creation time of the results, UTC", KG_PATTERN_TIME),
    KG_FIELD(commit, STRING,
             "commit of the measured checkout: its full hash if a repository knew the commit",
             KG_OPTIONAL),
    KG_FIELD(parent, STRING, "first parent of the commit", KG_OPTIONAL),
    KG_FIELD(branch, STRING, "branch of the measured checkout", KG_OPTIONAL),
    KG_FIELD(depth, REAL, "number of first parents from the commit to the root", KG_OPTIONAL,
             KG_WHOLE),
    KG_FIELD(dirty, BOOL, "whether tracked files differed from the commit"),
    KG_FIELD(complete, BOOL, "false: the run was interrupted"),
    KG_FIELD(machine, STRING, "fingerprint of the machine"),
    KG_FIELD(host, STRING, "digits for this one machine", KG_OPTIONAL),
    KG_FIELD(epoch, STRING, "digits for kernel, microcode, driver and clock limit", KG_OPTIONAL),
    KG_FIELD(boot, STRING, "digits for the time since the machine's start", KG_OPTIONAL),
    KG_FIELD(gpus, STRING, "UUIDs of the GPUs, separated by spaces", KG_OPTIONAL),
    KG_FIELD(kgate_version, STRING, "version of kgate", KG_OPTIONAL),
    KG_FIELD(file, STRING, "path of the results when kgate read them", KG_OPTIONAL),
    KG_FIELD(points, SIZE, "number of points of the run"),
};
static const struct kg_record run_record =
    KG_RECORD_OF(run_fields, "One run of a suite on a machine.");
#undef STRUCT

#define STRUCT kg_history_point
static const struct kg_field point_fields[] = {
    KG_FIELD(run, SIZE, "index of the run in `runs`"),
    KG_FIELD(value, REAL, "trimmed mean over the judged rounds, in `unit`"),
    KG_FIELD(error, REAL, "standard error of `value`; null: one round", KG_NULLABLE),
    KG_FIELD(deviation, REAL, "standard deviation between rounds; null: one round", KG_NULLABLE),
    KG_FIELD(rounds, SIZE, "number of judged rounds"),
    KG_FIELD(flags, BITS, "remarks on the point", KG_NAMES(flag_names)),
    KG_FIELD(code, STRING, "digits for the code of the case", KG_OPTIONAL, KG_PATTERN_HASH),
};
static const struct kg_record point_record =
    KG_RECORD_OF(point_fields, "The value of a metric in one run.");
#undef STRUCT

#define STRUCT kg_trend_mark
static const struct kg_field mark_fields[] = {
    KG_FIELD(change, SIZE, "index of the change in `changes`"),
    KG_FIELD(before, SIZE, "index of the last point before the change"),
    KG_FIELD(after, SIZE, "index of the first point that has the change for sure"),
    KG_FIELD(at, SIZE, "index of the first point after the change, by the least squares"),
};
static const struct kg_record mark_record =
    KG_RECORD_OF(mark_fields, "The place of a change among the points of its series.");
#undef STRUCT

#define STRUCT kg_trend_level
static const struct kg_field level_fields[] = {
    KG_FIELD(first, SIZE, "index of the first point; the level ends before the next one"),
    KG_FIELD(value, REAL, "median of the points, in `unit`"),
};
static const struct kg_record level_record =
    KG_RECORD_OF(level_fields, "A level of a series between two steps.");
#undef STRUCT

#define STRUCT kg_history_series
static const struct kg_field series_fields[] = {
    KG_FIELD(suite, STRING, "name of the suite"),
    KG_FIELD_AS("case", id_of_case, STRING, "id of the case"),
    KG_FIELD_AS("definition_hash", definition, STRING, "hash of the case's definition", KG_OPTIONAL,
                KG_PATTERN_HASH),
    KG_FIELD(metric, STRING, "name of the metric"),
    KG_FIELD(source, STRING, "tool that counted; kgate does not compare values of two tools"),
    KG_FIELD(unit, STRING, "unit of the values: ns, bytes or J; absent for a number", KG_OPTIONAL),
    KG_FIELD(machine, STRING, "fingerprint of the machine"),
    KG_FIELD(host, STRING, "digits for this one machine", KG_OPTIONAL),
    KG_FIELD(control, BOOL, "whether a kept build was measured, as the control of the machine"),
    KG_LIST(points, point_count, RECORDS,
            "values by the depth of the commits if all depths are known, otherwise by time",
            KG_OF(point_record)),
    KG_LIST(marks, mark_count, RECORDS, "changes of the series, oldest first", KG_OPTIONAL,
            KG_OF(mark_record)),
    KG_LIST(levels, level_count, RECORDS, "levels between the steps, oldest first", KG_OPTIONAL,
            KG_OF(level_record)),
};
static const struct kg_record series_record =
    KG_RECORD_OF(series_fields, "The values of one metric of a case on one machine.");
#undef STRUCT

#define STRUCT kg_history_change
static const struct kg_field change_fields[] = {
    KG_FIELD(suite, STRING, "name of the suite"),
    KG_FIELD_AS("case", id_of_case, STRING, "id of the case"),
    KG_FIELD(metric, STRING, "name of the metric"),
    KG_FIELD(machine, STRING, "fingerprint of the machine"),
    KG_FIELD(host, STRING, "digits for this one machine", KG_OPTIONAL),
    KG_FIELD(kind, STRING, "step: from one run to the next; creep: a slow drift",
             KG_NAMES(kg_change_kind_names)),
    KG_FIELD(before, STRING, "hash of the last run before the change", KG_OPTIONAL),
    KG_FIELD(after, STRING, "hash of the first run after the change", KG_OPTIONAL),
    KG_FIELD(commit_before, STRING, "commit of the run before", KG_OPTIONAL),
    KG_FIELD(commit_after, STRING, "commit of the run after", KG_OPTIONAL),
    KG_FIELD(found, STRING, "time of the run that showed the change", KG_OPTIONAL),
    KG_FIELD(ratio, REAL, "level after the change over the level before"),
    KG_FIELD(low, REAL, "lower end of the 95 % interval of `ratio`", KG_OPTIONAL),
    KG_FIELD(high, REAL, "upper end of the 95 % interval of `ratio`", KG_OPTIONAL),
    KG_FIELD(cause, STRING, "cause of the change", KG_NAMES(kg_history_cause_names)),
    KG_FIELD(state, STRING, "state of the change", KG_NAMES(kg_history_state_names)),
    KG_FIELD(proof, STRING, "comparison of the two builds that decided the state", KG_OPTIONAL),
    KG_FIELD(culprit, STRING, "commit that made the change", KG_OPTIONAL),
    KG_FIELD(seconds, REAL, "seconds of paired rounds for this change, in all attempts",
             KG_OPTIONAL),
};
static const struct kg_record change_record =
    KG_RECORD_OF(change_fields, "A step or a creep of a series, and its cause.");
#undef STRUCT

#define STRUCT kg_history_node
static const struct kg_field node_fields[] = {
    KG_FIELD(suite, STRING, "name of the suite"),
    KG_FIELD(machine, STRING, "fingerprint of the machine"),
    KG_FIELD(host, STRING, "digits for this one machine", KG_OPTIONAL),
    KG_FIELD(run, STRING, "hash of the run"),
    KG_FIELD(started, STRING, "time of the run"),
    KG_FIELD(commit, STRING, "commit of the run", KG_OPTIONAL),
    KG_FIELD(ratio, REAL, "time over its median of ten runs before; median over the cases"),
    KG_FIELD(excess, REAL, "`ratio` over the median `ratio` of the other hosts"),
    KG_FIELD(deviation, REAL,
             "robust standard deviation of the logarithm of `excess` in the nights before"),
};
static const struct kg_record node_record =
    KG_RECORD_OF(node_fields, "A host that differed from its class in one night.");
#undef STRUCT

#define STRUCT kg_audited_case
static const struct kg_field audited_fields[] = {
    KG_FIELD_AS("case", id_of_case, STRING, "id of the case"),
    KG_FIELD(metric, STRING, "name of the metric"),
    KG_FIELD(runs, SIZE, "number of runs"),
    KG_FIELD(between, REAL, "standard deviation between runs at one level, of the log value",
             KG_OPTIONAL),
    KG_FIELD(within, REAL, "standard deviation between the rounds of a run, of the log value",
             KG_OPTIONAL),
    KG_FIELD(visible, REAL,
             "smallest change that a gate with `rounds` rounds against `rounds` detects in nine of "
             "ten trials, as a share",
             KG_OPTIONAL),
};
static const struct kg_record audited_record =
    KG_RECORD_OF(audited_fields, "The noise of one series.");
#undef STRUCT

#define STRUCT kg_history_audit
static const struct kg_field audit_fields[] = {
    KG_FIELD(suite, STRING, "name of the suite"),
    KG_FIELD(machine, STRING, "fingerprint of the machine"),
    KG_FIELD(host, STRING, "digits for this one machine", KG_OPTIONAL),
    KG_FIELD(series, SIZE, "number of series"),
    KG_FIELD(same, SIZE, "number of tests at unchanged code, control runs included"),
    KG_FIELD(alarms, SIZE, "number of steps found at unchanged code"),
    KG_FIELD(blamed, SIZE, "number of these steps with cause `code` or `unknown`, not refuted"),
    KG_FIELD(nominal, REAL, "share of tests with an alarm that the detector allows"),
    KG_FIELD(low, REAL, "lower end of the 95 % interval of `alarms` / `same`", KG_OPTIONAL),
    KG_FIELD(high, REAL, "upper end of the 95 % interval of `alarms` / `same`", KG_OPTIONAL),
    KG_FIELD(regressions, SIZE,
             "number of upward steps with cause `code` or `unknown`; steps of many cases in one "
             "range count once"),
    KG_FIELD(improvements, SIZE, "number of downward steps, likewise"),
    KG_FIELD(sign_p, REAL, "two-sided p of the sign test of the two numbers", KG_OPTIONAL),
    KG_FIELD(confirmed, SIZE, "number of changes that paired rounds confirmed"),
    KG_FIELD(refuted, SIZE, "number of changes that paired rounds refuted"),
    KG_FIELD(undecided, SIZE, "number of changes that paired rounds left undecided"),
    KG_FIELD(seconds, REAL, "seconds of paired rounds for these changes"),
    KG_FIELD(alpha, REAL, "share of false alarms that the suite allows"),
    KG_FIELD(rounds, SIZE, "number of rounds per side, for `visible`"),
    KG_LIST(cases, case_count, RECORDS, "series, the largest `visible` first",
            KG_OF(audited_record)),
};
const struct kg_record kg_history_audit_record =
    KG_RECORD_OF(audit_fields, "How reliable the alarms of one suite on one machine are.");
#undef STRUCT

#define STRUCT kg_history
static const struct kg_field history_fields[] = {
    KG_FIELD(database, STRING, "path or URL of the history, without a password"),
    KG_FIELD(content, ENUM, "rows that a report prints", KG_NAMES(content_names)),
    KG_FIELD(here, STRING, "commit of the user's checkout", KG_OPTIONAL),
    KG_LIST(runs, run_count, RECORDS, "runs, oldest first", KG_OPTIONAL, KG_OF(run_record)),
    KG_LIST(series, series_count, RECORDS, "series of the chosen cases", KG_OPTIONAL,
            KG_OF(series_record)),
    KG_LIST(changes, change_count, RECORDS, "changes, newest first", KG_OPTIONAL,
            KG_OF(change_record)),
    KG_LIST(nodes, node_count, RECORDS, "suspect nodes, newest first", KG_OPTIONAL,
            KG_OF(node_record)),
    KG_LIST(audits, audit_count, RECORDS, "audits, one per suite and machine", KG_OPTIONAL,
            KG_OF(kg_history_audit_record)),
};
const struct kg_record kg_history_record =
    KG_RECORD_OF(history_fields, "Rows of a history, as `kgate history` prints them.");
#undef STRUCT

void kg_history_free(struct kg_history *history)
{
    kg_arena_free(&history->arena);
    *history = (struct kg_history){0};
}

/* Whether the file's indices lie in their lists. */
static bool series_valid(const struct kg_history *history, const struct kg_history_series *series)
{
    const size_t points = series->point_count;
    bool good = points > 0;
    for (size_t i = 0; i < points; i++)
        good = good && series->points[i].run < history->run_count;
    for (size_t i = 0; i < series->mark_count; i++) {
        const struct kg_trend_mark *mark = &series->marks[i];
        good = good && mark->change < history->change_count && mark->before <= mark->after &&
               mark->after < points && mark->at < points;
    }
    for (size_t i = 0; i < series->level_count; i++)
        good = good && series->levels[i].first < points;
    return good;
}

bool kg_history_load(const char *path, struct kg_history *history, struct kg_error *err)
{
    if (!kg_record_load(&kg_history_record, KG_HISTORY_SCHEMA, path, &history->arena, history, err))
        return false;
    for (size_t i = 0; i < history->series_count; i++)
        if (!series_valid(history, &history->series[i]))
            return kg_error_set(err, KG_ERROR_USAGE,
                                "%.300s: series[%zu] is empty, or names a run, a change or a point "
                                "that the file lacks",
                                path, i);
    return true;
}
