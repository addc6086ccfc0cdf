/* columns.h: the columns of a table of results, as one table of {name, head, help, cell}. `--columns`, its
 * errors and --help read that table. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/table.h"
#include "base/text.h"
#include "judge/budget_results.h"
#include "model/results.h"

/* The input of a cell. */
struct kg_column_subject {
    const struct kg_case_result *result;
    const struct kg_held *held; /* its budgets */
};

struct kg_column {
    const char *name; /* for --columns */
    const char *head;
    const char *head_narrow; /* head on a terminal; NULL: `head` */
    const char *help;
    bool left;
    bool is_rate;   /* a rate: more is faster */
    bool usual;     /* shown without --columns */
    bool optional;  /* usual column that is left out if every cell is empty */
    unsigned spare; /* rank of a usual column to drop on a narrow terminal; 0: never dropped */
    /* returns the text in `arena`; "" without a value */
    const char *(*cell)(struct kg_arena *arena, const struct kg_column_subject *subject);
};

struct kg_columns {
    const struct kg_column *columns[KG_TABLE_COLUMNS_MOST];
    size_t count;
    bool asked; /* the user named the columns, so an empty column stays */
};

/* Reads a list of columns such as "mean,p95"; they follow the case's id. NULL: the usual columns.
 * err  KG_ERROR_USAGE with the known names: an unknown name, a repeated name, or too many names */
bool kg_columns_read(const char *list, struct kg_columns *columns, struct kg_error *err);

/* Appends lines for --help: name and meaning. */
void kg_columns_help(struct kg_text *text);

/* Appends the columns' names, separated by spaces. */
void kg_columns_words(struct kg_text *text);

/* Sets the table's heads, with "case" first; rows are added by kg_columns_row. */
void kg_columns_heads(const struct kg_columns *columns, struct kg_table *table);

/* The cell of the column `memory`; "" if the peak memory is unknown. */
const char *kg_column_memory(struct kg_arena *arena, const struct kg_case_result *result);

/* Adds the case's row and returns it. */
struct kg_table_row *kg_columns_row(const struct kg_columns *columns,
                                    const struct kg_column_subject *subject,
                                    struct kg_table *table);

/* Removes each optional column that is empty in every row, and ranks the columns that a narrow terminal may drop.
 * If the user named the columns, the function changes nothing. */
void kg_columns_trim(const struct kg_columns *columns, struct kg_table *table);
