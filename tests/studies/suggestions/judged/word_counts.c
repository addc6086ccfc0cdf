/* word_counts.c: the words of a text, as numbers, counted by threads into one table. */
#include "judged.h"

#include <pthread.h>

enum { WORDS = 120000, KINDS = 1024 };

struct table {
    pthread_mutex_t lock;
    uint32_t counts[KINDS];
};

struct state {
    double result;
    int threads;
    struct table table;
    uint16_t words[WORDS];
};

static ELSEWHERE void count_word(struct table *table, unsigned word)
{
    pthread_mutex_lock(&table->lock);
    table->counts[word]++;
    pthread_mutex_unlock(&table->lock);
}

static ELSEWHERE void count_own_words(uint32_t *counts, const uint16_t *words, int count)
{
    for (int i = 0; i < count; i++)
        counts[words[i]]++;
}

static void add_counts(struct table *table, const uint32_t *counts)
{
    pthread_mutex_lock(&table->lock);
    for (int i = 0; i < KINDS; i++)
        table->counts[i] += counts[i];
    pthread_mutex_unlock(&table->lock);
}

static double fingerprint(const struct table *table)
{
    double sum = 0;
    for (int i = 0; i < KINDS; i++)
        sum += (double)table->counts[i] * i;
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    state->threads = (int)context->threads;
    pthread_mutex_init(&state->table.lock, NULL);
    uint64_t random = context->seed | 1;
    for (int i = 0; i < WORDS; i++)
        state->words[i] = (uint16_t)below(&random, KINDS);
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    memset(state->table.counts, 0, sizeof state->table.counts);
#pragma omp parallel for num_threads(state->threads)
    for (int i = 0; i < WORDS; i++)
        count_word(&state->table, state->words[i]);
    state->result = fingerprint(&state->table);
}

static void run_good(void *place)
{
    enum { PART = WORDS / 8 };
    struct state *state = place;
    memset(state->table.counts, 0, sizeof state->table.counts);
#pragma omp parallel num_threads(state->threads)
    {
        uint32_t counts[KINDS] = {0};
#pragma omp for nowait
        for (int i = 0; i < WORDS; i += PART)
            count_own_words(counts, state->words + i, PART);
        add_counts(&state->table, counts);
    }
    state->result = fingerprint(&state->table);
}

PAIR(word_counts, 0, "Words counted by threads.");
