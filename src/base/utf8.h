/* utf8.h: checks UTF-8. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { KG_UTF8_MOST = 4 };

/* The length of the valid UTF-8 character at the start of `bytes` (The Unicode Standard, table
 * 3-7); 0 if there is none. The function reads at most `available` bytes, and none after an invalid
 * byte. So for a terminated string the caller may always pass KG_UTF8_MOST. */
static inline size_t kg_utf8_length(const unsigned char *bytes, size_t available)
{
    if (!available)
        return 0;
    const unsigned char first = bytes[0];
    if (first < 0x80)
        return 1;
    const size_t length = first >= 0xf0 && first < 0xf5   ? 4
                          : first >= 0xe0 && first < 0xf0 ? 3
                          : first >= 0xc2 && first < 0xe0 ? 2
                                                          : 0;
    if (length > available)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    /* overlong forms, surrogates, and code points beyond Unicode */
    const bool bad = (first == 0xe0 && bytes[1] < 0xa0) || (first == 0xed && bytes[1] >= 0xa0) ||
                     (first == 0xf0 && bytes[1] < 0x90) || (first == 0xf4 && bytes[1] >= 0x90);
    return bad ? 0 : length;
}

/* Whether the whole text is UTF-8. */
static inline bool kg_utf8_is_valid(const char *text, size_t length)
{
    for (size_t at = 0, step; at < length; at += step)
        if (!(step = kg_utf8_length((const unsigned char *)text + at, length - at)))
            return false;
    return true;
}
