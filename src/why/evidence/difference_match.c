/* Matches functions that one side has under another name, or in another file. A renamed function would count as all of its time, and an
 * inlined one would move its time to its caller. Without the match, such a refactoring hides the cause of a change. */
#include <math.h>
#include <string.h>

#include "why/evidence/difference.h"

/* Two names are one function if the shorter time is at least this part of the longer. */
static const double ALIKE = 0.5;
/* A caller inlined a function if its own time changed by at least this part of the function's time. */
static const double MOVED = 0.5;

/* A function with the sums of its rows. */
struct function {
    const struct kg_place *place;
    struct kg_difference_row sum;
    const struct kg_place *caller; /* NULL: none, or several */
};

static struct function function_of(const struct kg_difference *difference,
                                   const struct kg_place *place)
{
    struct function function = {.place = place};
    bool several = false;
    for (size_t i = 0; i < difference->count; i++) {
        const struct kg_difference_row *row = &difference->rows[i];
        if (!kg_place_same(&row->place, place))
            continue;
        function.sum.base_ns += row->base_ns;
        function.sum.current_ns += row->current_ns;
        several |= function.caller && !kg_place_same(function.caller, &row->caller);
        function.caller = &row->caller;
    }
    if (several || (function.caller && !function.caller->function))
        function.caller = NULL;
    return function;
}

static double growth(const struct function *function)
{
    return function->sum.current_ns - function->sum.base_ns;
}

static bool base_only(const struct function *function)
{
    return function->sum.base_ns > 0 && !(function->sum.current_ns > 0);
}

static bool current_only(const struct function *function)
{
    return function->sum.current_ns > 0 && !(function->sum.base_ns > 0);
}

/* Whether both are in one file of source, or without debug information in one file of machine code. */
static bool same_file(const struct kg_place *a, const struct kg_place *b)
{
    if (a->file && b->file)
        return kg_place_same_file(a, b);
    return !a->file && !b->file && a->module && b->module && !strcmp(a->module, b->module);
}

/* Whether both have most samples in the same line. A line without debug information is 0. */
static bool same_line(const struct kg_place *a, const struct kg_place *b)
{
    return a->line && a->line == b->line;
}

static bool same_caller(const struct function *old, const struct function *new)
{
    return old->caller && new->caller &&kg_place_same(old->caller, new->caller);
}

/* Few samples do not prove that a side lacks a function. */
static bool is_renamed(const struct kg_difference *difference, const struct function *old,
                       const struct function *new)
{
    const double before = old->sum.base_ns, after = new->sum.current_ns;
    return base_only(old) && kg_difference_beyond_noise(difference, &old->sum) &&
           old->place->function && same_file(old->place, new->place) &&
           (same_line(old->place, new->place) ||
            (same_caller(old, new) && fmin(before, after) >= ALIKE * fmax(before, after)));
}

/* Gives the rows of `from` the name of `to`, as place and as caller. */
static void rename_rows(struct kg_difference *difference, struct kg_place from, struct kg_place to)
{
    for (size_t i = 0; i < difference->count; i++) {
        struct kg_difference_row *row = &difference->rows[i];
        if (kg_place_same(&row->place, &from))
            row->place = to;
        if (kg_place_same(&row->caller, &from))
            row->caller = to;
    }
}

/* The rows of `inner` become rows of its caller `outer`. */
static void absorb_rows(struct kg_difference *difference, struct kg_place inner,
                        const struct function *outer)
{
    const struct kg_place place = *outer->place;
    const struct kg_place caller = outer->caller ? *outer->caller : (struct kg_place){0};
    for (size_t i = 0; i < difference->count; i++) {
        struct kg_difference_row *row = &difference->rows[i];
        if (kg_place_same(&row->place, &inner)) {
            row->place = place;
            row->caller = caller;
            /* these are no calls of the caller */
            row->base_calls = row->current_calls = NAN;
            row->base_instructions = row->current_instructions = NAN;
        } else if (kg_place_same(&row->caller, &inner)) {
            row->caller = place;
        }
    }
}

/* Whether the function's time moved to or from its only caller, which both sides have. */
static bool is_inlined(const struct kg_difference *difference, const struct function *inner,
                       struct function *outer)
{
    if ((!base_only(inner) && !current_only(inner)) || !inner->caller || !inner->place->function)
        return false;
    *outer = function_of(difference, inner->caller);
    return outer->sum.base_ns > 0 && outer->sum.current_ns > 0 &&
           -growth(outer) / growth(inner) >= MOVED &&
           kg_difference_beyond_noise(difference, &inner->sum) &&
           kg_difference_beyond_noise(difference, &outer->sum);
}

/* Rows that became alike are one row. */
static void rows_join(struct kg_difference *difference)
{
    size_t kept = 0;
    for (size_t i = 0; i < difference->count; i++) {
        const struct kg_difference_row row = difference->rows[i];
        size_t same = 0;
        while (same < kept && !kg_difference_same_row(&difference->rows[same], &row))
            same++;
        if (same == kept) {
            difference->rows[kept++] = row;
            continue;
        }
        struct kg_difference_row *into = &difference->rows[same];
        into->base_ns += row.base_ns;
        into->current_ns += row.current_ns;
        into->base_calls = kg_difference_count_add(into->base_calls, row.base_calls);
        into->current_calls = kg_difference_count_add(into->current_calls, row.current_calls);
        into->base_instructions =
            kg_difference_count_add(into->base_instructions, row.base_instructions);
        into->current_instructions =
            kg_difference_count_add(into->current_instructions, row.current_instructions);
    }
    difference->count = kept;
}

/* Whether the function is in another file now: each side has one function of the name. */
static bool is_moved(const struct function *old, const struct function *new)
{
    return base_only(old) && old->place->function &&
           !strcmp(old->place->function, new->place->function);
}

/* The only function of the baseline with the name of `new`; NULL: none, or several. */
static const struct kg_place *old_file_find(const struct kg_difference *difference,
                                            const struct function *new)
{
    const struct kg_place *found = NULL;
    if (!current_only(new) || !new->place->function)
        return NULL;
    for (size_t i = 0; i < difference->count; i++) {
        const struct function old = function_of(difference, &difference->rows[i].place);
        const bool one_more = current_only(&old) && old.place->function &&
                              !strcmp(old.place->function, new->place->function) &&
                              !kg_place_same(old.place, new->place);
        if (one_more)
            return NULL;
        if (!is_moved(&old, new) || (found && kg_place_same(found, old.place)))
            continue;
        if (found)
            return NULL;
        found = old.place;
    }
    return found;
}

/* The only function with another name that `new` may be; NULL: none, or several. */
static const struct kg_place *old_name_find(const struct kg_difference *difference,
                                            const struct function *new)
{
    const struct kg_place *found = NULL;
    if (!current_only(new) || !new->place->function ||
        !kg_difference_beyond_noise(difference, &new->sum))
        return NULL;
    for (size_t i = 0; i < difference->count; i++) {
        const struct function old = function_of(difference, &difference->rows[i].place);
        if (!is_renamed(difference, &old, new) || (found && kg_place_same(found, old.place)))
            continue;
        if (found)
            return NULL;
        found = old.place;
    }
    return found;
}

static bool is_of_one_side(const struct function *function)
{
    return base_only(function) || current_only(function);
}

bool kg_difference_moved(const struct kg_difference *difference, const struct kg_place *place)
{
    const struct function one = function_of(difference, place);
    const double time = fabs(growth(&one));
    if (!is_of_one_side(&one))
        return false;
    for (size_t i = 0; i < difference->count; i++) {
        const struct function other = function_of(difference, &difference->rows[i].place);
        const double other_time = fabs(growth(&other));
        if (is_of_one_side(&other) && growth(&other) * growth(&one) < 0 &&
            same_file(other.place, place) &&
            fmin(time, other_time) >= ALIKE * fmax(time, other_time))
            return true;
    }
    return false;
}

static void functions_match(struct kg_difference *difference)
{
    for (size_t i = 0; i < difference->count; i++) {
        const struct function one = function_of(difference, &difference->rows[i].place);
        const struct kg_place *moved = old_file_find(difference, &one);
        const struct kg_place *old = moved ? moved : old_name_find(difference, &one);
        struct function outer;
        if (old && difference->renamed_count < KG_DIFFERENCE_RENAMED_MOST) {
            difference->renamed[difference->renamed_count++] =
                (struct kg_difference_renamed){.old = *old, .new = *one.place};
            rename_rows(difference, *old, *one.place);
        } else if (is_inlined(difference, &one, &outer)) {
            absorb_rows(difference, *one.place, &outer);
        }
    }
    rows_join(difference);
}

/* A matched function is the caller of others, which may match then. */
void kg_difference_match(struct kg_difference *difference)
{
    enum { PASSES = 3 };
    for (size_t i = 0; i < PASSES; i++)
        functions_match(difference);
}
