/* The two readers of records on the same bytes: the one that reads the text (base/record_text.h), and the
 * one that reads jansson's tree. */
#include <stdlib.h>
#include <string.h>

#include "base/record_text.h"
#include "fuzz.h"

static char *printed(const struct kg_record *record, const void *object)
{
    json_t *json = kg_record_write(record, object);
    char *text = json ? json_dumps(json, JSON_REAL_PRECISION(17)) : NULL;
    json_decref(json);
    if (!text)
        fuzz_fail("a record that was read", "cannot be printed");
    return text;
}

static bool tree_read(const struct kg_record *record, const json_t *json, struct kg_arena *arena,
                      void *object)
{
    struct kg_error err = {0};
    return json && kg_record_read(record, json, arena, object, &err);
}

static void equal_check(const struct kg_record *record, const void *text, const void *tree)
{
    char *of_text = printed(record, text), *of_tree = printed(record, tree);
    if (strcmp(of_text, of_tree) != 0)
        fuzz_fail(of_text, of_tree);
    free(of_text);
    free(of_tree);
}

void fuzz_readers_agree(const struct kg_record *record, const char *schema, const uint8_t *bytes,
                        size_t length)
{
    struct kg_arena arena = {0};
    struct kg_error err = {0};
    json_t *json = NULL;
    void *text = calloc(1, record->size), *tree = calloc(1, record->size);
    if (!text || !tree)
        fuzz_fail("the readers", "no memory is left");
    kg_json_parse("input", (const char *)bytes, length, &json, &err);
    /* whichever version the file says that it is: the text is not brought to a newer one */
    const char *found = json_string_value(json_object_get(json, "schema"));
    const bool by_tree = found && tree_read(record, json, &arena, tree);
    const bool by_text = kg_record_text_read(record, found ? found : schema, (const char *)bytes,
                                             length, &arena, text);
    if (by_text != by_tree)
        fuzz_fail(by_text ? "read as text" : "not read as text", by_tree ? "read" : err.message);
    if (by_text)
        equal_check(record, text, tree);
    json_decref(json);
    kg_arena_free(&arena);
    free(text);
    free(tree);
}
