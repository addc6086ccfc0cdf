#include "base/json_pointer.h"

#include <stdlib.h>
#include <string.h>

bool kg_json_pointer_good(const char *pointer)
{
    if (*pointer && *pointer != '/')
        return false;
    for (const char *c = pointer; *c; c++)
        if (*c == '~' && c[1] != '0' && c[1] != '1')
            return false;
    return true;
}

/* Whether `length` bytes of a pointer's part are the name, once "~0" and "~1" are what they stand
 * for. */
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

static const json_t *member_find(const json_t *object, const char *part, size_t length)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name,
                        value) if (part_is(part, length, name)) return value;
    return NULL;
}

/* An index has no sign and no leading zeros. */
static const json_t *item_find(const json_t *array, const char *part, size_t length)
{
    if (!length || length > 9 || strspn(part, "0123456789") < length ||
        (length > 1 && *part == '0'))
        return NULL;
    return json_array_get(array, (size_t)strtoul(part, NULL, 10));
}

const json_t *kg_json_pointer_find(const json_t *json, const char *pointer)
{
    while (json && *pointer) {
        const char *part = pointer + 1;
        const size_t length = strcspn(part, "/");
        json = json_is_object(json)  ? member_find(json, part, length)
               : json_is_array(json) ? item_find(json, part, length)
                                     : NULL;
        pointer = part + length;
    }
    return json;
}
