/* formula.h: arithmetic written as text, in double: "2.0 * x[i] + y[i]", "ceil(1000 / 256)". Used for how a
 * CUDA source is called and for what its results must be. Pure; thread-safe.
 *
 *     a ? b : c   || &&   == !=   < <= > >=   + -   * / %   -a   (a)
 *     1, 2.5, 1e-3; pi; i; names; name[expression]
 *     abs ceil cos exp floor log max min pow round sin sqrt tanh trunc
 *
 * Comparisons give 1 or 0; both sides of ?: are evaluated. % is fmod of C. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

struct kg_formula;

/* A name that formulas may use. */
struct kg_formula_name {
    const char *name; /* NULL: none */
    bool indexed;     /* it is written with an element in brackets; else without */
};

/* Parses the whole text; the formula lives in `arena`.
 * names    `count` of them, by number
 * element  whether there is an `i`
 * returns  NULL with KG_ERROR_USAGE that says what is wrong and where in the text */
const struct kg_formula *kg_formula_parse(struct kg_arena *arena, const char *text,
                                          const struct kg_formula_name *names, size_t count,
                                          bool element, struct kg_error *err);

/* Where the values of names come from. */
struct kg_formula_values {
    /* name   its number
     * index  in the brackets; of a name without, 0. Any number: where there is no such element, NaN
     *        is the answer */
    double (*value)(void *owner, size_t name, double index);
    void *owner;
};

/* values: may be NULL where the formula was parsed without names */
double kg_formula_value(const struct kg_formula *formula, double i,
                        const struct kg_formula_values *values);

/* Parses and evaluates a text without names. */
bool kg_formula_number(const char *text, double *number, struct kg_error *err);
