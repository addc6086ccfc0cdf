/* Calls, instructions and system calls of a place on both sides: whether it is called more often, or each call does
 * more work, or the same work takes longer. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "model/traits.h"
#include "why/evidence/difference.h"
#include "why/evidence/known_functions.h"

/* A count of a row, on one side. */
enum amount { BASE_CALLS, CURRENT_CALLS, BASE_INSTRUCTIONS, CURRENT_INSTRUCTIONS };

static double row_amount(const struct kg_difference_row *row, enum amount amount)
{
    switch (amount) {
    case BASE_CALLS:
        return row->base_calls;
    case CURRENT_CALLS:
        return row->current_calls;
    case BASE_INSTRUCTIONS:
        return row->base_instructions;
    default:
        return row->current_instructions;
    }
}

static bool is_of_base(enum amount amount)
{
    return amount == BASE_CALLS || amount == BASE_INSTRUCTIONS;
}

static double row_ns(const struct kg_difference_row *row, enum amount amount)
{
    return is_of_base(amount) ? row->base_ns : row->current_ns;
}

/* Whether the side runs the place: by samples, or by counts. */
static bool runs(const struct kg_difference_row *row, enum amount amount)
{
    return row_ns(row, amount) > 0 || row_amount(row, amount) > 0;
}

/* Whether a row before this one has the same place and caller on that side. Counts do not depend on the system call. */
static bool caller_is_counted(const struct kg_difference *difference, size_t index,
                              enum amount amount)
{
    const struct kg_difference_row *row = &difference->rows[index];
    for (size_t i = 0; i < index; i++)
        if (!difference->rows[i].callee.function && runs(&difference->rows[i], amount) &&
            kg_place_same(&difference->rows[i].place, &row->place) &&
            kg_place_same(&difference->rows[i].caller, &row->caller))
            return true;
    return false;
}

/* Amount of the row's callee by its place. Counts of one place do not depend on its caller. */
static double callee_amount(const struct kg_difference *difference,
                            const struct kg_difference_row *row, enum amount amount)
{
    for (size_t i = 0; i < difference->count; i++)
        if (kg_place_same(&difference->rows[i].place, &row->place) &&
            kg_difference_same_callee(&difference->rows[i].callee, &row->callee) &&
            !isnan(row_amount(&difference->rows[i], amount)))
            return row_amount(&difference->rows[i], amount);
    return NAN;
}

/* Amount of the row's place by all of its sampled callers. NaN if one caller has no count. */
static double place_amount(const struct kg_difference *difference,
                           const struct kg_difference_row *row, enum amount amount)
{
    double sum = 0;
    for (size_t i = 0; i < difference->count; i++) {
        const struct kg_difference_row *other = &difference->rows[i];
        if (runs(other, amount) && !other->callee.function &&
            kg_place_same(&other->place, &row->place) && !caller_is_counted(difference, i, amount))
            sum += row_amount(other, amount);
    }
    return sum;
}

static double counted(const struct kg_difference *difference, const struct kg_difference_row *row,
                      enum amount amount)
{
    const double value = row->callee.function ? callee_amount(difference, row, amount)
                                              : place_amount(difference, row, amount);
    return value > 0 ? value : NAN;
}

void kg_difference_count(const struct kg_difference *difference, struct kg_difference_row *row)
{
    const struct kg_difference_row of = *row;
    row->base_calls = counted(difference, &of, BASE_CALLS);
    row->current_calls = counted(difference, &of, CURRENT_CALLS);
    row->base_instructions = counted(difference, &of, BASE_INSTRUCTIONS);
    row->current_instructions = counted(difference, &of, CURRENT_INSTRUCTIONS);
}

/* From this ratio on, two counts differ; two times per call. Counts repeat, times do not. */
static const double COUNT_DIFFERS = 1.1, EACH_DIFFERS = 1.25;

/* Adds whether one call does more work, or as much work takes longer. Copying is without
 * instructions: some processors copy any number of bytes with one. */
static void each_add(const struct kg_difference_row *row, double often, struct kg_text *text)
{
    const double time = row->current_ns / row->base_ns / often;
    const double work = row->current_instructions / row->base_instructions / often;
    const bool copies =
        row->callee.function && kg_known_function(row->callee.function) == KG_CAUSE_COPYING;
    if (!copies && work >= EACH_DIFFERS)
        kg_text_printf(text, ", each executes %.1f times as many instructions", work);
    else if (!copies && work <= 1 / EACH_DIFFERS)
        kg_text_printf(text, ", each executes 1/%.1f of the instructions", 1 / work);
    else if (time >= EACH_DIFFERS)
        kg_text_printf(text, ", each takes %.1f times as long", time);
    else if (time <= 1 / EACH_DIFFERS)
        kg_text_printf(text, ", each is %.1f times as fast", 1 / time);
    if (!copies && !row->call && work < COUNT_DIFFERS && work > 1 / COUNT_DIFFERS &&
        time >= EACH_DIFFERS)
        kg_text_append(text, " for as many instructions");
}

const char *kg_difference_calls(struct kg_arena *arena, const struct kg_difference_row *row)
{
    const double often = row->current_calls / row->base_calls;
    struct kg_text text = {0};
    if (!(row->base_ns > 0 || row->current_ns > 0) || !(often > 0) || !isfinite(often))
        return NULL;
    const bool as_often = often < COUNT_DIFFERS && often > 1 / COUNT_DIFFERS;
    kg_text_append(&text, "called ");
    if (!as_often) {
        kg_trait_format(KG_TRAIT_COUNT, row->base_calls, &text);
        kg_text_append(&text, " → ");
    }
    if (as_often && row->current_calls == 1) {
        kg_text_append(&text, "once on both sides");
    } else {
        kg_trait_format(KG_TRAIT_COUNT, row->current_calls, &text);
        kg_text_append(&text, as_often ? " times on both sides" : " times");
    }
    if (row->base_ns > 0 && row->current_ns > 0)
        each_add(row, often, &text);
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
                kg_place_same(&row->place, &cause->row.place))
                part += (row->current_ns - row->base_ns) / change;
        }
        if (call && part >= MOST_OF_IT * cause->explains)
            return call;
    }
    return NULL;
}

static void figure_pair_add(struct kg_text *text, enum kg_trait_unit unit, double base,
                            double current)
{
    kg_trait_format(unit, base, text);
    kg_text_append(text, " → ");
    kg_trait_format(unit, current, text);
}

/* "12", or "about 12" if only a part of a call was traced. The kernel counts the bytes and the number of a kind
 * together. */
static void number_add(struct kg_text *text, const struct kg_system_calls *calls,
                       const struct kg_system_call *kind)
{
    if (calls->partial && isnan(kind->bytes))
        kg_text_append(text, "about ");
    kg_trait_format(KG_TRAIT_COUNT, kind->calls, text);
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
    const struct kg_system_call *one = kg_system_call_find(base, name);
    const struct kg_system_call *other = kg_system_call_find(current, name);
    if ((!one && base->partial) || (!other && current->partial))
        return NULL; /* the rest of the call may make it */
    if (!one)
        one = &none;
    if (!other)
        other = &none;
    const bool as_many = alike(one->calls, other->calls, ALIKE);
    const bool have_bytes = one->bytes > 0 && other->bytes > 0;
    if (as_many && (!have_bytes || alike(one->bytes, other->bytes, ALIKE)))
        return NULL;
    kg_text_printf(&text, "%s: ", name);
    if (!as_many) {
        number_add(&text, base, one);
        kg_text_append(&text, " → ");
    }
    number_add(&text, current, other);
    kg_text_append(&text, as_many ? " system calls on both sides" : " system calls");
    if (alike(one->bytes, other->bytes, ALIKE)) {
        kg_text_append(&text, ", ");
        kg_trait_format(KG_TRAIT_BYTES, other->bytes, &text);
        kg_text_append(&text, " on both sides, ");
        figure_pair_add(&text, KG_TRAIT_BYTES, one->bytes / one->calls,
                        other->bytes / other->calls);
        kg_text_append(&text, " each");
    } else if (have_bytes) {
        kg_text_append(&text, ", ");
        figure_pair_add(&text, KG_TRAIT_BYTES, one->bytes, other->bytes);
    }
    const char *kept = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return kept;
}
