#include "suite/suite_message.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_BYTES = 56 };

/* Length of the valid UTF-8 sequence at `text` (Unicode 15, table 3-7), with its code point in *point. If the bytes are
 * no valid sequence: 0. */
static size_t sequence_length(const unsigned char *text, uint32_t *point)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char c = text[0];
    const size_t length = c < 0x80 ? 1 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 0;
    if (length <= 1 || c > 0xF4) {
        *point = c;
        return c < 0x80 ? 1 : 0;
    }
    uint32_t value = c & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (text[i] & 0x3Fu);
    }
    *point = value;
    return value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)
               ? 0
               : length;
}

static bool printable(uint32_t point)
{
    const bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
    const bool invisible = (point >= 0x200B && point <= 0x200F) ||
                           (point >= 0x2028 && point <= 0x202E) ||
                           (point >= 0x2060 && point <= 0x206F) || point == 0xFEFF;
    return !control && !invisible;
}

char *kg_quote(const char *text, char *buffer)
{
    const unsigned char *in = (const unsigned char *)text;
    size_t used = 0, out = 0;
    while (in[used]) {
        uint32_t point = 0;
        const size_t length = sequence_length(in + used, &point);
        const size_t step = length ? length : 1;
        if (used + step > SHOWN_BYTES) {
            memcpy(buffer + out, "...", 3);
            out += 3;
            break;
        }
        if (length && printable(point)) {
            memcpy(buffer + out, in + used, length);
            out += length;
        } else {
            for (size_t i = 0; i < step; i++, out += 4)
                snprintf(buffer + out, KG_QUOTE_BYTES - out, "\\x%02X", in[used + i]);
        }
        used += step;
    }
    buffer[out] = '\0';
    return buffer;
}
