#include <math.h>

#include "suggest/explanation.h"

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
    return !value || put(object, name, json_string(value));
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
