#include "base/nearest.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 };

size_t kg_word_index(const char *word, const char *const *words, size_t count)
{
    size_t i = 0;
    while (i < count && strcmp(words[i], word) != 0)
        i++;
    return i;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int lower(char c)
{
    return tolower((unsigned char)c);
}

/* Optimal string alignment distance, three rows. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t cost = lower(a[i - 1]) != lower(b[j - 1]);
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + cost);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = least(row[j], above2[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *kg_nearest(const char *word, const char *const *words, size_t count)
{
    const size_t length = strlen(word);
    const char *best = NULL;
    size_t best_distance = 0;
    if (length > LONGEST)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const size_t other = strlen(words[i]);
        if (other > LONGEST)
            continue;
        const size_t allowed = (length > other ? length : other) / 3;
        const size_t d = distance(word, length, words[i], other);
        if (d <= (allowed ? allowed : 1) && (!best || d < best_distance)) {
            best = words[i];
            best_distance = d;
        }
    }
    return best;
}

void kg_suggest_append(struct kg_text *text, const char *word, const char *const *words,
                       size_t count, const char *known)
{
    const char *nearest = kg_nearest(word, words, count);
    if (nearest) {
        kg_text_printf(text, "; did you mean '%s'?", nearest);
        return;
    }
    kg_text_printf(text, "; %s:", known);
    for (size_t i = 0; i < count; i++)
        kg_text_printf(text, "%s %s", i ? "," : "", words[i]);
}

void kg_suggest_few_append(struct kg_text *text, const char *word, const char *const *words,
                           size_t count, const char *known)
{
    enum { MOST = 5 };
    const char *near = kg_nearest(word, words, count);
    for (size_t i = 0; !near && *word && i < count; i++)
        near = strstr(words[i], word) ? words[i] : NULL;
    if (near) {
        kg_text_printf(text, "; did you mean '%.300s'?", near);
        return;
    }
    kg_text_printf(text, "; %s ", known);
    for (size_t i = 0; i < count && i < MOST; i++)
        kg_text_printf(text, "%s'%.120s'", i ? ", " : "", words[i]);
    kg_text_append(text, count > MOST ? ", …" : "");
}

const char *kg_meant(char meant[KG_MEANT_BYTES], const char *word, const char *const *words,
                     size_t count)
{
    const char *nearest = kg_nearest(word, words, count);
    *meant = '\0';
    if (nearest)
        snprintf(meant, KG_MEANT_BYTES, "; did you mean '%.300s'?", nearest);
    return meant;
}

bool kg_error_unknown(struct kg_error *err, const char *word, const char *const *words,
                      size_t count, const char *format, ...)
{
    char sentence[sizeof err->message], meant[KG_MEANT_BYTES];
    struct kg_text list = {0};
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    for (size_t i = 0; i < count; i++)
        kg_text_printf(&list, "%s%.60s", i ? ", " : "", words[i]);
    kg_error_set(err, KG_ERROR_USAGE, "%s%s; there are %s", sentence,
                 kg_meant(meant, word, words, count), count ? kg_text_string(&list) : "none");
    kg_text_free(&list);
    return false;
}
