#include "model/stored_traits.h"

#include <math.h>
#include <string.h>

#include "base/nearest.h"

/* Rounds to six digits, enough to explain a change; more would be most of the file. Both powers of
 * ten are exact. */
static double few_digits(double value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int most = (int)(sizeof powers / sizeof *powers) - 1;
    if (!isfinite(value) || value == 0)
        return isfinite(value) ? value : NAN;
    const int places = 5 - (int)floor(log10(fabs(value)));
    if (places < -most || places > most)
        return value;
    return places < 0 ? rint(value / powers[-places]) * powers[-places]
                      : rint(value * powers[places]) / powers[places];
}

/* Features of the cases. */
static struct kg_traits *traits_gather(struct kg_arena *arena, const struct kg_results *results,
                                       const struct kg_case_result *const *cases, size_t count)
{
    struct kg_traits *traits = kg_arena_alloc(arena, count, sizeof *traits);
    for (size_t i = 0; i < count; i++)
        kg_traits_find(results, cases[i], &traits[i]);
    return traits;
}

static bool any_known(const struct kg_traits *traits, size_t count, const struct kg_trait *trait)
{
    for (size_t i = 0; i < count; i++)
        if (!isnan(kg_trait_get(&traits[i], trait)))
            return true;
    return false;
}

/* Stores a case's values in the order of the names; an unknown end is left out. */
static void case_store(struct kg_arena *arena, const struct kg_traits *traits,
                       const struct kg_trait *const *columns, size_t count,
                       struct kg_baseline_case *stored)
{
    stored->traits = kg_arena_alloc(arena, count, sizeof *stored->traits);
    for (size_t c = 0; c < count; c++) {
        stored->traits[c] = few_digits(kg_trait_get(traits, columns[c]));
        if (!isnan(stored->traits[c]))
            stored->trait_count = c + 1;
    }
}

static const struct kg_system_calls no_system_calls = {
    .calls = NAN, .user_ns = NAN, .system_ns = NAN};

/* Shares from here on are large enough for a later difference. */
static const double SHARE_LEAST = 0.005;

/* Functions are in order of their own time. A function that mainly calls others comes late. */
static void functions_narrow(struct kg_arena *arena, const struct kg_sampled *sampled,
                             struct kg_sampled *kept)
{
    kept->functions = kg_arena_alloc(arena, sampled->function_count, sizeof *kept->functions);
    for (size_t i = 0; i < sampled->function_count; i++)
        if (sampled->functions[i].total >= SHARE_LEAST)
            kept->functions[kept->function_count++] = sampled->functions[i];
}

/* A site with counts and no sample shows that its side calls it. */
static void sites_narrow(struct kg_arena *arena, const struct kg_sampled *sampled,
                         struct kg_sampled *kept)
{
    kept->sites = kg_arena_alloc(arena, sampled->site_count, sizeof *kept->sites);
    for (size_t i = 0; i < sampled->site_count; i++) {
        const struct kg_hot_site *site = &sampled->sites[i];
        if (site->share >= SHARE_LEAST || (!(site->share > 0) && site->calls > 0))
            kept->sites[kept->site_count++] = *site;
    }
}

/* Keeps functions and sites with a large share. */
static struct kg_sampled sampled_narrow(struct kg_arena *arena, const struct kg_sampled *sampled)
{
    struct kg_sampled kept = {.source = sampled->source,
                              .samples = sampled->samples,
                              .compiler = sampled->compiler,
                              .code_bytes = sampled->code_bytes,
                              .asserts = sampled->asserts,
                              .library_checks = sampled->library_checks,
                              .libraries = sampled->libraries,
                              .library_count = sampled->library_count,
                              .waiting = NAN,
                              .system = NAN,
                              .blocks = NAN};
    functions_narrow(arena, sampled, &kept);
    sites_narrow(arena, sampled, &kept);
    return kept;
}

static void profiles_store(struct kg_arena *arena, const struct kg_case_result *const *cases,
                           struct kg_baseline_run *run)
{
    for (size_t i = 0; i < run->case_count; i++) {
        const struct kg_hot *hot = &cases[i]->hot;
        run->cases[i].sampled = sampled_narrow(arena, &hot->sampled);
        run->cases[i].system_calls = hot->system_calls.source ? hot->system_calls : no_system_calls;
    }
}

void kg_stored_traits_make(struct kg_arena *arena, const struct kg_results *results,
                           const struct kg_case_result *const *cases, struct kg_baseline_run *run)
{
    const struct kg_traits *traits = traits_gather(arena, results, cases, run->case_count);
    const struct kg_trait **columns = kg_arena_alloc(arena, kg_trait_count, sizeof(void *));
    run->trait_names = kg_arena_alloc(arena, kg_trait_count, sizeof *run->trait_names);
    for (size_t t = 0; t < kg_trait_count; t++)
        if (any_known(traits, run->case_count, &kg_trait_table[t])) {
            columns[run->trait_name_count] = &kg_trait_table[t];
            run->trait_names[run->trait_name_count++] = kg_trait_table[t].name;
        }
    for (size_t i = 0; i < run->case_count; i++)
        case_store(arena, &traits[i], columns, run->trait_name_count, &run->cases[i]);
    profiles_store(arena, cases, run);
}

/* Adds missing names to `into`; places[i] is the place of from's i-th name. */
static void names_adopt(struct kg_arena *arena, struct kg_baseline_run *into,
                        const struct kg_baseline_run *from, size_t *places)
{
    const char **names =
        kg_arena_alloc(arena, into->trait_name_count + from->trait_name_count, sizeof *names);
    size_t count = into->trait_name_count;
    if (count)
        memcpy(names, into->trait_names, count * sizeof *names);
    for (size_t i = 0; i < from->trait_name_count; i++) {
        places[i] = kg_word_index(from->trait_names[i], names, count);
        if (places[i] == count)
            names[count++] = from->trait_names[i];
    }
    into->trait_names = names;
    into->trait_name_count = count;
}

void kg_stored_traits_adopt(struct kg_arena *arena, struct kg_baseline_run *into,
                            struct kg_baseline_run *from)
{
    size_t *places = kg_arena_alloc(arena, from->trait_name_count, sizeof *places);
    names_adopt(arena, into, from, places);
    for (size_t i = 0; i < from->case_count; i++) {
        struct kg_baseline_case *stored = &from->cases[i];
        double *traits = kg_arena_alloc(arena, into->trait_name_count, sizeof *traits);
        for (size_t p = 0; p < into->trait_name_count; p++)
            traits[p] = NAN;
        for (size_t t = 0; t < stored->trait_count; t++)
            traits[places[t]] = stored->traits[t];
        stored->traits = traits;
        stored->trait_count = into->trait_name_count;
    }
}

static void case_drop(struct kg_baseline_case *stored)
{
    stored->trait_count = 0;
    stored->sampled =
        (struct kg_sampled){.samples = NAN, .waiting = NAN, .system = NAN, .blocks = NAN};
    stored->system_calls = no_system_calls;
}

void kg_stored_traits_drop(struct kg_baseline_run *run)
{
    run->trait_name_count = 0;
    for (size_t i = 0; i < run->case_count; i++)
        case_drop(&run->cases[i]);
}

bool kg_stored_traits_validate(const struct kg_baseline_run *run, size_t index,
                               struct kg_error *err)
{
    for (size_t i = 0; i < run->case_count; i++)
        if (run->cases[i].trait_count > run->trait_name_count)
            return kg_error_set(
                err, KG_ERROR_USAGE,
                "runs[%zu].cases[%zu].traits: expected at most as many as trait_names", index, i);
    return true;
}

void kg_baseline_traits(const struct kg_baseline_run *run, const struct kg_baseline_case *stored,
                        struct kg_traits *traits)
{
    kg_traits_clear(traits);
    for (size_t t = 0; t < kg_trait_count; t++) {
        const size_t place =
            kg_word_index(kg_trait_table[t].name, run->trait_names, run->trait_name_count);
        if (place < stored->trait_count)
            kg_trait_set(traits, &kg_trait_table[t], stored->traits[place]);
    }
}
