/* Files of machine code that have another name in the candidate: `ab` compares two programs, and a library has a
 * version. Without pairs, each of their functions would belong to one side. */
#include <string.h>

#include "why/evidence/difference.h"
#include "why/rules/causes_weighing.h"

enum { MODULES = KG_DIFFERENCE_MODULES_MOST };

/* Own files of one side. */
struct modules {
    const char *names[MODULES]; /* NULL: paired */
    double shares[MODULES];
    size_t count;
};

/* Code made at run time has a module in brackets. */
static bool is_own(const struct kg_place *place)
{
    return place->module && *place->module != '[' && !kg_place_is_library(place);
}

static void module_add(struct modules *modules, const struct kg_place *place, double share)
{
    size_t i = 0;
    if (!is_own(place))
        return;
    while (i < modules->count && strcmp(modules->names[i], place->module) != 0)
        i++;
    if (i == MODULES)
        return;
    if (i == modules->count)
        modules->names[modules->count++] = place->module;
    modules->shares[i] += share;
}

static struct modules modules_of(const struct kg_sampled *sampled)
{
    struct modules modules = {0};
    for (size_t i = 0; i < sampled->site_count; i++) {
        module_add(&modules, &sampled->sites[i].place, sampled->sites[i].share);
        module_add(&modules, &sampled->sites[i].caller, 0);
    }
    return modules;
}

static void same_drop(struct modules *base, struct modules *current)
{
    for (size_t b = 0; b < base->count; b++)
        for (size_t c = 0; c < current->count && base->names[b]; c++)
            if (current->names[c] && !strcmp(base->names[b], current->names[c]))
                base->names[b] = current->names[c] = NULL;
}

static bool has_function(const struct kg_sampled *sampled, const char *module, const char *function)
{
    for (size_t i = 0; i < sampled->site_count; i++) {
        const struct kg_place *place = &sampled->sites[i].place;
        if (place->function && place->module && !strcmp(place->module, module) &&
            !strcmp(place->function, function))
            return true;
    }
    return false;
}

/* The share of the baseline's samples in functions of `old` whose names are in `new`. */
static double share_common(const struct kg_sampled *base, const char *old,
                           const struct kg_sampled *current, const char *new)
{
    double share = 0;
    for (size_t i = 0; i < base->site_count; i++) {
        const struct kg_place *place = &base->sites[i].place;
        if (place->function && place->module && !strcmp(place->module, old) &&
            has_function(current, new, place->function))
            share += base->sites[i].share;
    }
    return share;
}

struct sides {
    const struct kg_sampled *base, *current;
    struct modules old, new;
};

/* Indices of two files. */
struct pair {
    size_t old, new;
};

/* How well two files fit: by common functions. The time decides only if there are none. */
static double fit(const struct sides *sides, size_t old, size_t new)
{
    static const double TIME = 1e-6;
    return share_common(sides->base, sides->old.names[old], sides->current, sides->new.names[new]) +
           TIME * sides->old.shares[old] * sides->new.shares[new];
}

/* Finds the files that fit best. Returns false if a side has none left. */
static bool pair_find(const struct sides *sides, struct pair *pair)
{
    double most = -1;
    for (size_t old = 0; old < sides->old.count; old++)
        for (size_t new = 0; new < sides->new.count; new ++)
            if (sides->old.names[old] && sides->new.names[new] && fit(sides, old, new) > most) {
                most = fit(sides, old, new);
                *pair = (struct pair){old, new};
            }
    return most >= 0;
}

void kg_difference_modules_pair(struct kg_difference *difference, const struct kg_sampled *base,
                                const struct kg_sampled *current)
{
    struct sides sides = {base, current, modules_of(base), modules_of(current)};
    struct pair pair;
    same_drop(&sides.old, &sides.new);
    while (pair_find(&sides, &pair)) {
        const char **old = &sides.old.names[pair.old], **new = &sides.new.names[pair.new];
        difference->modules[difference->module_count++] = (struct kg_difference_module){*old, *new};
        *old = *new = NULL;
    }
}

struct kg_place kg_difference_place(const struct kg_difference *difference,
                                    const struct kg_place *base_place)
{
    struct kg_place place = *base_place;
    for (size_t i = 0; i < difference->module_count && place.module; i++)
        if (!strcmp(difference->modules[i].old, base_place->module))
            place.module = difference->modules[i].new;
    return place;
}
