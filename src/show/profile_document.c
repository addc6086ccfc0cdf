/* profile_document.c: a profile: its scopes and the bottlenecks. A profile of several cases lists the components of
 * each case instead of scopes. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profiler/read/bottleneck.h"
#include "profiler/read/components.h"
#include "profiler/read/profile_cells.h"
#include "show/cells.h"
#include "show/document.h"
#include "show/format_parts.h"
#include "show/terminal_parts.h"
#include "why/advice_index.h"

/* --- Bottlenecks ------------------------------------------------------------------------------ */

/* "scores, 61 % of its time (softmax 22 %)" */
static void bottleneck_words_add(struct kg_document *document, const struct kg_profile *profile,
                                 const struct kg_bottleneck *found)
{
    struct kg_text words = {0};
    kg_bottleneck_words(profile, found, &words);
    kg_span_add(document, KG_SPAN_PROSE, kg_cell_take(&document->arena, &words));
}

void kg_bottlenecks_add(struct kg_document *document, const struct kg_profile *profile)
{
    struct kg_bottleneck *found;
    size_t found_count;
    if (!kg_bottlenecks_find(profile, &found, &found_count))
        return;
    for (size_t i = 0; i < found_count && i < KG_BOTTLENECKS_MOST; i++) {
        if (found[i].flat) {
            kg_part_add(document, KG_PART_ITEM, "bottleneck");
        } else {
            kg_part_text(document, KG_PART_ITEM, NULL, "bottleneck of ");
            kg_span_add(document, KG_SPAN_ID, profile->rows[found[i].path].path.name);
            kg_span_text(document, ": ");
        }
        bottleneck_words_add(document, profile, &found[i]);
    }
    if (found_count > KG_BOTTLENECKS_MOST) {
        kg_part_text(document, KG_PART_ITEM, NULL, "bottlenecks of %zu more are in the JSON report",
                     found_count - KG_BOTTLENECKS_MOST);
    }
    free(found);
}

/* --- Scopes ----------------------------------------------------------------------------------- */

static void scope_row(struct kg_table *table, const struct kg_profile *profile, size_t index)
{
    const struct kg_profile_figures *figures = &profile->rows[index].figures;
    struct kg_table_row *row = kg_table_row_add(table);
    row->cells[0] = kg_profile_path_text(&table->arena, profile, index);
    row->cells[1] = kg_cell_count(table, figures->calls);
    row->cells[2] = kg_cell_time(&table->arena, figures->total_ns);
    row->cells[3] = kg_cell_time(&table->arena, figures->self_ns);
    row->cells[4] = kg_cell_time(&table->arena, figures->mean_ns);
    row->cells[5] = kg_cell_time(&table->arena, figures->standard_deviation_ns);
    row->cells[6] = kg_cell_time(&table->arena, figures->p95_ns);
    row->cells[7] = kg_cell_per_cent(&table->arena, figures->share);
}

static void scopes_add(struct kg_document *document, const struct kg_profile *profile)
{
    static const struct kg_table form = {
        .columns = 8,
        .heads = {"scope", "calls", "total", "self", "mean", "std dev", "p95", "time"},
        .left = {true}};
    const size_t all = profile->row_count, top = document->style.top;
    const size_t rows = top && top < all ? top : all;
    char wall[KG_UNIT_BYTES];
    kg_part_text(document, KG_PART_HEADLINE, "kgate profile", "%zu %s, %llu scope%s in %s",
                 profile->process_count, profile->process_count == 1 ? "process" : "processes",
                 (unsigned long long)profile->entry_count, profile->entry_count == 1 ? "" : "s",
                 kg_duration_format(profile->wall_ns, wall));
    struct kg_table *table = kg_part_table(document, &form);
    for (size_t i = 0; i < rows; i++)
        scope_row(table, profile, i);
    kg_part_rest(document, all - rows);
    kg_bottlenecks_add(document, profile);
}

/* --- Components of cases ---------------------------------------------------------------------- */

static void component_row(struct kg_table *table, const struct kg_component *component)
{
    struct kg_table_row *row = kg_table_row_add(table);
    row->cells[0] = component->inner ? kg_arena_printf(&table->arena, "  %s", component->name)
                                     : component->name;
    row->cells[1] = kg_cell_count(table, component->calls);
    row->cells[2] = kg_cell_time(&table->arena, component->total_ns);
    row->cells[3] = kg_cell_time(&table->arena, component->own_ns);
    row->cells[4] = kg_cell_time(&table->arena, component->mean_ns);
    row->cells[5] = component->calls ? kg_cell_time(&table->arena, component->min_ns) : "";
    row->cells[6] = component->calls ? kg_cell_time(&table->arena, component->max_ns) : "";
    row->cells[7] =
        component->calls ? kg_cell_time(&table->arena, component->standard_deviation_ns) : "";
    row->cells[8] = kg_cell_per_cent(&table->arena, component->share);
}

static void last_rows(struct kg_table *table, const struct kg_components *found)
{
    struct kg_table_row *outside = kg_table_row_add(table);
    outside->cells[0] = found->component_count ? "(in none of these)" : "(no scopes inside)";
    outside->cells[3] = kg_cell_time(&table->arena, found->outside_ns);
    outside->cells[8] = kg_cell_per_cent(&table->arena, found->outside_share);
    struct kg_table_row *total = kg_table_row_add(table);
    double all = found->outside_share;
    for (size_t i = 0; i < found->component_count; i++)
        all += found->components[i].inner ? 0 : found->components[i].share;
    total->cells[0] = "total";
    total->cells[1] = kg_cell_count(table, found->calls);
    total->cells[2] = kg_cell_time(&table->arena, found->total_ns);
    total->cells[3] = kg_cell_time(&table->arena, found->total_ns);
    total->cells[4] =
        found->calls ? kg_cell_time(&table->arena, found->total_ns / (double)found->calls) : "";
    total->cells[8] = kg_cell_per_cent(&table->arena, all);
}

/* Adds a case: "levels/…/cpu: 812 calls, 1.00 s", and its table. */
static void case_add(struct kg_document *document, const struct kg_components *found)
{
    static const struct kg_table form = {
        .columns = 9,
        .heads = {"component", "calls", "total", "self", "avg", "min", "max", "std dev", "share"},
        .spare = {0, 5, 0, 0, 4, 2, 3, 1, 0},
        .left = {true}};
    char total[KG_UNIT_BYTES];
    kg_part_add(document, KG_PART_SENTENCE, NULL);
    kg_span_strong(document, KG_SPAN_ID, found->name, KG_TERMINAL_BOLD);
    kg_span_text(document, ": %llu call%s, %s%s", (unsigned long long)found->calls,
                 found->calls == 1 ? "" : "s", kg_duration_format(found->total_ns, total),
                 found->on_gpu ? " on the GPU" : "");
    struct kg_table *table = kg_part_table(document, &form);
    table->id_most = 0;
    for (size_t i = 0; i < found->component_count; i++)
        component_row(table, &found->components[i]);
    last_rows(table, found);
}

/* Adds the resource that limits the case, if it is known, and its first suggestion. */
static void advice_add(struct kg_document *document, const struct kg_advice_index *advice,
                       const char *name)
{
    const struct kg_suggestions *suggestions = advice->suggestions;
    if (!suggestions)
        return;
    for (size_t i = 0; i < suggestions->finding_count; i++)
        if (!strcmp(suggestions->findings[i].operation, name) &&
            suggestions->findings[i].bound != KG_BOUND_UNKNOWN) {
            kg_part_prose(document, KG_PART_ITEM, "bottleneck", suggestions->findings[i].text);
            break;
        }
    const struct kg_suggestion *first = kg_advice_first(advice, name);
    kg_part_prose(document, KG_PART_ITEM, "try", first ? first->hint : NULL);
}

void kg_components_document(const struct kg_report_subject *subject, struct kg_document *document)
{
    struct kg_advice_index advice;
    struct kg_components *cases;
    struct kg_bottleneck *bottlenecks;
    size_t case_count, bottleneck_count;
    const size_t top = document->style.top = kg_profile_rows(subject);
    kg_components_find(&document->arena, subject->profile, &cases, &case_count);
    kg_bottlenecks_find(subject->profile, &bottlenecks,
                        &bottleneck_count); /* in the order of `cases` */
    kg_advice_index_make(&document->arena, subject->suggestions, &advice);
    const size_t shown = top && top < case_count ? top : case_count;
    for (size_t i = 0; i < shown; i++) {
        document->indent = 0;
        if (i)
            kg_part_gap(document);
        case_add(document, &cases[i]);
        document->indent = 2;
        kg_part_add(document, KG_PART_ITEM, "bottleneck");
        bottleneck_words_add(document, subject->profile, &bottlenecks[i]);
        advice_add(document, &advice, cases[i].name);
    }
    document->indent = 0;
    if (shown < case_count)
        kg_part_gap(document);
    kg_part_rest(document, case_count - shown);
    if (!case_count && kg_components_flat(&document->arena, subject->profile, &cases)) {
        case_add(document, cases);
        document->indent = 2;
        kg_bottlenecks_add(document, subject->profile);
    }
    free(bottlenecks);
}

void kg_profile_document(const struct kg_report_subject *subject, struct kg_document *document)
{
    document->style.top = kg_profile_rows(subject);
    if (kg_profile_is_of_many(subject->profile))
        kg_components_document(subject, document);
    else
        scopes_add(document, subject->profile);
}
