#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_memory.h"
#include "base/json_text.h"
#include "base/record.h"
#include "base/record_text.h"
#include "base/text.h"
#include "base/units.h"

bool kg_record_length_good(size_t length, struct kg_error *err)
{
    char size[KG_UNIT_BYTES];
    return length <= KG_RECORD_FILE_MOST ||
           kg_error_set(err, KG_ERROR_SYSTEM,
                        "a file of %s was not written, as kgate reads at most 1 GiB: keep fewer "
                        "runs (`--keep N`), or make several suites of one",
                        kg_size_format((double)length, size));
}

size_t kg_schema_kind_length(const char *schema)
{
    const char *dot = strrchr(schema, '.');
    const size_t digits = dot && dot[1] == 'v' ? strspn(dot + 2, "0123456789") : 0;
    return digits && !dot[2 + digits] ? (size_t)(dot - schema) : strlen(schema);
}

bool kg_schema_is(const char *schema, const char *found)
{
    const size_t length = kg_schema_kind_length(schema);
    return length == kg_schema_kind_length(found) && !memcmp(schema, found, length);
}

/* The number after ".v"; 0 where there is none. */
static unsigned long version_of(const char *schema)
{
    const size_t length = kg_schema_kind_length(schema);
    return schema[length] ? strtoul(schema + length + 2, NULL, 10) : 0;
}

bool kg_schema_check(const json_t *file, const char *schema, struct kg_error *err)
{
    const char *found = json_string_value(json_object_get(file, "schema"));
    if (!found)
        return kg_error_set(err, KG_ERROR_USAGE, "schema: expected '%s', found nothing", schema);
    if (!strcmp(found, schema))
        return true;
    if (kg_schema_is(schema, found) && version_of(found) > version_of(schema))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "written by a newer kgate (%.60s; this one reads up to v%lu)", found,
                            version_of(schema));
    return kg_error_set(err, KG_ERROR_USAGE, "schema: expected '%s', found '%.60s'", schema, found);
}

bool kg_json_parse(const char *path, const char *bytes, size_t length, json_t **json,
                   struct kg_error *err)
{
    json_error_t at;
    *json = NULL;
    /* jansson passes over a zero byte that follows a number. */
    if (memchr(bytes, '\0', length))
        return kg_error_at(err, path, 0, 0, "malformed JSON: it has a zero byte");
    /* Seeding is jansson's only global state; done before any thread parses, it is done once. */
    json_object_seed(0);
    kg_json_memory_begin();
    *json = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &at);
    if (kg_json_memory_failed()) {
        json_decref(*json);
        *json = NULL;
        return kg_error_memory(err);
    }
    /* jansson loses a NUL that follows a number */
    if (*json && memchr(bytes, '\0', length)) {
        json_decref(*json);
        *json = NULL;
        return kg_error_at(err, path, 0, 0, "malformed JSON: a byte is NUL");
    }
    if (*json)
        return true;
    return kg_error_at(err, path, at.line > 0 ? (unsigned)at.line : 0,
                       at.column > 0 ? (unsigned)at.column : 0, "malformed JSON: %s", at.text);
}

/* By a tree, which knows why the text is refused. */
static bool tree_read(const struct kg_record *record, const char *schema, const char *path,
                      const char *bytes, size_t length, struct kg_arena *arena, void *object,
                      struct kg_error *err)
{
    json_t *json;
    if (!kg_json_parse(path, bytes, length, &json, err))
        return false;
    const bool good =
        kg_schema_check(json, schema, err) && kg_record_read(record, json, arena, object, err);
    if (!good)
        snprintf(err->path, sizeof err->path, "%s", path);
    json_decref(json);
    return good;
}

bool kg_record_parse(const struct kg_record *record, const char *schema, const char *path,
                     const char *bytes, size_t length, struct kg_arena *arena, void *object,
                     struct kg_error *err)
{
    return kg_record_text_read(record, schema, bytes, length, arena, object) ||
           tree_read(record, schema, path, bytes, length, arena, object, err);
}

bool kg_record_load_parts(const struct kg_record *record, const char *schema, const char *path,
                          struct kg_arena *arena, void *object)
{
    struct stat status;
    const int file = strcmp(path, "-") != 0 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    const bool good = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                      (size_t)status.st_size <= KG_RECORD_FILE_MOST &&
                      kg_record_file_read(record, schema, file, arena, object);
    if (file >= 0)
        close(file);
    return good;
}

bool kg_record_load(const struct kg_record *record, const char *schema, const char *path,
                    struct kg_arena *arena, void *object, struct kg_error *err)
{
    struct kg_text text = {0};
    const bool good = kg_record_load_parts(record, schema, path, arena, object) ||
                      (kg_file_read(path, KG_RECORD_FILE_MOST, &text, err) &&
                       kg_record_parse(record, schema, path, kg_text_string(&text), text.length,
                                       arena, object, err));
    kg_text_free(&text);
    return good;
}

/* The `schema` of a regular file whose first member it is, as of all that kgate writes. */
static bool beginning_peek(const char *path, char schema[64])
{
    char bytes[256];
    struct kg_arena arena = {0};
    struct kg_json_string name, value;
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool regular = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    const ssize_t length = regular ? read(file, bytes, sizeof bytes) : -1;
    if (file >= 0)
        close(file);
    struct kg_json_text text = {
        .at = bytes, .end = bytes + (length > 0 ? length : 0), .arena = &arena};
    const bool good = kg_json_open(&text, '{') && kg_json_name(&text, &name) &&
                      kg_json_string_is(&name, "schema") && kg_json_text_string(&text, &value);
    if (good)
        snprintf(schema, 64, "%.*s", (int)value.length, value.bytes);
    kg_arena_free(&arena);
    return good;
}

bool kg_schema_begins(const char *path, const char *schema)
{
    char found[64];
    return beginning_peek(path, found) && kg_schema_is(schema, found);
}

bool kg_schema_peek(const char *path, char *schema, struct kg_error *err)
{
    struct kg_text text = {0};
    json_t *json = NULL;
    if (beginning_peek(path, schema))
        return true;
    bool good = kg_file_read(path, KG_RECORD_FILE_MOST, &text, err) &&
                kg_json_parse(path, kg_text_string(&text), text.length, &json, err);
    if (good) {
        const char *found = json_string_value(json_object_get(json, "schema"));
        good = found != NULL;
        if (good)
            snprintf(schema, 64, "%s", found);
        else
            kg_error_at(err, path, 0, 0, "no kgate file: it has no member `schema`");
    }
    json_decref(json);
    kg_text_free(&text);
    return good;
}
