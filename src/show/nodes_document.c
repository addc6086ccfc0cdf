/* nodes_document.c: the machines of a fleet in a merged comparison, and the shards that lost cases. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "model/change.h"
#include "show/cells.h"
#include "show/document.h"
#include "show/format_parts.h"

static size_t suspects_of(const struct kg_comparison *comparison)
{
    size_t count = 0;
    for (size_t n = 0; n < comparison->node_count; n++)
        count += comparison->nodes[n].suspect;
    return count;
}

static size_t missing_of(const struct kg_comparison *comparison)
{
    return comparison->counts.of[KG_CHANGE_MISSING] + comparison->unnamed;
}

bool kg_nodes_troubled(const struct kg_comparison *comparison)
{
    return comparison->node_count && (suspects_of(comparison) || missing_of(comparison));
}

/* --- Nodes ------------------------------------------------------------------------------------ */

/* "+20.0 %", or "" if it is unknown. */
static const char *shift_cell(struct kg_arena *arena, double shift)
{
    char text[KG_UNIT_BYTES];
    return isnan(shift) ? "" : kg_arena_copy(arena, kg_change_format(1 + shift, text));
}

static const char *remark_of(const struct kg_node *node)
{
    if (node->suspect)
        return node->missing ? "suspect, lost cases" : "suspect";
    return node->missing ? "lost cases" : "";
}

static void node_row(struct kg_table *table, const struct kg_node *node)
{
    struct kg_arena *arena = &table->arena;
    struct kg_table_row *row = kg_table_row_add(table);
    const enum kg_change change = node->suspect ? KG_CHANGE_SUSPECT : KG_CHANGE_MISSING;
    const char *cells[] = {node->name,
                           kg_arena_printf(arena, "%zu", node->shards),
                           kg_arena_printf(arena, "%zu", node->cases),
                           kg_arena_printf(arena, "%zu", node->missing),
                           node->seconds > 0 ? kg_cell_time(arena, 1e9 * node->seconds) : "",
                           shift_cell(arena, node->clock_shift),
                           shift_cell(arena, node->bandwidth_shift),
                           remark_of(node)};
    memcpy(row->cells, cells, sizeof cells);
    if (!node->suspect && !node->missing)
        return;
    row->mark = kg_changes[change].symbol;
    row->colour = kg_tone_colours[kg_changes[change].tone];
    if (node->reason)
        kg_row_under(table, row, "\n", node->reason);
}

/* A terminal without --verbose shows only the nodes with a remark. */
static void table_add(struct kg_document *document, const struct kg_comparison *comparison)
{
    static const struct kg_table form = {
        .columns = 8,
        .heads = {"node", "shards", "cases", "missing", "measured time", "clock", "memory",
                  "remark"},
        .left = {true, [7] = true},
        .spare = {0, KG_TABLE_NEEDED + 2, KG_TABLE_NEEDED + 1, KG_TABLE_NEEDED, 1}};
    const bool all = document->style.page || document->style.verbose;
    struct kg_table *table = kg_part_table(document, &form);
    bool compared = false;
    for (size_t n = 0; n < comparison->node_count; n++) {
        const struct kg_node *node = &comparison->nodes[n];
        compared = compared || isfinite(node->clock_shift) || isfinite(node->bandwidth_shift);
        if (all || node->suspect || node->missing)
            node_row(table, node);
    }
    if (compared && table->row_count)
        kg_part_prose(document, KG_PART_SMALL, NULL,
                      document->style.page
                          ? "clock, memory: time of a probe against the median of the other "
                            "machines of its kind; + is slower"
                          : "(clock, memory: time of a probe against the median of the other "
                            "machines of its kind; + is slower)");
}

/* --- Shards ----------------------------------------------------------------------------------- */

/* Whether an earlier case of the same shard is MISSING. */
static bool is_known(const struct kg_comparison *comparison, size_t index)
{
    const struct kg_case_change *cases = comparison->cases;
    for (size_t c = index; c-- > 0 && cases[c].change == KG_CHANGE_MISSING;)
        if (cases[c].shard == cases[index].shard)
            return true;
    return false;
}

/* "2 cases missing: shard 3 of 4 ended before its verdict" */
static void shard_add(struct kg_document *document, const struct kg_comparison *comparison,
                      const struct kg_case_change *first)
{
    size_t count = 0;
    for (size_t c = 0; c < comparison->case_count; c++)
        count += comparison->cases[c].change == KG_CHANGE_MISSING &&
                 comparison->cases[c].shard == first->shard;
    kg_part_add(document, KG_PART_ITEM, NULL);
    kg_span_text(document, "%zu case%s missing: ", count, count == 1 ? "" : "s");
    kg_span_add(document, KG_SPAN_PROSE, first->reason);
}

/* Adds a line for each shard that lost cases. A shard whose cases are unknown has a row of its own already. MISSING cases are neighbours, because comparisons are ranked. */
static void shards_add(struct kg_document *document, const struct kg_comparison *comparison)
{
    enum { MOST = 10 };
    size_t shown = 0;
    for (size_t c = 0; c < comparison->case_count; c++) {
        if (comparison->cases[c].change != KG_CHANGE_MISSING ||
            kg_change_is_shard(&comparison->cases[c]) || is_known(comparison, c))
            continue;
        if (++shown <= MOST)
            shard_add(document, comparison, &comparison->cases[c]);
    }
    kg_part_rest(document, shown > MOST ? shown - MOST : 0);
}

/* --- The document ----------------------------------------------------------------------------- */

/* "fleet: 4 nodes, 8 shards; 1 node suspect, 3 cases missing" */
static const char *title_make(struct kg_arena *arena, const struct kg_comparison *comparison)
{
    const size_t nodes = comparison->node_count, suspects = suspects_of(comparison);
    const size_t missing = missing_of(comparison);
    size_t shards = 0;
    struct kg_text text = {0};
    for (size_t n = 0; n < nodes; n++)
        shards += comparison->nodes[n].shards;
    kg_text_printf(&text, "fleet: %zu node%s, %zu shard%s", nodes, nodes == 1 ? "" : "s", shards,
                   shards == 1 ? "" : "s");
    if (suspects)
        kg_text_printf(&text, "; %zu node%s suspect", suspects, suspects == 1 ? "" : "s");
    if (missing)
        kg_text_printf(&text, "%s%zu case%s missing", suspects ? ", " : "; ", missing,
                       missing == 1 ? "" : "s");
    return kg_cell_take(arena, &text);
}

void kg_nodes_add(struct kg_document *document, const struct kg_comparison *comparison)
{
    if (!comparison->node_count)
        return;
    const bool folded = document->style.page && !kg_nodes_troubled(comparison);
    const char *title = title_make(&document->arena, comparison);
    if (folded)
        kg_part_prose(document, KG_PART_FOLD, NULL, title);
    else
        kg_part_heading(document, title);
    table_add(document, comparison);
    shards_add(document, comparison);
    if (folded)
        kg_part_add(document, KG_PART_FOLD_END, NULL);
}
