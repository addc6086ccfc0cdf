/* plots.h: pictures of results, comparisons and histories by gnuplot, for places that show no HTML. plots.c has one
 * table of {name, draw, help}. A plot is a script for gnuplot, made from structs alone.
 *
 * To add a plot: a function that draws it, in a plot_*.c, and a row. */
#pragma once
#include "judge/history/history.h"
#include "judge/sweeps.h"
#include "show/report.h"

/* The input of a plot. */
struct kg_plot_input {
    const struct kg_results *results;       /* or NULL */
    const struct kg_comparison *comparison; /* or NULL */
    const struct kg_history *history;       /* or NULL */
    struct kg_sweep_request sweep;          /* `by` is NULL: the parameter with the most values */
    struct kg_arena *arena;                 /* scratch memory for drawing */
};

/* A plot as commands for gnuplot. The caller chooses its place on the picture. */
struct kg_plot_part {
    struct kg_text script;
    size_t height;   /* suitable height in pixels */
    const char *why; /* reason why there is nothing to draw; else NULL */
};

struct kg_plot {
    const char *name;
    const char *schema; /* schema of the plot's files */
    bool (*draw)(const struct kg_plot_input *input, struct kg_plot_part *part,
                 struct kg_error *err);
    const char *help;
};

enum { KG_PLOT_WIDTH = 1100, KG_PLOT_HEIGHT = 520 };

/* Draws the picture `name` and appends it to `image` as PNG or SVG.
 * name   a row of the table, or "sheet" (every plot that has data); for results also a figure of the workloads;
 *        for a history only "sheet": its first series; NULL: "sheet"
 * err    KG_ERROR_USAGE if the name is unknown or there is nothing to draw.
 *        KG_ERROR_SYSTEM if gnuplot is missing; the message names the package to install. */
bool kg_plot_print(const struct kg_plot_input *input, const char *name, bool svg,
                   struct kg_text *image, struct kg_error *err);

/* kg_plots_help appends lines for --help. kg_plots_words appends the names, separated by spaces. */
void kg_plots_help(struct kg_text *text);
void kg_plots_words(struct kg_text *text);
