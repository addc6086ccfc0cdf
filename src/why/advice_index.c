#include "why/advice_index.h"

#include <stdlib.h>
#include <string.h>

static int entry_compare(const void *a, const void *b)
{
    const struct kg_advice_entry *x = a, *y = b;
    const int by_operation = strcmp(x->operation, y->operation);
    return by_operation ? by_operation : (x->at > y->at) - (x->at < y->at);
}

static void sort(struct kg_advice_entry *entries, size_t count)
{
    if (count)
        qsort(entries, count, sizeof *entries, entry_compare);
}

static void changes_add(struct kg_advice_index *index)
{
    for (size_t i = 0; i < index->suggestions->change_count; i++)
        index->changes[index->change_count++] =
            (struct kg_advice_entry){index->suggestions->changes[i].operation, i};
    sort(index->changes, index->change_count);
}

static void advice_add(struct kg_advice_index *index)
{
    for (size_t i = 0; i < index->suggestions->suggestion_count; i++) {
        const struct kg_suggestion *one = &index->suggestions->suggestions[i];
        index->advice[index->advice_count++] = (struct kg_advice_entry){one->operation, i};
        if (one->whole && strcmp(one->whole, one->operation) != 0)
            index->advice[index->advice_count++] = (struct kg_advice_entry){one->whole, i};
    }
    sort(index->advice, index->advice_count);
}

void kg_advice_index_make(struct kg_arena *arena, const struct kg_suggestions *suggestions,
                          struct kg_advice_index *index)
{
    *index = (struct kg_advice_index){.suggestions = suggestions};
    if (!suggestions)
        return;
    index->changes = kg_arena_alloc(arena, suggestions->change_count, sizeof *index->changes);
    index->advice = kg_arena_alloc(arena, 2 * suggestions->suggestion_count, sizeof *index->advice);
    changes_add(index);
    advice_add(index);
}

/* The n-th entry of the operation; NULL: there are fewer. */
static const struct kg_advice_entry *entry_find(const struct kg_advice_entry *entries, size_t count,
                                                const char *operation, size_t n)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(entries[middle].operation, operation) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return n < count - low && !strcmp(entries[low + n].operation, operation) ? &entries[low + n]
                                                                             : NULL;
}

const struct kg_evidence_change *kg_advice_change(const struct kg_advice_index *index,
                                                  const char *operation, size_t n)
{
    const struct kg_advice_entry *entry =
        entry_find(index->changes, index->change_count, operation, n);
    return entry ? &index->suggestions->changes[entry->at] : NULL;
}

const struct kg_suggestion *kg_advice_first(const struct kg_advice_index *index, const char *whole)
{
    const struct kg_advice_entry *entry = entry_find(index->advice, index->advice_count, whole, 0);
    return entry ? &index->suggestions->suggestions[entry->at] : NULL;
}
