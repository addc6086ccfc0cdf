/* formula.h: evaluates arithmetic text in double precision: "2.0 * x[i] + y[i]", "ceil(1000 / 256)". Suites use
 * formulas for the call of a CUDA source and for its expected results. Pure; thread-safe.
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
    bool indexed;     /* the formula must give an element in brackets */
};

/* Parses the whole text; the formula lives in `arena`.
 * names    `count` allowed names; a name's number is its index
 * element  whether the text may use `i`
 * returns  NULL on failure.
 * err      KG_ERROR_USAGE with the reason and the place in the text */
const struct kg_formula *kg_formula_parse(struct kg_arena *arena, const char *text,
                                          const struct kg_formula_name *names, size_t count,
                                          bool element, struct kg_error *err);

/* The source of the names' values. */
struct kg_formula_values {
    /* Returns the value of a name, NaN if the element does not exist.
     * name   number of the name
     * index  number in the brackets, any double; 0 without brackets */
    double (*value)(void *owner, size_t name, double index);
    void *owner;
};

/* Evaluates a formula.
 * values  NULL is allowed if the formula was parsed without names */
double kg_formula_value(const struct kg_formula *formula, double i,
                        const struct kg_formula_values *values);

/* Parses and evaluates a text without names. */
bool kg_formula_number(const char *text, double *number, struct kg_error *err);
