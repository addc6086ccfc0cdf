#include "base/json_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

enum { NAMES_MOST = 64 };

bool kg_json_word(struct kg_json_text *text, const char *word)
{
    if (kg_json_peek(text) != *word)
        return false;
    const size_t length = strlen(word);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0)
        return false;
    text->at += length;
    return true;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

/* Digits that were read: their value as long as there are no more than 19. */
struct digits {
    uint64_t value;
    size_t count; /* with leading zeros */
};

/* The value of the digits that eight bytes begin with; how many. The digits are multiplied by their powers of
 * ten in pairs, the pairs in fours, and these together (Lemire, Number parsing at a gigabyte per
 * second, 2021): a loop costs a wrongly predicted branch for each number. */
static inline size_t digits_read(const char *bytes, uint64_t *value)
{
    const uint64_t ones = 0x0101010101010101;
    uint64_t eight;
    memcpy(&eight, bytes, sizeof eight);
    eight -=
        '0' *
        ones; /* right up to the first byte that is no digit, from which too much may be taken */
    const uint64_t others = (eight | (eight + 0x76 * ones)) & 0x80 * ones;
    const size_t count = others ? (size_t)__builtin_ctzll(others) / 8 : 8;
    if (!count)
        return 0;
    eight <<= 8 * (8 - count); /* zeros before it */
    eight = 10 * eight + (eight >> 8);
    *value = ((eight & 0xff000000ff) * (100 + (1000000ull << 32)) +
              (eight >> 16 & 0xff000000ff) * (1 + (10000ull << 32))) >>
             32;
    return count;
}

/* Takes digits; where they end. */
static inline const char *digits_take(const char *at, const char *end, struct digits *digits)
{
    static const uint64_t powers[] = {1,      10,      100,      1000,     10000,
                                      100000, 1000000, 10000000, 100000000};
    const bool little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    const char *start = at;
    uint64_t value = digits->value, part = 0;
    size_t some = 8;
    while (little_endian && some == 8 && end - at >= 8) {
        some = digits_read(at, &part);
        value = some ? powers[some] * value + part : value;
        at += some;
    }
    for (unsigned digit; some == 8 && at < end && (digit = (unsigned)*at - '0') <= 9; at++)
        value = 10 * value + digit;
    *digits = (struct digits){value, digits->count + (size_t)(at - start)};
    return at;
}

/* Takes the digits of an exponent, and its sign; where they end, NULL where there are none. */
static const char *exponent_take(const char *at, const char *end, int64_t *exponent)
{
    struct digits digits = {0};
    const bool minus = at < end && *at == '-';
    at = digits_take(at + (minus || (at < end && *at == '+')), end, &digits);
    if (!digits.count)
        return NULL;
    *exponent = digits.count > 9 ? 1000000000 : (int64_t)digits.value;
    *exponent = minus ? -*exponent : *exponent;
    return at;
}

/* A number of the text from `start` to `at` that has a fraction or an exponent. Where the digits and the power
 * of ten are both exact as doubles, one multiplication or division rounds as strtod does (Clinger,
 * How to read floating point numbers accurately, 1990). */
static inline bool real_make(const struct kg_json_text *text, const char *start,
                             const struct digits *digits, int64_t exponent, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits->count <= 19 && digits->value <= (uint64_t)1 << 53 && exponent >= -22 &&
        exponent <= 22) {
        const double exact = (double)digits->value;
        *value = exponent < 0 ? exact / powers[-exponent] : exact * powers[exponent];
        *value = *start == '-' ? -*value : *value;
        return true;
    }
    if (text->at == text->end) /* strtod would read on */
        return false;
    *value = strtod(start, NULL);
    return isfinite(*value);
}

static bool whole_make(const struct digits *digits, bool minus, struct kg_json_number *number)
{
    if (digits->count > 19 || digits->value > (uint64_t)INT64_MAX + minus)
        return false;
    number->integer = (int64_t)(minus ? 0 - digits->value : digits->value);
    number->value = (double)number->integer;
    return true;
}

/* Whether a character comes next. */
static inline bool is_next(const char *at, const char *end, char character)
{
    return at < end && *at == character;
}

/* Whether what comes next is a digit, or two around a point, and then the next item or the end of a list, as
 * half of all numbers of results are: takes it. */
static inline bool short_take(struct kg_json_text *text, struct kg_json_number *number)
{
    const char *at = text->at;
    if (text->end - at < 4)
        return false;
    const unsigned first = (unsigned)at[0] - '0', second = (unsigned)at[2] - '0';
    if (first > 9)
        return false;
    if (at[1] == ',' || at[1] == ']') {
        *number = (struct kg_json_number){first, true, first};
        text->at = at + 1;
        return true;
    }
    if (at[1] != '.' || second > 9 || (at[3] != ',' && at[3] != ']'))
        return false;
    *number = (struct kg_json_number){(double)(10 * first + second) / 10, false, 0};
    text->at = at + 3;
    return true;
}

bool kg_json_number(struct kg_json_text *text, struct kg_json_number *number)
{
    if (short_take(text, number))
        return true;
    struct digits digits = {0};
    int64_t exponent = 0;
    const bool minus = kg_json_peek(text) == '-';
    const char *start = text->at, *end = text->end, *first = start + minus;
    const char *point = digits_take(first, end, &digits), *at = point;
    const size_t before = digits.count;
    if (!before || (*first == '0' && before > 1))
        return false;
    if (is_next(at, end, '.')) {
        at = digits_take(at + 1, end, &digits);
        if (digits.count == before)
            return false;
    }
    if (is_next(at, end, 'e') || is_next(at, end, 'E')) {
        at = exponent_take(at + 1, end, &exponent);
        if (!at)
            return false;
    }
    text->at = at;
    number->whole = at == point;
    return number->whole ? whole_make(&digits, minus, number)
                         : real_make(text, start, &digits,
                                     exponent - (int64_t)(digits.count - before), &number->value);
}

/* --- Strings ---------------------------------------------------------------------------------- */

/* Whether eight bytes are all ASCII that stands for itself: none is a quote, a backslash or a control
 * character. A byte from which too much is taken has its highest bit set. */
static bool eight_plain(const char *bytes)
{
    const uint64_t ones = 0x0101010101010101, highest = 0x80 * ones;
    uint64_t eight;
    memcpy(&eight, bytes, sizeof eight);
    const uint64_t controls = eight - 0x20 * ones, quotes = (eight ^ '"' * ones) - ones,
                   slashes = (eight ^ '\\' * ones) - ones;
    return !((eight | controls | quotes | slashes) & highest);
}

/* Bytes of the character at `at`, or of the escape, whose meaning is not looked at; 0 where it is a
 * control character or no UTF-8. */
static size_t character_length(const char *at, const char *end)
{
    const unsigned char *byte = (const unsigned char *)at;
    if (*byte < 0x20)
        return 0;
    if (*byte == '\\') /* what follows may be a quote */
        return end - at > 1 && byte[1] >= 0x20 && byte[1] < 0x80 ? 2 : 0;
    return kg_utf8_length(byte, (size_t)(end - at));
}

/* The closing quote; NULL where what comes before it is not good, or where there is none. */
static const char *quote_find(const struct kg_json_text *text, bool *escapes)
{
    const char *at = text->at, *end = text->end;
    for (*escapes = false;;) {
        while (end - at >= 8 && eight_plain(at))
            at += 8;
        if (at == end || *at == '"')
            return at < end ? at : NULL;
        const size_t length = character_length(at, end);
        if (!length)
            return NULL;
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

/* A character of the code, as UTF-8; how many bytes. */
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

/* What follows \u: one number, or two for what lies beyond 16 bits. *from moves behind it. */
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

/* What follows a backslash; how many bytes it becomes, 0 where it is no escape. */
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

/* An escape is never shorter than what it becomes. */
static bool unescape(struct kg_arena *arena, const char *from, const char *end,
                     struct kg_json_string *string)
{
    char *to = kg_arena_alloc(arena, (size_t)(end - from) + 1, 1);
    *string = (struct kg_json_string){.bytes = to};
    while (to && from < end) {
        size_t length = 1;
        if (*from == '\\') {
            from++;
            length = escape_read(&from, end, to + string->length);
            if (!length)
                return false;
        } else
            to[string->length] = *from++;
        string->length += length;
    }
    return to != NULL;
}

bool kg_json_text_string(struct kg_json_text *text, struct kg_json_string *string)
{
    bool escapes;
    if (!kg_json_take(text, '"'))
        return false;
    const char *start = text->at, *quote = quote_find(text, &escapes);
    if (!quote)
        return false;
    text->at = quote + 1;
    *string = (struct kg_json_string){start, (size_t)(quote - start)};
    return !escapes || unescape(text->arena, start, quote, string);
}

/* --- Objects and lists ------------------------------------------------------------------------ */

bool kg_json_name(struct kg_json_text *text, struct kg_json_string *name)
{
    return kg_json_text_string(text, name) && kg_json_take(text, ':');
}

bool kg_json_names_add(struct kg_json_text *text, struct kg_json_names *names,
                       const struct kg_json_string *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->names[i].length == name->length &&
            !memcmp(names->names[i].bytes, name->bytes, name->length))
            return false;
    if (!names->names) {
        names->names = names->first;
        names->capacity = sizeof names->first / sizeof *names->first;
    }
    if (names->count == NAMES_MOST || !kg_arena_grow(text->arena, &names->names, names->count,
                                                     &names->capacity, sizeof *names->names))
        return false;
    names->names[names->count++] = *name;
    return true;
}

bool kg_json_text_more(struct kg_json_text *text)
{
    if (!text->window)
        return false;
    size_t length = (size_t)(text->end - text->at);
    const size_t before = length;
    memmove(text->window, text->at, length);
    while (length < KG_JSON_WINDOW) {
        const ssize_t count = read(text->file, text->window + length, KG_JSON_WINDOW - length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        length += (size_t)count;
    }
    text->at = text->window;
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
