#include "model/baseline_index.h"

#include <stdlib.h>
#include <string.h>

static int by_case(const struct kg_baseline_case *a, const struct kg_baseline_case *b)
{
    const int order = strcmp(a->id, b->id);
    return order ? order : strcmp(a->definition_hash, b->definition_hash);
}

static int by_case_and_age(const void *a, const void *b)
{
    const struct kg_baseline_entry *one = a, *other = b;
    const int order = by_case(one->stored, other->stored);
    return order ? order : (one->run < other->run) - (one->run > other->run);
}

static bool belongs(const struct kg_baseline_run *run, const char *suite, bool pins)
{
    return (pins || !run->pin) && !strcmp(run->suite, suite);
}

void kg_baseline_index_make(struct kg_arena *arena, const struct kg_baseline *baseline,
                            const char *suite, bool pins, struct kg_baseline_index *index)
{
    size_t count = 0;
    for (size_t r = 0; r < baseline->run_count; r++)
        if (belongs(&baseline->runs[r], suite, pins))
            count += baseline->runs[r].case_count;
    struct kg_baseline_entry *entries = kg_arena_alloc(arena, count, sizeof *entries);
    *index = (struct kg_baseline_index){.entries = entries};
    for (size_t r = 0; r < baseline->run_count; r++)
        for (size_t c = 0;
             belongs(&baseline->runs[r], suite, pins) && c < baseline->runs[r].case_count; c++)
            entries[index->count++] =
                (struct kg_baseline_entry){.stored = &baseline->runs[r].cases[c], .run = r};
    if (index->count)
        qsort(entries, index->count, sizeof *entries, by_case_and_age);
}

/* Returns the place of the first entry that does not sort before `wanted`. */
static size_t place_find(const struct kg_baseline_index *index,
                         const struct kg_baseline_case *wanted)
{
    size_t from = 0, to = index->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (by_case(index->entries[middle].stored, wanted) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

const struct kg_baseline_case *kg_baseline_index_find(const struct kg_baseline_index *index,
                                                      const char *id, const char *definition_hash)
{
    const struct kg_baseline_case wanted = {.id = id, .definition_hash = definition_hash};
    const size_t place = place_find(index, &wanted);
    const struct kg_baseline_case *found =
        place < index->count ? index->entries[place].stored : NULL;
    return found && !by_case(found, &wanted) ? found : NULL;
}

size_t kg_baseline_index_references(const struct kg_baseline_index *index,
                                    const struct kg_baseline *baseline, const char *id,
                                    const char *definition_hash)
{
    const struct kg_baseline_case wanted = {.id = id, .definition_hash = definition_hash};
    size_t pins = 0, ordinary = 0;
    for (size_t i = place_find(index, &wanted);
         i < index->count && !by_case(index->entries[i].stored, &wanted); i++) {
        const bool pinned = baseline->runs[index->entries[i].run].pin != NULL;
        pins += pinned;
        ordinary += !pinned;
    }
    return pins + (ordinary > 0);
}
