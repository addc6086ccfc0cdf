/* difference_support.h: differential profiles of hand-made sites. */
#pragma once
#include "test_support.h"

#include "why/evidence/difference.h"

enum { SITES_MOST = 4 };

/* One site: "strlen" called from "parse" called from "main"; NULL: none. */
struct site {
    const char *callee, *place, *caller;
    double share;
};

struct side {
    struct site sites[SITES_MOST];
    struct kg_hot_place functions[SITES_MOST];
    double calls[SITES_MOST]; /* of each site; 0: not counted, like the next */
    double instructions[SITES_MOST];
    double time_ns;
};

static inline struct kg_place place_of(const char *function, const char *file, size_t line)
{
    return (struct kg_place){.function = function, .file = function ? file : NULL, .line = line};
}

static inline struct kg_sampled sampled_make(const struct side *side, struct kg_hot_site *sites)
{
    struct kg_sampled sampled = {
        .source = "ptrace", .samples = 500, .sites = sites, .functions = NULL};
    for (size_t i = 0; i < SITES_MOST && side->sites[i].place; i++)
        sites[sampled.site_count++] = (struct kg_hot_site){
            .place = place_of(side->sites[i].place, "src/own.c", 10 + i),
            .caller = place_of(side->sites[i].caller, NULL, 0),
            .callee = place_of(side->sites[i].callee, NULL, 0),
            .share = side->sites[i].share,
            .calls = side->calls[i] > 0 ? side->calls[i] : NAN,
            .instructions = side->instructions[i] > 0 ? side->instructions[i] : NAN};
    sampled.functions = (struct kg_hot_place *)side->functions;
    while (sampled.function_count < SITES_MOST &&
           side->functions[sampled.function_count].place.function)
        sampled.function_count++;
    return sampled;
}

/* The sentence, or "" if no place explains enough. In the arena. */
static inline const char *sentence(struct kg_arena *arena, const struct side *base,
                                   const struct side *current, struct kg_difference_cause *cause)
{
    struct kg_hot_site base_sites[SITES_MOST], current_sites[SITES_MOST];
    const struct kg_sampled old = sampled_make(base, base_sites);
    const struct kg_sampled new = sampled_make(current, current_sites);
    struct kg_difference difference;
    kg_difference_make(arena, &old, base->time_ns, &new, current->time_ns, &difference);
    return kg_difference_explain(&difference, &old, &new, cause)
               ? kg_difference_sentence(arena, &difference, cause)
               : "";
}

static inline void sentence_is(const struct side *base, const struct side *current,
                               const char *expected)
{
    struct kg_arena arena = {0};
    struct kg_difference_cause cause;
    assert_string_equal(sentence(&arena, base, current, &cause), expected);
    kg_arena_free(&arena);
}
