/* json_number.c: numbers of JSON text. Files of results are mostly numbers, so this code decides
 * how long a file takes to read. It reads eight digits at a time. It calls strtod only if one
 * operation on two exact doubles would not round as strtod does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/memory.h"

/* Digits read so far; the value is exact up to 19 digits. */
struct digits {
    uint64_t value;
    size_t count; /* number of digits, leading zeros included */
};

/* Value of the digits that begin eight bytes; returns their number. Digits are combined in pairs,
 * pairs in fours, and fours in eights. (Lemire, Number parsing at a gigabyte per second, 2021.) A
 * loop would cost a wrongly predicted branch per number. */
static inline size_t digits_read(const char *bytes, uint64_t *value)
{
    const uint64_t ones = 0x0101010101010101;
    uint64_t eight;
    memcpy(&eight, bytes, sizeof eight);
    eight -=
        '0' *
        ones; /* right up to the first byte that is no digit: its borrow may spoil later bytes */
    const uint64_t others = (eight | (eight + 0x76 * ones)) & 0x80 * ones;
    const size_t count = others ? (size_t)__builtin_ctzll(others) / 8 : 8;
    if (!count)
        return 0;
    eight <<= 8 * (8 - count); /* leading zeros */
    eight = 10 * eight + (eight >> 8);
    *value = ((eight & 0xff000000ff) * (100 + (1000000ull << 32)) +
              (eight >> 16 & 0xff000000ff) * (1 + (10000ull << 32))) >>
             32;
    return count;
}

/* Takes digits; returns their end. */
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

/* Takes the digits of a fraction; returns their end, NULL if there are none. */
static inline const char *fraction_take(const char *at, const char *end, struct digits *digits)
{
    const size_t before = digits->count;
    at = digits_take(at, end, digits);
    return digits->count > before ? at : NULL;
}

/* Takes the sign and the digits of an exponent; returns their end, NULL if there are no digits. */
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

/* Converts a number at the end of the text. It needs a terminated copy: strtod would read on. */
static double last_make(const char *start, const char *end)
{
    char *copy = kg_alloc((size_t)(end - start) + 1, 1);
    memcpy(copy, start, (size_t)(end - start));
    const double value = strtod(copy, NULL);
    free(copy);
    return value;
}

/* Converts a number with a fraction or an exponent. If the digits and the power of ten are exact
 * doubles, one multiplication or division rounds as strtod does. (Clinger, How to read floating
 * point numbers accurately, 1990.) */
static inline bool real_make(struct kg_json_text *text, const char *start,
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
    *value = text->at < text->end ? strtod(start, NULL) : last_make(start, text->at);
    return isfinite(*value) || kg_json_refuse(text, start, "malformed JSON: a number too large");
}

static bool whole_make(struct kg_json_text *text, const char *start, const struct digits *digits,
                       bool minus, struct kg_json_number *number)
{
    if (digits->count > 19 || digits->value > (uint64_t)INT64_MAX + minus)
        return kg_json_refuse(text, start, "malformed JSON: a whole number longer than 64 bits");
    number->integer = (int64_t)(minus ? 0 - digits->value : digits->value);
    number->value = (double)number->integer;
    return true;
}

/* Whether the next character is `character`. */
static inline bool is_next(const char *at, const char *end, char character)
{
    return at < end && *at == character;
}

/* Takes a short number before a comma or the end of a list: one digit, or two digits around a
 * point. Half of all numbers in results are short. Returns false for any other text. */
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
    if (!before)
        return kg_json_expected(text, "a value");
    if (*first == '0' && before > 1)
        return kg_json_refuse(text, start, "malformed JSON: a number with a leading 0");
    if (is_next(at, end, '.'))
        at = fraction_take(at + 1, end, &digits);
    if (at && (is_next(at, end, 'e') || is_next(at, end, 'E')))
        at = exponent_take(at + 1, end, &exponent);
    if (!at)
        return kg_json_refuse(text, start, "malformed JSON: an incomplete number");
    text->at = at;
    number->whole = at == point;
    return number->whole ? whole_make(text, start, &digits, minus, number)
                         : real_make(text, start, &digits,
                                     exponent - (int64_t)(digits.count - before), &number->value);
}
