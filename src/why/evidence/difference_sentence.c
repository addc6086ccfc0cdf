/* The sentence about the place that explains a change. */
#include <math.h>
#include <string.h>

#include "base/code/symbol_name.h"
#include "base/text.h"
#include "model/traits.h"
#include "why/evidence/difference.h"
#include "why/rules/cause.h"

/* Whether another function of the profiles has the name. */
static bool is_ambiguous(const struct kg_difference_row *rows, size_t count,
                         const struct kg_place *place)
{
    for (size_t i = 0; i < count; i++) {
        const struct kg_place *const others[] = {&rows[i].place, &rows[i].caller};
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (others[k]->function && !strcmp(others[k]->function, place->function) &&
                !kg_place_same(others[k], place))
                return true;
    }
    return false;
}

/* "step", or "step (lexer.c)". */
static void name_add(struct kg_text *text, const struct kg_difference_row *rows, size_t count,
                     const struct kg_place *place)
{
    const char *file = place->declared ? place->declared : place->file;
    if (!file)
        file = place->module;
    const char *slash = file ? strrchr(file, '/') : NULL;
    kg_name_print(text, place->function);
    if (file && is_ambiguous(rows, count, place))
        kg_text_printf(text, " (%s)", slash ? slash + 1 : file);
}

const char *kg_difference_caller(struct kg_arena *arena, const struct kg_difference_row *rows,
                                 size_t count, const struct kg_difference_row *row)
{
    struct kg_text text = {0};
    if (!row->caller.function)
        return NULL;
    name_add(&text, rows, count, &row->caller);
    const char *name = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return name;
}

static void header_add(struct kg_text *text, const struct kg_difference_row *row)
{
    if (!row->header.function)
        return;
    kg_text_append(text, ", in ");
    kg_name_print(text, row->header.function);
}

static void place_add(struct kg_text *text, const struct kg_difference *difference,
                      const struct kg_difference_row *row)
{
    if (row->callee.function) {
        kg_name_print(text, row->callee.function);
        kg_text_append(text, ", called from ");
        kg_place_words(&row->place, text);
        header_add(text, row);
        return;
    }
    kg_place_words(&row->place, text);
    header_add(text, row);
    if (row->header.function || !row->caller.function) /* a header says more than the caller */
        return;
    kg_text_append(text, ", called from ");
    name_add(text, difference->rows, difference->count, &row->caller);
}

static void share_add(struct kg_text *text, double share, bool slower)
{
    static const double ALL = 0.95;
    const char *whole = slower ? "slowdown" : "gain";
    if (share >= ALL)
        kg_text_printf(text, "all of the %s", whole);
    else
        kg_text_printf(text, "%.0f %% of the %s", 100 * share, whole);
}

/* "; fail is called from parse": one side alone has samples of the place, so the change may be in its caller. */
static void caller_add(struct kg_text *text, const struct kg_difference *difference,
                       const struct kg_difference_row *row)
{
    const struct kg_difference_row sum = kg_difference_function_sum(difference, &row->place);
    if (!row->callee.function || !row->place.function || !row->caller.function ||
        !strcmp(row->caller.function, "main") || (sum.base_ns > 0 && sum.current_ns > 0))
        return;
    kg_text_append(text, "; ");
    name_add(text, difference->rows, difference->count, &row->place);
    kg_text_append(text, " is called from ");
    name_add(text, difference->rows, difference->count, &row->caller);
}

/* ", mostly in pthread_mutex_lock and pthread_mutex_unlock" */
static void together_add(struct kg_text *text, const struct kg_place together[2])
{
    if (!together[0].function)
        return;
    kg_text_append(text, ", mostly in ");
    kg_name_print(text, together[0].function);
    if (!together[1].function)
        return;
    kg_text_append(text, " and ");
    kg_name_print(text, together[1].function);
}

/* Whether the side without the place has enough samples to show a twentieth of the other side's
 * time. */
static bool has_samples(const struct kg_difference *difference, const struct kg_difference_row *row)
{
    static const double PART = 0.05, SAMPLES_LEAST = 3;
    const double samples_per_ns = row->base_ns > 0
                                      ? difference->current_samples / difference->current_ns
                                      : difference->base_samples / difference->base_ns;
    return PART * fmax(row->base_ns, row->current_ns) * samples_per_ns >= SAMPLES_LEAST;
}

/* Whether the sites have all samples. Profiles keep only the sites with most samples. */
static bool is_whole(const struct kg_sampled *sampled)
{
    static const double PART = 0.5; /* of a sample: shares are rounded */
    double share = 0;
    for (size_t i = 0; i < sampled->site_count; i++)
        share += sampled->sites[i].share;
    return (1 - share) * sampled->samples < PART;
}

/* Whether a stack may have the function without a sample of its own.
 * base  whether the side is the baseline */
static bool may_be_on_stacks(const struct kg_difference *difference, const struct kg_place *place,
                             bool base)
{
    const struct kg_sampled *sampled = base ? difference->base : difference->current;
    for (size_t i = 0; i < sampled->function_count; i++) {
        const struct kg_place *found = &sampled->functions[i].place;
        const struct kg_place renamed = base ? kg_difference_place(difference, found) : *found;
        if (kg_place_same(&renamed, place))
            return true;
    }
    return !place->file || sampled->function_count == KG_HOT_FUNCTIONS_MOST;
}

/* The one side that has the place; NULL: both sides have it, or the samples do not prove it. */
static const char *side_words(const struct kg_difference *difference,
                              const struct kg_difference_row *row)
{
    const bool called = row->callee.function || row->header.function;
    const bool in_base = row->base_ns > 0, in_current = row->current_ns > 0;
    struct kg_difference_row counted = *row;
    kg_difference_count(difference, &counted);
    if ((in_base ? counted.current_calls : counted.base_calls) > 0)
        return NULL;
    if (in_base == in_current || !has_samples(difference, row) ||
        !is_whole(in_base ? difference->current : difference->base) ||
        (!called && may_be_on_stacks(difference, &row->place, !in_base)))
        return NULL;
    if (called)
        return in_base ? "the candidate does not call it there"
                       : "the baseline does not call it there";
    return in_base ? "the candidate does not run it" : "the baseline does not run it";
}

/* The row with all others of its callee, header or function in the place. */
static struct kg_difference_row side_sum(const struct kg_difference *difference,
                                         const struct kg_difference_row *row)
{
    if (row->callee.function)
        return kg_difference_neighbour_sum(difference, row, KG_DIFFERENCE_CALLEE);
    if (row->header.function)
        return kg_difference_neighbour_sum(difference, row, KG_DIFFERENCE_HEADER);
    return kg_difference_function_sum(difference, &row->place);
}

const char *kg_difference_side(const struct kg_difference *difference,
                               const struct kg_difference_row *row)
{
    const struct kg_difference_row sum = side_sum(difference, row);
    const bool known = row->callee.function || row->header.function || row->place.function;
    return known ? side_words(difference, &sum) : NULL;
}

const char *kg_difference_sentence(struct kg_arena *arena, const struct kg_difference *difference,
                                   const struct kg_difference_cause *cause)
{
    const struct kg_difference_row *row = &cause->row;
    const char *side = side_words(difference, row);
    const char *calls;
    const double grown = row->current_ns - row->base_ns;
    const double change = difference->current_ns - difference->base_ns;
    const bool slower = change > 0;
    struct kg_text text = {0};
    place_add(&text, difference, row);
    kg_text_printf(&text, ": %s", grown > 0 ? "+" : "-");
    /* other code may have become faster */
    kg_trait_format(KG_TRAIT_NS, fmin(fabs(grown), fabs(change)), &text);
    kg_text_append(&text, cause->inclusive ? " with all that it calls, " : ", ");
    share_add(&text, cause->alone, slower);
    together_add(&text, cause->together);
    if (side)
        kg_text_printf(&text, "; %s", side);
    else if ((calls = kg_difference_calls(arena, row)))
        kg_text_printf(&text, "; %s", calls);
    caller_add(&text, difference, row);
    if (cause->around.function) {
        kg_text_append(&text, "; ");
        name_add(&text, difference->rows, difference->count, &cause->around);
        kg_text_append(&text, " with all that it calls: ");
        share_add(&text, cause->explains, slower);
    }
    const char *kept = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return kept;
}
