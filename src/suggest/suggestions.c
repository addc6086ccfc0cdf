#include <string.h>

#include "suggest/suggest.h"

#define FIELD(member, field_kind) KG_FIELD(struct RECORD, member, field_kind)
#define OPTIONAL(member, field_kind)                                                               \
    {                                                                                              \
        .name = #member, .kind = (field_kind), .optional = true,                                   \
        .offset = offsetof(struct RECORD, member)                                                  \
    }
#define NAMED(member, table)                                                                       \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_ENUM, .offset = offsetof(struct RECORD, member),         \
        .names = (table)                                                                           \
    }
#define LIST(member, count, field_kind, table)                                                     \
    {                                                                                              \
        .name = #member, .kind = (field_kind), .offset = offsetof(struct RECORD, member),          \
        .count_offset = offsetof(struct RECORD, count), .record = (table)                          \
    }

#define RECORD kg_evidence_figure
static const struct kg_field figure_fields[] = {
    FIELD(name, KG_FIELD_STRING),
    FIELD(unit, KG_FIELD_STRING),
    FIELD(value, KG_FIELD_REAL),
    FIELD(text, KG_FIELD_STRING),
};
static const struct kg_record figure_record = KG_RECORD_OF(struct RECORD, figure_fields);
#undef RECORD

#define RECORD kg_suggestion
static const struct kg_field suggestion_fields[] = {
    FIELD(operation, KG_FIELD_STRING),
    FIELD(kind, KG_FIELD_STRING),
    OPTIONAL(whole, KG_FIELD_STRING),
    OPTIONAL(device, KG_FIELD_STRING),
    FIELD(rule, KG_FIELD_STRING),
    NAMED(type, kg_suggestion_type_names),
    NAMED(priority, kg_priority_names),
    NAMED(basis, kg_basis_names),
    FIELD(description, KG_FIELD_STRING),
    FIELD(hint, KG_FIELD_STRING),
    LIST(evidence, evidence_count, KG_FIELD_RECORDS, &figure_record),
    FIELD(current_ns, KG_FIELD_REAL),
    OPTIONAL(estimated_ns, KG_FIELD_REAL),
    OPTIONAL(saved_ns, KG_FIELD_REAL),
    OPTIONAL(speedup, KG_FIELD_REAL),
    OPTIONAL(whole_ns, KG_FIELD_REAL),
    OPTIONAL(whole_speedup, KG_FIELD_REAL),
    OPTIONAL(current_bytes, KG_FIELD_REAL),
    OPTIONAL(estimated_bytes, KG_FIELD_REAL),
};
const struct kg_record kg_suggestion_record = KG_RECORD_OF(struct RECORD, suggestion_fields);
#undef RECORD

#define RECORD kg_bound_finding
static const struct kg_field finding_fields[] = {
    FIELD(operation, KG_FIELD_STRING),
    FIELD(kind, KG_FIELD_STRING),
    NAMED(bound, kg_bound_names),
    FIELD(time_ns, KG_FIELD_REAL),
    OPTIONAL(share, KG_FIELD_REAL),
    FIELD(text, KG_FIELD_STRING),
    OPTIONAL(missing, KG_FIELD_STRING),
    LIST(evidence, evidence_count, KG_FIELD_RECORDS, &figure_record),
};
const struct kg_record kg_bound_finding_record = KG_RECORD_OF(struct RECORD, finding_fields);
#undef RECORD

#define RECORD kg_evidence_change
static const struct kg_field change_fields[] = {
    FIELD(operation, KG_FIELD_STRING), FIELD(name, KG_FIELD_STRING),
    FIELD(unit, KG_FIELD_STRING),      OPTIONAL(base, KG_FIELD_REAL),
    OPTIONAL(current, KG_FIELD_REAL),  FIELD(text, KG_FIELD_STRING),
};
const struct kg_record kg_evidence_change_record = KG_RECORD_OF(struct RECORD, change_fields);
#undef RECORD

#define RECORD kg_suggestions
static const struct kg_field suggestions_fields[] = {
    FIELD(created, KG_FIELD_STRING),
    FIELD(kgate_version, KG_FIELD_STRING),
    OPTIONAL(suite, KG_FIELD_STRING),
    FIELD(source, KG_FIELD_STRING),
    OPTIONAL(base, KG_FIELD_STRING),
    OPTIONAL(fingerprint, KG_FIELD_STRING),
    {.name = "settings",
     .kind = KG_FIELD_RECORD,
     .offset = offsetof(struct kg_suggestions, settings),
     .record = &kg_suggest_settings_record},
    LIST(changes, change_count, KG_FIELD_RECORDS, &kg_evidence_change_record),
    LIST(findings, finding_count, KG_FIELD_RECORDS, &kg_bound_finding_record),
    LIST(suggestions, suggestion_count, KG_FIELD_RECORDS, &kg_suggestion_record),
    LIST(notes, note_count, KG_FIELD_STRINGS, NULL),
};
const struct kg_record kg_suggestions_record = KG_RECORD_OF(struct RECORD, suggestions_fields);
#undef RECORD

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

const struct kg_evidence_change *kg_suggestions_change(const struct kg_suggestions *suggestions,
                                                       const char *operation)
{
    for (size_t i = 0; i < suggestions->change_count; i++)
        if (!strcmp(suggestions->changes[i].operation, operation))
            return &suggestions->changes[i];
    return NULL;
}

const struct kg_bound_finding *kg_suggestions_finding(const struct kg_suggestions *suggestions,
                                                      const char *operation)
{
    for (size_t i = 0; i < suggestions->finding_count; i++)
        if (!strcmp(suggestions->findings[i].operation, operation))
            return &suggestions->findings[i];
    return NULL;
}

const struct kg_suggestion *kg_suggestions_first(const struct kg_suggestions *suggestions,
                                                 const char *whole)
{
    for (size_t i = 0; i < suggestions->suggestion_count; i++) {
        const struct kg_suggestion *suggestion = &suggestions->suggestions[i];
        if (!strcmp(suggestion->operation, whole) ||
            (suggestion->whole && !strcmp(suggestion->whole, whole)))
            return suggestion;
    }
    return NULL;
}
