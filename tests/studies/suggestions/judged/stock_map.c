/* stock_map.c: pieces in stock by article number, in a hash table with room to spare. */
#include "judged.h"

enum { ARTICLES = 1000, SLOTS = 4096, QUERIES = 40000 };

struct slot {
    uint32_t article, pieces; /* article 0: free */
};

struct state {
    double result;
    struct slot slots[SLOTS];
    uint32_t queries[QUERIES];
    struct slot articles[ARTICLES];
};

static uint32_t first_slot(uint32_t article)
{
    return article * 2654435761u >> 20;
}

static void insert(struct slot *slots, struct slot article)
{
    uint32_t slot = first_slot(article.article);
    while (slots[slot].article)
        slot = (slot + 1) % SLOTS;
    slots[slot] = article;
}

static inline uint32_t pieces_of(const struct slot *slots, uint32_t article)
{
    uint32_t slot = first_slot(article);
    while (slots[slot].article && slots[slot].article != article)
        slot = (slot + 1) % SLOTS;
    return slots[slot].pieces;
}

static ELSEWHERE uint64_t pieces_of_all(const struct slot *slots, const uint32_t *queries,
                                        int count)
{
    uint64_t pieces = 0;
    for (int i = 0; i < count; i++)
        pieces += pieces_of(slots, queries[i]);
    return pieces;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (uint32_t i = 0; i < ARTICLES; i++) {
        state->articles[i] = (struct slot){i + 1, below(&random, 500)};
        insert(state->slots, state->articles[i]);
    }
    for (int i = 0; i < QUERIES; i++)
        state->queries[i] = 1 + below(&random, ARTICLES);
    *place = state;
    return true;
}

static void run(void *place)
{
    struct state *state = place;
    state->result = (double)pieces_of_all(state->slots, state->queries, QUERIES);
}

static double reference(const struct state *state)
{
    double pieces = 0;
    for (int i = 0; i < QUERIES; i++)
        pieces += state->articles[state->queries[i] - 1].pieces;
    return pieces;
}

SINGLE(stock_map, 0, "Articles looked up in a hash table.");
