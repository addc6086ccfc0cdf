/* explain_difference.c: for a case that became slower or faster: the time per call of each code place on both sides. */
#include <math.h>

#include "base/code/symbol_name.h"
#include "base/units.h"
#include "show/explain/explain_parts.h"
#include "why/rules/cause.h"

enum { ROWS_SHOWN = 12, ROWS_LEAST = 3 };

/* "strlen in parse_string (cJSON.c:818)", "malloc in std::vector::push_back in fill (fill.cpp:9)" */
static const char *place_cell(struct kg_arena *arena, const struct kg_difference_row *row)
{
    struct kg_text words = {0};
    if (row->callee.function)
        kg_name_print(&words, row->callee.function);
    if (row->call)
        kg_text_printf(&words, words.length ? " (%s)" : "%s", row->call);
    if (row->header.function) {
        kg_text_append(&words, words.length ? " in " : "");
        kg_name_print(&words, row->header.function);
    }
    const bool entered = words.length;
    if (entered && (row->place.function || row->place.module))
        kg_text_append(&words, " in ");
    if (!entered || row->place.function)
        kg_place_words(&row->place, &words);
    else if (row->place.module)
        kg_text_append(&words, row->place.module);
    const char *cell = kg_arena_copy(arena, kg_text_string(&words));
    kg_text_free(&words);
    return cell;
}

static const char *time_cell(struct kg_arena *arena, double ns)
{
    char buffer[KG_UNIT_BYTES];
    return ns > 0 ? kg_arena_copy(arena, kg_duration_format(ns, buffer)) : "-";
}

static void figures_fill(struct kg_table *table, const struct kg_difference_table *whole,
                         const struct kg_difference_row *row, struct kg_table_row *cells)
{
    struct kg_arena *arena = &table->arena;
    const double growth = row->current_ns - row->base_ns;
    const double share = growth / (whole->current_ns - whole->base_ns);
    char buffer[KG_UNIT_BYTES];
    cells->cells[2] = time_cell(arena, row->base_ns);
    cells->cells[3] = time_cell(arena, row->current_ns);
    cells->cells[4] = kg_arena_printf(arena, "%s%s", growth < 0 ? "-" : "+",
                                      kg_duration_format(fabs(growth), buffer));
    cells->cells[5] = kg_arena_printf(arena, "%.0f %%", round(100 * share) + 0.0); /* no "-0" */
}

/* Keeps the rows that exceed the noise of the samples, and always the first ROWS_LEAST rows. */
static struct kg_difference_table rows_choose(struct kg_arena *arena,
                                              const struct kg_difference_table *whole)
{
    struct kg_difference_table shown = *whole;
    shown.rows = kg_arena_alloc(arena, ROWS_SHOWN, sizeof *shown.rows);
    shown.row_count = 0;
    for (size_t i = 0; i < whole->row_count && shown.row_count < ROWS_SHOWN; i++)
        if (whole->rows[i].sure || i < ROWS_LEAST)
            shown.rows[shown.row_count++] = whole->rows[i];
    return shown;
}

static void row_add(struct kg_table *table, const struct kg_difference_table *whole,
                    const struct kg_difference_row *row, const char *name)
{
    struct kg_table_row *cells = kg_table_row_add(table);
    cells->cells[0] = name;
    cells->cells[1] = kg_difference_caller(&table->arena, whole->rows, whole->row_count, row);
    figures_fill(table, whole, row, cells);
    kg_row_under(table, cells, "; ", row->note);
}

void kg_explain_difference(struct kg_document *document, const struct kg_explanation *explanation)
{
    const struct kg_difference_table *whole =
        kg_suggestions_difference(explanation->suggestions, explanation->result->id);
    struct kg_table form = {.columns = 6,
                            .heads = {"time in", "called from", "baseline", "candidate",
                                      "difference", "of the slowdown"},
                            .left = {true, true},
                            .spare = {0, 1, 3, 0, 0, 2}};
    if (!whole)
        return;
    const struct kg_difference_table shown = rows_choose(&document->arena, whole);
    if (whole->current_ns < whole->base_ns)
        form.heads[5] = "of the gain";
    const struct kg_difference_row rest = kg_difference_rest(&shown);
    const struct kg_difference_row all = {.base_ns = whole->base_ns,
                                          .current_ns = whole->current_ns};
    kg_part_heading(document, "time per call on both sides");
    kg_span_text(document, ", by %.0f and %.0f samples", whole->base_samples,
                 whole->current_samples);
    struct kg_table *table = kg_part_table(document, &form);
    for (size_t i = 0; i < shown.row_count; i++)
        row_add(table, whole, &shown.rows[i], place_cell(&table->arena, &shown.rows[i]));
    if (fmax(rest.base_ns, rest.current_ns) >= 1)
        row_add(table, whole, &rest, "other code");
    row_add(table, whole, &all, "whole call");
}
