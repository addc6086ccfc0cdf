#include "why/evidence/scopes.h"

#include <stdlib.h>
#include <string.h>

#include "why/evidence/scopes_view.h"

/* --- The whole -------------------------------------------------------------------------------- */

struct named {
    const char *name;
    size_t index;
};

static int named_compare(const void *one, const void *other)
{
    const struct named *a = one, *b = other;
    const int names = strcmp(a->name, b->name);
    return names ? names : (a->index > b->index) - (a->index < b->index);
}

/* Stores the indices of `named`, sorted by name. */
static void indices_sort(struct named *named, size_t count, size_t *indices)
{
    qsort(named, count, sizeof *named, named_compare);
    for (size_t i = 0; i < count; i++)
        indices[i] = named[i].index;
}

static const char *label_of(const struct kg_profile *profile, size_t process)
{
    const char *label = profile->processes[process].label;
    return label ? label : "";
}

static void processes_sort(struct kg_scope_split *split, struct named *named)
{
    const size_t count = split->profile->process_count;
    for (size_t i = 0; i < count; i++)
        named[i] = (struct named){label_of(split->profile, i), i};
    indices_sort(named, count, split->processes);
}

static void roots_sort(struct kg_scope_split *split, struct named *named)
{
    for (size_t i = 0; i < split->profile->row_count; i++) {
        const struct kg_profile_path *path = &split->profile->rows[i].path;
        if (path->parent == i && !path->span)
            named[split->root_count++] = (struct named){path->name, i};
    }
    indices_sort(named, split->root_count, split->roots);
}

/* Shares are sorted by process. */
static void shares_find(struct kg_scope_split *split)
{
    const struct kg_profile *profile = split->profile;
    size_t at = 0;
    for (size_t i = 0; i < profile->process_count; i++) {
        while (at < profile->share_count && profile->shares[at].process < i)
            at++;
        split->shares[i] = at;
    }
    split->shares[profile->process_count] = profile->share_count;
}

void kg_scope_split_make(const struct kg_profile *profile, struct kg_arena *arena,
                         struct kg_scope_split *split)
{
    const size_t rows = profile->row_count, processes = profile->process_count;
    *split = (struct kg_scope_split){
        .profile = profile,
        .processes = kg_arena_alloc(arena, processes, sizeof(size_t)),
        .roots = kg_arena_alloc(arena, rows, sizeof(size_t)),
        .shares = kg_arena_alloc(arena, processes + 1, sizeof(size_t)),
        .places = kg_arena_alloc(arena, rows, sizeof(size_t)),
    };
    struct named *named = kg_arena_alloc(arena, rows > processes ? rows : processes, sizeof *named);
    for (size_t i = 0; i < rows; i++)
        split->places[i] = KG_SCOPE_NONE;
    processes_sort(split, named);
    roots_sort(split, named);
    shares_find(split);
}

/* --- A part ----------------------------------------------------------------------------------- */

/* Position of the first process, in the order of labels, with this label or a later one. */
static size_t process_find(const struct kg_scope_split *split, const char *label)
{
    size_t low = 0, high = split->profile->process_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(label_of(split->profile, split->processes[middle]), label) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first outermost row of this name; KG_SCOPE_NONE: there is none. */
static size_t root_find(const struct kg_scope_split *split, const char *name)
{
    const struct kg_profile_row *rows = split->profile->rows;
    size_t low = 0, high = split->root_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(rows[split->roots[middle]].path.name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < split->root_count && !strcmp(rows[split->roots[low]].path.name, name)
               ? split->roots[low]
               : KG_SCOPE_NONE;
}

/* The rows of a part, in the order of discovery. */
struct met {
    struct kg_arena *arena;
    size_t *rows;
    size_t count, capacity;
};

/* Adds a row and its ancestors. */
static void row_meet(struct kg_scope_split *split, struct met *met, size_t row)
{
    for (; row != KG_SCOPE_NONE && split->places[row] == KG_SCOPE_NONE;
         row = kg_scope_parent(split->profile, row)) {
        kg_arena_grow(met->arena, &met->rows, met->count, &met->capacity, sizeof *met->rows);
        split->places[row] = 0;
        met->rows[met->count++] = row;
    }
}

static int size_compare(const void *one, const void *other)
{
    const size_t a = *(const size_t *)one, b = *(const size_t *)other;
    return (a > b) - (a < b);
}

/* Takes the rows in the profile's order, so that each stays directly before the rows inside it. */
static void rows_take(struct kg_scope_split *split, const struct met *met, struct kg_profile *part)
{
    part->rows = kg_arena_alloc(met->arena, met->count, sizeof *part->rows);
    if (met->count)
        qsort(met->rows, met->count, sizeof *met->rows, size_compare);
    for (size_t i = 0; i < met->count; i++) {
        struct kg_profile_row *row = &part->rows[part->row_count++];
        *row = split->profile->rows[met->rows[i]];
        split->places[met->rows[i]] = i;
        row->path.parent = split->places[row->path.parent];
        row->calls = NULL; /* valid only for all processes together */
        row->process_count = 0;
    }
}

/* Takes `count` processes from `first` on, in the order of labels, with their shares. */
static void shares_take(struct kg_scope_split *split, size_t first, size_t count, struct met *met,
                        struct kg_profile *part)
{
    const struct kg_profile *profile = split->profile;
    size_t shares = 0;
    for (size_t i = first; i < first + count; i++)
        shares += split->shares[split->processes[i] + 1] - split->shares[split->processes[i]];
    part->processes = kg_arena_alloc(met->arena, count, sizeof *part->processes);
    part->shares = kg_arena_alloc(met->arena, shares, sizeof *part->shares);
    for (size_t i = first; i < first + count; i++) {
        const size_t process = split->processes[i];
        part->processes[part->process_count] = profile->processes[process];
        for (size_t s = split->shares[process]; s < split->shares[process + 1]; s++) {
            row_meet(split, met, profile->shares[s].row);
            part->shares[part->share_count] = profile->shares[s];
            part->shares[part->share_count++].process = part->process_count;
        }
        part->process_count++;
    }
}

void kg_scope_split_part(struct kg_scope_split *split, const char *label, struct kg_arena *arena,
                         struct kg_profile *part)
{
    const struct kg_profile *profile = split->profile;
    const size_t first = process_find(split, label);
    struct met met = {.arena = arena};
    size_t count = 0;
    *part = (struct kg_profile){0};
    while (first + count < profile->process_count &&
           !strcmp(label_of(profile, split->processes[first + count]), label))
        count++;
    row_meet(split, &met, root_find(split, label));
    shares_take(split, first, count, &met, part);
    rows_take(split, &met, part);
    for (size_t i = 0; i < part->share_count; i++)
        part->shares[i].row = split->places[part->shares[i].row];
    for (size_t i = 0; i < met.count; i++)
        split->places[met.rows[i]] = KG_SCOPE_NONE;
}
