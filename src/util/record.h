/* record.h: structs to JSON and back by one table. A table says, for each field, its JSON name, its
 * kind and its place in the struct; writing and reading both follow it, so that neither can forget
 * a field. Tables are constant; the functions are thread-safe. */
#pragma once
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"
#include "util/error.h"
#include "util/text.h"

enum kg_field_kind {
    KG_FIELD_STRING, /* const char *; NULL is absent */
    KG_FIELD_REAL,   /* double; NaN is absent (infinite values are never written: absent too) */
    KG_FIELD_COUNT,  /* uint64_t, a whole number up to 2^63-1 */
    KG_FIELD_SIZE,   /* size_t, likewise */
    KG_FIELD_BOOL,   /* bool */
    KG_FIELD_ENUM,   /* an enum of int's size, written as names[value] */
    KG_FIELD_BITS, /* unsigned, written as the array of names[i] of the bits 1u << i that are set */
    KG_FIELD_REALS,   /* double *, with a count; null inside is NaN */
    KG_FIELD_STRINGS, /* const char **, with a count */
    KG_FIELD_PAIRS,   /* struct kg_pair *, with a count: a JSON object of strings, order kept */
    KG_FIELD_RECORD,  /* a struct inside the struct, by `record` */
    KG_FIELD_RECORDS, /* a pointer to structs with a count, by `record`: an array of objects */
    KG_FIELD_COLUMNS, /* the same, stored by column: an object of arrays of equal length, which
                         loads several times faster where there are hundreds of thousands */
};

/* A name and its value: parameters of a case. */
struct kg_pair {
    const char *name;
    const char *value;
};

struct kg_record;

struct kg_field {
    const char *name;
    enum kg_field_kind kind;
    bool optional;                  /* may be absent; else reading refuses the object without it */
    size_t offset;                  /* offsetof the field */
    size_t count_offset;            /* offsetof its size_t count, where the kind has one */
    const char *const *names;       /* KG_FIELD_ENUM, KG_FIELD_BITS: NULL-terminated */
    const struct kg_record *record; /* KG_FIELD_RECORD, _RECORDS, _COLUMNS */
};

struct kg_record {
    size_t size; /* of the struct */
    const struct kg_field *fields;
    size_t field_count;
};

#define KG_FIELD(type, member, field_kind)                                                         \
    {                                                                                              \
        .name = #member, .kind = (field_kind), .offset = offsetof(type, member)                    \
    }
#define KG_RECORD_OF(type, table)                                                                  \
    {                                                                                              \
        .size = sizeof(type), .fields = (table), .field_count = sizeof(table) / sizeof *(table)    \
    }

/* The object as JSON: a new reference, or NULL where memory is out. Absent optional fields are left
 * out; an absent required REAL is written null. */
json_t *kg_record_write(const struct kg_record *record, const void *object);

/* Fills `object` (which the caller has zeroed) from JSON; strings and arrays live in `arena`.
 * Absent optional fields get NULL, NaN, 0, false, or no items. Unknown members are ignored, so that
 * a newer writer of the same schema version can be read.
 * err: KG_ERROR_USAGE naming the field by its path, what was expected and what was found:
 * "cases[3].rounds.median_ns[1]: expected a number, found a string" */
bool kg_record_read(const struct kg_record *record, const json_t *json, struct kg_arena *arena,
                    void *object, struct kg_error *err);

/* Parses JSON text, refusing duplicate members; *json is a new reference. Errors name path, line
 * and column. */
bool kg_json_parse(const char *path, const char *bytes, size_t length, json_t **json,
                   struct kg_error *err);

/* Appends the text of a whole file, as kg_record_save writes it. */
bool kg_record_print(const struct kg_record *record, const void *object, const char *schema,
                     struct kg_text *text, struct kg_error *err);

/* A whole file: writes {"schema": schema, …the record's fields…} atomically, indented by two, every
 * array of numbers on one line; reals with 15 significant digits. */
bool kg_record_save(const struct kg_record *record, const void *object, const char *schema,
                    const char *path, struct kg_error *err);
/* Reads one, refusing a `schema` other than the given one by name. Errors name the path, and line
 * and column where the JSON itself is malformed. At most 1 GiB. */
bool kg_record_load(const struct kg_record *record, const char *schema, const char *path,
                    struct kg_arena *arena, void *object, struct kg_error *err);
/* The same from memory; `path` is what errors say. */
bool kg_record_parse(const struct kg_record *record, const char *schema, const char *path,
                     const char *bytes, size_t length, struct kg_arena *arena, void *object,
                     struct kg_error *err);
/* The `schema` member of a JSON file, into `schema` (64 bytes): to tell files apart. */
bool kg_schema_peek(const char *path, char *schema, struct kg_error *err);
