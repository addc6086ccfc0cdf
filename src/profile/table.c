/* The table: a row for each name, by total. */
#include "profile/columns.h"
#include "profile/extras.h"
#include "profile/facts.h"
#include "profile/profile.h"
#include "util/escape.h"

static void row_add(struct kg_columns *columns, const struct kg_profile_name *name, unsigned extras)
{
    struct kg_text shown = {0};
    kg_escape_terminal(&shown, name->name, KG_COLUMN_NAME_MOST);
    kg_columns_text(columns, kg_text_string(&shown));
    columns->failed = columns->failed || shown.failed;
    kg_text_free(&shown);
    kg_columns_count(columns, name->figures.calls);
    kg_columns_ns(columns, name->figures.total_ns);
    kg_columns_ns(columns, name->figures.mean_ns);
    kg_columns_ns(columns, name->figures.min_ns);
    kg_columns_ns(columns, name->figures.max_ns);
    kg_columns_share(columns, name->figures.share);
    kg_extras_cells(columns, &name->figures, extras);
}

void kg_profile_table(const struct kg_profile *profile, size_t limit, struct kg_text *text)
{
    struct kg_columns columns = {
        .count = 7,
        .heads = {"name", "calls", "total", "avg", "min", "max", "% time"},
        .left = {true},
    };
    const size_t count = profile->name_count, shown = limit && limit < count ? limit : count;
    unsigned extras = 0;
    for (size_t i = 0; i < shown; i++)
        extras |= kg_extras_told(&profile->names[i].figures);
    kg_extras_heads(&columns, extras);
    kg_profile_facts_print(profile, text);
    for (size_t i = 0; i < shown; i++)
        row_add(&columns, &profile->names[i], extras);
    kg_columns_print(&columns, text);
    kg_profile_rest_print(shown, count, "names", text);
    kg_profile_remarks_print(profile, text);
}
