/* json_tree.h: a JSON text as a tree in an arena: for other programs' files, whose members no table
 * names. kgate reads its own files by their tables, without a tree (record.h). For accessors, NULL
 * and a value of another kind count as missing. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum kg_json_kind {
    KG_JSON_NULL,
    KG_JSON_FALSE,
    KG_JSON_TRUE,
    KG_JSON_WHOLE, /* a number without fraction and exponent */
    KG_JSON_REAL,
    KG_JSON_STRING,
    KG_JSON_LIST,
    KG_JSON_OBJECT,
};

struct kg_json {
    const char *name; /* of a member; NULL of others */
    enum kg_json_kind kind;
    size_t count; /* of a list or object */
    union {
        int64_t whole;
        double real;
        const char *string;
        struct kg_json *items; /* of a list or object, in the text's order */
    };
};

/* Reads a whole text.
 * path     for errors
 * returns  the value in `arena`; NULL with err: KG_ERROR_USAGE at line and column */
const struct kg_json *kg_json_read(const char *path, const char *bytes, size_t length,
                                   struct kg_arena *arena, struct kg_error *err);

/* Whether the value exists and is of this kind. */
bool kg_json_is(const struct kg_json *json, enum kg_json_kind kind);
bool kg_json_is_number(const struct kg_json *json);

/* Items of a list, or members of an object; 0 of others. */
size_t kg_json_count(const struct kg_json *json);
/* A list's item; NULL if there are not as many. */
const struct kg_json *kg_json_item(const struct kg_json *list, size_t index);
/* The item or member after `before`, the first after NULL; NULL after the last:
 * for (const struct kg_json *item = NULL; (item = kg_json_next(list, item));) */
const struct kg_json *kg_json_next(const struct kg_json *json, const struct kg_json *before);
/* An object's member; NULL if there is none. */
const struct kg_json *kg_json_member(const struct kg_json *object, const char *name);
/* A member that is a string; NULL if there is none. */
const char *kg_json_member_string(const struct kg_json *object, const char *name);

const char *kg_json_string(const struct kg_json *json); /* NULL of others */
int64_t kg_json_whole(const struct kg_json *json);      /* 0 of others */
double kg_json_real(const struct kg_json *json); /* of a number of either kind; NaN of others */

/* Whether the text is a JSON pointer (RFC 6901), such as "/results/0/mean". Every part begins with
 * '/'; the empty text is a pointer too. '~' appears only in "~0", which means '~', and "~1", which
 * means '/'. */
bool kg_json_pointer_good(const char *pointer);

/* The value at a good pointer; the whole for an empty pointer. NULL if there is none. */
const struct kg_json *kg_json_pointer_find(const struct kg_json *json, const char *pointer);
