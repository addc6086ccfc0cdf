#include "judge/reference.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int compare_entries(const void *a, const void *b)
{
    const struct kg_reference_entry *x = a, *y = b;
    const int by_id = strcmp(x->id, y->id);
    return by_id ? by_id : (x->run > y->run) - (x->run < y->run);
}

void kg_reference_index_make(struct kg_arena *arena, const struct kg_baseline *baseline,
                             const char *suite, struct kg_reference_index *index)
{
    size_t total = 0;
    *index = (struct kg_reference_index){.baseline = baseline, .newest = SIZE_MAX};
    for (size_t i = 0; i < baseline->run_count; i++)
        total += baseline->runs[i].case_count;
    index->entries = kg_arena_alloc(arena, total, sizeof *index->entries);
    for (size_t i = 0; i < baseline->run_count; i++) {
        const struct kg_baseline_run *run = &baseline->runs[i];
        if (strcmp(run->suite, suite) != 0)
            continue;
        index->any_run = true;
        if (!run->pin)
            index->newest = i;
        for (size_t j = 0; j < run->case_count; j++)
            index->entries[index->entry_count++] =
                (struct kg_reference_entry){run->cases[j].id, i, &run->cases[j]};
    }
    qsort(index->entries, index->entry_count, sizeof *index->entries, compare_entries);
}

const struct kg_reference_entry *kg_reference_find(const struct kg_reference_index *index,
                                                   const char *id, size_t *count)
{
    size_t low = 0, high = index->entry_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(index->entries[middle].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < index->entry_count && !strcmp(index->entries[low + *count].id, id))
        ++*count;
    return &index->entries[low];
}

/* Returns the accepted change that begins the case's history, from its newest ordinary run.
 * any  true if no ordinary run has the case with this definition */
static const char *accepted_find(const struct kg_reference_index *index,
                                 const struct kg_reference_entry *entries, size_t count,
                                 const char *definition_hash, bool *any)
{
    for (size_t i = count; i-- > 0;)
        if (!index->baseline->runs[entries[i].run].pin &&
            !strcmp(entries[i].stored->definition_hash, definition_hash)) {
            *any = false;
            return entries[i].stored->accepted;
        }
    *any = true;
    return NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

void kg_reference_collect(struct kg_arena *arena, const struct kg_reference_index *index,
                          const struct kg_reference_entry *entries, size_t count,
                          const struct kg_case_result *result, const char *pair, const char *pin,
                          struct kg_reference *reference)
{
    *reference =
        (struct kg_reference){.cases = kg_arena_alloc(arena, count, sizeof *reference->cases),
                              .runs = kg_arena_alloc(arena, count, sizeof *reference->runs)};
    bool any;
    const char *accepted = accepted_find(index, entries, count, result->definition_hash, &any);
    for (size_t i = 0; i < count; i++) {
        const struct kg_baseline_case *stored = entries[i].stored;
        const char *run_pin = index->baseline->runs[entries[i].run].pin;
        const bool wanted = pin ? run_pin && !strcmp(run_pin, pin) : !run_pin;
        const size_t rounds = kg_baseline_rounds(stored);
        if (!wanted || !rounds || strcmp(stored->definition_hash, result->definition_hash) != 0 ||
            (!any && !same_text(accepted, stored->accepted)))
            continue;
        reference->runs[reference->case_count] = &index->baseline->runs[entries[i].run];
        reference->cases[reference->case_count++] = stored;
        reference->round_count += rounds;
        reference->code = stored->code;
        reference->bandwidth_bytes_per_s =
            index->baseline->runs[entries[i].run].bandwidth_bytes_per_s;
        const char *run_pair = index->baseline->runs[entries[i].run].pair;
        reference->paired = pair && run_pair && !strcmp(pair, run_pair);
    }
    reference->paired = reference->paired && reference->case_count == 1;
}
