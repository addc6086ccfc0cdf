/* words.c: counts the words of a text in a hash table. As in any language, some words are frequent
 * and most are rare. The hash begins with a different number in each process, like a hash table
 * that attackers may fill. So the words of each chain, and with them the time, differ from process
 * to process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "ordinary.h"

enum { BUCKETS = 512, WORDS = 1000, TEXT = 200 };

struct entry {
    struct entry *next;
    uint64_t count;
    char word[16];
};

static struct entry *buckets[BUCKETS];
static char text[TEXT][16];
static uint64_t hash_seed;

static uint64_t hash(const char *word)
{
    uint64_t value = hash_seed;
    for (; *word; word++)
        value = (value ^ (unsigned char)*word) * 1099511628211u;
    return value ^ value >> 32;
}

static void count(const char *word)
{
    struct entry **place = &buckets[hash(word) % BUCKETS];
    while (*place && strcmp((*place)->word, word) != 0)
        place = &(*place)->next;
    if (!*place) {
        *place = calloc(1, sizeof **place);
        if (!*place)
            return;
        snprintf((*place)->word, sizeof(*place)->word, "%s", word);
    }
    (*place)->count++;
}

/* Zipf's law: the frequency of a word falls with its rank. */
static void text_make(uint64_t random)
{
    for (int i = 0; i < TEXT; i++) {
        const uint64_t draw = xorshift(&random);
        const unsigned most = 1u + (unsigned)(draw % WORDS);
        snprintf(text[i], sizeof text[i], "word%u", (unsigned)(draw >> 32) % most);
    }
}

static bool set_up(struct kgate_context *context, void **state)
{
    char word[16];
    *state = NULL;
    if (getrandom(&hash_seed, sizeof hash_seed, 0) != sizeof hash_seed)
        return false;
    text_make(context->seed | 1);
    for (unsigned i = WORDS; i > 0; i--) {
        snprintf(word, sizeof word, "word%u", i - 1);
        count(word);
    }
    return true;
}

static void run(void *state)
{
    (void)state;
    for (unsigned turn = 0; turn < turns; turn++)
        for (int i = 0; i < TEXT; i++)
            count(text[i]);
}

const struct kgate_workload words_workload = {.name = "words",
                                              .summary = "Words counted in a hash table.",
                                              .devices = 1u << KGATE_DEVICE_CPU,
                                              .revision = 1,
                                              .set_up = set_up,
                                              .run = run};
