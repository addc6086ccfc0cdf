#include "why/evidence/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "why/evidence/known_functions.h"
#include "why/rules/causes_weighing.h"

/* A cause explains at least a fifth of the change. */
static const double EXPLAINS_LEAST = 0.2;
/* From this share on, one function alone is the cause. Below, a function around it may explain
 * more. */
static const double EXPLAINS_ALONE = 0.5;
/* Minimum part of a growth for a caller or a callee to be named; and for functions of one kind. */
static const double MOST_OF_IT = 0.6, HALF = 0.5;
/* Minimum part of the change for a function with all its calls, if no single function is the
 * cause. */
static const double AROUND_LEAST = 0.5;
/* The same for a function around the place, which must add something to the place. */
static const double NEARLY_ALL = 0.85, ADDS_LEAST = 0.05;
/* A function on more stacks than this share, on both sides, is the whole program. */
static const double EVERYTHING = 0.9;
/* Minimum growth in standard errors of the samples: for a cause, and for a row. */
static const double SURE = 3, NOISE = 2;

/* --- Subtracting ------------------------------------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

bool kg_difference_same_callee(const struct kg_place *a, const struct kg_place *b)
{
    return same_text(a->function, b->function) && (a->function || same_text(a->module, b->module));
}

bool kg_difference_same_row(const struct kg_difference_row *a, const struct kg_difference_row *b)
{
    return kg_place_same(&a->place, &b->place) && kg_place_same(&a->caller, &b->caller) &&
           kg_difference_same_callee(&a->header, &b->header) &&
           kg_difference_same_callee(&a->callee, &b->callee) && same_text(a->call, b->call);
}

/* base  whether the site is the baseline's */
static struct kg_difference_row *row_of(struct kg_difference *difference,
                                        const struct kg_hot_site *site, bool base)
{
    const struct kg_place place =
        base ? kg_difference_place(difference, &site->place) : site->place;
    const struct kg_place caller =
        base ? kg_difference_place(difference, &site->caller) : site->caller;
    const struct kg_difference_row new = {.place = place,
                                          .caller = caller,
                                          .header = site->header,
                                          .callee = site->callee,
                                          .call = site->call,
                                          .base_calls = NAN,
                                          .current_calls = NAN,
                                          .base_instructions = NAN,
                                          .current_instructions = NAN};
    struct kg_difference_row *row = difference->rows;
    const struct kg_difference_row *end = row + difference->count;
    for (; row < end; row++)
        if (kg_difference_same_row(row, &new))
            return row;
    difference->count++;
    *row = new;
    return row;
}

static double growth(const struct kg_difference_row *row)
{
    return row->current_ns - row->base_ns;
}

static int grown_more(const void *left, const void *right)
{
    const double a = fabs(growth(left)), b = fabs(growth(right));
    return (a < b) - (a > b);
}

double kg_difference_count_add(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

void kg_difference_make(struct kg_arena *arena, const struct kg_sampled *base, double base_ns,
                        const struct kg_sampled *current, double current_ns,
                        struct kg_difference *difference)
{
    *difference = (struct kg_difference){.base = base,
                                         .current = current,
                                         .base_ns = base_ns,
                                         .current_ns = current_ns,
                                         .base_samples = base->samples,
                                         .current_samples = current->samples};
    if (!base->site_count || !current->site_count)
        return;
    difference->rows =
        kg_arena_alloc(arena, base->site_count + current->site_count, sizeof *difference->rows);
    kg_difference_modules_pair(difference, base, current);
    for (size_t i = 0; i < current->site_count; i++) {
        const struct kg_hot_site *site = &current->sites[i];
        struct kg_difference_row *row = row_of(difference, site, false);
        row->current_ns += site->share * current_ns;
        row->current_calls = kg_difference_count_add(row->current_calls, site->calls);
        row->current_instructions =
            kg_difference_count_add(row->current_instructions, site->instructions);
    }
    for (size_t i = 0; i < base->site_count; i++) {
        const struct kg_hot_site *site = &base->sites[i];
        struct kg_difference_row *row = row_of(difference, site, true);
        row->base_ns += site->share * base_ns;
        row->base_calls = kg_difference_count_add(row->base_calls, site->calls);
        row->base_instructions =
            kg_difference_count_add(row->base_instructions, site->instructions);
    }
    kg_difference_match(difference);
    qsort(difference->rows, difference->count, sizeof *difference->rows, grown_more);
}

/* --- The cause -------------------------------------------------------------------------------- */

static double change_of(const struct kg_difference *difference)
{
    return difference->current_ns - difference->base_ns;
}

/* Standard error of a time that is a share of n samples. */
static double error_ns(double time_ns, double whole_ns, double samples)
{
    const double share = fmin(fmax(time_ns / whole_ns, 1 / samples), 1);
    return whole_ns * sqrt(share * (1 - share) / samples);
}

static bool exceeds(const struct kg_difference *difference, const struct kg_difference_row *row,
                    double errors)
{
    const double error =
        hypot(error_ns(row->base_ns, difference->base_ns, difference->base_samples),
              error_ns(row->current_ns, difference->current_ns, difference->current_samples));
    return fabs(growth(row)) >= errors * error;
}

static bool is_sure(const struct kg_difference *difference, const struct kg_difference_row *row)
{
    return exceeds(difference, row, SURE);
}

bool kg_difference_beyond_noise(const struct kg_difference *difference,
                                const struct kg_difference_row *row)
{
    return exceeds(difference, row, NOISE);
}

static double explained(const struct kg_difference *difference, const struct kg_difference_row *row)
{
    return growth(row) / change_of(difference);
}

/* Whether the place's share of the time changed in the direction of the change, by this number of standard errors of the
 * samples. */
static bool share_moved(const struct kg_difference *difference, const struct kg_difference_row *row,
                        double errors)
{
    const double scale = difference->current_ns / difference->base_ns;
    const double moved = row->current_ns - scale * row->base_ns;
    const double error =
        hypot(scale * error_ns(row->base_ns, difference->base_ns, difference->base_samples),
              error_ns(row->current_ns, difference->current_ns, difference->current_samples));
    return (change_of(difference) > 0 ? moved : -moved) >= errors * error;
}

/* Whether the row may be the cause. One of many places that grew like the whole call is not. */
static bool is_candidate(const struct kg_difference *difference,
                         const struct kg_difference_row *row)
{
    return is_sure(difference, row) &&
           (explained(difference, row) >= EXPLAINS_ALONE || share_moved(difference, row, NOISE));
}

/* The function with most of the change, among those whose growth is sure.
 * moved  whether functions count whose work may only have moved */
static struct kg_difference_row function_most(const struct kg_difference *difference, bool moved)
{
    struct kg_difference_row most = {0};
    for (size_t i = 0; i < difference->count; i++) {
        const struct kg_difference_row sum =
            kg_difference_function_sum(difference, &difference->rows[i].place);
        if (explained(difference, &sum) > explained(difference, &most) &&
            is_candidate(difference, &sum) &&
            (moved || !kg_difference_moved(difference, &sum.place)))
            most = sum;
    }
    return most;
}

/* The library function, called from one place, with most of the change. A new call is sure even
 * if the rest of its place is noise. */
static struct kg_difference_row callee_most(const struct kg_difference *difference)
{
    struct kg_difference_row most = {0};
    for (size_t i = 0; i < difference->count; i++) {
        const struct kg_difference_row *row = &difference->rows[i];
        const struct kg_difference_row sum =
            kg_difference_neighbour_sum(difference, row, KG_DIFFERENCE_CALLEE);
        if (row->callee.function && explained(difference, &sum) > explained(difference, &most) &&
            is_candidate(difference, &sum))
            most = sum;
    }
    return most;
}

/* The neighbour with most of the place's growth. If there is none, its function is NULL. */
static struct kg_difference_row neighbour_most(const struct kg_difference *difference,
                                               const struct kg_difference_row *of,
                                               enum kg_difference_neighbour kind)
{
    struct kg_difference_row most = {0};
    double best = MOST_OF_IT * explained(difference, of);
    for (size_t i = 0; i < difference->count; i++) {
        const struct kg_difference_row *row = &difference->rows[i];
        if (!kg_place_same(&row->place, &of->place) ||
            !kg_difference_neighbour_of(row, kind)->function)
            continue;
        const struct kg_difference_row sum = kg_difference_neighbour_sum(difference, row, kind);
        if (explained(difference, &sum) >= best) {
            best = explained(difference, &sum);
            most = sum;
        }
    }
    return most;
}

static enum kg_cause_kind kind_of(const struct kg_difference_row *row)
{
    return row->callee.function ? kg_known_function(row->callee.function) : KG_CAUSE_NONE;
}

/* The kind of library functions with most of the place's growth; KG_CAUSE_NONE: none has it. */
static enum kg_cause_kind kind_most(const struct kg_difference *difference,
                                    const struct kg_difference_row *of)
{
    double sums[KG_CAUSE_COUNT] = {0};
    enum kg_cause_kind most = KG_CAUSE_NONE;
    for (size_t i = 0; i < difference->count; i++) {
        const enum kg_cause_kind kind = kind_of(&difference->rows[i]);
        if (kind == KG_CAUSE_NONE || !kg_place_same(&difference->rows[i].place, &of->place))
            continue;
        sums[kind] += explained(difference, &difference->rows[i]);
        if (sums[kind] >= HALF * explained(difference, of) && !(sums[kind] < sums[most]))
            most = kind;
    }
    return sums[most] >= HALF * explained(difference, of) ? most : KG_CAUSE_NONE;
}

/* Sets the two functions with most of the growth, among those of the kind that has most of it. */
static void together_name(const struct kg_difference *difference,
                          const struct kg_difference_row *of, struct kg_place together[2])
{
    const enum kg_cause_kind kind = kind_most(difference, of);
    double grown[2] = {0};
    for (size_t i = 0; kind != KG_CAUSE_NONE && i < difference->count; i++) {
        const struct kg_difference_row *row = &difference->rows[i];
        if (kind_of(row) != kind || !kg_place_same(&row->place, &of->place) ||
            (together[0].function && kg_difference_same_callee(&together[0], &row->callee)))
            continue;
        const struct kg_difference_row sum =
            kg_difference_neighbour_sum(difference, row, KG_DIFFERENCE_CALLEE);
        const double part = explained(difference, &sum);
        const size_t rank = part > grown[0] ? 0 : 1;
        if (part <= grown[rank])
            continue;
        if (!rank) {
            together[1] = together[0];
            grown[1] = grown[0];
        }
        together[rank] = row->callee;
        grown[rank] = part;
    }
}

/* Names the caller and the library function with most of the growth. If there is one, the row's time
 * is the library function's. A function of a header is in the source, the callees in it are not.
 * Without one, several of a kind may have most of the growth. */
static void neighbours_name(const struct kg_difference *difference,
                            struct kg_difference_cause *cause)
{
    struct kg_difference_row *row = &cause->row;
    const struct kg_difference_row callee = neighbour_most(difference, row, KG_DIFFERENCE_CALLEE);
    const struct kg_difference_row caller = neighbour_most(difference, row, KG_DIFFERENCE_CALLER);
    const struct kg_difference_row header = neighbour_most(difference, row, KG_DIFFERENCE_HEADER);
    if (header.header.function)
        *row = header;
    else if (callee.callee.function)
        *row = callee;
    row->callee = header.header.function ? (struct kg_place){0} : callee.callee;
    row->header = header.header;
    row->caller = caller.caller;
    cause->entered = callee.callee;
    if (row->header.function || row->callee.function)
        return;
    together_name(difference, row, cause->together);
    cause->entered = cause->together[0];
}

/* Both names of a function, which are one unless it was renamed. */
static struct kg_difference_renamed names_of(const struct kg_difference *difference,
                                             const struct kg_place *place)
{
    for (size_t i = 0; i < difference->renamed_count; i++) {
        const struct kg_difference_renamed *renamed = &difference->renamed[i];
        if (kg_place_same(&renamed->new, place) || kg_place_same(&renamed->old, place))
            return *renamed;
    }
    return (struct kg_difference_renamed){.old = *place, .new = *place};
}

/* Time of the function with all that it calls, on the side of `sampled`.
 * base  whether that side is the baseline */
static double total_ns(const struct kg_difference *difference, const struct kg_sampled *sampled,
                       const struct kg_place *place, bool base)
{
    for (size_t i = 0; i < sampled->function_count; i++) {
        const struct kg_place *found = &sampled->functions[i].place;
        const struct kg_place renamed = base ? kg_difference_place(difference, found) : *found;
        if (kg_place_same(&renamed, place))
            return sampled->functions[i].total *
                   (base ? difference->base_ns : difference->current_ns);
    }
    return 0;
}

/* The function with all that it calls. */
static struct kg_difference_row place_whole(const struct kg_difference *difference,
                                            const struct kg_sampled *base,
                                            const struct kg_sampled *current,
                                            const struct kg_place *place)
{
    const struct kg_difference_renamed names = names_of(difference, place);
    return (struct kg_difference_row){.place = names.new,
                                      .base_ns = total_ns(difference, base, &names.old, true),
                                      .current_ns =
                                          total_ns(difference, current, &names.new, false)};
}

static bool is_main(const struct kg_place *place)
{
    return place->function && !strcmp(place->function, "main");
}

static bool is_everything(const struct kg_difference *difference,
                          const struct kg_difference_row *row)
{
    return is_main(&row->place) || (row->base_ns > EVERYTHING * difference->base_ns &&
                                    row->current_ns > EVERYTHING * difference->current_ns);
}

/* Whether the function grew like the whole program: its part of the change is nearer to its share of the shorter side's
 * time than to all of the change. */
static bool grew_like_all(const struct kg_difference *difference,
                          const struct kg_difference_row *row)
{
    const double share = change_of(difference) > 0 ? row->base_ns / difference->base_ns
                                                   : row->current_ns / difference->current_ns;
    return explained(difference, row) < (1 + share) / 2;
}

/* How well the function's calls hold the change and nothing else: the part of the change in them, times the part of
 * their time that is the change. */
static double fit(const struct kg_difference *difference, const struct kg_difference_row *row)
{
    return fmin(explained(difference, row), 1) * fabs(growth(row)) /
           fmax(row->base_ns, row->current_ns);
}

/* Whether the function with all that it calls may be the cause. One with less than half of the change must have grown
 * more than the rest. */
static bool is_around(const struct kg_difference *difference, const struct kg_difference_row *row,
                      double least)
{
    const struct kg_place *place = &row->place;
    if (!place->function || kg_place_is_library(place) || kg_place_is_header(place) ||
        is_everything(difference, row) || explained(difference, row) < least ||
        !is_sure(difference, row))
        return false;
    /* many functions are compared, so one of them often exceeds the noise */
    return least < AROUND_LEAST ? share_moved(difference, row, SURE)
                                : !grew_like_all(difference, row);
}

/* Among the functions with `least` of the change in their calls: the one that fits best. */
static bool around_find(const struct kg_difference *difference, const struct kg_sampled *base,
                        const struct kg_sampled *current, double least,
                        struct kg_difference_row *found)
{
    const struct kg_sampled *side = change_of(difference) > 0 ? current : base;
    double best = 0;
    for (size_t i = 0; i < side->function_count; i++) {
        const struct kg_place *found_place = &side->functions[i].place;
        const struct kg_place place =
            side == base ? kg_difference_place(difference, found_place) : *found_place;
        const struct kg_difference_row row = place_whole(difference, base, current, &place);
        if (!is_around(difference, &row, least) || fit(difference, &row) <= best)
            continue;
        best = fit(difference, &row);
        *found = row;
    }
    return best > 0;
}

/* One function, or the function around several.
 * returns  false if the growth of none is sure and a fifth of the change */
static bool row_choose(const struct kg_difference *difference, const struct kg_sampled *base,
                       const struct kg_sampled *current, struct kg_difference_cause *cause)
{
    cause->row = function_most(difference, false);
    if (!(explained(difference, &cause->row) >= EXPLAINS_ALONE))
        cause->row = function_most(difference, true);
    const double alone = explained(difference, &cause->row);
    if (alone >= EXPLAINS_ALONE) {
        neighbours_name(difference, cause);
        return true;
    }
    cause->inclusive = around_find(difference, base, current, AROUND_LEAST, &cause->row);
    if (cause->inclusive)
        return true;
    if (alone >= EXPLAINS_LEAST) {
        neighbours_name(difference, cause);
        return true;
    }
    cause->row = callee_most(difference);
    cause->entered = cause->row.callee;
    if (explained(difference, &cause->row) >= EXPLAINS_LEAST)
        return true;
    cause->entered = (struct kg_place){0};
    return cause->inclusive = around_find(difference, base, current, EXPLAINS_LEAST, &cause->row);
}

/* A place may share its cause with its neighbours, as a lookup with its comparison. */
static void around_name(const struct kg_difference *difference, const struct kg_sampled *base,
                        const struct kg_sampled *current, struct kg_difference_cause *cause)
{
    struct kg_difference_row around = place_whole(difference, base, current, &cause->row.place);
    const bool whole = !is_main(&around.place) && explained(difference, &around) >= NEARLY_ALL;
    if (cause->inclusive || !cause->row.place.function ||
        (!whole && !around_find(difference, base, current, NEARLY_ALL, &around)) ||
        fmin(explained(difference, &around), 1) < cause->alone + ADDS_LEAST)
        return;
    cause->around = around.place;
    cause->explains = fmin(explained(difference, &around), 1);
}

bool kg_difference_explain(const struct kg_difference *difference, const struct kg_sampled *base,
                           const struct kg_sampled *current, struct kg_difference_cause *cause)
{
    *cause = (struct kg_difference_cause){0};
    if (!difference->count || !(fabs(change_of(difference)) > 0) ||
        !row_choose(difference, base, current, cause))
        return false;
    kg_difference_count(difference, &cause->row);
    cause->alone = cause->explains = fmin(explained(difference, &cause->row), 1);
    around_name(difference, base, current, cause);
    return true;
}
