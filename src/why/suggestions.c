#include <string.h>

#include "why/suggestions.h"

#define STRUCT kg_evidence_figure
static const struct kg_field figure_fields[] = {
    KG_FIELD(name, STRING, "name of the figure"),
    KG_FIELD(unit, STRING, "unit of the values",
             KG_WORDS("ns", "bytes", "bytes/s", "flops/s", "share", "", "level")),
    KG_FIELD(value, REAL, "value in this unit"),
    KG_FIELD(text, STRING, "text of the figure in a report"),
};
static const struct kg_record figure_record = KG_RECORD_OF(figure_fields, "A figure that supports "
                                                                          "a suggestion.");
#undef STRUCT

#define STRUCT kg_suggestion
static const struct kg_field suggestion_fields[] = {
    KG_FIELD(operation, STRING, "id of the case, or path of the scope: \"case;outer;inner\""),
    KG_FIELD(kind, STRING, "kind of the operation", KG_WORDS("case", "scope")),
    KG_FIELD(whole, STRING, "id of the case, or name of the outermost scope, around the operation",
             KG_OPTIONAL),
    KG_FIELD(device, STRING, "device of the operation", KG_OPTIONAL, KG_WORDS("cpu", "cuda")),
    KG_FIELD(rule, STRING, "name of the rule: `kgate suggest --rules`"),
    KG_FIELD(type, ENUM, "kind of the suggested change", KG_NAMES(kg_suggestion_type_names)),
    KG_FIELD(priority, ENUM, "priority by the saving", KG_NAMES(kg_priority_names)),
    KG_FIELD(basis, ENUM, "support of the estimate", KG_NAMES(kg_basis_names)),
    KG_FIELD(description, STRING, "description of the problem"),
    KG_FIELD(hint, STRING, "description of the fix"),
    KG_FIELD_AS("function", place.function, STRING, "function of the problem", KG_OPTIONAL),
    KG_FIELD_AS("file", place.file, STRING, "source file of the function", KG_OPTIONAL),
    KG_FIELD_AS("line", place.line, SIZE, "line in the source file; absent if unknown", KG_OPTIONAL,
                KG_UNKNOWN_IF_0),
    KG_FIELD_AS("module", place.module, STRING, "file with the machine code", KG_OPTIONAL),
    KG_FIELD(before, STRING, "sketch of typical slow code", KG_OPTIONAL),
    KG_FIELD(after, STRING, "sketch of the fixed code", KG_OPTIONAL),
    KG_LIST(evidence, evidence_count, RECORDS, "figures that support it", KG_OF(figure_record)),
    KG_FIELD(current_ns, REAL,
             "current time per call; of a scope: all its calls in one call of "
             "the whole",
             KG_ABOVE_0),
    KG_FIELD(share, REAL, "share of that time that the cause explains; absent without a cause",
             KG_OPTIONAL, KG_BETWEEN(0, 1)),
    KG_FIELD(estimated_ns, REAL,
             "estimated time after the change; this and the next four fields are absent if "
             "unknown, or if only memory changes",
             KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(saved_ns, REAL, "current time minus estimated time", KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(speedup, REAL, "speedup of the operation", KG_OPTIONAL, KG_ABOVE(1)),
    KG_FIELD(whole_ns, REAL, "time per call of the whole; of a case: one call of every case",
             KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(whole_speedup, REAL, "speedup of the whole, by Amdahl's law", KG_OPTIONAL, KG_FROM(1)),
    KG_FIELD(current_bytes, REAL,
             "current peak memory; absent if the suggestion is not about "
             "memory",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(estimated_bytes, REAL, "estimated peak memory after the change", KG_OPTIONAL,
             KG_FROM_0),
};
const struct kg_record kg_suggestion_record = KG_RECORD_OF(suggestion_fields, "A proposed change "
                                                                              "and its estimated "
                                                                              "gain.");
#undef STRUCT

#define STRUCT kg_bound_finding
static const struct kg_field finding_fields[] = {
    KG_FIELD(operation, STRING, "id of the case, or the outermost scope"),
    KG_FIELD(kind, STRING, "kind of the operation", KG_WORDS("case", "scope")),
    KG_FIELD(bound, ENUM, "bottleneck", KG_NAMES(kg_bound_names)),
    KG_FIELD(time_ns, REAL, "time of a call", KG_ABOVE_0),
    KG_FIELD(share, REAL, "share of the time, or of the peak, that shows the bottleneck",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(text, STRING, "sentence with the evidence"),
    KG_FIELD(unexplained, REAL, "share of the time that no cause explains", KG_OPTIONAL,
             KG_BETWEEN(0, 1)),
    KG_FIELD(missing, STRING, "next measurement, if the bottleneck is unknown", KG_OPTIONAL),
    KG_LIST(evidence, evidence_count, RECORDS, "figures that support it", KG_OF(figure_record)),
};
const struct kg_record kg_bound_finding_record =
    KG_RECORD_OF(finding_fields, "The bottleneck of an operation.");
#undef STRUCT

#define STRUCT kg_evidence_change
static const struct kg_field change_fields[] = {
    KG_FIELD(operation, STRING, "id of the case"),
    KG_FIELD(name, STRING,
             "name of the trait; `function`: time per call of a place in code; `compiler`: its "
             "options, assertions and checkers; `build`: libraries and size of code"),
    KG_FIELD(unit, STRING, "unit of the values",
             KG_WORDS("ns", "bytes", "bytes/s", "flops/s", "share", "", "level")),
    KG_FIELD(base, REAL, "value in the baseline", KG_OPTIONAL),
    KG_FIELD(current, REAL, "value in the candidate", KG_OPTIONAL),
    KG_FIELD(explains, REAL, "share of the change that it explains", KG_OPTIONAL, KG_BETWEEN(0, 1)),
    KG_FIELD(place, RECORD, "function whose time changed", KG_OPTIONAL, KG_OF(kg_place_record)),
    KG_FIELD(caller, RECORD, "caller of that function", KG_OPTIONAL, KG_OF(kg_place_record)),
    KG_FIELD(header, RECORD, "function of a system header that it calls", KG_OPTIONAL,
             KG_OF(kg_place_record)),
    KG_FIELD(callee, RECORD, "function of an installed library that it entered", KG_OPTIONAL,
             KG_OF(kg_place_record)),
    KG_FIELD(text, STRING, "sentence with the figures"),
    KG_FIELD(hint, STRING, "first thing to try", KG_OPTIONAL),
    KG_FIELD(diff, STRING, "file and line, then the lines of source that changed at the place",
             KG_OPTIONAL),
    KG_FIELD(commits, STRING, "newest commits that touched these lines, one per line", KG_OPTIONAL),
};
const struct kg_record kg_evidence_change_record =
    KG_RECORD_OF(change_fields, "Evidence that changed against the baseline.");
#undef STRUCT

#define STRUCT kg_suggestions
static const struct kg_field suggestions_fields[] = {
    KG_FIELD(created, STRING, "time of creation in UTC; if made with a comparison, its time",
             KG_PATTERN_TIME),
    KG_FIELD(kgate_version, STRING, "version of kgate"),
    KG_FIELD(suite, STRING, "name of the suite; absent for a profile", KG_OPTIONAL),
    KG_FIELD(source, STRING, "path of the results or the profile, as given"),
    KG_FIELD(base, STRING,
             "path of the baseline's file, or of the baseline build's results; absent without any",
             KG_OPTIONAL),
    KG_FIELD(fingerprint, STRING, "fingerprint of the machine that measured; absent for a profile",
             KG_OPTIONAL),
    KG_FIELD(settings, RECORD, "The thresholds in use.", KG_OF(kg_suggest_settings_record)),
    KG_LIST(changes, change_count, RECORDS,
            "evidence that changed against the baseline, of slower cases; the worst first",
            KG_OF(kg_evidence_change_record)),
    KG_LIST(
        differences, difference_count, RECORDS,
        "time per call of each place in code, per case with samples of both sides and another time",
        KG_OPTIONAL, KG_OF(kg_difference_table_record)),
    KG_LIST(findings, finding_count, RECORDS, "bottleneck of each operation, the slowest first",
            KG_OF(kg_bound_finding_record)),
    KG_LIST(suggestions, suggestion_count, RECORDS,
            "proposed changes by saved time, the largest first; half of it counts if the basis is "
            "\"at most\"; those about memory alone come last",
            KG_OF(kg_suggestion_record)),
    KG_LIST(notes, note_count, STRINGS, "missing information, with the reason"),
};
const struct kg_record kg_suggestions_record =
    KG_RECORD_OF(suggestions_fields, "The bottleneck of each case, and proposed changes.");
#undef STRUCT

bool kg_evidence_is_place(const struct kg_evidence_change *change)
{
    return !strcmp(change->name, "function") || !strcmp(change->name, "compiler");
}

const struct kg_difference_table *
kg_suggestions_difference(const struct kg_suggestions *suggestions, const char *operation)
{
    for (size_t i = 0; i < suggestions->difference_count; i++)
        if (!strcmp(suggestions->differences[i].operation, operation))
            return &suggestions->differences[i];
    return NULL;
}

bool kg_suggestions_write(const struct kg_suggestions *suggestions, const char *path,
                          struct kg_error *err)
{
    return kg_record_save(&kg_suggestions_record, suggestions, KG_SUGGESTIONS_SCHEMA, path, err);
}

bool kg_suggestions_load(const char *path, struct kg_suggestions *suggestions, struct kg_error *err)
{
    *suggestions = (struct kg_suggestions){0};
    if (kg_record_load(&kg_suggestions_record, KG_SUGGESTIONS_SCHEMA, path, &suggestions->arena,
                       suggestions, err))
        return true;
    kg_suggestions_free(suggestions);
    return false;
}

void kg_suggestions_free(struct kg_suggestions *suggestions)
{
    kg_arena_free(&suggestions->arena);
    *suggestions = (struct kg_suggestions){0};
}

size_t kg_suggestions_count(const struct kg_suggestions *suggestions, enum kg_priority least)
{
    size_t count = 0;
    for (size_t i = 0; i < suggestions->suggestion_count; i++)
        count += suggestions->suggestions[i].priority <= least;
    return count;
}

const struct kg_suggestions *kg_suggestions_made(const struct kg_suggestions *suggestions)
{
    return suggestions->created ? suggestions : NULL;
}
