/* Prints what kgate's reader makes of JSON texts, a line each: the text's value as JSON, its numbers as
 * "%.17g" in strings, or "refused: " and the reason.
 *     json_values <TEXTS
 * Each text begins with its length in bytes and a new line. Exit status 0; 3 if that could not be found out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_print.h"
#include "base/json_tree.h"

enum { FAILED = 3 };

static void value_print(struct kg_text *text, const struct kg_json *json)
{
    static const char *const words[] = {
        [KG_JSON_NULL] = "null", [KG_JSON_FALSE] = "false", [KG_JSON_TRUE] = "true"};
    const bool object = json->kind == KG_JSON_OBJECT;
    if (kg_json_string(json)) {
        kg_json_print_string(text, kg_json_string(json));
    } else if (json->kind == KG_JSON_WHOLE) {
        kg_text_printf(text, "[\"whole\", %" PRId64 "]", kg_json_whole(json));
    } else if (json->kind == KG_JSON_REAL) {
        kg_text_printf(text, "[\"real\", \"%.17g\"]", kg_json_real(json));
    } else if (object || json->kind == KG_JSON_LIST) {
        kg_text_append(text, object ? "[\"object\"" : "[\"list\"");
        for (const struct kg_json *item = NULL; (item = kg_json_next(json, item));) {
            kg_text_append(text, ", ");
            if (object) {
                kg_json_print_string(text, item->name);
                kg_text_append(text, ", ");
            }
            value_print(text, item);
        }
        kg_text_append(text, "]");
    } else {
        kg_text_append(text, words[json->kind]);
    }
}

static void text_try(const char *bytes, size_t length)
{
    struct kg_arena arena = {0};
    struct kg_error err;
    struct kg_text text = {0};
    const struct kg_json *json = kg_json_read("text", bytes, length, &arena, &err);
    if (json)
        value_print(&text, json);
    else
        kg_text_printf(&text, "refused: %u:%u: %s", err.line, err.column, err.message);
    if (text.failed || puts(text.data) < 0)
        exit(FAILED);
    kg_text_free(&text);
    kg_arena_free(&arena);
}

int main(void)
{
    size_t length;
    while (scanf("%zu", &length) == 1 && getchar() == '\n') {
        char *bytes = malloc(length ? length : 1);
        if (!bytes || fread(bytes, 1, length, stdin) != length)
            return FAILED;
        text_try(bytes,
                 length); /* without a terminator, so that a sanitizer sees each byte too far */
        free(bytes);
    }
    return fflush(stdout) == 0 && feof(stdin) ? 0 : FAILED;
}
