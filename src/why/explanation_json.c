#include <math.h>

#include "base/json_string.h"
#include "why/explanation.h"

/* Rows describe what the functions below write: traits and facts have tables of their own. */
#define KNOWN                                                                                      \
    KG_MENTION(traits, FIGURES, "what is known of how it runs, by name (src/model/traits.h)"),     \
        KG_MENTION(facts, FIGURES, "what else is known, by name (src/why/evidence/facts.h)"),

#define STRUCT kg_facts
static const struct kg_field scope_fields[] = {
    KG_MENTION(operation, STRING, "path: \"case;outer;inner\""), KNOWN};
static const struct kg_record scope_record = KG_RECORD_OF(scope_fields, "A scope of the case.");
#undef STRUCT

#define STRUCT kg_relative_case
static const struct kg_field relative_fields[] = {
    KG_MENTION(id, STRING, "the case"),
    KG_MENTION(differs, STRING, "the parameter's name, or \"device\""),
    KG_MENTION(time_ns, REAL, "median", KG_ABOVE_0),
    KG_MENTION(ratio, REAL, "of its time to that of the explained case", KG_OPTIONAL, KG_ABOVE_0),
};
static const struct kg_record relative_record =
    KG_RECORD_OF(relative_fields, "A case that differs in one thing.");
#undef STRUCT

#define STRUCT kg_deeper
static const struct kg_field deeper_fields[] = {
    KG_MENTION(shows, STRING, "what it shows"),
    KG_MENTION(command, STRING, "for a shell"),
};
static const struct kg_record deeper_record =
    KG_RECORD_OF(deeper_fields, "A command that shows more.");
#undef STRUCT

#define STRUCT kg_explanation
static const struct kg_field explanation_fields[] = {
    KG_MENTION(suite, STRING, "its name"),
    KG_MENTION(case, RECORD, "as in results", KG_OF(kg_case_result_record)),
    KNOWN KG_MENTION(scopes, RECORDS, "of its profile, by time, most first", KG_OF(scope_record)),
    KG_MENTION(relatives, RECORDS, "cases that differ in one thing", KG_OF(relative_record)),
    KG_MENTION(advice, RECORD, "as in suggestions, of this case and its scopes alone",
               KG_OF(kg_suggestions_record)),
    KG_MENTION(commands, RECORDS, "that show more", KG_OF(deeper_record)),
};
const struct kg_record kg_explanation_record =
    KG_RECORD_OF(explanation_fields, "Everything about one case: `kgate explain --json`.");
#undef STRUCT

/* The value, or NULL where it could not be made in full. */
static json_t *made(json_t *json, bool good)
{
    if (good)
        return json;
    json_decref(json);
    return NULL;
}

static bool put(json_t *object, const char *name, json_t *value)
{
    return value && json_object_set_new(object, name, value) == 0;
}

static bool put_text(json_t *object, const char *name, const char *value)
{
    return !value || put(object, name, kg_json_string(value));
}

/* A number that is known. */
static bool put_number(json_t *object, const char *name, double value)
{
    return !isfinite(value) || put(object, name, json_real(value));
}

static json_t *traits_json(const struct kg_traits *traits)
{
    json_t *json = json_object();
    bool good = json != NULL;
    for (size_t i = 0; i < kg_trait_count && good; i++)
        good = put_number(json, kg_trait_table[i].name, kg_trait_get(traits, &kg_trait_table[i]));
    return made(json, good);
}

/* Those that are not traits. */
static json_t *facts_json(const struct kg_facts *facts)
{
    json_t *json = json_object();
    bool good = json != NULL;
    for (size_t i = 0; i < kg_fact_count && good; i++)
        good = put_number(json, kg_fact_table[i].name, kg_fact_get(facts, &kg_fact_table[i]));
    good = good && put_text(json, "other_device_id", facts->other_device_id) &&
           put_text(json, "faster_version_id", facts->faster_version_id) &&
           put_text(json, "sweep_parameter", facts->sweep_parameter);
    return made(json, good);
}

static json_t *scope_json(const void *item)
{
    const struct kg_facts *facts = item;
    json_t *json = json_object();
    const bool good = json && put_text(json, "operation", facts->operation) &&
                      put(json, "traits", traits_json(&facts->traits)) &&
                      put(json, "facts", facts_json(facts));
    return made(json, good);
}

static json_t *relative_json(const void *item)
{
    const struct kg_relative_case *relative = item;
    json_t *json = json_object();
    const bool good = json && put_text(json, "id", relative->id) &&
                      put_text(json, "differs", relative->differs) &&
                      put_number(json, "time_ns", relative->time_ns) &&
                      put_number(json, "ratio", relative->ratio);
    return made(json, good);
}

static json_t *deeper_json(const void *item)
{
    const struct kg_deeper *deeper = item;
    json_t *json = json_object();
    const bool good = json && put_text(json, "shows", deeper->shows) &&
                      put_text(json, "command", deeper->command);
    return made(json, good);
}

/* An array of what `one` makes of each. */
static json_t *array_json(const void *items, size_t count, size_t size,
                          json_t *(*one)(const void *item))
{
    json_t *json = json_array();
    bool good = json != NULL;
    for (size_t i = 0; i < count && good; i++)
        good = json_array_append_new(json, one((const char *)items + i * size)) == 0;
    return made(json, good);
}

json_t *kg_explanation_json(const struct kg_explanation *explanation)
{
    json_t *json = json_object();
    const bool good =
        json && put_text(json, "schema", KG_EXPLANATION_SCHEMA) &&
        put_text(json, "suite", explanation->results->suite) &&
        put(json, "case", kg_record_write(&kg_case_result_record, explanation->result)) &&
        put(json, "traits", traits_json(&explanation->facts.traits)) &&
        put(json, "facts", facts_json(&explanation->facts)) &&
        put(json, "scopes",
            array_json(explanation->scopes, explanation->scope_count, sizeof *explanation->scopes,
                       scope_json)) &&
        put(json, "relatives",
            array_json(explanation->relatives, explanation->relative_count,
                       sizeof *explanation->relatives, relative_json)) &&
        put(json, "advice", kg_record_write(&kg_suggestions_record, explanation->suggestions)) &&
        put(json, "commands",
            array_json(explanation->deeper, explanation->deeper_count, sizeof *explanation->deeper,
                       deeper_json));
    return made(json, good);
}
