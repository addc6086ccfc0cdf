/* plot_change.c: the changes of a comparison with their intervals and thresholds, worst first. */
#include <math.h>
#include <stdio.h>

#include "model/change.h"
#include "show/cells.h"
#include "show/plots/plot_parts.h"

enum { ROW_PIXELS = 24, FRAME_PIXELS = 160, WORDS_MARGIN = 32 };

/* Limits of the axis in per cent. A larger change stands at the edge with an arrow; the words beside it give its
 * size. */
static const double CHANGE_LEAST = -100, CHANGE_MOST = 100, RANGE_LEAST = 10;

static double clamp(double value)
{
    return value < CHANGE_LEAST ? CHANGE_LEAST : value > CHANGE_MOST ? CHANGE_MOST : value;
}

static double per_cent(double ratio)
{
    return clamp(100 * (ratio - 1));
}

/* The metric that decides the case; NULL if it has no change to draw. */
static const struct kg_metric *metric_of(const struct kg_case_change *change)
{
    const struct kg_metric *metric = change->metric_count ? &change->metrics[0] : NULL;
    const bool drawn = metric && change->change != KG_CHANGE_NEW && isfinite(metric->ratio) &&
                       kg_metric_against(metric) != KG_AGAINST_BUDGET;
    return drawn ? metric : NULL;
}

struct change_plot {
    struct kg_plot_rows rows;
    struct kg_text data[KG_CHANGE_COUNT]; /* a block for each change: change, row, low, high */
    struct kg_text thresholds;
    struct kg_text arrows; /* arrows at the edge for larger changes */
    double least, most;
    size_t left_out; /* number of cases without room */
    size_t without;  /* number of cases without a change to draw */
};

static void range_widen(struct change_plot *plot, double value)
{
    if (isfinite(value) && value < plot->least)
        plot->least = value;
    if (isfinite(value) && value > plot->most)
        plot->most = value;
}

/* "20.0 us -> 24.0 us  +20.0 %" */
static void row_add(struct kg_arena *arena, const struct kg_case_change *change,
                    const struct kg_metric *metric, struct change_plot *plot)
{
    const char *what = kg_cell_metric(arena, metric);
    const char *baseline = kg_cell_reference(arena, metric);
    const char *current = kg_cell_value(arena, metric, metric->current);
    const char *moved = kg_cell_change(arena, metric);
    const char *name = *what ? kg_arena_printf(arena, "%s (%s)", change->id, what) : change->id;
    const char *words = kg_arena_printf(arena, "%s -> %s  %s", baseline, current, moved);
    kg_plot_row_add(&plot->rows, name, words);
}

static void case_add(struct kg_arena *arena, const struct kg_case_change *change,
                     struct change_plot *plot)
{
    const struct kg_metric *metric = metric_of(change);
    const struct kg_change_row *look = &kg_changes[change->change];
    if (!metric || !look->ink) {
        plot->without++;
        return;
    }
    if (plot->rows.count == KG_PLOT_ROWS_MOST) {
        plot->left_out++;
        return;
    }
    const double at = per_cent(metric->ratio), threshold = clamp(100 * metric->threshold);
    const double low = isfinite(metric->interval_low) ? per_cent(metric->interval_low) : at;
    const double high = isfinite(metric->interval_high) ? per_cent(metric->interval_high) : at;
    row_add(arena, change, metric, plot);
    if (fmax(metric->ratio, metric->interval_high) > 1 + CHANGE_MOST / 100)
        kg_text_printf(&plot->arrows,
                       "set arrow from first %g, first %zu to graph 1, first %zu head filled size "
                       "screen 0.012, 25 linewidth 2 linecolor '%s'\n",
                       CHANGE_MOST, plot->rows.count, plot->rows.count, look->ink);
    kg_text_printf(&plot->data[change->change], "%.6g %zu %.6g %.6g\n", at, plot->rows.count, low,
                   high);
    kg_text_printf(&plot->thresholds, "%.6g %zu\n", threshold, plot->rows.count);
    range_widen(plot, low);
    range_widen(plot, high);
    range_widen(plot, threshold);
    range_widen(plot, -threshold);
}

static void title_print(struct kg_arena *arena, const struct kg_comparison *comparison,
                        const struct change_plot *plot, struct kg_text *script)
{
    struct kg_text words = {0};
    kg_text_printf(&words, "%s, ", kg_verdict_names[comparison->verdict]);
    kg_cell_counts(comparison, &words);
    kg_plot_title(script, comparison->suite, kg_cell_take(arena, &words));
    kg_text_printf(script,
                   "set xlabel 'change of the candidate with its 95 %% interval; grey: threshold");
    if (plot->arrows.length)
        kg_text_append(script, "; arrow: beyond the axis");
    if (plot->left_out)
        kg_text_printf(script, "; the first %d, %zu left out", KG_PLOT_ROWS_MOST, plot->left_out);
    if (plot->without)
        kg_text_printf(script, "; %zu without a change to draw", plot->without);
    kg_text_append(script, "' textcolor '#202124'\n");
}

static void blocks_print(struct change_plot *plot, struct kg_text *script)
{
    kg_text_printf(script, "$thresholds << EOD\n%sEOD\n", kg_text_string(&plot->thresholds));
    for (int i = 0; i < KG_CHANGE_COUNT; i++)
        if (plot->data[i].length)
            kg_text_printf(script, "$change%d << EOD\n%sEOD\n", i, kg_text_string(&plot->data[i]));
    kg_text_append(script,
                   "plot $thresholds using (0):2:(-$1):1:($2-0.42):($2+0.42) with boxxyerror "
                   "fillstyle solid noborder linecolor '#eceef1' notitle");
    for (int rank = 0; rank < KG_CHANGE_COUNT; rank++) {
        const enum kg_change change = kg_change_ranked(rank);
        if (plot->data[change].length)
            kg_text_printf(script,
                           ", $change%d using 1:2:3:4 with xerrorbars linewidth 2 linecolor '%s' "
                           "pointtype %d pointsize 0.9 title '%s'",
                           (int)change, kg_changes[change].ink, kg_changes[change].point,
                           kg_changes[change].word);
        kg_text_free(&plot->data[change]);
    }
    kg_text_append(script, "\n");
    kg_text_free(&plot->thresholds);
}

bool kg_plot_change(const struct kg_plot_input *input, struct kg_plot_part *part,
                    struct kg_error *err)
{
    struct change_plot plot = {.least = -RANGE_LEAST, .most = RANGE_LEAST};
    struct kg_text *script = &part->script;
    (void)err;
    for (size_t i = 0; i < input->comparison->case_count; i++)
        case_add(input->arena, &input->comparison->cases[i], &plot);
    const size_t count = plot.rows.count;
    title_print(input->arena, input->comparison, &plot, script);
    kg_plot_rows_end(&plot.rows, WORDS_MARGIN, script);
    const double margin = 0.06 * (plot.most - plot.least);
    kg_text_printf(script,
                   "set xrange [%.6g:%.6g]\n"
                   "set format x '%%+.0f %%%%'\n"
                   "set arrow from 0, graph 0 to 0, graph 1 nohead front linecolor '#5f6368'\n"
                   "%sset xtics add ('0 %%%%' 0)\n"
                   "%sset key below horizontal left height 1\n",
                   plot.least - margin, plot.most + margin,
                   plot.most - plot.least > CHANGE_MOST ? "set xtics 50\n" : "",
                   kg_text_string(&plot.arrows));
    kg_text_free(&plot.arrows);
    blocks_print(&plot, script);
    part->height = FRAME_PIXELS + ROW_PIXELS * count;
    part->why = count ? NULL : "no case was compared with a baseline";
    return true;
}
