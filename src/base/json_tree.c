#include "base/json_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"

/* --- Reading ---------------------------------------------------------------------------------- */

static bool value_read(struct kg_json_text *text, struct kg_json *json);

static bool items_keep(struct kg_json_text *text, struct kg_json_items *list, bool good,
                       struct kg_json *json)
{
    if (!good) {
        free(list->items);
        return false;
    }
    json->count = list->count;
    json->items = (void *)kg_json_items_keep(list, sizeof *json->items, text->arena);
    return true;
}

static bool list_read(struct kg_json_text *text, struct kg_json *json)
{
    struct kg_json_items list = {0};
    bool more, good = kg_json_open(text, '[');
    json->kind = KG_JSON_LIST;
    while (good && (good = kg_json_more(text, list.count, ']', &more)) && more) {
        struct kg_json *item = kg_json_items_add(&list, sizeof *item);
        good = value_read(text, item);
    }
    return items_keep(text, &list, good, json);
}

static bool object_read(struct kg_json_text *text, struct kg_json *json)
{
    struct kg_json_items list = {0};
    struct kg_json_names names = {0};
    struct kg_json_string name;
    bool more, good = kg_json_open(text, '{');
    json->kind = KG_JSON_OBJECT;
    while (good && (good = kg_json_more(text, list.count, '}', &more)) && more) {
        struct kg_json *member = kg_json_items_add(&list, sizeof *member);
        good = kg_json_name(text, &name) && kg_json_names_add(text, &names, &name);
        if (!good)
            break;
        member->name = kg_arena_copy_bytes(text->arena, name.bytes, name.length);
        good = value_read(text, member);
    }
    return items_keep(text, &list, good, json);
}

static bool string_read(struct kg_json_text *text, struct kg_json *json)
{
    struct kg_json_string string;
    json->kind = KG_JSON_STRING;
    if (!kg_json_text_string(text, &string))
        return false;
    json->string = kg_arena_copy_bytes(text->arena, string.bytes, string.length);
    return true;
}

static bool number_read(struct kg_json_text *text, struct kg_json *json)
{
    struct kg_json_number number;
    if (!kg_json_number(text, &number))
        return false;
    json->kind = number.whole ? KG_JSON_WHOLE : KG_JSON_REAL;
    if (number.whole)
        json->whole = number.integer;
    else
        json->real = number.value;
    return true;
}

static bool word_read(struct kg_json_text *text, const char *word, enum kg_json_kind kind,
                      struct kg_json *json)
{
    json->kind = kind;
    return kg_json_word(text, word);
}

static bool value_read(struct kg_json_text *text, struct kg_json *json)
{
    switch (kg_json_peek(text)) {
    case '{':
        return object_read(text, json);
    case '[':
        return list_read(text, json);
    case '"':
        return string_read(text, json);
    case 't':
        return word_read(text, "true", KG_JSON_TRUE, json);
    case 'f':
        return word_read(text, "false", KG_JSON_FALSE, json);
    case 'n':
        return word_read(text, "null", KG_JSON_NULL, json);
    default:
        return number_read(text, json);
    }
}

const struct kg_json *kg_json_read(const char *path, const char *bytes, size_t length,
                                   struct kg_arena *arena, struct kg_error *err)
{
    struct kg_json_text text = {.start = bytes,
                                .at = bytes,
                                .end = bytes + length,
                                .path = path,
                                .err = err,
                                .arena = arena};
    struct kg_json *json = kg_arena_alloc(arena, 1, sizeof *json);
    return value_read(&text, json) && kg_json_end(&text) ? json : NULL;
}

/* --- Values ----------------------------------------------------------------------------------- */

bool kg_json_is(const struct kg_json *json, enum kg_json_kind kind)
{
    return json && json->kind == kind;
}

bool kg_json_is_number(const struct kg_json *json)
{
    return kg_json_is(json, KG_JSON_WHOLE) || kg_json_is(json, KG_JSON_REAL);
}

size_t kg_json_count(const struct kg_json *json)
{
    return kg_json_is(json, KG_JSON_LIST) || kg_json_is(json, KG_JSON_OBJECT) ? json->count : 0;
}

const struct kg_json *kg_json_item(const struct kg_json *list, size_t index)
{
    return kg_json_is(list, KG_JSON_LIST) && index < list->count ? &list->items[index] : NULL;
}

const struct kg_json *kg_json_next(const struct kg_json *json, const struct kg_json *before)
{
    const size_t index = before ? (size_t)(before - json->items) + 1 : 0;
    return index < kg_json_count(json) ? &json->items[index] : NULL;
}

const struct kg_json *kg_json_member(const struct kg_json *object, const char *name)
{
    if (!kg_json_is(object, KG_JSON_OBJECT))
        return NULL;
    for (size_t i = 0; i < object->count; i++)
        if (!strcmp(object->items[i].name, name))
            return &object->items[i];
    return NULL;
}

const char *kg_json_member_string(const struct kg_json *object, const char *name)
{
    return kg_json_string(kg_json_member(object, name));
}

const char *kg_json_string(const struct kg_json *json)
{
    return kg_json_is(json, KG_JSON_STRING) ? json->string : NULL;
}

int64_t kg_json_whole(const struct kg_json *json)
{
    return kg_json_is(json, KG_JSON_WHOLE) ? json->whole : 0;
}

double kg_json_real(const struct kg_json *json)
{
    if (kg_json_is(json, KG_JSON_WHOLE))
        return (double)json->whole;
    return kg_json_is(json, KG_JSON_REAL) ? json->real : NAN;
}

/* --- Pointers --------------------------------------------------------------------------------- */

bool kg_json_pointer_good(const char *pointer)
{
    if (*pointer && *pointer != '/')
        return false;
    for (const char *c = pointer; *c; c++)
        if (*c == '~' && c[1] != '0' && c[1] != '1')
            return false;
    return true;
}

/* Whether a pointer's part of `length` bytes is the name, with "~0" and "~1" decoded. */
static bool part_is(const char *part, size_t length, const char *name)
{
    for (size_t i = 0; i < length; i++, name++) {
        char c = part[i];
        if (c == '~' && i + 1 < length)
            c = part[++i] == '1' ? '/' : '~';
        if (*name != c)
            return false;
    }
    return !*name;
}

static const struct kg_json *part_find(const struct kg_json *json, const char *part, size_t length)
{
    for (size_t i = 0; kg_json_is(json, KG_JSON_OBJECT) && i < json->count; i++)
        if (part_is(part, length, json->items[i].name))
            return &json->items[i];
    /* an index has no sign and no leading zeros */
    if (!length || length > 9 || strspn(part, "0123456789") < length ||
        (length > 1 && *part == '0'))
        return NULL;
    return kg_json_item(json, (size_t)strtoul(part, NULL, 10));
}

const struct kg_json *kg_json_pointer_find(const struct kg_json *json, const char *pointer)
{
    while (json && *pointer) {
        const char *part = pointer + 1;
        const size_t length = strcspn(part, "/");
        json = part_find(json, part, length);
        pointer = part + length;
    }
    return json;
}
