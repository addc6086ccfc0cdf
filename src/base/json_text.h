/* json_text.h: reads JSON text (RFC 8259) value by value, without a tree. The reader is strict:
 * valid UTF-8, no name twice in an object, no NUL in a string. Whole numbers must fit 64 bits and
 * others a double. A refusal fills `err` with path, line and column. This is the only reader of
 * files: record_read.c and json_tree.c build on it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/names.h"

/* string_cache.c: keeps one copy of a repeated string. A file of many cases repeats names, versions
 * and libraries in each case. Separate copies would be a fifth of the file's memory. */

/* The newest string of each hash. A replaced string is copied again at its next use, so the cache
 * has a fixed size. */
struct kg_shared {
    struct kg_shared_string *kept; /* by hash; NULL: no cache */
};

void kg_shared_begin(struct kg_shared *shared);
void kg_shared_end(struct kg_shared *shared);

/* The terminated string of these bytes, in `arena`. If the cache has the string, the copy is
 * shared: nobody may change it.
 * bytes  without a NUL
 * arena  the same in each call */
const char *kg_shared_copy(struct kg_shared *shared, struct kg_arena *arena, const char *bytes,
                           size_t length);

struct kg_json_text {
    const char *start, *at, *end; /* the text, and the next byte of it */
    const char *path;             /* for errors */
    struct kg_error *err;         /* the first refusal */
    bool refused;                 /* by a table, which adds the place in the record */
    struct kg_arena *arena;       /* holds strings with escapes, and lists of names */
    unsigned depth;               /* number of open objects and lists */
    struct kg_shared shared;      /* cache of kept strings */
    char *window;                 /* holds a part of a file; NULL: the text is whole */
    int file;                     /* the file of the window */
    bool ended;                   /* the file has no more bytes */
};

/* Bytes of a window. After kg_json_text_pass the window has at least KG_JSON_LEFT bytes, unless the
 * file ends earlier. */
enum { KG_JSON_WINDOW = 4 << 20, KG_JSON_LEFT = KG_JSON_WINDOW / 4 };

/* Depth of nested objects and lists. */
enum { KG_JSON_DEPTH_MOST = 1024 };

/* Bytes of the text, or of the arena if the string has escapes; not terminated, and without NUL. */
struct kg_json_string {
    const char *bytes;
    size_t length;
};

struct kg_json_number {
    double value;
    bool whole;      /* written without fraction and exponent */
    int64_t integer; /* if it is whole */
};

/* Errors at a byte of the text, with path, line and column. All return false. */
__attribute__((format(printf, 3, 4), cold)) bool
kg_json_refuse(struct kg_json_text *text, const char *at, const char *format, ...);
/* The error "malformed JSON: expected a value, found 'x'" at the next byte. */
__attribute__((cold)) bool kg_json_expected(struct kg_json_text *text, const char *expected);

/* The next character except white space, without taking it; 0 at the end. */
static inline char kg_json_peek(struct kg_json_text *text)
{
    while (text->at < text->end &&
           (*text->at == ' ' || *text->at == '\n' || *text->at == '\t' || *text->at == '\r'))
        text->at++;
    return text->at < text->end ? *text->at : '\0';
}

/* Takes the next character except white space if it is `character`. Otherwise no error. */
static inline bool kg_json_take(struct kg_json_text *text, char character)
{
    const bool found = kg_json_peek(text) == character && text->at < text->end;
    text->at += found;
    return found;
}

/* Opens an object or a list. */
bool kg_json_open(struct kg_json_text *text, char bracket);

/* Refuses the next character: it is neither a comma nor the bracket. */
__attribute__((cold)) bool kg_json_separator_missing(struct kg_json_text *text, char bracket);

/* Takes the comma before the next item of an open object or list, or its closing bracket. *more:
 * whether there is another item.
 * index  number of items before */
static inline bool kg_json_more(struct kg_json_text *text, size_t index, char bracket, bool *more)
{
    *more = !kg_json_take(text, bracket);
    text->depth -= !*more;
    return !*more || !index || kg_json_take(text, ',') || kg_json_separator_missing(text, bracket);
}

static inline bool kg_json_string_is(const struct kg_json_string *string, const char *other)
{
    return string->length
               ? *string->bytes == *other && !strncmp(string->bytes, other, string->length) &&
                     !other[string->length]
               : !*other;
}

/* Takes true, false or null. */
bool kg_json_word(struct kg_json_text *text, const char *word);
bool kg_json_text_string(struct kg_json_text *text, struct kg_json_string *string);
/* json_number.c */
bool kg_json_number(struct kg_json_text *text, struct kg_json_number *number);

/* Reads the next part of the file into the window, behind the remaining bytes, which move to the
 * front. Returns whether it read any; false if reading fails. */
bool kg_json_text_more(struct kg_json_text *text);
/* Reads the next part of a file if less than KG_JSON_LEFT bytes are left. To be called between two
 * values, if the caller needs no earlier text. */
static inline void kg_json_text_pass(struct kg_json_text *text)
{
    if (text->window && text->end - text->at < KG_JSON_LEFT)
        kg_json_text_more(text);
}

/* Names of an object's members, to refuse a name twice. Zero-initialise. */
enum { KG_JSON_NAMES_FEW = 16 };
struct kg_json_names {
    size_t count;
    struct kg_json_string few[KG_JSON_NAMES_FEW]; /* the first ones */
    struct kg_names many;                         /* all, if there are more */
};
/* Takes a name and its colon. */
bool kg_json_name(struct kg_json_text *text, struct kg_json_string *name);
bool kg_json_names_add(struct kg_json_text *text, struct kg_json_names *names,
                       const struct kg_json_string *name);
/* Refuses a name that the object has twice. */
__attribute__((cold)) bool kg_json_name_twice(struct kg_json_text *text,
                                              const struct kg_json_string *name);

/* Takes any value and checks it. */
bool kg_json_skip(struct kg_json_text *text);

/* Whether only white space follows. */
bool kg_json_end(struct kg_json_text *text);

/* Items of unknown number, read one by one. */
struct kg_json_items {
    char *items; /* from malloc */
    size_t count, capacity;
};
/* Adds a zeroed item at the end. */
void *kg_json_items_add(struct kg_json_items *list, size_t size);
/* The items, owned by the arena from now on; `list` is then empty. */
char *kg_json_items_keep(struct kg_json_items *list, size_t size, struct kg_arena *arena);
