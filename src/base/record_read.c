/* record_read.c: fills a struct straight from the bytes of a file, by its table. A tree of every
 * number would take ten times as long, and its memory. */
#include "base/record_read.h"

#include <assert.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/record_range.h"
#include "base/text.h"

/* --- Lists ------------------------------------------------------------------------------------ */

/* If all items are good, makes them the field; otherwise frees them. */
static bool list_end(struct kg_json_text *text, const struct kg_field *field,
                     struct kg_json_items *list, size_t size, bool good, void *object)
{
    const size_t count = list->count;
    if (!good) {
        free(list->items);
        return false;
    }
    char *kept = kg_json_items_keep(list, size, text->arena);
    memcpy((char *)object + field->offset, &kept, sizeof kept);
    *(size_t *)(void *)((char *)object + field->count_offset) = count;
    return true;
}

/* Opens a list or an object that the table expects. */
static inline bool open_expected(struct kg_json_text *text, char bracket, const char *expected)
{
    return kg_json_peek(text) == bracket ? kg_json_open(text, bracket)
                                         : kg_record_refuse_type(text, expected);
}

static bool object_read(struct kg_json_text *text, const struct kg_record *record, void *object);
static bool field_read(struct kg_json_text *text, const struct kg_field *field, void *object);

/* --- Single values ---------------------------------------------------------------------------- */

static bool name_find(const struct kg_json_string *string, const char *const *names, size_t *index)
{
    for (*index = 0; names[*index]; ++*index)
        if (kg_json_string_is(string, names[*index]))
            return true;
    return false;
}

/* Reads a string in quotes; *at is its beginning. */
static bool quoted_read(struct kg_json_text *text, struct kg_json_string *string, const char **at)
{
    const char first = kg_json_peek(text);
    *at = text->at;
    return first == '"' ? kg_json_text_string(text, string)
                        : kg_record_refuse_type(text, "a string");
}

static bool name_read(struct kg_json_text *text, const char *const *names, size_t *index)
{
    struct kg_json_string string;
    const char *at;
    return quoted_read(text, &string, &at) &&
           (name_find(&string, names, index) || kg_record_refuse_name(text, at, names, &string));
}

static bool string_read(struct kg_json_text *text, const struct kg_field *field,
                        const char **string)
{
    struct kg_json_string found = {0};
    const char *at = NULL;
    size_t index;
    if (!quoted_read(text, &found, &at))
        return false;
    if (field->names && !name_find(&found, field->names, &index))
        return kg_record_refuse_name(text, at, field->names, &found);
    if (field->kind == KG_FIELD_STRING && field->not_empty && !found.length)
        return kg_record_refuse(text, at, "a non-empty string", "\"\"");
    *string = kg_shared_copy(&text->shared, text->arena, found.bytes, found.length);
    return true;
}

/* Reads a number and refuses any other type. */
static inline bool number_read(struct kg_json_text *text, const char *expected,
                               struct kg_json_number *number)
{
    const char first = kg_json_peek(text);
    if (first != '-' && (unsigned)first - '0' > 9)
        return kg_record_refuse_type(text, expected);
    return kg_json_number(text, number);
}

/* null is an unknown number, if the field may lack one. */
static inline bool real_read(struct kg_json_text *text, const struct kg_field *field, double *value)
{
    struct kg_json_number number;
    const bool may_lack = field->nullable || (field->optional && field->kind == KG_FIELD_REAL);
    const char first = kg_json_peek(text), *at = text->at;
    if (may_lack && first == 'n') {
        *value = NAN;
        return kg_json_word(text, "null");
    }
    if (!number_read(text, "a number", &number))
        return false;
    *value = number.value;
    return kg_range_holds(field->range, *value) || kg_record_refuse_number(text, at, field, *value);
}

static bool count_read(struct kg_json_text *text, const struct kg_field *field, uint64_t *value)
{
    struct kg_json_number number;
    char digits[24];
    size_t index;
    kg_json_peek(text);
    const char *at = text->at;
    if (!number_read(text, "a whole number", &number))
        return false;
    if (!number.whole)
        return kg_record_refuse(text, at, "a whole number", "a number with a fraction");
    if (number.integer < 0)
        return kg_record_refuse(text, at, "a whole number from 0 up", "a negative number");
    if (!kg_range_holds(field->range, number.value))
        return kg_record_refuse_number(text, at, field, number.value);
    *value = (uint64_t)number.integer;
    if (!field->names)
        return true;
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, *value);
    const struct kg_json_string string = {digits, (size_t)length};
    return name_find(&string, field->names, &index) ||
           kg_record_refuse_name(text, at, field->names, &string);
}

static bool bool_read(struct kg_json_text *text, bool *value)
{
    const char first = kg_json_peek(text);
    *value = first == 't';
    return *value         ? kg_json_word(text, "true")
           : first == 'f' ? kg_json_word(text, "false")
                          : kg_record_refuse_type(text, "true or false");
}

static bool bits_read(struct kg_json_text *text, const char *const *names, unsigned *bits)
{
    size_t bit;
    bool more, good = open_expected(text, '[', "a list");
    for (size_t i = 0; good && (good = kg_json_more(text, i, ']', &more)) && more; i++) {
        good = name_read(text, names, &bit) || kg_record_index_add(text, i);
        *bits |= good ? 1u << bit : 0;
    }
    return good;
}

/* --- Many values ------------------------------------------------------------------------------ */

static bool reals_read(struct kg_json_text *text, const struct kg_field *field, void *object)
{
    struct kg_json_items list = {0};
    kg_json_peek(text);
    const char *at = text->at;
    bool more, good = open_expected(text, '[', "a list of numbers");
    while (good && (good = kg_json_more(text, list.count, ']', &more)) && more) {
        double value = NAN;
        good = real_read(text, field, &value) || kg_record_index_add(text, list.count);
        if (!good)
            break;
        memcpy(kg_json_items_add(&list, sizeof value), &value, sizeof value);
    }
    if (good && !list.count && field->not_empty)
        good = kg_record_refuse(text, at, "a list of at least one number", "none");
    return list_end(text, field, &list, sizeof(double), good, object);
}

/* Whether all strings of the list differ; if not, the refusal names the first repeated one. */
static bool distinct_check(struct kg_json_text *text, const char *at,
                           const struct kg_json_items *list)
{
    char found[96];
    const char **sorted = kg_arena_alloc(text->arena, list->count, sizeof *sorted);
    if (list->count)
        memcpy(sorted, list->items, list->count * sizeof *sorted);
    const char *repeated = kg_strings_repeated(sorted, list->count);
    if (!repeated)
        return true;
    snprintf(found, sizeof found, "'%.60s' twice", repeated);
    return kg_record_refuse(text, at, "different strings", found);
}

static bool strings_read(struct kg_json_text *text, const struct kg_field *field, void *object)
{
    struct kg_json_items list = {0};
    kg_json_peek(text);
    const char *at = text->at;
    bool more, good = open_expected(text, '[', "a list of strings");
    while (good && (good = kg_json_more(text, list.count, ']', &more)) && more) {
        const char **string = kg_json_items_add(&list, sizeof *string);
        good = string_read(text, field, string) || kg_record_index_add(text, list.count - 1);
    }
    good = good && (!field->distinct || distinct_check(text, at, &list));
    /* one more item, NULL, so that a list of words can be an argv */
    if (good)
        kg_json_items_add(&list, sizeof(char *));
    good = list_end(text, field, &list, sizeof(char *), good, object);
    *(size_t *)(void *)((char *)object + field->count_offset) -= good;
    return good;
}

static bool pair_read(struct kg_json_text *text, const struct kg_field *field,
                      struct kg_json_names *names, struct kg_pair *pair)
{
    struct kg_json_string name;
    if (!kg_json_name(text, &name) || !kg_json_names_add(text, names, &name))
        return false;
    pair->name = kg_shared_copy(&text->shared, text->arena, name.bytes, name.length);
    return string_read(text, field, &pair->value) || kg_record_place_add(text, pair->name);
}

static bool pairs_read(struct kg_json_text *text, const struct kg_field *field, void *object)
{
    struct kg_json_items list = {0};
    struct kg_json_names names = {0};
    bool more, good = open_expected(text, '{', "an object");
    while (good && (good = kg_json_more(text, list.count, '}', &more)) && more) {
        struct kg_pair *pair = kg_json_items_add(&list, sizeof *pair);
        good = pair_read(text, field, &names, pair);
    }
    return list_end(text, field, &list, sizeof(struct kg_pair), good, object);
}

static bool records_read(struct kg_json_text *text, const struct kg_field *field, void *object)
{
    struct kg_json_items list = {0};
    bool more, good = open_expected(text, '[', "a list of objects");
    while (good && (good = kg_json_more(text, list.count, ']', &more)) && more) {
        void *item = kg_json_items_add(&list, field->record->size);
        good = object_read(text, field->record, item) || kg_record_index_add(text, list.count - 1);
        kg_json_text_pass(text);
    }
    return list_end(text, field, &list, field->record->size, good, object);
}

/* --- Members ---------------------------------------------------------------------------------- */

enum { FIELDS_MOST = 256 };

/* The fields of a record that have been read, and other names. Zero-initialise all but the record.
 * The struct must not move. */
struct members {
    const struct kg_record *record; /* of at most FIELDS_MOST fields */
    uint64_t seen[FIELDS_MOST / 64];
    size_t next, count; /* index of the field that is expected next; number of members so far */
    struct kg_json_names others;
};

static bool is_seen(const struct members *members, size_t field)
{
    return members->seen[field / 64] >> field % 64 & 1;
}

static struct members members_of(const struct kg_record *record)
{
    assert(record->field_count <= FIELDS_MOST);
    return (struct members){.record = record};
}

/* Marks field `at` of the record as seen; false if it was seen before. */
static bool field_take(struct kg_json_text *text, struct members *members, size_t at,
                       const struct kg_json_string *name, const struct kg_field **field)
{
    if (is_seen(members, at))
        return kg_json_name_twice(text, name);
    members->seen[at / 64] |= (uint64_t)1 << at % 64;
    members->next = at + 1;
    *field = members->record->fields[at].mention ? NULL : &members->record->fields[at];
    return true;
}

/* Finds the field of a name; *field is NULL if there is none. false if the same name came
 * before. */
static bool member_find(struct kg_json_text *text, struct members *members,
                        const struct kg_json_string *name, const struct kg_field **field)
{
    const struct kg_record *record = members->record;
    for (size_t i = 0; i < record->field_count; i++)
        if (kg_json_string_is(name, record->fields[i].name))
            return field_take(text, members, i, name, field);
    *field = NULL;
    /* copied: reading a list of objects replaces the text */
    const struct kg_json_string kept = {
        kg_shared_copy(&text->shared, text->arena, name->bytes, name->length), name->length};
    return kg_json_names_add(text, &members->others, &kept);
}

/* Takes the next name if it belongs to a field after the previous ones, the order of kgate's own
 * files. It compares the name in place, without reading a string first. Returns the field's index,
 * or the number of fields if none matches. */
static size_t field_expected(struct kg_json_text *text, const struct members *members,
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

/* Takes the comma and the name of an open object's next member, or closes the object.
 * *field  field in the table; NULL: unknown name.
 * *more   whether there is a member */
static bool member_next(struct kg_json_text *text, struct members *members,
                        const struct kg_field **field, bool *more)
{
    struct kg_json_string name;
    if (!kg_json_more(text, members->count, '}', more) || !*more)
        return !*more;
    members->count++;
    const size_t expected = field_expected(text, members, &name);
    if (expected < members->record->field_count)
        return (kg_json_take(text, ':') || kg_json_expected(text, "':'")) &&
               field_take(text, members, expected, &name, field);
    return kg_json_name(text, &name) && member_find(text, members, &name, field);
}

/* --- Columns ---------------------------------------------------------------------------------- */

/* Reads one column into all items; the first column makes the items. */
static bool column_read(struct kg_json_text *text, const struct kg_field *field, size_t size,
                        bool first, struct kg_json_items *list)
{
    const bool real = field->kind == KG_FIELD_REAL; /* as most are */
    size_t i = 0;
    kg_json_peek(text);
    const char *at = text->at;
    bool more, good = open_expected(text, '[', "a list");
    for (; good && (good = kg_json_more(text, i, ']', &more)) && more; i++) {
        if (!first && i == list->count)
            return kg_record_refuse_length(text, at, i);
        char *item = first ? kg_json_items_add(list, size) : list->items + i * size;
        good = real ? real_read(text, field, (void *)(item + field->offset))
                    : field_read(text, field, item);
        if (!good)
            kg_record_index_add(text, i);
    }
    return good && (i == list->count || kg_record_refuse_length(text, at, list->count));
}

/* Gives a field the value of an absent one: reals become NaN. The caller has zeroed the rest of the
 * object. */
static void field_clear(const struct kg_field *field, void *object)
{
    if (field->kind == KG_FIELD_REAL)
        *(double *)(void *)((char *)object + field->offset) = NAN;
    if (field->kind == KG_FIELD_RECORD)
        for (size_t i = 0; i < field->record->field_count; i++)
            field_clear(&field->record->fields[i], (char *)object + field->offset);
}

/* Handles a missing column. If it is optional, every item gets the value of an absent field. */
static bool column_absent(struct kg_json_text *text, const struct kg_field *field, bool first,
                          size_t size, struct kg_json_items *list)
{
    if (field->mention)
        return true;
    if (!field->optional || (first && list->count))
        return kg_record_refuse_missing(text, field);
    for (size_t i = 0; i < list->count; i++)
        field_clear(field, list->items + i * size);
    return true;
}

static bool columns_read(struct kg_json_text *text, const struct kg_field *field, void *object)
{
    const struct kg_record *record = field->record;
    struct kg_json_items list = {0};
    struct members members = members_of(record);
    const struct kg_field *column;
    bool more, first = true, good = open_expected(text, '{', "an object of columns");
    while (good && (good = member_next(text, &members, &column, &more)) && more) {
        good = column ? column_read(text, column, record->size, first, &list) ||
                            kg_record_place_add(text, column->name)
                      : kg_json_skip(text);
        first = first && !column;
    }
    for (size_t f = 0; f < record->field_count && good; f++)
        good = is_seen(&members, f) ||
               column_absent(text, &record->fields[f], !f, record->size, &list);
    return list_end(text, field, &list, record->size, good, object);
}

/* --- The table -------------------------------------------------------------------------------- */

static bool field_read(struct kg_json_text *text, const struct kg_field *field, void *object)
{
    void *at = (char *)object + field->offset;
    uint64_t count = 0;
    size_t index = 0;
    switch (field->kind) {
    case KG_FIELD_STRING:
        return string_read(text, field, at);
    case KG_FIELD_REAL:
        return real_read(text, field, at);
    case KG_FIELD_COUNT:
        return count_read(text, field, at);
    case KG_FIELD_SIZE:
        if (!count_read(text, field, &count))
            return false;
        *(size_t *)at = (size_t)count;
        return true;
    case KG_FIELD_BOOL:
        return bool_read(text, at);
    case KG_FIELD_ENUM:
        if (!name_read(text, field->names, &index))
            return false;
        *(int *)at = (int)index;
        return true;
    case KG_FIELD_BITS:
        return bits_read(text, field->names, at);
    case KG_FIELD_REALS:
        return reals_read(text, field, object);
    case KG_FIELD_STRINGS:
        return strings_read(text, field, object);
    case KG_FIELD_PAIRS:
        return pairs_read(text, field, object);
    case KG_FIELD_RECORD:
        return object_read(text, field->record, at);
    case KG_FIELD_RECORDS:
        return records_read(text, field, object);
    case KG_FIELD_COLUMNS:
        return columns_read(text, field, object);
    case KG_FIELD_FIGURES:
        break;
    }
    return false;
}

static bool member_read(struct kg_json_text *text, const struct kg_field *field, void *object)
{
    if (!field)
        return kg_json_skip(text);
    if (!field->optional || kg_json_peek(text) != 'n')
        return field_read(text, field, object) || kg_record_place_add(text, field->name);
    field_clear(field, object);
    return kg_json_word(text, "null");
}

/* Handles a field that the object lacks. */
static bool field_absent(struct kg_json_text *text, const struct kg_field *field, void *object)
{
    if (field->mention)
        return true;
    if (!field->optional)
        return kg_record_refuse_missing(text, field);
    field_clear(field, object);
    return true;
}

static bool object_read(struct kg_json_text *text, const struct kg_record *record, void *object)
{
    struct members members = members_of(record);
    const struct kg_field *field;
    bool more, good = open_expected(text, '{', "an object");
    while (good && (good = member_next(text, &members, &field, &more)) && more)
        good = member_read(text, field, object);
    for (size_t i = 0; i < record->field_count && good; i++)
        good = is_seen(&members, i) || field_absent(text, &record->fields[i], object);
    return good;
}

bool kg_record_text_read(const struct kg_record *record, struct kg_json_text *text, void *object)
{
    if (object_read(text, record, object))
        return true;
    return text->err->message[0] == ':' && kg_record_place_add(text, "the file");
}
