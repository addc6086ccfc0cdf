#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "suite/suite_message.h"
#include "suite/yaml_tree.h"

/* A candidate pair of a mapping: its own pair, or a pair of a merged mapping. */
struct entry {
    struct kg_yaml_pair pair;
    size_t order;
    bool dropped;
};

struct merger {
    const char *path;
    struct kg_error *err;
    struct entry *entries;
    size_t count;
    size_t rank;
};

static bool is_merge_key(const struct kg_yaml_node *key)
{
    return key->plain && !strcmp(key->text, "<<");
}

static bool merge_source_check(const struct merger *merger, const struct kg_yaml_node *source)
{
    return source->kind == KG_YAML_MAPPING ||
           kg_error_at(merger->err, merger->path, source->mark.line, source->mark.column,
                       "a merge key '<<' takes a mapping or a list of mappings, such as *anchor");
}

/* Adds the largest number of pairs that a merge key can bring to *count. */
static bool merge_count(const struct merger *merger, const struct kg_yaml_node *value,
                        size_t *count)
{
    if (value->kind != KG_YAML_SEQUENCE) {
        *count += value->count;
        return merge_source_check(merger, value);
    }
    for (size_t i = 0; i < value->count; i++) {
        if (!merge_source_check(merger, value->items[i]))
            return false;
        *count += value->items[i]->count;
    }
    return true;
}

static void entry_add(struct merger *merger, const struct kg_yaml_pair *pair, size_t rank)
{
    struct entry *entry = &merger->entries[merger->count];
    *entry = (struct entry){.pair = *pair, .order = merger->count};
    entry->pair.rank = rank;
    merger->count++;
}

static void merge_one(struct merger *merger, const struct kg_yaml_node *source)
{
    const size_t first = merger->rank + 1;
    merger->rank = first;
    for (size_t i = 0; i < source->count; i++) {
        const size_t rank = first + source->pairs[i].rank;
        entry_add(merger, &source->pairs[i], rank);
        merger->rank = rank > merger->rank ? rank : merger->rank;
    }
}

static void merge_all(struct merger *merger, const struct kg_yaml_node *value)
{
    if (value->kind == KG_YAML_MAPPING) {
        merge_one(merger, value);
        return;
    }
    for (size_t i = 0; i < value->count; i++)
        merge_one(merger, value->items[i]);
}

/* Order by key; among equal keys the winning entry comes first. */
static int entry_compare(const void *left, const void *right)
{
    const struct entry *a = *(struct entry *const *)left, *b = *(struct entry *const *)right;
    const int keys = strcmp(a->pair.key, b->pair.key);
    if (keys)
        return keys;
    if (a->pair.rank != b->pair.rank)
        return a->pair.rank < b->pair.rank ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool duplicate(const struct merger *merger, const struct kg_yaml_pair *first,
                      const struct kg_yaml_pair *second)
{
    char quoted[KG_QUOTE_BYTES];
    if (!*merger->path) /* text of the command line has no lines to name */
        return kg_error_set(merger->err, KG_ERROR_USAGE, "'%s' is given twice",
                            kg_quote(second->key, quoted));
    return kg_error_at(merger->err, merger->path, second->mark.line, second->mark.column,
                       "key '%s' is already given in line %u", kg_quote(second->key, quoted),
                       first->mark.line);
}

/* Drops each entry that a stronger entry of the same key hides. Refuses a key that the mapping itself repeats. */
static bool entries_judge(struct merger *merger)
{
    struct entry **sorted = kg_alloc(merger->count + 1, sizeof(struct entry *));
    for (size_t i = 0; i < merger->count; i++)
        sorted[i] = &merger->entries[i];
    qsort(sorted, merger->count, sizeof *sorted, entry_compare);
    const struct entry *first = NULL, *second = NULL;
    for (size_t i = 1; i < merger->count; i++) {
        if (strcmp(sorted[i - 1]->pair.key, sorted[i]->pair.key) != 0)
            continue;
        sorted[i]->dropped = true;
        /* If there are several duplicates, the error reports the first one in the file. */
        if (sorted[i]->pair.rank == 0 && (!second || sorted[i]->order < second->order)) {
            first = sorted[i - 1];
            second = sorted[i];
        }
    }
    free(sorted);
    return !second || duplicate(merger, &first->pair, &second->pair);
}

static void pairs_keep(const struct merger *merger, struct kg_arena *arena,
                       struct kg_yaml_node *mapping)
{
    mapping->pairs = kg_arena_alloc(arena, merger->count, sizeof *mapping->pairs);
    for (size_t i = 0; i < merger->count; i++)
        if (!merger->entries[i].dropped)
            mapping->pairs[mapping->count++] = merger->entries[i].pair;
}

static bool entries_count(const struct merger *merger, const struct kg_yaml_node *const *nodes,
                          size_t count, size_t *entries)
{
    const struct kg_yaml_node *merge = NULL;
    for (size_t i = 0; i + 1 < count; i += 2) {
        if (!is_merge_key(nodes[i])) {
            ++*entries;
            continue;
        }
        if (merge)
            return kg_error_at(
                merger->err, merger->path, nodes[i]->mark.line, nodes[i]->mark.column,
                "key '<<' is already given in line %u; give it a list: [*a, *b]", merge->mark.line);
        merge = nodes[i];
        if (!merge_count(merger, nodes[i + 1], entries))
            return false;
    }
    return true;
}

bool kg_yaml_mapping_fill(const char *path, struct kg_arena *arena, struct kg_yaml_node *mapping,
                          const struct kg_yaml_node *const *nodes, size_t count,
                          struct kg_error *err)
{
    struct merger merger = {.path = path, .err = err};
    size_t most = 0;
    if (!entries_count(&merger, nodes, count, &most))
        return false;
    merger.entries = kg_alloc(most + 1, sizeof *merger.entries);
    for (size_t i = 0; i + 1 < count; i += 2) {
        if (is_merge_key(nodes[i]))
            merge_all(&merger, nodes[i + 1]);
        else
            entry_add(&merger,
                      &(struct kg_yaml_pair){nodes[i]->text, nodes[i]->mark, nodes[i + 1], 0}, 0);
    }
    const bool good = entries_judge(&merger);
    if (good)
        pairs_keep(&merger, arena, mapping);
    free(merger.entries);
    return good;
}
