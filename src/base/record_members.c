#include "base/record_text.h"

bool kg_record_member_seen(const struct kg_record_members *members, size_t field)
{
    return members->seen[field / 64] >> field % 64 & 1;
}

/* Marks field `at` of the record as seen; false where it was before. */
static bool field_take(struct kg_record_members *members, size_t at, const struct kg_field **field)
{
    const bool twice = kg_record_member_seen(members, at);
    members->seen[at / 64] |= (uint64_t)1 << at % 64;
    members->next = at + 1;
    *field = &members->record->fields[at];
    return !twice;
}

/* The field of a name; *field is NULL where there is none. false where the same name was there before. */
static bool member_find(struct kg_json_text *text, struct kg_record_members *members,
                        const struct kg_json_string *name, const struct kg_field **field)
{
    const struct kg_record *record = members->record;
    for (size_t i = 0; i < record->field_count; i++)
        if (kg_json_string_is(name, record->fields[i].name))
            return field_take(members, i, field);
    *field = NULL;
    /* copied: of the text nothing stays while a list of objects is read */
    const struct kg_json_string kept = {
        kg_shared_copy(&text->shared, text->arena, name->bytes, name->length), name->length};
    return kept.bytes && kg_json_names_add(text, &members->others, &kept);
}

/* Takes the name of a later field than those before, as they come in what kgate wrote: compared where it is,
 * it needs not be read as a string first. The field's place in the record, or how many it has. */
static size_t field_expected(struct kg_json_text *text, const struct kg_record_members *members,
                             struct kg_json_string *name)
{
    const struct kg_record *record = members->record;
    size_t at = record->field_count;
    if (kg_json_peek(text) == '"')
        for (at = members->next; at < record->field_count; at++) {
            const char *start = text->at + 1, *bytes = start, *wanted = record->fields[at].name;
            while (bytes < text->end && *wanted && *bytes == *wanted)
                bytes++, wanted++;
            if (*wanted || bytes == text->end || *bytes != '"')
                continue;
            *name = (struct kg_json_string){start, (size_t)(bytes - start)};
            text->at = bytes + 1;
            break;
        }
    return at;
}

bool kg_record_member(struct kg_json_text *text, struct kg_record_members *members,
                      struct kg_json_string *name, const struct kg_field **field, bool *more)
{
    if (!kg_json_more(text, members->count, '}', more) || !*more)
        return !*more;
    members->count++;
    const size_t expected = field_expected(text, members, name);
    if (expected < members->record->field_count)
        return kg_json_take(text, ':') && field_take(members, expected, field);
    return kg_json_name(text, name) && member_find(text, members, name, field);
}
