/* json_text.h: JSON taken from its text value by value, so that no tree of it is built. It takes no more
 * than jansson does, and gives the same values; but it says nothing of why it refuses: who needs to
 * know parses again, by kg_json_parse. After a refusal the text is where it was found bad. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

/* shared.c: strings that come again and again, kept once. A file of many cases says the same names, versions
 * and libraries in each; copied each time they were a fifth of what the file takes in memory. */

/* The strings kept last. It has no list of all: one that is forgotten is copied again, so that it
 * takes the same room however many there are. */
struct kg_shared {
    struct kg_shared_string *kept; /* by hash; NULL: nothing is shared */
};

/* Where memory is out nothing will be shared. */
void kg_shared_begin(struct kg_shared *shared);
void kg_shared_end(struct kg_shared *shared);

/* The string of these bytes, terminated, in `arena`: the same as before where it is remembered. It is not to
 * be changed, therefore.
 * bytes    without a NUL
 * arena    the same in each call
 * returns  NULL where memory is out */
const char *kg_shared_copy(struct kg_shared *shared, struct kg_arena *arena, const char *bytes,
                           size_t length);

struct kg_json_text {
    const char *at, *end;    /* what is left */
    struct kg_arena *arena;  /* of strings with escapes, and of the lists of names */
    unsigned depth;          /* of objects and lists that are open */
    struct kg_shared shared; /* of strings that are kept */
    char *window;            /* where parts of a file are read to; NULL: the text is all there is */
    int file;                /* that they are of */
};

/* Of a window. As much of a file as LEFT is there from wherever kg_json_text_pass is called. */
enum { KG_JSON_WINDOW = 4 << 20, KG_JSON_LEFT = KG_JSON_WINDOW / 4 };

/* Bytes of the text, or of the arena where there were escapes; not terminated, and without NUL. */
struct kg_json_string {
    const char *bytes;
    size_t length;
};

struct kg_json_number {
    double value;
    bool whole;      /* written without fraction and exponent */
    int64_t integer; /* where it is whole */
};

/* The next character that is no white space, which stays; 0 at the end. */
static inline char kg_json_peek(struct kg_json_text *text)
{
    while (text->at < text->end &&
           (*text->at == ' ' || *text->at == '\n' || *text->at == '\t' || *text->at == '\r'))
        text->at++;
    return text->at < text->end ? *text->at : '\0';
}

/* Takes the next character that is no white space, if it is this one. */
static inline bool kg_json_take(struct kg_json_text *text, char character)
{
    const bool found = kg_json_peek(text) == character && text->at < text->end;
    text->at += found;
    return found;
}

/* Opens an object or a list. Of those inside each other jansson takes twice as many. */
static inline bool kg_json_open(struct kg_json_text *text, char bracket)
{
    return kg_json_take(text, bracket) && ++text->depth <= 1024;
}

/* Takes what comes before the next item of an open object or list: nothing or a comma. *more: whether
 * there is one; else the bracket was taken, and it is closed.
 * index  how many items there were */
static inline bool kg_json_more(struct kg_json_text *text, size_t index, char bracket, bool *more)
{
    *more = !kg_json_take(text, bracket);
    text->depth -= !*more;
    return !*more || !index || kg_json_take(text, ',');
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
bool kg_json_number(struct kg_json_text *text, struct kg_json_number *number);
bool kg_json_text_string(struct kg_json_text *text, struct kg_json_string *string);

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

/* Names of an object's members, to refuse the same twice. Zero-initialise, and do not move. */
struct kg_json_names {
    struct kg_json_string *names;
    size_t count, capacity;
    struct kg_json_string first[4]; /* as many as most have */
};
/* Takes a name and its colon. */
bool kg_json_name(struct kg_json_text *text, struct kg_json_string *name);
/* false where the name is there already; and above 64, as each is compared with all */
bool kg_json_names_add(struct kg_json_text *text, struct kg_json_names *names,
                       const struct kg_json_string *name);

/* Takes any value, good throughout. */
bool kg_json_skip(struct kg_json_text *text);
