/* Calls and system calls of a place on both sides: whether it is called more often, or takes longer per call. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "model/traits.h"
#include "why/evidence/difference.h"

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
            kg_difference_same(&difference->rows[i].place, &row->place) &&
            kg_difference_same(&difference->rows[i].caller, &row->caller))
            return true;
    return false;
}

/* Calls of the row's callee by its place. Counts of one place do not depend on its caller. */
static double callee_calls(const struct kg_difference *difference,
                           const struct kg_difference_row *row, enum side side)
{
    for (size_t i = 0; i < difference->count; i++)
        if (kg_difference_same(&difference->rows[i].place, &row->place) &&
            kg_difference_same(&difference->rows[i].callee, &row->callee) &&
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
        if (time > 0 && !other->callee.function && kg_difference_same(&other->place, &row->place) &&
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
    if (as_often && row->current_calls == 1) {
        kg_text_append(&text, "once on both sides");
    } else {
        kg_trait_format(KG_TRAIT_COUNT, row->current_calls, &text);
        kg_text_append(&text, as_often ? " times on both sides" : " times per call");
    }
    if (each >= EACH_ALIKE)
        kg_text_printf(&text, ", each takes %.1f times as long", each);
    else if (each <= 1 / EACH_ALIKE)
        kg_text_printf(&text, ", each is %.1f times as fast", 1 / each);
    const char *kept = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return kept;
}

/* Minimum part of a cause's growth for a system call to be named. */
static const double MOST_OF_IT = 0.6;

const char *kg_difference_system_call(const struct kg_difference *difference,
                                      const struct kg_difference_cause *cause)
{
    const double change = difference->current_ns - difference->base_ns;
    for (size_t i = 0; i < difference->count; i++) {
        const char *call = difference->rows[i].call;
        double part = 0;
        for (size_t j = i; call && j < difference->count; j++) {
            const struct kg_difference_row *row = &difference->rows[j];
            if (row->call && !strcmp(row->call, call) &&
                kg_difference_same(&row->place, &cause->row.place))
                part += (row->current_ns - row->base_ns) / change;
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
