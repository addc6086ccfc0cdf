/* The table: a row for each name, by total. */
#include "base/escape.h"
#include "profiler/read/optional_columns.h"
#include "profiler/read/profile.h"
#include "profiler/read/profile_cells.h"
#include "profiler/read/profile_facts.h"

static void row_add(struct kg_table *table, const struct kg_profile_name *name, unsigned extras)
{
    struct kg_table_row *row = kg_table_row_add(table);
    struct kg_text shown = {0};
    if (!row)
        return;
    kg_escape_terminal(&shown, name->name, KG_PROFILE_NAME_MOST);
    row->cells[0] = kg_table_cell(table, &shown);
    row->cells[1] = kg_cell_count(table, name->figures.calls);
    row->cells[2] = kg_cell_duration(table, name->figures.total_ns);
    row->cells[3] = kg_cell_duration(table, name->figures.mean_ns);
    row->cells[4] = kg_cell_duration(table, name->figures.min_ns);
    row->cells[5] = kg_cell_duration(table, name->figures.max_ns);
    row->cells[6] = kg_cell_duration(table, name->figures.standard_deviation_ns);
    row->cells[7] = kg_cell_share(table, name->figures.share);
    kg_extras_cells(table, row, &name->figures, extras);
}

void kg_profile_table(const struct kg_profile *profile, size_t limit, size_t width,
                      struct kg_text *text)
{
    struct kg_table table = {
        .columns = 8,
        .heads = {"name", "calls", "total", "avg", "min", "max", "std dev", "% time"},
        .left = {true},
        .width = width,
        .spare = {0, KG_TABLE_NEEDED + 2, 0, KG_TABLE_NEEDED + 3, KG_TABLE_NEEDED,
                  KG_TABLE_NEEDED + 1, KG_TABLE_NEEDED},
        .trimmed = true,
    };
    const size_t count = profile->name_count, shown = limit && limit < count ? limit : count;
    unsigned extras = 0;
    for (size_t i = 0; i < shown; i++)
        extras |= kg_extras_noted(&profile->names[i].figures);
    kg_extras_heads(&table, extras);
    kg_profile_facts_print(profile, width, text);
    for (size_t i = 0; i < shown; i++)
        row_add(&table, &profile->names[i], extras);
    kg_table_print(&table, false, text);
    kg_table_free(&table);
    kg_profile_rest_print(shown, count, "names", text);
    kg_profile_remarks_print(profile, width, text);
}
