/* Sums of a difference's rows: of a function, and of a place with one caller or callee. */
#include "why/evidence/difference.h"

struct kg_difference_row kg_difference_function_sum(const struct kg_difference *difference,
                                                    const struct kg_place *place)
{
    struct kg_difference_row sum = {.place = *place};
    for (size_t i = 0; i < difference->count; i++)
        if (kg_place_same(&difference->rows[i].place, place)) {
            sum.base_ns += difference->rows[i].base_ns;
            sum.current_ns += difference->rows[i].current_ns;
        }
    return sum;
}

const struct kg_place *kg_difference_neighbour_of(const struct kg_difference_row *row,
                                                  enum kg_difference_neighbour kind)
{
    return kind == KG_DIFFERENCE_CALLER   ? &row->caller
           : kind == KG_DIFFERENCE_HEADER ? &row->header
                                          : &row->callee;
}

static bool same_neighbour(const struct kg_difference_row *a, const struct kg_difference_row *b,
                           enum kg_difference_neighbour kind)
{
    const struct kg_place *of_a = kg_difference_neighbour_of(a, kind);
    const struct kg_place *of_b = kg_difference_neighbour_of(b, kind);
    return kind == KG_DIFFERENCE_CALLER ? kg_place_same(of_a, of_b)
                                        : kg_difference_same_callee(of_a, of_b);
}

struct kg_difference_row kg_difference_neighbour_sum(const struct kg_difference *difference,
                                                     const struct kg_difference_row *row,
                                                     enum kg_difference_neighbour kind)
{
    struct kg_difference_row sum = *row;
    sum.base_ns = sum.current_ns = 0;
    for (size_t i = 0; i < difference->count; i++) {
        const struct kg_difference_row *other = &difference->rows[i];
        if (kg_place_same(&other->place, &row->place) && same_neighbour(other, row, kind)) {
            sum.base_ns += other->base_ns;
            sum.current_ns += other->current_ns;
        }
    }
    return sum;
}
