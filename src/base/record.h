/* record.h: converts structs to JSON and back by one table. For each field, the table has the JSON
 * name, kind, place in the struct, permitted values and meaning. Writing, reading, the JSON Schema
 * (record_schema.h) and `kgate schema --format markdown` use the same table. So none can forget a
 * field. Tables are constant; the functions are thread-safe. */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

enum kg_field_kind {
    KG_FIELD_STRING,  /* const char *; NULL is absent */
    KG_FIELD_REAL,    /* double; NaN is absent (infinite values are never written: absent too) */
    KG_FIELD_COUNT,   /* uint64_t, a whole number up to 2^63-1 */
    KG_FIELD_SIZE,    /* size_t, a whole number up to 2^63-1 */
    KG_FIELD_BOOL,    /* bool */
    KG_FIELD_ENUM,    /* an enum of int's size, written as names[value] */
    KG_FIELD_BITS,    /* unsigned, written as an array: names[i] for each set bit 1u << i */
    KG_FIELD_REALS,   /* double *, with a count */
    KG_FIELD_STRINGS, /* const char **, with a count */
    KG_FIELD_PAIRS,   /* struct kg_pair *, with a count: a JSON object of strings, order kept */
    KG_FIELD_RECORD,  /* a struct inside the struct, by `record` */
    KG_FIELD_RECORDS, /* a pointer to structs with a count, by `record`: an array of objects */
    /* the same by column: an object of arrays of equal length. Hundreds of thousands of items
     * load several times faster */
    KG_FIELD_COLUMNS,
    KG_FIELD_FIGURES, /* only described: an object of numbers and strings by name */
};

/* A name and its value: parameters of a case. */
struct kg_pair {
    const char *name;
    const char *value;
};

struct kg_record;

/* Permitted numbers. An unknown number (NaN) is never refused. */
struct kg_range {
    double least, most;           /* infinite: no limit */
    bool above_least, below_most; /* the limit itself is excluded */
    bool whole;                   /* REAL: only whole numbers */
};

struct kg_field {
    const char *name;
    enum kg_field_kind kind;
    bool optional;       /* may be absent; else reading refuses an object without it */
    bool nullable;       /* REAL: may be null although not optional; REALS: items may */
    bool not_empty;      /* STRING, REALS */
    bool distinct;       /* STRINGS: no two are equal */
    bool unknown_if_0;   /* SIZE: 0 is absent, as NaN in a REAL */
    bool mention;        /* only described: neither written nor read by the table */
    size_t offset;       /* offsetof the field */
    size_t count_offset; /* offsetof its size_t count, for kinds with a count */
    /* ENUM, BITS: names of the values. STRING, and digits of COUNT or SIZE: the only permitted
     * ones. NULL-terminated */
    const char *const *names;
    const struct kg_record *record; /* RECORD, RECORDS, COLUMNS */
    const struct kg_range *range;   /* numbers and REALS; NULL: any */
    const char *pattern; /* STRING: a regular expression for the schema; reading takes any string */
    const char *help;    /* meaning, as a phrase, for the schema and the reference */
};

struct kg_record {
    size_t size; /* bytes of the struct */
    const struct kg_field *fields;
    size_t field_count;
    const char *help; /* meaning of one object, as a sentence */
};

/* Rows of a table. The macro STRUCT names the struct:
 *
 *     #define STRUCT kg_limit
 *     static const struct kg_field limit_fields[] = {
 *         KG_FIELD(limit, REAL, "the limit", KG_FROM_0),
 *     };
 *     static const struct kg_record limit_record = KG_RECORD_OF(limit_fields, "A limit.");
 *     #undef STRUCT
 *
 * After the help come attributes: KG_OPTIONAL and the macros after it. _AS gives another name than
 * the member's. */
#define KG_FIELD_AS(json_name, member, of, ...)                                                    \
    {                                                                                              \
        .name = (json_name), .kind = KG_FIELD_##of, .offset = offsetof(struct STRUCT, member),     \
        .help = __VA_ARGS__                                                                        \
    }
#define KG_FIELD(member, of, ...) KG_FIELD_AS(#member, member, of, __VA_ARGS__)
#define KG_LIST_AS(json_name, member, count, of, ...)                                              \
    {                                                                                              \
        .name = (json_name), .kind = KG_FIELD_##of, .offset = offsetof(struct STRUCT, member),     \
        .count_offset = offsetof(struct STRUCT, count), .help = __VA_ARGS__                        \
    }
#define KG_LIST(member, count, of, ...) KG_LIST_AS(#member, member, count, of, __VA_ARGS__)
/* Describes a member of the file that the struct lacks: other code reads and writes the member, or
 * readers alone use it. */
#define KG_MENTION(json_name, of, ...)                                                             \
    {                                                                                              \
        .name = #json_name, .kind = KG_FIELD_##of, .mention = true, .help = __VA_ARGS__            \
    }
#define KG_RECORD_OF(table, ...)                                                                   \
    {                                                                                              \
        .size = sizeof(struct STRUCT), .fields = (table),                                          \
        .field_count = sizeof(table) / sizeof *(table), .help = __VA_ARGS__                        \
    }

#define KG_OPTIONAL .optional = true
#define KG_NULLABLE .nullable = true
#define KG_NOT_EMPTY .not_empty = true
#define KG_DISTINCT .distinct = true
#define KG_UNKNOWN_IF_0 .unknown_if_0 = true
#define KG_OF(table) .record = (&(table))
#define KG_NAMES(table) .names = (table)
#define KG_WORDS(...)                                                                              \
    .names = (const char *const[])                                                                 \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define KG_PATTERN(expression) .pattern = (expression)
#define KG_PATTERN_TIME KG_PATTERN("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$")
#define KG_PATTERN_HASH KG_PATTERN("^[0-9a-f]{16}$")
#define KG_PATTERN_SHA256 KG_PATTERN("^[0-9a-f]{64}$")
#define KG_RANGE(...)                                                                              \
    .range = &(const struct kg_range)                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define KG_FROM(from) KG_RANGE(.least = (from), .most = INFINITY)
#define KG_ABOVE(from) KG_RANGE(.least = (from), .most = INFINITY, .above_least = true)
#define KG_BETWEEN(from, to) KG_RANGE(.least = (from), .most = (to))
#define KG_INSIDE(from, to)                                                                        \
    KG_RANGE(.least = (from), .most = (to), .above_least = true, .below_most = true)
#define KG_FROM_0 KG_FROM(0)
#define KG_ABOVE_0 KG_ABOVE(0)
/* A REAL that is a count or a set of bits, so that it can be unknown. */
#define KG_WHOLE KG_RANGE(.least = 0, .most = 0x1p63, .below_most = true, .whole = true)

/* Appends the object on one line, without a check that kgate can read it again. Absent optional
 * fields are left out; an absent required REAL becomes null.
 * schema  value of a first member `schema`; NULL: no such member */
void kg_record_line(const struct kg_record *record, const void *object, const char *schema,
                    struct kg_text *text);
/* The same without spaces and schema, for a hash. */
void kg_record_compact(const struct kg_record *record, const void *object, struct kg_text *text);
/* The same with a line per member, indented for `depth` enclosing objects and lists. */
void kg_record_lines(const struct kg_record *record, const void *object, int depth,
                     struct kg_text *text);

/* Bytes of the largest file that kgate reads. */
#define KG_RECORD_FILE_MOST ((size_t)1 << 30)
/* Whether kgate could read a file of this length again. err: KG_ERROR_SYSTEM, with advice */
bool kg_record_length_good(size_t length, struct kg_error *err);

/* Appends the text of a whole file, as kg_record_save writes it. KG_ERROR_SYSTEM if the text is too
 * long, or if kg_record_parse refuses it. */
bool kg_record_print(const struct kg_record *record, const void *object, const char *schema,
                     struct kg_text *text, struct kg_error *err);

/* A whole file: writes {"schema": schema, …the record's fields…} atomically, indented by two, every
 * array of numbers on one line. Every real reads back as the same double. */
bool kg_record_save(const struct kg_record *record, const void *object, const char *schema,
                    const char *path, struct kg_error *err);
/* Reads a file. Fills `object`, which the caller has zeroed; strings and arrays live in `arena`.
 * Absent optional fields get NULL, NaN, 0, false, or no items. Unknown members are ignored, so that
 * kgate can read files of a newer writer of the same schema version. At most 1 GiB.
 * err  KG_ERROR_USAGE with path, line and column: malformed JSON, another `schema` or version, or a
 *      refused field. A field has its place, the expected and the found value:
 *      "cases[3].rounds.median_ns[1]: expected a number above 0, found -3". The object may hold a
 *      part of the file */
bool kg_record_load(const struct kg_record *record, const char *schema, const char *path,
                    struct kg_arena *arena, void *object, struct kg_error *err);
/* The same from memory.
 * schema  NULL: any, or none
 * path    for errors */
bool kg_record_parse(const struct kg_record *record, const char *schema, const char *path,
                     const char *bytes, size_t length, struct kg_arena *arena, void *object,
                     struct kg_error *err);
/* The first attempt of kg_record_load, without a reason on failure. It reads the file in parts, so
 * that the whole text need not be in memory. false also if the file is not regular: the function
 * leaves it unread. false also if a list has an object longer than a part. On failure `object` is
 * unchanged. */
bool kg_record_load_parts(const struct kg_record *record, const char *schema, const char *path,
                          struct kg_arena *arena, void *object);
/* Characters of a schema before its version: of "kgate.results" in "kgate.results.v1". Without a
 * version: all characters. */
size_t kg_schema_kind_length(const char *schema);
/* Whether two schemas differ at most in their versions. */
bool kg_schema_is(const char *schema, const char *found);
/* Whether a regular file begins with a `schema` of the same kind. */
bool kg_schema_begins(const char *path, const char *schema);
/* Reads the `schema` member of a JSON file into `schema` (64 bytes), to tell files apart. */
bool kg_schema_peek(const char *path, char *schema, struct kg_error *err);
