#include "profile/balance.h"

#include <math.h>
#include <stdio.h>

bool kg_balance_is_told(const struct kg_profile_figures *figures)
{
    return figures->threads_most > 1;
}

void kg_balance_heads(struct kg_columns *columns)
{
    columns->heads[columns->count++] = "threads";
    columns->heads[columns->count++] = "busiest";
}

void kg_balance_cells(struct kg_columns *columns, const struct kg_profile_figures *figures)
{
    const double imbalance = kg_profile_imbalance(figures);
    char text[32] = "-";
    if (!isnan(imbalance))
        snprintf(text, sizeof text, "%.2fx", imbalance);
    if (figures->threads_most)
        kg_columns_count(columns, figures->threads_most);
    else
        kg_columns_text(columns, "-");
    kg_columns_text(columns, text);
}
