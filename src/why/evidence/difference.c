#include "why/evidence/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/traits.h"
#include "why/rules/cause.h"

/* A cause explains at least a fifth of the change. */
static const double EXPLAINS_LEAST = 0.2;
/* From this share on, one function alone is the cause. Below, a function around it may explain
 * more. */
static const double EXPLAINS_ALONE = 0.5;
/* Minimum part of a growth for a caller or a callee to be named. */
static const double MOST_OF_IT = 0.6;
/* Minimum part of the change for a function with all its calls, if no single function is the
 * cause. */
static const double AROUND_LEAST = 0.7;
/* A function on more stacks than this share, on both sides, is the whole program. */
static const double EVERYTHING = 0.95;
/* Minimum growth in standard errors of the samples: for a cause, and for a row. */
static const double SURE = 3, NOISE = 2;

/* --- Subtracting ------------------------------------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* A rebuilt library may have another file name, so functions with a name are compared by name
 * only. */
static bool same_place(const struct kg_place *a, const struct kg_place *b)
{
    return same_text(a->function, b->function) && (a->function || same_text(a->module, b->module));
}

static struct kg_difference_row *row_of(struct kg_difference *difference,
                                        const struct kg_hot_site *site)
{
    struct kg_difference_row *row = difference->rows;
    const struct kg_difference_row *end = row + difference->count;
    for (; row < end; row++)
        if (same_place(&row->place, &site->place) && same_place(&row->caller, &site->caller) &&
            same_place(&row->callee, &site->callee) && same_text(row->call, site->call))
            return row;
    difference->count++;
    *row = (struct kg_difference_row){.place = site->place,
                                      .caller = site->caller,
                                      .callee = site->callee,
                                      .call = site->call,
                                      .base_calls = NAN,
                                      .current_calls = NAN};
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

void kg_difference_make(struct kg_arena *arena, const struct kg_sampled *base, double base_ns,
                        const struct kg_sampled *current, double current_ns,
                        struct kg_difference *difference)
{
    *difference = (struct kg_difference){.base_ns = base_ns,
                                         .current_ns = current_ns,
                                         .base_samples = base->samples,
                                         .current_samples = current->samples};
    if (!base->site_count || !current->site_count)
        return;
    difference->rows =
        kg_arena_alloc(arena, base->site_count + current->site_count, sizeof *difference->rows);
    for (size_t i = 0; i < current->site_count; i++) {
        struct kg_difference_row *row = row_of(difference, &current->sites[i]);
        row->current_ns += current->sites[i].share * current_ns;
        row->current_calls = current->sites[i].calls;
    }
    for (size_t i = 0; i < base->site_count; i++) {
        struct kg_difference_row *row = row_of(difference, &base->sites[i]);
        row->base_ns += base->sites[i].share * base_ns;
        row->base_calls = base->sites[i].calls;
    }
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

/* Sum of the function's rows over all callers and callees. */
static struct kg_difference_row function_sum(const struct kg_difference *difference,
                                             const struct kg_place *place)
{
    struct kg_difference_row sum = {.place = *place};
    for (size_t i = 0; i < difference->count; i++)
        if (same_place(&difference->rows[i].place, place)) {
            sum.base_ns += difference->rows[i].base_ns;
            sum.current_ns += difference->rows[i].current_ns;
        }
    return sum;
}

static struct kg_difference_row function_most(const struct kg_difference *difference)
{
    struct kg_difference_row most = {0};
    for (size_t i = 0; i < difference->count; i++) {
        const struct kg_difference_row sum = function_sum(difference, &difference->rows[i].place);
        if (explained(difference, &sum) > explained(difference, &most))
            most = sum;
    }
    return most;
}

/* A neighbour of a place: its caller, or the library function that it entered. */
enum neighbour { CALLER, CALLEE };

static const struct kg_place *neighbour_of(const struct kg_difference_row *row, enum neighbour kind)
{
    return kind == CALLER ? &row->caller : &row->callee;
}

/* Sum of the place's rows with the same neighbour as `row`. */
static struct kg_difference_row neighbour_sum(const struct kg_difference *difference,
                                              const struct kg_difference_row *row,
                                              enum neighbour kind)
{
    struct kg_difference_row sum = *row;
    sum.base_ns = sum.current_ns = 0;
    for (size_t i = 0; i < difference->count; i++) {
        const struct kg_difference_row *other = &difference->rows[i];
        if (same_place(&other->place, &row->place) &&
            same_place(neighbour_of(other, kind), neighbour_of(row, kind))) {
            sum.base_ns += other->base_ns;
            sum.current_ns += other->current_ns;
        }
    }
    return sum;
}

/* The neighbour with most of the place's growth. If there is none, its function is NULL. */
static struct kg_difference_row neighbour_most(const struct kg_difference *difference,
                                               const struct kg_difference_row *of,
                                               enum neighbour kind)
{
    struct kg_difference_row most = {0};
    double best = MOST_OF_IT * explained(difference, of);
    for (size_t i = 0; i < difference->count; i++) {
        const struct kg_difference_row *row = &difference->rows[i];
        if (!same_place(&row->place, &of->place) || !neighbour_of(row, kind)->function)
            continue;
        const struct kg_difference_row sum = neighbour_sum(difference, row, kind);
        if (explained(difference, &sum) >= best) {
            best = explained(difference, &sum);
            most = sum;
        }
    }
    return most;
}

/* Names the caller and the callee with most of the growth. If there is a callee, the row's time
 * is the callee's. */
static void neighbours_name(const struct kg_difference *difference, struct kg_difference_row *row)
{
    const struct kg_difference_row callee = neighbour_most(difference, row, CALLEE);
    const struct kg_difference_row caller = neighbour_most(difference, row, CALLER);
    if (callee.callee.function)
        *row = callee;
    row->caller = caller.caller;
}

static const struct kg_hot_place *place_find(const struct kg_sampled *sampled,
                                             const struct kg_place *place)
{
    for (size_t i = 0; i < sampled->function_count; i++)
        if (same_place(&sampled->functions[i].place, place))
            return &sampled->functions[i];
    return NULL;
}

static double total_ns(const struct kg_sampled *sampled, const struct kg_place *place,
                       double whole_ns)
{
    const struct kg_hot_place *found = place_find(sampled, place);
    return found ? found->total * whole_ns : 0;
}

static bool is_everything(const struct kg_difference *difference,
                          const struct kg_difference_row *row)
{
    return row->base_ns > EVERYTHING * difference->base_ns &&
           row->current_ns > EVERYTHING * difference->current_ns;
}

/* Among the functions with most of the growth in their calls: the one with the least time, calls
 * included. */
static bool around_find(const struct kg_difference *difference, const struct kg_sampled *base,
                        const struct kg_sampled *current, struct kg_difference_row *found)
{
    const struct kg_sampled *side = change_of(difference) > 0 ? current : base;
    double least = INFINITY;
    for (size_t i = 0; i < side->function_count; i++) {
        const struct kg_place *place = &side->functions[i].place;
        const struct kg_difference_row row = {.place = *place,
                                              .base_ns = total_ns(base, place, difference->base_ns),
                                              .current_ns =
                                                  total_ns(current, place, difference->current_ns)};
        const double time = fmax(row.base_ns, row.current_ns);
        if (!place->function || is_everything(difference, &row) || time >= least ||
            explained(difference, &row) < AROUND_LEAST || !is_sure(difference, &row))
            continue;
        least = time;
        *found = row;
    }
    return isfinite(least);
}

bool kg_difference_explain(const struct kg_difference *difference, const struct kg_sampled *base,
                           const struct kg_sampled *current, struct kg_difference_cause *cause)
{
    *cause = (struct kg_difference_cause){0};
    if (!difference->count || !(fabs(change_of(difference)) > 0))
        return false;
    cause->row = function_most(difference);
    const double alone = explained(difference, &cause->row);
    if (!(alone >= EXPLAINS_ALONE) && around_find(difference, base, current, &cause->row)) {
        cause->inclusive = true;
    } else {
        if (!(alone >= EXPLAINS_LEAST) || !is_sure(difference, &cause->row))
            return false;
        neighbours_name(difference, &cause->row);
    }
    kg_difference_count(difference, &cause->row);
    cause->explains = fmin(explained(difference, &cause->row), 1);
    return true;
}

/* --- Calls, and system calls ------------------------------------------------------------------------------------ */

enum side { BASE, CURRENT };

static double row_calls(const struct kg_difference_row *row, enum side side)
{
    return side == BASE ? row->base_calls : row->current_calls;
}

/* Whether a row before this one has the same place and caller. Counts do not depend on the system call. */
static bool caller_is_counted(const struct kg_difference *difference, size_t index)
{
    const struct kg_difference_row *row = &difference->rows[index];
    for (size_t i = 0; i < index; i++)
        if (!difference->rows[i].callee.function &&
            same_place(&difference->rows[i].place, &row->place) &&
            same_place(&difference->rows[i].caller, &row->caller))
            return true;
    return false;
}

/* Calls of the row's callee by its place. Counts of one place do not depend on its caller. */
static double callee_calls(const struct kg_difference *difference,
                           const struct kg_difference_row *row, enum side side)
{
    for (size_t i = 0; i < difference->count; i++)
        if (same_place(&difference->rows[i].place, &row->place) &&
            same_place(&difference->rows[i].callee, &row->callee) &&
            !isnan(row_calls(&difference->rows[i], side)))
            return row_calls(&difference->rows[i], side);
    return NAN;
}

/* Calls of the row's place by all of its sampled callers. NaN if one caller has no count. */
static double place_calls(const struct kg_difference *difference,
                          const struct kg_difference_row *row, enum side side)
{
    double calls = 0;
    for (size_t i = 0; i < difference->count; i++) {
        const struct kg_difference_row *other = &difference->rows[i];
        const double time = side == BASE ? other->base_ns : other->current_ns;
        if (time > 0 && !other->callee.function && same_place(&other->place, &row->place) &&
            !caller_is_counted(difference, i))
            calls += row_calls(other, side);
    }
    return calls;
}

static double counted_calls(const struct kg_difference *difference,
                            const struct kg_difference_row *row, enum side side)
{
    const double calls = row->callee.function ? callee_calls(difference, row, side)
                                              : place_calls(difference, row, side);
    return calls > 0 ? calls : NAN;
}

void kg_difference_count(const struct kg_difference *difference, struct kg_difference_row *row)
{
    const double base = counted_calls(difference, row, BASE);
    const double current = counted_calls(difference, row, CURRENT);
    row->base_calls = base;
    row->current_calls = current;
}

const char *kg_difference_calls(struct kg_arena *arena, const struct kg_difference_row *row)
{
    static const double ALIKE = 1.1, EACH_ALIKE = 1.25; /* counts repeat, times do not */
    const double often = row->current_calls / row->base_calls;
    const double each = row->current_ns / row->base_ns / often;
    struct kg_text text = {0};
    if (!(row->base_ns > 0) || !(row->current_ns > 0) || isnan(often))
        return NULL;
    const bool as_often = often < ALIKE && often > 1 / ALIKE;
    kg_text_append(&text, "called ");
    if (!as_often) {
        kg_trait_format(KG_TRAIT_COUNT, row->base_calls, &text);
        kg_text_append(&text, " → ");
    }
    kg_trait_format(KG_TRAIT_COUNT, row->current_calls, &text);
    kg_text_append(&text, as_often ? " times on both sides" : " times per call");
    if (each >= EACH_ALIKE)
        kg_text_printf(&text, ", each takes %.1f times as long", each);
    else if (each <= 1 / EACH_ALIKE)
        kg_text_printf(&text, ", each is %.1f times as fast", 1 / each);
    const char *kept = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return kept;
}

const char *kg_difference_system_call(const struct kg_difference *difference,
                                      const struct kg_difference_cause *cause)
{
    for (size_t i = 0; i < difference->count; i++) {
        const char *call = difference->rows[i].call;
        double part = 0;
        for (size_t j = i; call && j < difference->count; j++) {
            const struct kg_difference_row *row = &difference->rows[j];
            if (same_text(row->call, call) && same_place(&row->place, &cause->row.place))
                part += explained(difference, row);
        }
        if (call && part >= MOST_OF_IT * cause->explains)
            return call;
    }
    return NULL;
}

static const struct kg_system_call *system_call_find(const struct kg_system_calls *calls,
                                                     const char *name)
{
    for (size_t i = 0; i < calls->kind_count; i++)
        if (!strcmp(calls->kinds[i].name, name))
            return &calls->kinds[i];
    return NULL;
}

static void figure_pair_add(struct kg_text *text, enum kg_trait_unit unit, double base,
                            double current)
{
    kg_trait_format(unit, base, text);
    kg_text_append(text, " → ");
    kg_trait_format(unit, current, text);
}

static bool alike(double base, double current, double ratio)
{
    return base > 0 && current < ratio * base && base < ratio * current;
}

const char *kg_difference_system_calls(struct kg_arena *arena, const char *name,
                                       const struct kg_system_calls *base,
                                       const struct kg_system_calls *current)
{
    static const double ALIKE = 1.1;
    static const struct kg_system_call none = {.bytes = NAN};
    struct kg_text text = {0};
    if (!base->source || !current->source)
        return NULL;
    const struct kg_system_call *one = system_call_find(base, name);
    const struct kg_system_call *other = system_call_find(current, name);
    if (!one)
        one = &none;
    if (!other)
        other = &none;
    if (alike(one->calls, other->calls, ALIKE))
        return NULL;
    kg_text_printf(&text, "%s: ", name);
    figure_pair_add(&text, KG_TRAIT_COUNT, one->calls, other->calls);
    kg_text_append(&text, " system calls");
    if (alike(one->bytes, other->bytes, ALIKE)) {
        kg_text_append(&text, ", ");
        kg_trait_format(KG_TRAIT_BYTES, other->bytes, &text);
        kg_text_append(&text, " on both sides");
    } else if (one->bytes > 0 && other->bytes > 0) {
        kg_text_append(&text, ", ");
        figure_pair_add(&text, KG_TRAIT_BYTES, one->bytes, other->bytes);
    }
    const char *kept = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return kept;
}

/* --- The sentence ----------------------------------------------------------------------------- */

static void place_add(struct kg_text *text, const struct kg_difference_row *row)
{
    if (row->callee.function) {
        kg_text_printf(text, "%s, called from ", row->callee.function);
        kg_place_words(&row->place, text);
        return;
    }
    kg_place_words(&row->place, text);
    if (row->caller.function)
        kg_text_printf(text, ", called from %s", row->caller.function);
}

static void share_add(struct kg_text *text, double share, bool slower)
{
    static const double ALL = 0.95;
    const char *whole = slower ? "slowdown" : "gain";
    if (share >= ALL)
        kg_text_printf(text, ", all of the %s", whole);
    else
        kg_text_printf(text, ", %.0f %% of the %s", 100 * share, whole);
}

/* Whether the side without the place has enough samples to show a twentieth of the other side's
 * time. */
static bool absence_is_proven(const struct kg_difference *difference,
                              const struct kg_difference_row *row)
{
    static const double PART = 0.05, SAMPLES_LEAST = 3;
    const double samples_per_ns = row->base_ns > 0
                                      ? difference->current_samples / difference->current_ns
                                      : difference->base_samples / difference->base_ns;
    return PART * fmax(row->base_ns, row->current_ns) * samples_per_ns >= SAMPLES_LEAST;
}

/* The one side that has the place; NULL: both sides have it, or the samples are too few. */
static const char *side_words(const struct kg_difference *difference,
                              const struct kg_difference_row *row)
{
    const bool called = row->callee.function;
    if (!absence_is_proven(difference, row))
        return NULL;
    if (!(row->base_ns > 0))
        return called ? "the baseline does not call it there" : "the baseline does not run it";
    if (!(row->current_ns > 0))
        return called ? "the candidate does not call it there" : "the candidate does not run it";
    return NULL;
}

const char *kg_difference_side(const struct kg_difference *difference,
                               const struct kg_difference_row *row)
{
    const struct kg_difference_row sum = row->callee.function
                                             ? neighbour_sum(difference, row, CALLEE)
                                             : function_sum(difference, &row->place);
    const bool known = row->callee.function || row->place.function;
    return known ? side_words(difference, &sum) : NULL;
}

const char *kg_difference_sentence(struct kg_arena *arena, const struct kg_difference *difference,
                                   const struct kg_difference_cause *cause)
{
    const struct kg_difference_row *row = &cause->row;
    const char *side = side_words(difference, row);
    const char *calls;
    const double grown = growth(row);
    struct kg_text text = {0};
    place_add(&text, row);
    kg_text_printf(&text, ": %s", grown > 0 ? "+" : "-");
    kg_trait_format(KG_TRAIT_NS, fabs(grown), &text);
    kg_text_append(&text, cause->inclusive ? " per call with all that it calls" : " per call");
    share_add(&text, cause->explains, change_of(difference) > 0);
    if (side)
        kg_text_printf(&text, "; %s", side);
    else if ((calls = kg_difference_calls(arena, row)))
        kg_text_printf(&text, "; %s", calls);
    const char *kept = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return kept;
}
