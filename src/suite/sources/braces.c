#include "suite/sources/braces.h"

#include <string.h>

/* The value of the parameter whose name is the `length` bytes at `name`; NULL where there is
 * none. */
static const char *value_find(const struct kg_pair *params, size_t count, const char *name,
                              size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(params[i].name) == length && !strncmp(params[i].name, name, length))
            return params[i].value;
    return NULL;
}

bool kg_braces_fill(struct kg_text *text, const char *given, const struct kg_pair *params,
                    size_t count, const char **unknown)
{
    *unknown = NULL;
    for (const char *c = given; *c; c++) {
        const char *end = *c == '{' ? strchr(c, '}') : NULL;
        if ((c[0] == '{' || c[0] == '}') && c[1] == c[0]) {
            kg_text_append_bytes(text, c, 1);
            c++;
        } else if (end) {
            const char *value = value_find(params, count, c + 1, (size_t)(end - c - 1));
            if (!value) {
                *unknown = c;
                return false;
            }
            kg_text_append(text, value);
            c = end;
        } else {
            kg_text_append_bytes(text, c, 1);
        }
    }
    return !text->failed;
}
