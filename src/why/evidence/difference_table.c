/* The rows of a differential profile that reports show, and their JSON. */
#include <math.h>
#include <string.h>

#include "why/evidence/difference.h"

enum { ROWS_MOST = 40 };
/* Minimum part of the longer call for a row, on at least one side. */
static const double ROW_LEAST = 0.01;

#define STRUCT kg_difference_row
static const struct kg_field row_fields[] = {
    KG_FIELD(place, RECORD, "function of the workload's own code", KG_OPTIONAL,
             KG_OF(kg_place_record)),
    KG_FIELD(caller, RECORD, "caller of that function", KG_OPTIONAL, KG_OF(kg_place_record)),
    KG_FIELD(header, RECORD, "function of a system header that it calls", KG_OPTIONAL,
             KG_OF(kg_place_record)),
    KG_FIELD(callee, RECORD, "function of an installed library that it entered", KG_OPTIONAL,
             KG_OF(kg_place_record)),
    KG_FIELD(call, STRING, "system call of the samples", KG_OPTIONAL),
    KG_FIELD(base_ns, REAL, "time per call in the baseline; 0: no sample", KG_FROM_0),
    KG_FIELD(current_ns, REAL, "time per call in the candidate; 0: no sample", KG_FROM_0),
    KG_FIELD(base_calls, REAL,
             "number of calls of the callee, or of the place without one, per call in the baseline",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(current_calls, REAL,
             "number of calls of the callee, or of the place without one, per "
             "call in the candidate",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(base_instructions, REAL, "instructions that these calls execute in the baseline",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(current_instructions, REAL, "instructions that these calls execute in the candidate",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(sure, BOOL, "whether the growth exceeds two standard errors of the samples"),
    KG_FIELD(
        note, STRING,
        "sentence: the side without the place, if the samples prove it; or the calls on both sides",
        KG_OPTIONAL),
};
static const struct kg_record row_record =
    KG_RECORD_OF(row_fields, "Time per call of a place in code, on both sides.");
#undef STRUCT

#define STRUCT kg_difference_table
static const struct kg_field table_fields[] = {
    KG_FIELD(operation, STRING, "id of the case"),
    KG_FIELD(base_ns, REAL, "time of a call in the baseline", KG_ABOVE_0),
    KG_FIELD(current_ns, REAL, "time of a call in the candidate", KG_ABOVE_0),
    KG_FIELD(base_samples, REAL, "number of samples of the baseline", KG_ABOVE_0),
    KG_FIELD(current_samples, REAL, "number of samples of the candidate", KG_ABOVE_0),
    KG_LIST(rows, row_count, RECORDS,
            "places by absolute growth, the largest first; the rest of the call is other code",
            KG_OF(row_record)),
};
const struct kg_record kg_difference_table_record =
    KG_RECORD_OF(table_fields, "Time per call of each place in code, on both sides.");
#undef STRUCT

static struct kg_difference_row row_copy(struct kg_arena *arena,
                                         const struct kg_difference_row *row)
{
    return (struct kg_difference_row){.place = kg_place_copy(arena, &row->place),
                                      .caller = kg_place_copy(arena, &row->caller),
                                      .header = kg_place_copy(arena, &row->header),
                                      .callee = kg_place_copy(arena, &row->callee),
                                      .call = kg_arena_keep(arena, row->call),
                                      .base_ns = row->base_ns,
                                      .current_ns = row->current_ns,
                                      .base_calls = row->base_calls,
                                      .current_calls = row->current_calls,
                                      .base_instructions = row->base_instructions,
                                      .current_instructions = row->current_instructions};
}

/* Whether another row has the same calls in other system calls: then the row's time is not that of all its calls. */
static bool is_part(const struct kg_difference *difference, const struct kg_difference_row *row)
{
    for (size_t i = 0; i < difference->count; i++) {
        const struct kg_difference_row *other = &difference->rows[i];
        if (other != row && kg_place_same(&other->place, &row->place) &&
            kg_place_same(&other->caller, &row->caller) &&
            kg_difference_same_callee(&other->header, &row->header) &&
            kg_difference_same_callee(&other->callee, &row->callee))
            return true;
    }
    return false;
}

bool kg_difference_table_make(struct kg_arena *arena, const struct kg_difference *difference,
                              struct kg_difference_table *table)
{
    const double least = ROW_LEAST * fmax(difference->base_ns, difference->current_ns);
    *table = (struct kg_difference_table){.base_ns = difference->base_ns,
                                          .current_ns = difference->current_ns,
                                          .base_samples = difference->base_samples,
                                          .current_samples = difference->current_samples};
    if (!difference->count)
        return false;
    table->rows = kg_arena_alloc(arena, ROWS_MOST, sizeof *table->rows);
    for (size_t i = 0; i < difference->count && table->row_count < ROWS_MOST; i++) {
        const struct kg_difference_row *row = &difference->rows[i];
        if (fmax(row->base_ns, row->current_ns) < least)
            continue;
        struct kg_difference_row *kept = &table->rows[table->row_count++];
        *kept = row_copy(arena, row);
        kept->sure = kg_difference_beyond_noise(difference, row);
        kept->note = kg_difference_side(difference, row);
        if (!kept->note && !is_part(difference, row))
            kept->note = kg_difference_calls(arena, kept);
    }
    return table->row_count > 0;
}

struct kg_difference_row kg_difference_rest(const struct kg_difference_table *table)
{
    struct kg_difference_row rest = {.base_ns = table->base_ns, .current_ns = table->current_ns};
    for (size_t i = 0; i < table->row_count; i++) {
        rest.base_ns -= table->rows[i].base_ns;
        rest.current_ns -= table->rows[i].current_ns;
    }
    rest.base_ns = fmax(rest.base_ns, 0);
    rest.current_ns = fmax(rest.current_ns, 0);
    return rest;
}
