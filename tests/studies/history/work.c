/* work.c: a program for confirm.sh: `work MODE ROUNDS`. EXTRA: a slowdown in per cent. PADDING: code that never runs,
 * which moves the other functions. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef EXTRA
#define EXTRA 0
#endif

enum { WORDS = 1500, PARTS = 100, MODES = 3 };
static uint32_t words[WORDS], sorted[WORDS];

#ifdef PADDING
uint32_t padding(uint32_t x);
uint32_t padding(uint32_t x)
{
    for (uint32_t i = 0; i < x; i++)
        x = x * 31 + words[i % WORDS] % 7 + i / (x | 1);
    return x;
}
#endif

static void fill(void)
{
    uint64_t state = 1;
    for (size_t i = 0; i < WORDS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        words[i] = (uint32_t)(state >> 33);
    }
}

static int compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static uint32_t sort(void)
{
    memcpy(sorted, words, sizeof words);
    qsort(sorted, WORDS, sizeof *sorted, compare);
    return sorted[WORDS / 2];
}

/* Follows the words as indexes. */
static uint32_t chase(void)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < 6 * WORDS; i++)
        at = (words[at] ^ i) % WORDS;
    return at;
}

/* Counts short matches, like a compressor. */
static uint32_t match(void)
{
    const unsigned char *bytes = (const unsigned char *)words;
    uint32_t matches = 0, last[256] = {0};
    for (uint32_t i = 0; i + 4 < 6 * sizeof words; i++) {
        const uint32_t at = i % (sizeof words - 4);
        matches += memcmp(bytes + last[bytes[at]], bytes + at, 3) == 0;
        last[bytes[at]] = at;
    }
    return matches;
}

int main(int count, char **arguments)
{
    static uint32_t (*const parts[MODES])(void) = {sort, chase, match};
    uint32_t result = 0;
    if (count != 3)
        return 2;
    const size_t mode = strtoul(arguments[1], NULL, 10) % MODES;
    const size_t parts_wanted = strtoul(arguments[2], NULL, 10) * (PARTS + EXTRA);
    fill();
    for (size_t i = 0; i < parts_wanted; i++)
        result ^= parts[mode]() + (uint32_t)i;
    printf("%u\n", (unsigned)result);
    return 0;
}
