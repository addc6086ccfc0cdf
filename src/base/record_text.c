#include "base/record_text.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json_text.h"
#include "base/record_range.h"

/* Items whose number is not known before the last is read. */
struct list {
    char *items; /* from malloc */
    size_t count, capacity;
};

/* A zeroed item at the end; NULL where memory is out. */
static void *list_add(struct list *list, size_t size)
{
    if (!kg_grow(&list->items, list->count, &list->capacity, size))
        return NULL;
    return memset(list->items + list->count++ * size, 0, size);
}

/* The items in the arena: many as they are, which would be there twice while they are copied. */
static char *list_keep(struct list *list, size_t size, struct kg_arena *arena)
{
    enum { COPIED_MOST = 64 * 1024 };
    const size_t bytes = list->count * size;
    if (bytes > COPIED_MOST) {
        char *items = realloc(list->items, bytes);
        list->items = items ? items : list->items;
        if (kg_arena_own(arena, list->items))
            return list->items;
    }
    char *kept = kg_arena_alloc(arena, list->count, size);
    if (kept && list->count)
        memcpy(kept, list->items, bytes);
    free(list->items);
    return kept;
}

/* What was read becomes the field, where all was good. */
static bool list_end(struct kg_json_text *text, const struct kg_field *field, struct list *list,
                     size_t size, bool good, void *object)
{
    if (!good) {
        free(list->items);
        return false;
    }
    char *kept = list_keep(list, size, text->arena);
    if (!kept)
        return false;
    memcpy((char *)object + field->offset, &kept, sizeof kept);
    *(size_t *)(void *)((char *)object + field->count_offset) = list->count;
    return true;
}

static bool object_read(struct kg_json_text *text, const struct kg_record *record,
                        const char *schema, void *object);
static bool field_read(struct kg_json_text *text, const struct kg_field *field, void *object);

/* --- Single values ---------------------------------------------------------------------------- */

static bool name_find(const struct kg_json_string *string, const char *const *names, size_t *index)
{
    for (*index = 0; names[*index]; ++*index)
        if (kg_json_string_is(string, names[*index]))
            return true;
    return false;
}

static bool name_read(struct kg_json_text *text, const char *const *names, size_t *index)
{
    struct kg_json_string string;
    return kg_json_text_string(text, &string) && name_find(&string, names, index);
}

static bool string_read(struct kg_json_text *text, const struct kg_field *field,
                        const char **string)
{
    struct kg_json_string found;
    size_t index;
    if (!kg_json_text_string(text, &found) ||
        (field->names && !name_find(&found, field->names, &index)) ||
        (field->kind == KG_FIELD_STRING && field->not_empty && !found.length))
        return false;
    *string = kg_shared_copy(&text->shared, text->arena, found.bytes, found.length);
    return *string != NULL;
}

static bool real_read(struct kg_json_text *text, const struct kg_field *field, double *value)
{
    struct kg_json_number number;
    const bool may_lack = field->nullable || (field->optional && field->kind == KG_FIELD_REAL);
    if (may_lack && kg_json_peek(text) == 'n' && kg_json_word(text, "null")) {
        *value = NAN;
        return true;
    }
    *value = kg_json_number(text, &number) ? number.value : NAN;
    return !isnan(*value) && (!field->range || kg_range_holds(field->range, *value));
}

static bool count_read(struct kg_json_text *text, const struct kg_field *field, uint64_t *value)
{
    struct kg_json_number number;
    char digits[24];
    size_t index;
    if (!kg_json_number(text, &number) || !number.whole || number.integer < 0 ||
        !kg_range_holds(field->range, number.value))
        return false;
    *value = (uint64_t)number.integer;
    if (!field->names)
        return true;
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, *value);
    return name_find(&(struct kg_json_string){digits, (size_t)length}, field->names, &index);
}

static bool bits_read(struct kg_json_text *text, const char *const *names, unsigned *bits)
{
    size_t bit;
    bool more, good = kg_json_open(text, '[');
    for (size_t i = 0; good && (good = kg_json_more(text, i, ']', &more)) && more; i++) {
        good = name_read(text, names, &bit);
        *bits |= good ? 1u << bit : 0;
    }
    return good;
}

/* --- Many values ------------------------------------------------------------------------------ */

static bool reals_read(struct kg_json_text *text, const struct kg_field *field, void *object)
{
    struct list list = {0};
    bool more, good = kg_json_open(text, '[');
    while (good && (good = kg_json_more(text, list.count, ']', &more)) && more) {
        double value;
        good = real_read(text, field, &value) &&
               kg_grow(&list.items, list.count, &list.capacity, sizeof value);
        if (good)
            memcpy(list.items + list.count++ * sizeof value, &value, sizeof value);
    }
    good = good && (list.count || !field->not_empty);
    return list_end(text, field, &list, sizeof(double), good, object);
}

static bool strings_read(struct kg_json_text *text, const struct kg_field *field, void *object)
{
    struct list list = {0};
    const char *repeated;
    bool more, good = kg_json_open(text, '[');
    while (good && (good = kg_json_more(text, list.count, ']', &more)) && more) {
        const char **string = list_add(&list, sizeof *string);
        good = string && string_read(text, field, string);
    }
    good = good && (!field->distinct ||
                    (kg_strings_repeated(text->arena, (void *)list.items, list.count, &repeated) &&
                     !repeated));
    /* one more, NULL, as kg_record_read has it */
    good = good && list_add(&list, sizeof(char *));
    good = list_end(text, field, &list, sizeof(char *), good, object);
    *(size_t *)(void *)((char *)object + field->count_offset) -= good;
    return good;
}

static bool pairs_read(struct kg_json_text *text, const struct kg_field *field, void *object)
{
    struct list list = {0};
    struct kg_json_names names = {0};
    struct kg_json_string name;
    bool more, good = kg_json_open(text, '{');
    while (good && (good = kg_json_more(text, list.count, '}', &more)) && more) {
        struct kg_pair *pair = list_add(&list, sizeof *pair);
        good = pair && kg_json_name(text, &name) && kg_json_names_add(text, &names, &name) &&
               (pair->name = kg_shared_copy(&text->shared, text->arena, name.bytes, name.length)) &&
               string_read(text, field, &pair->value);
    }
    return list_end(text, field, &list, sizeof(struct kg_pair), good, object);
}

static bool records_read(struct kg_json_text *text, const struct kg_field *field, void *object)
{
    struct list list = {0};
    bool more, good = kg_json_open(text, '[');
    while (good && (good = kg_json_more(text, list.count, ']', &more)) && more) {
        void *item = list_add(&list, field->record->size);
        good = item && object_read(text, field->record, NULL, item);
        kg_json_text_pass(text);
    }
    return list_end(text, field, &list, field->record->size, good, object);
}

/* --- Columns ---------------------------------------------------------------------------------- */

/* One column into all items, which the first one makes. */
static bool column_read(struct kg_json_text *text, const struct kg_field *field, size_t size,
                        bool first, struct list *list)
{
    const bool real = field->kind == KG_FIELD_REAL; /* as most are */
    size_t i = 0;
    bool more, good = kg_json_open(text, '[');
    for (; good && (good = kg_json_more(text, i, ']', &more)) && more; i++) {
        char *item = first ? list_add(list, size) : i < list->count ? list->items + i * size : NULL;
        good = item && (real ? real_read(text, field, (void *)(item + field->offset))
                             : field_read(text, field, item));
    }
    return good && i == list->count;
}

static bool columns_read(struct kg_json_text *text, const struct kg_field *field, void *object)
{
    struct list list = {0};
    struct kg_record_members members = {.record = field->record};
    struct kg_json_string name;
    const struct kg_field *column;
    bool more, first = true, good = kg_json_open(text, '{');
    while (good && (good = kg_record_member(text, &members, &name, &column, &more)) && more) {
        good = column ? !column->mention &&
                            column_read(text, column, field->record->size, first, &list)
                      : kg_json_skip(text);
        first = first && !column;
    }
    for (size_t f = 0; f < field->record->field_count && good; f++) {
        if (kg_record_member_seen(&members, f))
            continue;
        good = field->record->fields[f].optional && (f || !list.count);
        for (size_t i = 0; i < list.count && good; i++)
            kg_field_clear(&field->record->fields[f], list.items + i * field->record->size);
    }
    return list_end(text, field, &list, field->record->size, good, object);
}

/* --- The table -------------------------------------------------------------------------------- */

static bool bool_read(struct kg_json_text *text, bool *value)
{
    *value = kg_json_word(text, "true");
    return *value || kg_json_word(text, "false");
}

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
        return object_read(text, field->record, NULL, at);
    case KG_FIELD_RECORDS:
        return records_read(text, field, object);
    case KG_FIELD_COLUMNS:
        return columns_read(text, field, object);
    case KG_FIELD_FIGURES:
        break;
    }
    return false;
}

/* A member that the table does not read; `schema`, where it is asked for, must be that one. */
static bool other_read(struct kg_json_text *text, const struct kg_json_string *name,
                       const char **schema)
{
    struct kg_json_string found;
    if (!*schema || !kg_json_string_is(name, "schema"))
        return kg_json_skip(text);
    const bool good = kg_json_text_string(text, &found) && kg_json_string_is(&found, *schema);
    *schema = NULL;
    return good;
}

static bool object_read(struct kg_json_text *text, const struct kg_record *record,
                        const char *schema, void *object)
{
    struct kg_record_members members = {.record = record};
    struct kg_json_string name;
    const struct kg_field *field;
    bool more, good = record->field_count <= KG_RECORD_FIELDS_MOST && kg_json_open(text, '{');
    while (good && (good = kg_record_member(text, &members, &name, &field, &more)) && more) {
        if (!field || field->mention)
            good = other_read(text, &name, &schema);
        else if (field->optional && kg_json_peek(text) == 'n' && kg_json_word(text, "null"))
            kg_field_clear(field, object);
        else
            good = field_read(text, field, object);
    }
    for (size_t i = 0; i < record->field_count && good; i++) {
        if (kg_record_member_seen(&members, i) || record->fields[i].mention)
            continue;
        good = record->fields[i].optional;
        kg_field_clear(&record->fields[i], object);
    }
    return good && !schema;
}

/* Whether what follows is white space. */
static bool nothing_follows(struct kg_json_text *text)
{
    do {
        if (kg_json_peek(text) || text->at < text->end)
            return false;
    } while (kg_json_text_more(text));
    return true;
}

static bool whole_read(const struct kg_record *record, const char *schema,
                       struct kg_json_text *text, struct kg_arena *arena, void *object)
{
    enum { SMALL_BYTES = 64 * 1024 }; /* a file so large has cases, which say the same */
    struct kg_arena trial = {0};
    void *kept = malloc(record->size);
    if (!kept)
        return false;
    memcpy(kept, object, record->size);
    text->arena = &trial;
    if (text->end - text->at > SMALL_BYTES)
        kg_shared_begin(&text->shared);
    const bool good = object_read(text, record, schema, object) && nothing_follows(text);
    kg_shared_end(&text->shared);
    if (good)
        kg_arena_join(arena, &trial);
    else {
        kg_arena_free(&trial);
        memcpy(object, kept, record->size);
    }
    free(kept);
    return good;
}

bool kg_record_text_read(const struct kg_record *record, const char *schema, const char *bytes,
                         size_t length, struct kg_arena *arena, void *object)
{
    struct kg_json_text text = {.at = bytes, .end = bytes + length};
    return whole_read(record, schema, &text, arena, object);
}

bool kg_record_file_read(const struct kg_record *record, const char *schema, int file,
                         struct kg_arena *arena, void *object)
{
    char *window = malloc(KG_JSON_WINDOW);
    struct kg_json_text text = {.at = window, .end = window, .window = window, .file = file};
    const bool good =
        window && kg_json_text_more(&text) && whole_read(record, schema, &text, arena, object);
    free(window);
    return good;
}
