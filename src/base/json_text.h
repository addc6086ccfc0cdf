/* json_text.h: JSON text (RFC 8259) read value by value, without a tree. Strict: UTF-8 is checked, no name is
 * twice in an object, no string has a NUL, whole numbers fit 64 bits and others a double. A refusal fills
 * `err` with path, line and column. One reader of every file: record_read.c and json_tree.c build on it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/names.h"

/* string_cache.c: strings that come again and again, kept once. A file of many cases says the same names, versions
 * and libraries in each; copied each time they were a fifth of what the file takes in memory. */

/* The strings kept last. It has no list of all: one that is forgotten is copied again, so that it
 * takes the same room however many there are. */
struct kg_shared {
    struct kg_shared_string *kept; /* by hash; NULL: nothing is shared */
};

void kg_shared_begin(struct kg_shared *shared);
void kg_shared_end(struct kg_shared *shared);

/* The string of these bytes, terminated, in `arena`: the same as before where it is remembered. It is not to
 * be changed, therefore.
 * bytes    without a NUL
 * arena    the same in each call */
const char *kg_shared_copy(struct kg_shared *shared, struct kg_arena *arena, const char *bytes,
                           size_t length);

struct kg_json_text {
    const char *start, *at, *end; /* the text, and the next byte of it */
    const char *path;             /* for errors */
    struct kg_error *err;         /* the first refusal */
    bool refused;                 /* by a table, which adds the place in the record */
    struct kg_arena *arena;       /* of strings with escapes, and of the lists of names */
    unsigned depth;               /* of objects and lists that are open */
    struct kg_shared shared;      /* of strings that are kept */
    char *window;                 /* where parts of a file are read to; NULL: the text is whole */
    int file;                     /* that they are of */
    bool ended;                   /* the file: nothing more is to be read */
};

/* Of a window. As much of a file as LEFT is there from wherever kg_json_text_pass is called. */
enum { KG_JSON_WINDOW = 4 << 20, KG_JSON_LEFT = KG_JSON_WINDOW / 4 };

/* Objects and lists inside each other. */
enum { KG_JSON_DEPTH_MOST = 1024 };

/* Bytes of the text, or of the arena if there were escapes; not terminated, and without NUL. */
struct kg_json_string {
    const char *bytes;
    size_t length;
};

struct kg_json_number {
    double value;
    bool whole;      /* written without fraction and exponent */
    int64_t integer; /* if it is whole */
};

/* Errors at a byte of the text: its path, line and column. All return false. */
__attribute__((format(printf, 3, 4), cold)) bool
kg_json_refuse(struct kg_json_text *text, const char *at, const char *format, ...);
/* "malformed JSON: expected a value, found 'x'", of the next byte. */
__attribute__((cold)) bool kg_json_expected(struct kg_json_text *text, const char *expected);

/* The next character that is no white space, which stays; 0 at the end. */
static inline char kg_json_peek(struct kg_json_text *text)
{
    while (text->at < text->end &&
           (*text->at == ' ' || *text->at == '\n' || *text->at == '\t' || *text->at == '\r'))
        text->at++;
    return text->at < text->end ? *text->at : '\0';
}

/* Takes the next character that is no white space, if it is this one. No error otherwise. */
static inline bool kg_json_take(struct kg_json_text *text, char character)
{
    const bool found = kg_json_peek(text) == character && text->at < text->end;
    text->at += found;
    return found;
}

/* Opens an object or a list. */
bool kg_json_open(struct kg_json_text *text, char bracket);

/* No comma and no bracket come next. */
__attribute__((cold)) bool kg_json_separator_missing(struct kg_json_text *text, char bracket);

/* Takes the comma before the next item of an open object or list, or its bracket. *more: whether there is
 * an item.
 * index  how many items there were */
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

/* Reads the next part of the file into the window, behind what is left there, which moves. Whether there is any;
 * none where reading fails. */
bool kg_json_text_more(struct kg_json_text *text);
/* Between two values of which nothing in the text is needed again, but not inside of one: reads the next
 * part of a file where less than KG_JSON_LEFT is left. */
static inline void kg_json_text_pass(struct kg_json_text *text)
{
    if (text->window && text->end - text->at < KG_JSON_LEFT)
        kg_json_text_more(text);
}

/* Names of an object's members, to refuse the same twice. Zero-initialise. */
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
/* The same name is in an object twice. */
__attribute__((cold)) bool kg_json_name_twice(struct kg_json_text *text,
                                              const struct kg_json_string *name);

/* Takes any value, good throughout. */
bool kg_json_skip(struct kg_json_text *text);

/* Whether white space alone follows. */
bool kg_json_end(struct kg_json_text *text);

/* Items whose number is not known before the last is read. */
struct kg_json_items {
    char *items; /* from malloc */
    size_t count, capacity;
};
/* A zeroed item at the end. */
void *kg_json_items_add(struct kg_json_items *list, size_t size);
/* The items, which are the arena's from now on; `list` is empty then. */
char *kg_json_items_keep(struct kg_json_items *list, size_t size, struct kg_arena *arena);
