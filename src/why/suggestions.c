#include <string.h>

#include "why/suggestions.h"

#define STRUCT kg_evidence_figure
static const struct kg_field figure_fields[] = {
    KG_FIELD(name, STRING, "the fact's"),
    KG_FIELD(unit, STRING, "what it is counted in",
             KG_WORDS("ns", "bytes", "bytes/s", "flops/s", "share", "", "level")),
    KG_FIELD(value, REAL, "in that unit"),
    KG_FIELD(text, STRING, "as a report shows it"),
};
static const struct kg_record figure_record = KG_RECORD_OF(figure_fields, "A fact and its figure.");
#undef STRUCT

#define STRUCT kg_suggestion
static const struct kg_field suggestion_fields[] = {
    KG_FIELD(operation, STRING, "id of the case, or path of the scope: \"case;outer;inner\""),
    KG_FIELD(kind, STRING, "what the operation is", KG_WORDS("case", "scope")),
    KG_FIELD(whole, STRING, "the case, or the outermost scope, that it belongs to", KG_OPTIONAL),
    KG_FIELD(device, STRING, "where it runs", KG_OPTIONAL, KG_WORDS("cpu", "cuda")),
    KG_FIELD(rule, STRING, "its name in docs/suggestions.md"),
    KG_FIELD(type, ENUM, "what kind of change it is", KG_NAMES(kg_suggestion_type_names)),
    KG_FIELD(priority, ENUM, "by what it saves", KG_NAMES(kg_priority_names)),
    KG_FIELD(basis, ENUM, "what the estimate stands on", KG_NAMES(kg_basis_names)),
    KG_FIELD(description, STRING, "what is wrong"),
    KG_FIELD(hint, STRING, "what to do"),
    KG_FIELD_AS("function", place.function, STRING, "where it is", KG_OPTIONAL),
    KG_FIELD_AS("file", place.file, STRING, "of its source", KG_OPTIONAL),
    KG_FIELD_AS("line", place.line, SIZE, "of that; absent where it is not known", KG_OPTIONAL,
                KG_UNKNOWN_IF_0),
    KG_FIELD_AS("module", place.module, STRING, "the file of machine code", KG_OPTIONAL),
    KG_FIELD(before, STRING, "a sketch of code as it is often found", KG_OPTIONAL),
    KG_FIELD(after, STRING, "and mended", KG_OPTIONAL),
    KG_LIST(evidence, evidence_count, RECORDS, "the figures it follows from", KG_OF(figure_record)),
    KG_FIELD(current_ns, REAL, "now; of a scope all its calls in one call of the whole",
             KG_ABOVE_0),
    KG_FIELD(share, REAL, "of that time, what its cause explains; absent where it is of none",
             KG_OPTIONAL, KG_BETWEEN(0, 1)),
    KG_FIELD(estimated_ns, REAL,
             "then; absent where it is about memory alone, or not known, as the next four",
             KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(saved_ns, REAL, "the difference", KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(speedup, REAL, "of the operation", KG_OPTIONAL, KG_ABOVE(1)),
    KG_FIELD(whole_ns, REAL, "of a scope what it is inside of; of a case one call of every case",
             KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(whole_speedup, REAL, "of that, by Amdahl's law", KG_OPTIONAL, KG_FROM(1)),
    KG_FIELD(current_bytes, REAL, "peak memory now; absent where it is not about memory",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(estimated_bytes, REAL, "then", KG_OPTIONAL, KG_FROM_0),
};
const struct kg_record kg_suggestion_record = KG_RECORD_OF(suggestion_fields, "What to try.");
#undef STRUCT

#define STRUCT kg_bound_finding
static const struct kg_field finding_fields[] = {
    KG_FIELD(operation, STRING, "id of the case, or the outermost scope"),
    KG_FIELD(kind, STRING, "what the operation is", KG_WORDS("case", "scope")),
    KG_FIELD(bound, ENUM, "what limits it", KG_NAMES(kg_bound_names)),
    KG_FIELD(time_ns, REAL, "of one call", KG_ABOVE_0),
    KG_FIELD(share, REAL, "of the time, or of the roof, that says so", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(text, STRING, "a sentence with the evidence"),
    KG_FIELD(unexplained, REAL, "share of the time that no cause explains", KG_OPTIONAL,
             KG_BETWEEN(0, 1)),
    KG_FIELD(missing, STRING, "of unknown: what would tell", KG_OPTIONAL),
    KG_LIST(evidence, evidence_count, RECORDS, "the figures it follows from", KG_OF(figure_record)),
};
const struct kg_record kg_bound_finding_record =
    KG_RECORD_OF(finding_fields, "What holds an operation back.");
#undef STRUCT

#define STRUCT kg_evidence_change
static const struct kg_field change_fields[] = {
    KG_FIELD(operation, STRING, "the case"),
    KG_FIELD(name, STRING,
             "name of the trait; `function`: time per call of a place in code; `compiler`: its "
             "options, assertions and checkers; `build`: libraries and size of code"),
    KG_FIELD(unit, STRING, "what it is counted in",
             KG_WORDS("ns", "bytes", "bytes/s", "flops/s", "share", "", "level")),
    KG_FIELD(base, REAL, "in the baseline", KG_OPTIONAL),
    KG_FIELD(current, REAL, "now", KG_OPTIONAL),
    KG_FIELD(explains, REAL, "part of the change that it explains", KG_OPTIONAL, KG_BETWEEN(0, 1)),
    KG_FIELD(place, RECORD, "function whose time changed", KG_OPTIONAL, KG_OF(kg_place_record)),
    KG_FIELD(caller, RECORD, "caller of that function", KG_OPTIONAL, KG_OF(kg_place_record)),
    KG_FIELD(callee, RECORD, "function of an installed library that it entered", KG_OPTIONAL,
             KG_OF(kg_place_record)),
    KG_FIELD(text, STRING, "a sentence with the figures"),
    KG_FIELD(diff, STRING, "file and line, then the lines of source that changed at the place",
             KG_OPTIONAL),
    KG_FIELD(commits, STRING, "newest commits that touched these lines, one per line", KG_OPTIONAL),
};
const struct kg_record kg_evidence_change_record =
    KG_RECORD_OF(change_fields, "Evidence that changed against the baseline.");
#undef STRUCT

#define STRUCT kg_suggestions
static const struct kg_field suggestions_fields[] = {
    KG_FIELD(created, STRING, "UTC; that of the comparison where they were made with one",
             KG_PATTERN_TIME),
    KG_FIELD(kgate_version, STRING, "of the program"),
    KG_FIELD(suite, STRING, "its name; absent for a profile", KG_OPTIONAL),
    KG_FIELD(source, STRING, "path of what was looked at, as given"),
    KG_FIELD(base, STRING,
             "path of the baseline's file, or of the base's results; absent without any",
             KG_OPTIONAL),
    KG_FIELD(fingerprint, STRING, "of the machine that measured; absent for a profile",
             KG_OPTIONAL),
    KG_FIELD(settings, RECORD, "The thresholds that held.", KG_OF(kg_suggest_settings_record)),
    KG_LIST(
        changes, change_count, RECORDS,
        "evidence that changed against the baseline, of cases that became slower, the worst first",
        KG_OF(kg_evidence_change_record)),
    KG_LIST(
        differences, difference_count, RECORDS,
        "time per call of each place in code, per case with samples of both sides and another time",
        KG_OPTIONAL, KG_OF(kg_difference_table_record)),
    KG_LIST(findings, finding_count, RECORDS, "what holds each operation back, the slowest first",
            KG_OF(kg_bound_finding_record)),
    KG_LIST(suggestions, suggestion_count, RECORDS,
            "by time saved, most first, of estimates that are \"at most\" half of it; what is "
            "about memory alone last",
            KG_OF(kg_suggestion_record)),
    KG_LIST(notes, note_count, STRINGS, "what could not be told, and why"),
};
const struct kg_record kg_suggestions_record =
    KG_RECORD_OF(suggestions_fields, "What holds each case back, and what to try.");
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
