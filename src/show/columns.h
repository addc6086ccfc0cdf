/* columns.h: the columns that a table of results can have: one table of {name, head, help, cell},
 * which `--columns`, its errors and --help come from. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/table.h"
#include "base/text.h"
#include "judge/budget_results.h"
#include "model/results.h"

/* What a cell is made from. */
struct kg_column_subject {
    const struct kg_case_result *result;
    const struct kg_held *held; /* its budgets */
};

struct kg_column {
    const char *name; /* for --columns */
    const char *head;
    const char *head_narrow; /* the same on a terminal; NULL: no other */
    const char *help;
    bool left;
    bool usual;     /* shown where nobody asks for others */
    bool optional;  /* of those: only where a case has it */
    unsigned spare; /* of those: the order in which they give way on a narrow terminal; 0: never */
    /* the text in `arena`, "" where there is none */
    const char *(*cell)(struct kg_arena *arena, const struct kg_column_subject *subject);
};

struct kg_columns {
    const struct kg_column *columns[KG_TABLE_COLUMNS_MOST];
    size_t count;
    bool asked; /* by the user: none of them is left out for being empty */
};

/* Reads "mean,p95" as those columns behind the case's id; NULL: the usual ones.
 * err  KG_ERROR_USAGE for an unknown name, one that is there twice, or too many, with the list */
bool kg_columns_read(const char *list, struct kg_columns *columns, struct kg_error *err);

/* Appends lines for --help: name and meaning. */
void kg_columns_help(struct kg_text *text);

/* Appends their names, with spaces between. */
void kg_columns_words(struct kg_text *text);

/* Sets the table's heads, with "case" first; rows are added by kg_columns_row. */
void kg_columns_heads(const struct kg_columns *columns, struct kg_table *table);

/* The cell of the column `rate`. */
const char *kg_column_rate(struct kg_arena *arena, const struct kg_case_result *result);
/* The cell of the column `memory`: "" where it is not known. */
const char *kg_column_memory(struct kg_arena *arena, const struct kg_case_result *result);

/* Adds the case's row and returns it. */
struct kg_table_row *kg_columns_row(const struct kg_columns *columns,
                                    const struct kg_column_subject *subject,
                                    struct kg_table *table);

/* Where nobody chose the columns: takes out of the table what is optional and empty in every row, and
 * says which of the others a narrow terminal does without. */
void kg_columns_trim(const struct kg_columns *columns, struct kg_table *table);
