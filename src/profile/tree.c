/* The tree: a row for each path, by nesting. */
#include <math.h>
#include <string.h>

#include "profile/columns.h"
#include "profile/extras.h"
#include "profile/facts.h"
#include "profile/profile.h"
#include "util/escape.h"

/* "  gemm [cuda cublas]", "  barrier [wait]" */
static void name_print(const struct kg_profile_path *path, struct kg_text *text)
{
    const bool told = path->kind == KGATE_SCOPE_WAIT || path->kind == KGATE_SCOPE_PARALLEL;
    const char *const words[] = {
        path->span                         ? "span"
        : strcmp(path->device, "cpu") != 0 ? path->device
                                           : NULL,
        path->backend && strcmp(path->backend, path->device) != 0 ? path->backend : NULL,
        told ? kg_scope_kind_names[path->kind] : NULL,
    };
    bool any = false;
    kg_text_printf(text, "%*s", 2 * (int)path->depth, "");
    kg_escape_terminal(text, path->name, KG_COLUMN_NAME_MOST);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!words[i])
            continue;
        kg_text_append(text, any ? " " : " [");
        kg_escape_terminal(text, words[i], KG_COLUMN_NAME_MOST);
        any = true;
    }
    if (any)
        kg_text_append(text, "]");
}

/* A path without calls was still open when the recording ended. */
static void row_add(struct kg_columns *columns, const struct kg_profile_row *row, unsigned extras)
{
    const struct kg_profile_figures *figures = &row->figures;
    const bool called = figures->calls;
    struct kg_text name = {0};
    name_print(&row->path, &name);
    kg_columns_text(columns, kg_text_string(&name));
    columns->failed = columns->failed || name.failed;
    kg_text_free(&name);
    kg_columns_count(columns, figures->calls);
    kg_columns_ns(columns, called ? figures->total_ns : NAN);
    kg_columns_ns(columns, called ? figures->self_ns : NAN);
    kg_columns_ns(columns, called ? figures->mean_ns : NAN);
    kg_columns_share(columns, called && !row->path.span ? figures->share : NAN);
    kg_extras_cells(columns, figures, extras);
}

void kg_profile_tree(const struct kg_profile *profile, size_t limit, struct kg_text *text)
{
    struct kg_columns columns = {
        .count = 6,
        .heads = {"path", "calls", "total", "self", "avg", "% time"},
        .left = {true},
    };
    const size_t count = profile->row_count, shown = limit && limit < count ? limit : count;
    unsigned extras = 0;
    for (size_t i = 0; i < shown; i++)
        extras |= kg_extras_told(&profile->rows[i].figures);
    kg_extras_heads(&columns, extras);
    kg_profile_facts_print(profile, text);
    for (size_t i = 0; i < shown; i++)
        row_add(&columns, &profile->rows[i], extras);
    kg_columns_print(&columns, text);
    kg_profile_rest_print(shown, count, "paths", text);
    kg_profile_remarks_print(profile, text);
}
