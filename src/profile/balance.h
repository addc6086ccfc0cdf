/* balance.h: how threads share a path or a name, as two columns of a table: on how many threads it
 * ran in a process, and how much more the busiest one had than an even share, as "1.42x". */
#pragma once
#include "profile/columns.h"
#include "profile/profile.h"

/* Whether there is anything to say of these figures. */
bool kg_balance_is_told(const struct kg_profile_figures *figures);

/* Adds the two heads; before any cells. */
void kg_balance_heads(struct kg_columns *columns);

/* Adds the two cells. */
void kg_balance_cells(struct kg_columns *columns, const struct kg_profile_figures *figures);
