#include <math.h>

#include "base/json_print.h"
#include "why/explanation.h"

/* Rows describe the output of the functions below. Traits and facts have tables of their own. */
#define KNOWN                                                                                      \
    KG_MENTION(traits, FIGURES, "figures of how it runs, by name (src/model/traits.h)"),           \
        KG_MENTION(facts, FIGURES, "other figures, by name (src/why/evidence/facts.h)"),

#define STRUCT kg_facts
static const struct kg_field scope_fields[] = {
    KG_MENTION(operation, STRING, "path of the scope: \"case;outer;inner\""), KNOWN};
static const struct kg_record scope_record = KG_RECORD_OF(scope_fields, "A scope of the case.");
#undef STRUCT

#define STRUCT kg_relative_case
static const struct kg_field relative_fields[] = {
    KG_MENTION(id, STRING, "id of the case"),
    KG_MENTION(differs, STRING, "name of the parameter that differs, or \"device\""),
    KG_MENTION(time_ns, REAL, "median time of a call", KG_ABOVE_0),
    KG_MENTION(ratio, REAL, "time relative to the explained case", KG_OPTIONAL, KG_ABOVE_0),
};
static const struct kg_record relative_record =
    KG_RECORD_OF(relative_fields, "A case that differs in one thing.");
#undef STRUCT

#define STRUCT kg_deeper
static const struct kg_field deeper_fields[] = {
    KG_MENTION(shows, STRING, "result of the command"),
    KG_MENTION(command, STRING, "command for a shell"),
};
static const struct kg_record deeper_record =
    KG_RECORD_OF(deeper_fields, "A command that shows more.");
#undef STRUCT

#define STRUCT kg_explanation
static const struct kg_field explanation_fields[] = {
    KG_MENTION(suite, STRING, "name of the suite"),
    KG_MENTION(case, RECORD, "the case, as in results", KG_OF(kg_case_result_record)),
    KNOWN KG_MENTION(scopes, RECORDS, "scopes of its profile, by time, the longest first",
                     KG_OF(scope_record)),
    KG_MENTION(relatives, RECORDS, "cases that differ in one thing", KG_OF(relative_record)),
    KG_MENTION(advice, RECORD, "suggestions for this case and its scopes, as in a suggestions file",
               KG_OF(kg_suggestions_record)),
    KG_MENTION(commands, RECORDS, "commands that show more", KG_OF(deeper_record)),
};
const struct kg_record kg_explanation_record =
    KG_RECORD_OF(explanation_fields, "Everything about one case: `kgate explain --json`.");
#undef STRUCT

static void text_put(struct kg_json_writer *writer, const char *name, const char *value)
{
    if (value)
        kg_json_put_string(writer, name, value);
}

/* Writes a number if it is known. */
static void number_put(struct kg_json_writer *writer, const char *name, double value)
{
    if (isfinite(value))
        kg_json_put_real(writer, name, value);
}

static void record_put(struct kg_json_writer *writer, const char *name,
                       const struct kg_record *record, const void *object)
{
    kg_json_put(writer, name);
    kg_record_lines(record, object, writer->depth, writer->text);
}

/* Writes the traits, and the facts that are not traits. */
static void known_put(struct kg_json_writer *writer, const struct kg_facts *facts)
{
    kg_json_begin(writer, "traits", "{");
    for (size_t i = 0; i < kg_trait_count; i++)
        number_put(writer, kg_trait_table[i].name,
                   kg_trait_get(&facts->traits, &kg_trait_table[i]));
    kg_json_finish(writer, "}");
    kg_json_begin(writer, "facts", "{");
    for (size_t i = 0; i < kg_fact_count; i++)
        number_put(writer, kg_fact_table[i].name, kg_fact_get(facts, &kg_fact_table[i]));
    text_put(writer, "other_device_id", facts->other_device_id);
    text_put(writer, "faster_version_id", facts->faster_version_id);
    text_put(writer, "sweep_parameter", facts->sweep_parameter);
    kg_json_finish(writer, "}");
}

static void scopes_put(struct kg_json_writer *writer, const struct kg_explanation *explanation)
{
    kg_json_begin(writer, "scopes", "[");
    for (size_t i = 0; i < explanation->scope_count; i++) {
        kg_json_begin(writer, NULL, "{");
        text_put(writer, "operation", explanation->scopes[i].operation);
        known_put(writer, &explanation->scopes[i]);
        kg_json_finish(writer, "}");
    }
    kg_json_finish(writer, "]");
}

static void relatives_put(struct kg_json_writer *writer, const struct kg_explanation *explanation)
{
    kg_json_begin(writer, "relatives", "[");
    for (size_t i = 0; i < explanation->relative_count; i++) {
        const struct kg_relative_case *relative = &explanation->relatives[i];
        kg_json_begin(writer, NULL, "{");
        text_put(writer, "id", relative->id);
        text_put(writer, "differs", relative->differs);
        number_put(writer, "time_ns", relative->time_ns);
        number_put(writer, "ratio", relative->ratio);
        kg_json_finish(writer, "}");
    }
    kg_json_finish(writer, "]");
}

static void commands_put(struct kg_json_writer *writer, const struct kg_explanation *explanation)
{
    kg_json_begin(writer, "commands", "[");
    for (size_t i = 0; i < explanation->deeper_count; i++) {
        kg_json_begin(writer, NULL, "{");
        text_put(writer, "shows", explanation->deeper[i].shows);
        text_put(writer, "command", explanation->deeper[i].command);
        kg_json_finish(writer, "}");
    }
    kg_json_finish(writer, "]");
}

void kg_explanation_json(const struct kg_explanation *explanation, struct kg_text *text)
{
    struct kg_json_writer writer = {.text = text};
    kg_json_begin(&writer, NULL, "{");
    kg_json_put_string(&writer, "schema", KG_EXPLANATION_SCHEMA);
    text_put(&writer, "suite", explanation->results->suite);
    record_put(&writer, "case", &kg_case_result_record, explanation->result);
    known_put(&writer, &explanation->facts);
    scopes_put(&writer, explanation);
    relatives_put(&writer, explanation);
    record_put(&writer, "advice", &kg_suggestions_record, explanation->suggestions);
    commands_put(&writer, explanation);
    kg_json_finish(&writer, "}");
    kg_text_append(text, "\n");
}
