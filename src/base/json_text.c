#include "base/json_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/memory.h"
#include "base/utf8.h"

/* --- Refusals --------------------------------------------------------------------------------- */

bool kg_json_refuse(struct kg_json_text *text, const char *at, const char *format, ...)
{
    char message[sizeof text->err->message];
    unsigned line = 1, column = 1;
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    for (const char *byte = text->start; byte < at; byte++) {
        const bool inside = ((unsigned char)*byte & 0xc0) == 0x80; /* of a character */
        line += *byte == '\n';
        column = *byte == '\n' ? 1 : column + !inside;
    }
    return kg_error_at(text->err, text->path, line, column, "%s", message);
}

bool kg_json_expected(struct kg_json_text *text, const char *expected)
{
    const char byte = kg_json_peek(text);
    if (text->at == text->end)
        return kg_json_refuse(text, text->at, "malformed JSON: expected %s, found the end",
                              expected);
    if (byte > ' ' && byte < 0x7f)
        return kg_json_refuse(text, text->at, "malformed JSON: expected %s, found '%c'", expected,
                              byte);
    return kg_json_refuse(text, text->at, "malformed JSON: expected %s, found the byte 0x%02x",
                          expected, (unsigned)(unsigned char)byte);
}

bool kg_json_word(struct kg_json_text *text, const char *word)
{
    const size_t length = strlen(word);
    kg_json_peek(text);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0)
        return kg_json_expected(text, word);
    text->at += length;
    return true;
}

/* --- Strings ---------------------------------------------------------------------------------- */

/* Whether eight bytes are plain ASCII: no quote, backslash or control character. If a subtraction
 * underflows in a byte, the byte's highest bit is set. */
static bool eight_plain(const char *bytes)
{
    const uint64_t ones = 0x0101010101010101, highest = 0x80 * ones;
    uint64_t eight;
    memcpy(&eight, bytes, sizeof eight);
    const uint64_t controls = eight - 0x20 * ones, quotes = (eight ^ '"' * ones) - ones,
                   slashes = (eight ^ '\\' * ones) - ones;
    return !((eight | controls | quotes | slashes) & highest);
}

/* Bytes of the character at `at`, or of an escape, without a check of its meaning. 0 for a control
 * character or invalid UTF-8. */
static size_t character_length(const char *at, const char *end)
{
    const unsigned char *byte = (const unsigned char *)at;
    if (*byte < 0x20)
        return 0;
    if (*byte == '\\') /* the escaped character may be a quote */
        return end - at > 1 && byte[1] >= 0x20 && byte[1] < 0x80 ? 2 : 0;
    return kg_utf8_length(byte, (size_t)(end - at));
}

static const char *string_refuse(struct kg_json_text *text, const char *at)
{
    kg_json_refuse(text, at, "malformed JSON: %s",
                   at == text->end             ? "an unterminated string"
                   : (unsigned char)*at < 0x20 ? "a control character in a string"
                   : *at == '\\'               ? "an unknown escape"
                                               : "a string that is not UTF-8");
    return NULL;
}

/* Finds the closing quote. NULL, with an error, if a byte before it is bad or the quote is
 * missing. */
static const char *quote_find(struct kg_json_text *text, bool *escapes)
{
    const char *at = text->at, *end = text->end;
    for (*escapes = false;;) {
        while (end - at >= 8 && eight_plain(at))
            at += 8;
        if (at < end && *at == '"')
            return at;
        const size_t length = at < end ? character_length(at, end) : 0;
        if (!length)
            return string_refuse(text, at);
        *escapes = *escapes || *at == '\\';
        at += length;
    }
}

static bool hex_read(const char *bytes, const char *end, unsigned *code)
{
    *code = 0;
    if (end - bytes < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const char digit = bytes[i];
        const bool small = digit >= 'a' && digit <= 'f', large = digit >= 'A' && digit <= 'F';
        if (!small && !large && (digit < '0' || digit > '9'))
            return false;
        *code = 16 * *code + (unsigned)(digit - (small ? 'a' - 10 : large ? 'A' - 10 : '0'));
    }
    return true;
}

/* Writes a code point as UTF-8; returns the number of bytes. */
static size_t character_put(unsigned code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    const size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char firsts[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length - 1; i; i--, code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(firsts[length] | code);
    return length;
}

/* Reads the number after \u, or two numbers for a code point beyond 16 bits; *from moves behind
 * them. Returns the number of bytes written; 0 if malformed. */
static size_t code_unescape(const char **from, const char *end, char *to)
{
    unsigned code, low;
    if (!hex_read(*from, end, &code) || !code || (code >= 0xdc00 && code < 0xe000))
        return 0;
    *from += 4;
    if (code < 0xd800 || code >= 0xe000)
        return character_put(code, to);
    if (end - *from < 6 || (*from)[0] != '\\' || (*from)[1] != 'u' ||
        !hex_read(*from + 2, end, &low) || low < 0xdc00 || low >= 0xe000)
        return 0;
    *from += 6;
    return character_put(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), to);
}

/* Reads the rest of an escape, after its backslash. Returns the number of bytes written; 0 if there
 * is no such escape. */
static size_t escape_read(const char **from, const char *end, char *to)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    if (*from == end || !**from)
        return 0;
    const char name = *(*from)++;
    if (name == 'u')
        return code_unescape(from, end, to);
    const char *found = strchr(names, name);
    if (!found)
        return 0;
    *to = meant[found - names];
    return 1;
}

/* The copy fits: no escape is shorter than its character. */
static bool unescape(struct kg_json_text *text, const char *from, const char *end,
                     struct kg_json_string *string)
{
    char *to = kg_arena_alloc(text->arena, (size_t)(end - from) + 1, 1);
    *string = (struct kg_json_string){.bytes = to};
    while (from < end) {
        const char *escape = from;
        size_t length = 1;
        if (*from == '\\') {
            from++;
            length = escape_read(&from, end, to + string->length);
            if (!length)
                return string_refuse(text, escape);
        } else
            to[string->length] = *from++;
        string->length += length;
    }
    return true;
}

bool kg_json_text_string(struct kg_json_text *text, struct kg_json_string *string)
{
    bool escapes;
    if (!kg_json_take(text, '"'))
        return kg_json_expected(text, "a string");
    const char *start = text->at, *quote = quote_find(text, &escapes);
    if (!quote)
        return false;
    text->at = quote + 1;
    *string = (struct kg_json_string){start, (size_t)(quote - start)};
    return !escapes || unescape(text, start, quote, string);
}

/* --- Objects and lists ------------------------------------------------------------------------ */

bool kg_json_open(struct kg_json_text *text, char bracket)
{
    if (!kg_json_take(text, bracket))
        return kg_json_expected(text, bracket == '{' ? "an object" : "a list");
    return ++text->depth <= KG_JSON_DEPTH_MOST ||
           kg_json_refuse(text, text->at - 1, "malformed JSON: nested deeper than %d",
                          KG_JSON_DEPTH_MOST);
}

bool kg_json_separator_missing(struct kg_json_text *text, char bracket)
{
    return kg_json_expected(text, bracket == '}' ? "',' or '}'" : "',' or ']'");
}

bool kg_json_name(struct kg_json_text *text, struct kg_json_string *name)
{
    if (kg_json_peek(text) != '"')
        return kg_json_expected(text, "the name of a member");
    return kg_json_text_string(text, name) &&
           (kg_json_take(text, ':') || kg_json_expected(text, "':'"));
}

bool kg_json_name_twice(struct kg_json_text *text, const struct kg_json_string *name)
{
    return kg_json_refuse(text, text->at, "malformed JSON: the member '%.*s' occurs twice",
                          (int)(name->length < 60 ? name->length : 60), name->bytes);
}

static bool is_equal(const struct kg_json_string *a, const struct kg_json_string *b)
{
    return a->length == b->length && !memcmp(a->bytes, b->bytes, a->length);
}

/* Adds a name; returns false if it is there already. A few names are compared one by one. */
static bool name_add(struct kg_arena *arena, struct kg_json_names *names,
                     const struct kg_json_string *name)
{
    const bool few = names->count < KG_JSON_NAMES_FEW;
    for (size_t i = 0; few && i < names->count; i++)
        if (is_equal(&names->few[i], name))
            return false;
    for (size_t i = 0; names->count == KG_JSON_NAMES_FEW && i < names->count; i++)
        kg_names_set(arena, &names->many, names->few[i].bytes, names->few[i].length, i);
    if (few)
        names->few[names->count] = *name;
    else if (kg_names_find(&names->many, name->bytes, name->length))
        return false;
    else
        kg_names_set(arena, &names->many, name->bytes, name->length, names->count);
    names->count++;
    return true;
}

bool kg_json_names_add(struct kg_json_text *text, struct kg_json_names *names,
                       const struct kg_json_string *name)
{
    return name_add(text->arena, names, name) || kg_json_name_twice(text, name);
}

void *kg_json_items_add(struct kg_json_items *list, size_t size)
{
    kg_grow(&list->items, list->count, &list->capacity, size);
    return memset(list->items + list->count++ * size, 0, size);
}

char *kg_json_items_keep(struct kg_json_items *list, size_t size, struct kg_arena *arena)
{
    /* in bytes; a copy of more would double the memory for a while */
    enum { COPIED_MOST = 64 * 1024 };
    const size_t bytes = list->count * size;
    char *items = list->items;
    *list = (struct kg_json_items){0};
    if (bytes > COPIED_MOST) {
        items = kg_realloc(items, bytes);
        kg_arena_own(arena, items);
        return items;
    }
    char *kept = kg_arena_alloc(arena, bytes, 1);
    if (bytes)
        memcpy(kept, items, bytes);
    free(items);
    return kept;
}

bool kg_json_text_more(struct kg_json_text *text)
{
    if (!text->window || text->ended)
        return false;
    size_t length = (size_t)(text->end - text->at);
    const size_t before = length;
    memmove(text->window, text->at, length);
    while (length < KG_JSON_WINDOW) {
        const ssize_t count = read(text->file, text->window + length, KG_JSON_WINDOW - length);
        if (count < 0 && errno == EINTR)
            continue;
        text->ended = count <= 0;
        if (text->ended)
            break;
        length += (size_t)count;
    }
    text->start = text->at = text->window;
    text->end = text->window + length;
    return length > before;
}

static bool object_skip(struct kg_json_text *text)
{
    struct kg_json_names names = {0};
    struct kg_json_string name;
    bool more, good = kg_json_open(text, '{');
    while (good && (good = kg_json_more(text, names.count, '}', &more)) && more)
        good = kg_json_name(text, &name) && kg_json_names_add(text, &names, &name) &&
               kg_json_skip(text);
    return good;
}

static bool list_skip(struct kg_json_text *text)
{
    bool more, good = kg_json_open(text, '[');
    for (size_t i = 0; good && (good = kg_json_more(text, i, ']', &more)) && more; i++)
        good = kg_json_skip(text);
    return good;
}

bool kg_json_skip(struct kg_json_text *text)
{
    struct kg_json_string string;
    struct kg_json_number number;
    switch (kg_json_peek(text)) {
    case '{':
        return object_skip(text);
    case '[':
        return list_skip(text);
    case '"':
        return kg_json_text_string(text, &string);
    case 't':
        return kg_json_word(text, "true");
    case 'f':
        return kg_json_word(text, "false");
    case 'n':
        return kg_json_word(text, "null");
    default:
        return kg_json_number(text, &number);
    }
}

bool kg_json_end(struct kg_json_text *text)
{
    do {
        if (kg_json_peek(text) || text->at < text->end)
            return kg_json_expected(text, "the end");
    } while (kg_json_text_more(text));
    return true;
}
