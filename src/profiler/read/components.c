#include "profiler/read/components.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profiler/read/case_rows.h"

/* A row of a case, with the component that it belongs to. */
struct entry {
    const char *component;
    const char *name;
    bool inner; /* inside the component, under another name */
    size_t row;
};

/* Whether the scope only stands for the case's work on the GPU. Its inner scopes are the components. */
static bool is_stream(const struct kg_case_rows *rows, size_t row)
{
    return !strcmp(rows->profile->rows[row].path.name, KG_PROFILE_STREAM_SCOPE);
}

static struct entry entry_of(const struct kg_case_rows *rows, size_t row)
{
    const struct kg_profile_row *all = rows->profile->rows;
    size_t at = row;
    while (all[at].path.parent != rows->first && !is_stream(rows, all[at].path.parent))
        at = all[at].path.parent;
    const char *component = all[at].path.name, *name = all[row].path.name;
    return (struct entry){component, name, strcmp(name, component) != 0, row};
}

static int entry_compare(const void *one, const void *other)
{
    const struct entry *a = one, *b = other;
    const int components = strcmp(a->component, b->component), names = strcmp(a->name, b->name);
    if (components || a->inner != b->inner)
        return components ? components : a->inner - b->inner;
    return names ? names : (a->row > b->row) - (a->row < b->row);
}

static int largest_first(const void *one, const void *other)
{
    const struct kg_component *a = one, *b = other;
    if (a->outer_share != b->outer_share)
        return (a->outer_share < b->outer_share) - (a->outer_share > b->outer_share);
    if (a->outer != b->outer)
        return a->outer < b->outer ? -1 : 1;
    if (a->inner != b->inner)
        return a->inner - b->inner;
    return a->share != b->share ? (a->share < b->share) - (a->share > b->share)
                                : strcmp(a->name, b->name);
}

/* Whether the row is inside another row of its name, whose total then includes its time. */
static bool is_recursive(const struct kg_case_rows *rows, size_t row)
{
    const struct kg_profile_row *all = rows->profile->rows;
    for (size_t at = row; at != rows->first;) {
        at = all[at].path.parent;
        if (at != rows->first && !strcmp(all[at].path.name, all[row].path.name))
            return true;
    }
    return false;
}

/* Adds the squared deviations from the mean of a row to those of the rows before (Chan, Golub and
 * LeVeque 1979). Until all rows are added, the fields hold the sum of calls and the sum of squares. */
static void deviation_add(struct kg_component *component, const struct kg_profile_figures *figures)
{
    const double before = (double)component->calls, added = (double)figures->calls;
    const double off = before > 0 ? figures->mean_ns - component->mean_ns / before : 0;
    const double own = figures->standard_deviation_ns * figures->standard_deviation_ns;
    component->standard_deviation_ns +=
        own * (added - 1) + off * off * before * added / (before + added);
}

static void row_add(const struct kg_case_rows *rows, size_t row, struct kg_component *component)
{
    const struct kg_profile_figures *figures = &rows->profile->rows[row].figures;
    const double gpu_ns = figures->gpu_ns + figures->transfer_ns;
    if (!is_recursive(rows, row))
        component->total_ns += rows->on_gpu ? gpu_ns : figures->total_ns;
    component->own_ns += fmax(0, rows->own_ns[row - rows->first]);
    if (!figures->calls)
        return;
    component->min_ns =
        component->calls ? fmin(component->min_ns, figures->min_ns) : figures->min_ns;
    component->max_ns = fmax(component->max_ns, figures->max_ns);
    deviation_add(component, figures);
    component->mean_ns += figures->mean_ns * (double)figures->calls; /* a sum until all are added */
    component->calls += figures->calls;
}

/* Adds up the entries of one name, from `first` on. Returns the entry after them. */
static size_t name_sum(const struct kg_case_rows *rows, const struct entry *entries, size_t count,
                       size_t first, struct kg_component *component)
{
    const struct entry *one = &entries[first];
    size_t next = first;
    *component = (struct kg_component){.name = one->name, .inner = one->inner};
    for (;
         next < count && entries[next].inner == one->inner &&
         !strcmp(entries[next].component, one->component) && !strcmp(entries[next].name, one->name);
         next++)
        row_add(rows, entries[next].row, component);
    component->mean_ns = component->calls ? component->mean_ns / (double)component->calls : NAN;
    component->standard_deviation_ns =
        component->calls > 1
            ? sqrt(component->standard_deviation_ns / (double)(component->calls - 1))
            : 0;
    component->share = component->total_ns / rows->total_ns;
    return next;
}

/* Adds up the sorted entries: each component, then the names inside it. The share of a component is the sum of the self
 * times in it, so that the components and the rest make up the case. */
static void components_sum(const struct kg_case_rows *rows, const struct entry *entries,
                           size_t count, struct kg_components *found)
{
    for (size_t i = 0, end; i < count; i = end) {
        const size_t first = found->component_count;
        double share = 0;
        for (end = i; end < count && !strcmp(entries[end].component, entries[i].component); end++)
            share += kg_case_rows_share(rows, entries[end].row);
        for (size_t next = i; next < end;)
            next = name_sum(rows, entries, end, next, &found->components[found->component_count++]);
        found->components[first].share = share;
        for (size_t c = first; c < found->component_count; c++) {
            found->components[c].outer = first;
            found->components[c].outer_share = share;
        }
    }
}

static bool case_sum(struct kg_arena *arena, const struct kg_case_rows *rows,
                     struct kg_components *found)
{
    const size_t count = rows->end - rows->first - 1;
    struct entry *entries = kg_alloc(count + 1, sizeof *entries);
    const struct kg_profile_row *row = &rows->profile->rows[rows->first];
    *found = (struct kg_components){.name = row->path.name,
                                    .calls = row->figures.calls,
                                    .total_ns = rows->total_ns,
                                    .on_gpu = rows->on_gpu,
                                    .components =
                                        kg_arena_alloc(arena, count, sizeof *found->components),
                                    .outside_ns = fmax(0, rows->own_ns[0]),
                                    .outside_share = kg_case_rows_share(rows, rows->first)};
    const bool good = entries && found->components;
    for (size_t i = 0; i < count && good; i++)
        entries[i] = entry_of(rows, rows->first + 1 + i);
    if (good) {
        qsort(entries, count, sizeof *entries, entry_compare);
        components_sum(rows, entries, count, found);
        qsort(found->components, found->component_count, sizeof *found->components, largest_first);
    }
    free(entries);
    return good;
}

bool kg_components_find(struct kg_arena *arena, const struct kg_profile *profile,
                        struct kg_components **found, size_t *count)
{
    struct kg_case_rows rows;
    *count = 0;
    *found = kg_arena_alloc(arena, profile->row_count, sizeof **found);
    bool good = kg_case_rows_start(profile, &rows) && *found;
    while (good && kg_case_rows_next(&rows))
        good = case_sum(arena, &rows, &(*found)[(*count)++]);
    kg_case_rows_free(&rows);
    return good;
}

bool kg_components_flat(struct kg_arena *arena, const struct kg_profile *profile,
                        struct kg_components **found)
{
    struct kg_components *all = *found = kg_arena_alloc(arena, 1, sizeof **found);
    if (!all)
        return false;
    *all = (struct kg_components){
        .name = "all scopes",
        .components = kg_arena_alloc(arena, profile->name_count, sizeof *all->components)};
    for (size_t i = 0; i < profile->name_count && all->components; i++) {
        const struct kg_profile_figures *figures = &profile->names[i].figures;
        if (!(figures->share > 0)) /* a span */
            continue;
        all->calls += figures->calls;
        all->total_ns += figures->total_ns;
        all->components[all->component_count++] =
            (struct kg_component){.name = profile->names[i].name,
                                  .calls = figures->calls,
                                  .total_ns = figures->total_ns,
                                  .own_ns = figures->self_ns,
                                  .mean_ns = figures->mean_ns,
                                  .min_ns = figures->min_ns,
                                  .max_ns = figures->max_ns,
                                  .standard_deviation_ns = figures->standard_deviation_ns};
    }
    for (size_t i = 0; i < all->component_count; i++)
        all->components[i].share = all->components[i].total_ns / all->total_ns;
    return all->component_count;
}
