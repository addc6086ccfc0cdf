#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/record.h"
#include "base/record_read.h"
#include "base/text.h"
#include "base/units.h"

bool kg_record_length_good(size_t length, struct kg_error *err)
{
    char size[KG_UNIT_BYTES];
    return length <= KG_RECORD_FILE_MOST ||
           kg_error_set(err, KG_ERROR_SYSTEM,
                        "kgate did not write a file of %s, because it reads at most 1 GiB: keep "
                        "fewer runs (`--keep N`), or split the suite",
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

/* The number after ".v"; 0 if there is none. */
static unsigned long version_of(const char *schema)
{
    const size_t length = kg_schema_kind_length(schema);
    return schema[length] ? strtoul(schema + length + 2, NULL, 10) : 0;
}

/* Finds the first member `schema` with a string, and its place in the text; an empty string if
 * there is none. kgate writes this member first. */
static bool schema_find(struct kg_json_text *text, struct kg_json_string *schema)
{
    struct kg_json_string name;
    bool more, good = true;
    *schema = (struct kg_json_string){0};
    if (kg_json_peek(text) != '{')
        return kg_json_skip(text);
    good = kg_json_open(text, '{');
    for (size_t i = 0; good && (good = kg_json_more(text, i, '}', &more)) && more; i++) {
        good = kg_json_name(text, &name);
        if (good && kg_json_string_is(&name, "schema") && kg_json_peek(text) == '"')
            return kg_json_text_string(text, schema);
        good = good && kg_json_skip(text);
    }
    return good;
}

/* Refuses a file of another kind. The user often chose the wrong one of two files in a folder, so
 * the message names both kinds. */
static bool other_kind_refuse(struct kg_json_text *text, const char *at, const char *wanted,
                              const char *found)
{
    const size_t own = strlen("kgate.");
    if (kg_schema_is(wanted, found) || strncmp(found, "kgate.", own) != 0 || !version_of(found))
        return kg_json_refuse(text, at, "schema: expected '%s', found '%s'", wanted, found);
    return kg_json_refuse(
        text, at,
        "this is a file of kind '%.*s', but kind '%.*s' is needed (schema: expected '%s', "
        "found '%s')",
        (int)(kg_schema_kind_length(found) - own), found + own,
        (int)(kg_schema_kind_length(wanted) - own), wanted + own, wanted, found);
}

static bool schema_check(struct kg_json_text ahead, const char *wanted)
{
    struct kg_json_string found;
    char name[64];
    if (!schema_find(&ahead, &found))
        return false;
    if (!found.bytes)
        return kg_json_end(&ahead) &&
               kg_json_refuse(&ahead, ahead.start, "schema: expected '%s', found nothing", wanted);
    if (kg_json_string_is(&found, wanted))
        return true;
    snprintf(name, sizeof name, "%.*s", (int)(found.length < 60 ? found.length : 60), found.bytes);
    const char *at = ahead.at - found.length - 2;
    if (kg_schema_is(wanted, name) && version_of(name) > version_of(wanted))
        return kg_json_refuse(&ahead, at,
                              "written by a newer kgate (%s; this kgate reads up to v%lu)", name,
                              version_of(wanted));
    return other_kind_refuse(&ahead, at, wanted, name);
}

/* Reads a whole text. */
static bool text_read(const struct kg_record *record, const char *schema, struct kg_json_text *text,
                      void *object)
{
    enum { SMALL_BYTES = 64 * 1024 }; /* a larger file has cases, which repeat strings */
    if (text->end - text->at > SMALL_BYTES)
        kg_shared_begin(&text->shared);
    const bool good = (!schema || schema_check(*text, schema)) &&
                      kg_record_text_read(record, text, object) && kg_json_end(text);
    kg_shared_end(&text->shared);
    return good;
}

bool kg_record_parse(const struct kg_record *record, const char *schema, const char *path,
                     const char *bytes, size_t length, struct kg_arena *arena, void *object,
                     struct kg_error *err)
{
    struct kg_json_text text = {.start = bytes,
                                .at = bytes,
                                .end = bytes + length,
                                .path = path,
                                .err = err,
                                .arena = arena};
    return text_read(record, schema, &text, object);
}

/* Reads an open file on trial: a refusal leaves arena and object unchanged.
 * kept  room for a copy of the object */
static bool parts_read(const struct kg_record *record, const char *schema,
                       struct kg_json_text *text, struct kg_arena *arena, void *object, void *kept)
{
    struct kg_arena trial = {0};
    memcpy(kept, object, record->size);
    text->arena = &trial;
    const bool good = kg_json_text_more(text) && text_read(record, schema, text, object);
    if (good) {
        kg_arena_join(arena, &trial);
        return true;
    }
    kg_arena_free(&trial);
    memcpy(object, kept, record->size);
    return false;
}

static bool file_read(const struct kg_record *record, const char *schema, int file,
                      struct kg_arena *arena, void *object)
{
    struct kg_error unsaid;
    char *window = kg_alloc(1, KG_JSON_WINDOW);
    void *kept = kg_alloc(1, record->size);
    struct kg_json_text text = {.start = window,
                                .at = window,
                                .end = window,
                                .window = window,
                                .file = file,
                                .err = &unsaid};
    const bool good = parts_read(record, schema, &text, arena, object, kept);
    free(kept);
    free(window);
    return good;
}

bool kg_record_load_parts(const struct kg_record *record, const char *schema, const char *path,
                          struct kg_arena *arena, void *object)
{
    struct stat status;
    const int file = strcmp(path, "-") != 0 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    const bool good = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                      (size_t)status.st_size <= KG_RECORD_FILE_MOST &&
                      file_read(record, schema, file, arena, object);
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

/* --- Which kind of file ------------------------------------------------------------------------- */

/* The schema of a text, into 64 bytes. *there: whether it has one. */
static bool schema_copy(const char *path, const char *bytes, size_t length, char *schema,
                        bool *there, struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_json_string found = {0};
    struct kg_json_text text = {.start = bytes,
                                .at = bytes,
                                .end = bytes + length,
                                .path = path,
                                .err = err,
                                .arena = &arena};
    const bool good = schema_find(&text, &found);
    *there = good && found.bytes;
    if (*there)
        snprintf(schema, 64, "%.*s", (int)(found.length < 63 ? found.length : 63), found.bytes);
    kg_arena_free(&arena);
    return good;
}

/* The `schema` of a regular file that begins with it, as all files of kgate do. */
static bool beginning_peek(const char *path, char schema[64])
{
    char bytes[256];
    bool there = false;
    struct kg_error unsaid;
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool regular = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    const ssize_t length = regular ? read(file, bytes, sizeof bytes) : -1;
    if (file >= 0)
        close(file);
    return length > 0 && schema_copy(path, bytes, (size_t)length, schema, &there, &unsaid) && there;
}

bool kg_schema_begins(const char *path, const char *schema)
{
    char found[64];
    return beginning_peek(path, found) && kg_schema_is(schema, found);
}

bool kg_schema_peek(const char *path, char *schema, struct kg_error *err)
{
    struct kg_text text = {0};
    bool there = true;
    if (beginning_peek(path, schema))
        return true;
    bool good = kg_file_read(path, KG_RECORD_FILE_MOST, &text, err) &&
                schema_copy(path, kg_text_string(&text), text.length, schema, &there, err);
    if (!there && good)
        good = kg_error_at(err, path, 0, 0, "not a kgate file: it has no member `schema`");
    kg_text_free(&text);
    return good;
}
