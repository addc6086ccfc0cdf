/* The tree: a row for each path, by nesting. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "profiler/read/optional_columns.h"
#include "profiler/read/profile.h"
#include "profiler/read/profile_cells.h"
#include "profiler/read/profile_facts.h"

/* Blanks that show the depth of a path. If they would take too much of a line, the deepest paths get a
 * number instead: "        (12) visit". */
static void indent_print(const struct kg_profile_path *path, size_t width, struct kg_text *text)
{
    enum { A_LEVEL = 2, PART = 5 /* of a line */ };
    const size_t most = width / PART / A_LEVEL;
    if (!width || path->depth <= most)
        kg_text_printf(text, "%*s", A_LEVEL * (int)path->depth, "");
    else
        kg_text_printf(text, "%*s(%zu) ", A_LEVEL * (int)most, "", (size_t)path->depth);
}

/* "  gemm [cuda cublas]", "  barrier [wait]" */
static void name_print(const struct kg_profile_path *path, size_t width, struct kg_text *text)
{
    const bool special = path->kind == KGATE_SCOPE_WAIT || path->kind == KGATE_SCOPE_PARALLEL;
    const char *const words[] = {
        path->span                         ? "span"
        : strcmp(path->device, "cpu") != 0 ? path->device
                                           : NULL,
        path->backend && strcmp(path->backend, path->device) != 0 ? path->backend : NULL,
        special ? kg_scope_kind_names[path->kind] : NULL,
    };
    bool any = false;
    indent_print(path, width, text);
    kg_escape_terminal(text, path->name, KG_PROFILE_NAME_MOST);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!words[i])
            continue;
        kg_text_append(text, any ? " " : " [");
        kg_escape_terminal(text, words[i], KG_PROFILE_NAME_MOST);
        any = true;
    }
    if (any)
        kg_text_append(text, "]");
}

/* A path without calls was still open when the recording ended. */
static void row_add(struct kg_table *table, const struct kg_profile_row *row, unsigned extras)
{
    const struct kg_profile_figures *figures = &row->figures;
    const bool called = figures->calls;
    struct kg_table_row *added = kg_table_row_add(table);
    struct kg_text name = {0};
    if (!added)
        return;
    name_print(&row->path, table->width, &name);
    added->cells[0] = kg_table_cell(table, &name);
    added->cells[1] = kg_cell_count(table, figures->calls);
    added->cells[2] = kg_cell_duration(table, called ? figures->total_ns : NAN);
    added->cells[3] = kg_cell_duration(table, called ? figures->self_ns : NAN);
    added->cells[4] = kg_cell_duration(table, called ? figures->mean_ns : NAN);
    added->cells[5] = kg_cell_share(table, called && !row->path.span ? figures->share : NAN);
    kg_extras_cells(table, added, figures, extras);
}

void kg_profile_tree(const struct kg_profile *profile, size_t limit, size_t width,
                     struct kg_text *text)
{
    struct kg_table table = {
        .columns = 6,
        .heads = {"path", "calls", "total", "self", "avg", "% time"},
        .left = {true},
        .width = width,
        .spare = {0, KG_TABLE_NEEDED + 2, 0, KG_TABLE_NEEDED + 1, KG_TABLE_NEEDED},
        .trimmed = true,
    };
    const size_t count = profile->row_count, shown = limit && limit < count ? limit : count;
    unsigned extras = 0;
    for (size_t i = 0; i < shown; i++)
        extras |= kg_extras_noted(&profile->rows[i].figures);
    kg_extras_heads(&table, extras);
    kg_profile_facts_print(profile, width, text);
    for (size_t i = 0; i < shown; i++)
        row_add(&table, &profile->rows[i], extras);
    kg_table_print(&table, false, text);
    kg_table_free(&table);
    kg_profile_rest_print(shown, count, "paths", text);
    kg_profile_remarks_print(profile, width, text);
}
