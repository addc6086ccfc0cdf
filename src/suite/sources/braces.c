#include "suite/sources/braces.h"

#include <string.h>

#include "base/text.h"

/* The value of the parameter whose name is the `length` bytes at `name`; NULL if there is none. */
static const char *value_find(const struct kg_pair *params, size_t count, const char *name,
                              size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(params[i].name) == length && !strncmp(params[i].name, name, length))
            return params[i].value;
    return NULL;
}

/* Appends `given` with its parameters expanded.
 * unknown  on failure: the opening brace of the unknown name in `given` */
static bool braces_fill(struct kg_text *text, const char *given, const struct kg_pair *params,
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
    return true;
}

bool kg_text_expand(const struct kg_expanding *with, struct kg_mark mark, const char *what,
                    const char *given, const char **expanded)
{
    struct kg_text text = {0};
    const char *unknown = NULL;
    *expanded = NULL;
    if (given && braces_fill(&text, given, with->params, with->spec->axis_count, &unknown))
        *expanded = kg_arena_copy(with->arena, kg_text_string(&text));
    kg_text_free(&text);
    if (!unknown)
        return true;
    const char *quote = what ? "" : "'";
    return kg_error_at(
        with->err, with->path, mark.line, mark.column,
        "in workload '%s': %s%.100s%s has %.*s, but there is no such parameter; write "
        "{{ and }} for braces",
        with->spec->name, quote, what ? what : given, quote,
        (int)(strchr(unknown, '}') - unknown + 1), unknown);
}
