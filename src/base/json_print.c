#include "base/json_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static void escape_print(struct kg_text *text, unsigned char byte)
{
    static const char meant[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
    const char *found = byte ? strchr(meant, byte) : NULL;
    if (found)
        kg_text_append_bytes(text, (const char[]){'\\', names[found - meant]}, 2);
    else if (byte < 0x20)
        kg_text_printf(text, "\\u%04X", byte);
    else /* no UTF-8: \xNN, whose backslash is a character of the string */
        kg_text_printf(text, "\\\\x%02x", byte);
}

void kg_json_print_string(struct kg_text *text, const char *string)
{
    const char *at = string, *plain = string;
    kg_text_append_bytes(text, "\"", 1);
    while (*at) {
        const unsigned char *byte = (const unsigned char *)at;
        const size_t length =
            *byte < 0x20 || *byte == '"' || *byte == '\\' ? 0 : kg_utf8_length(byte, KG_UTF8_MOST);
        at += length;
        if (length)
            continue;
        kg_text_append_bytes(text, plain, (size_t)(at - plain));
        escape_print(text, *byte);
        plain = ++at;
    }
    kg_text_append_bytes(text, plain, (size_t)(at - plain));
    kg_text_append_bytes(text, "\"", 1);
}

enum { WHOLE_BYTES = 24 };

/* Prints the digits of a number before `end`; returns their start. */
static char *digits_print(char *end, uint64_t value, int places)
{
    for (int printed = 0; value || printed <= places; printed++) {
        if (printed && printed == places)
            *--end = '.';
        *--end = (char)('0' + value % 10);
        value /= 10;
    }
    return end;
}

/* Prints a number of at most 15 decimal digits, as most times are, in tenths or thousandths.
 * `whole` and the power of ten are exact doubles. If their quotient is the number, `whole` has the
 * right digits. */
static bool decimal_print(struct kg_text *text, double value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    const double size = fabs(value);
    if (size < 1e-4 || size >= 1e15)
        return false;
    for (int places = 0; places < (int)(sizeof powers / sizeof *powers); places++) {
        const double whole = rint(size * powers[places]);
        if (whole >= 1e15)
            return false;
        if (whole / powers[places] != size)
            continue;
        char bytes[40], *end = bytes + sizeof bytes;
        if (!places) {
            *--end = '0';
            *--end = '.';
        }
        char *start = digits_print(end, (uint64_t)whole, places);
        if (value < 0)
            *--start = '-';
        kg_text_append_bytes(text, start, (size_t)(bytes + sizeof bytes - start));
        return true;
    }
    return false;
}

/* Removes "+" and leading zeros of the exponent. */
static void exponent_shorten(char *bytes)
{
    char *to = strchr(bytes, 'e');
    if (!to)
        return;
    const char *from = ++to;
    if (*from == '-')
        to++;
    from += *from == '-' || *from == '+';
    from += strspn(from, "0");
    memmove(to, from, strlen(from) + 1);
}

void kg_json_print_real(struct kg_text *text, double value)
{
    char bytes[40];
    if (!isfinite(value)) {
        kg_text_append(text, "null");
        return;
    }
    if (decimal_print(text, value))
        return;
    snprintf(bytes, sizeof bytes, "%.15g", value);
    if (strtod(bytes, NULL) != value)
        snprintf(bytes, sizeof bytes, "%.17g", value);
    exponent_shorten(bytes);
    kg_text_append(text, bytes);
    if (!strpbrk(bytes, ".e"))
        kg_text_append(text, ".0");
}

void kg_json_print_whole(struct kg_text *text, int64_t value)
{
    char bytes[WHOLE_BYTES];
    char *end = bytes + sizeof bytes;
    char *start = digits_print(end, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 0);
    if (value < 0)
        *--start = '-';
    kg_text_append_bytes(text, start, (size_t)(end - start));
}

/* --- Objects and lists ------------------------------------------------------------------------ */

void kg_json_print_line(struct kg_text *text, int depth)
{
    static const char spaces[] = "                                ";
    kg_text_append_bytes(text, "\n", 1);
    for (size_t left = 2 * (size_t)depth, some; left; left -= some) {
        some = left < sizeof spaces - 1 ? left : sizeof spaces - 1;
        kg_text_append_bytes(text, spaces, some);
    }
}

void kg_json_put(struct kg_json_writer *writer, const char *name)
{
    if (writer->more)
        kg_text_append(writer->text, writer->flat ? ", " : ",");
    if (writer->depth && !writer->flat)
        kg_json_print_line(writer->text, writer->depth);
    writer->more = true;
    if (!name)
        return;
    kg_json_print_string(writer->text, name);
    kg_text_append(writer->text, ": ");
}

void kg_json_begin(struct kg_json_writer *writer, const char *name, const char *bracket)
{
    kg_json_put(writer, name);
    kg_text_append(writer->text, bracket);
    writer->depth++;
    writer->more = false;
}

void kg_json_finish(struct kg_json_writer *writer, const char *bracket)
{
    writer->depth--;
    if (writer->more && !writer->flat)
        kg_json_print_line(writer->text, writer->depth);
    kg_text_append(writer->text, bracket);
    writer->more = true;
}

void kg_json_put_string(struct kg_json_writer *writer, const char *name, const char *string)
{
    kg_json_put(writer, name);
    if (string)
        kg_json_print_string(writer->text, string);
    else
        kg_text_append(writer->text, "null");
}

void kg_json_put_real(struct kg_json_writer *writer, const char *name, double value)
{
    kg_json_put(writer, name);
    kg_json_print_real(writer->text, value);
}

void kg_json_put_whole(struct kg_json_writer *writer, const char *name, int64_t value)
{
    kg_json_put(writer, name);
    kg_json_print_whole(writer->text, value);
}

void kg_json_put_bool(struct kg_json_writer *writer, const char *name, bool value)
{
    kg_json_put(writer, name);
    kg_text_append(writer->text, value ? "true" : "false");
}
