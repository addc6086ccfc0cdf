#include "device/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One word of the list, "90a-real". A word of digits alone is both kinds. */
struct architecture {
    bool known;
    int major;
    int minor;
    bool alone;   /* "a": for this architecture alone */
    bool kindred; /* "f": for architectures of the same major version */
    bool machine;
    bool portable; /* the driver can compile it for later architectures */
};

/* Reads the word at *list and moves past it; false at the end. */
static bool architecture_next(const char **list, struct architecture *architecture)
{
    const char *word = *list + strspn(*list, ",; ");
    const size_t length = strcspn(word, ",; ");
    char *rest = NULL;
    if (!length)
        return false;
    *list = word + length;
    const long number = strtol(word, &rest, 10);
    const char *dash = memchr(word, '-', length);
    *architecture = (struct architecture){
        .known = rest > word,
        .major = (int)(number / 10),
        .minor = (int)(number % 10),
        .alone = *rest == 'a',
        .kindred = *rest == 'f',
        .machine = !dash || !strncmp(dash, "-real", 5),
        .portable = !dash || !strncmp(dash, "-virtual", 8),
    };
    return true;
}

bool kg_architectures_fit(const char *list, int major, int minor)
{
    struct architecture code;
    while (architecture_next(&list, &code)) {
        const bool same = code.major == major && code.minor == minor;
        const bool later = code.major * 10 + code.minor <= major * 10 + minor;
        if (!code.known || same)
            return true;
        if (code.alone || !later)
            continue;
        if ((code.machine || code.kindred) && code.major == major)
            return true;
        if (code.portable && !code.kindred)
            return true;
    }
    return false;
}

void kg_architectures_words(const char *list, char *text, size_t bytes)
{
    struct architecture code;
    size_t length = 0;
    int last = -1;
    bool open = false;
    text[0] = '\0';
    while (architecture_next(&list, &code) && length < bytes) {
        const int number = code.major * 10 + code.minor;
        open = open || (code.portable && !code.alone && !code.kindred);
        if (code.known && number != last)
            length += (size_t)snprintf(text + length, bytes - length, "%s%d.%d", length ? ", " : "",
                                       code.major, code.minor);
        last = number;
    }
    if (open && length < bytes)
        snprintf(text + length, bytes - length, " and later");
}
