/* Records on any bytes: an accepted text is JSON. Reading it part by part, or again after a write,
 * gives the same value. */
#include <stdlib.h>
#include <string.h>

#include "base/json_tree.h"
#include "fuzz.h"

static char *printed(const struct kg_record *record, const void *object)
{
    struct kg_text text = {0};
    kg_record_compact(record, object, &text);
    if (text.failed)
        fuzz_fail("a record that was read", "cannot be printed");
    return text.data;
}

static void *object_make(const struct kg_record *record)
{
    void *object = calloc(1, record->size);
    if (!object)
        fuzz_fail("the reader", "no memory is left");
    return object;
}

/* Ends the process if the object is printed as another text. */
static void same_check(const struct kg_record *record, const void *object, const char *text,
                       const char *way)
{
    char *other = printed(record, object);
    if (strcmp(other, text) != 0)
        fuzz_fail(way, text);
    free(other);
}

static void parts_check(const struct kg_record *record, const char *schema, const char *path,
                        const char *text)
{
    struct kg_arena arena = {0};
    void *object = object_make(record);
    if (!kg_record_load_parts(record, schema, path, &arena, object))
        fuzz_fail("not read part by part", text);
    same_check(record, object, text, "read otherwise part by part");
    kg_arena_free(&arena);
    free(object);
}

static void again_check(const struct kg_record *record, const char *text)
{
    struct kg_arena arena = {0};
    struct kg_error err = {0};
    void *object = object_make(record);
    if (!kg_record_parse(record, NULL, "text", text, strlen(text), &arena, object, &err))
        fuzz_fail("not read again", err.message);
    same_check(record, object, text, "read otherwise when it was written");
    kg_arena_free(&arena);
    free(object);
}

/* Whether the message refuses a text that is no JSON. The text itself may contain the word. */
static bool syntax_refused(const char *message)
{
    static const char start[] = "malformed JSON: ";
    return !strncmp(message, start, sizeof start - 1);
}

void fuzz_record(const struct kg_record *record, const char *schema, const uint8_t *bytes,
                 size_t length)
{
    struct kg_arena arena = {0};
    struct kg_error err = {0}, unsaid;
    const char *input = (const char *)bytes;
    void *object = object_make(record);
    const bool good = kg_record_parse(record, schema, "input", input, length, &arena, object, &err);
    const bool json = kg_json_read("input", input, length, &arena, &unsaid) != NULL;
    if (good ? !json : json && syntax_refused(err.message))
        fuzz_fail(good ? "read as a record" : err.message, json ? "read as JSON" : unsaid.message);
    if (good) {
        char *text = printed(record, object);
        parts_check(record, schema, fuzz_file(bytes, length), text);
        again_check(record, text);
        free(text);
    }
    kg_arena_free(&arena);
    free(object);
}
