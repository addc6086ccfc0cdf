/* plot_figure.c: a figure reported by workloads, as bars. */
#include <string.h>

#include "base/units.h"
#include "model/series.h"
#include "show/plots/plot_parts.h"

enum { ROW_PIXELS = 22, FRAME_PIXELS = 130, WORDS_MARGIN = 11 };

/* The figure `name` of a case; NULL if the case lacks it. */
static const struct kg_figure *figure_find(struct kg_arena *arena,
                                           const struct kg_case_result *result, const char *name)
{
    const struct kg_figure *found = NULL;
    struct kg_figure *figures;
    size_t count;
    kg_case_figures(arena, result, &figures, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(figures[i].name, name))
            found = &figures[i];
    return found;
}

void kg_plot_figure(const struct kg_plot_input *input, const char *name, struct kg_plot_part *part)
{
    struct kg_plot_rows rows = {0};
    struct kg_text data = {0};
    struct kg_text *script = &part->script;
    size_t left_out = 0;
    double most = 0;
    char value[KG_UNIT_BYTES];
    for (size_t i = 0; i < input->results->case_count; i++) {
        const struct kg_figure *figure = figure_find(input->arena, &input->results->cases[i], name);
        if (!figure)
            continue;
        if (rows.count == KG_PLOT_ROWS_MOST) {
            left_out++;
            continue;
        }
        kg_plot_row_add(&rows, input->results->cases[i].id,
                        kg_value_format(figure->unit ? figure->unit : "", figure->value, value));
        most = figure->value > most ? figure->value : most;
        kg_text_printf(&data, "%.9g %zu\n", figure->value, rows.count);
    }
    part->height = FRAME_PIXELS + ROW_PIXELS * rows.count;
    part->why = !rows.count ? "no case reports such a figure"
                : most > 0  ? NULL
                            : "it is 0 in every case";
    kg_plot_title(script, input->results->suite, name);
    kg_plot_rows_end(&rows, WORDS_MARGIN, script);
    if (left_out)
        kg_text_printf(script, "set xlabel 'the first %d, %zu left out' textcolor '#202124'\n",
                       KG_PLOT_ROWS_MOST, left_out);
    kg_text_printf(script,
                   "set xrange [0:*]\nset format x '%%g'\n"
                   "$figures << EOD\n%sEOD\n"
                   "plot $figures using (0):2:(0):1:($2-0.36):($2+0.36) with boxxyerror fillstyle "
                   "solid noborder linecolor '%s' notitle\n",
                   kg_text_string(&data), kg_plot_inks[0].colour);
    kg_text_free(&data);
}
