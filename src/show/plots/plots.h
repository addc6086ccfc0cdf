/* plots.h: pictures of results and comparisons by gnuplot: one table of {name, draw, help}, in plots.c.
 * Each is a script, made from structs alone; the pictures are for places that show no HTML.
 *
 * To add one: a function that draws it, in a plot_*.c, and a row. */
#pragma once
#include "judge/sweeps.h"
#include "show/report.h"

/* What is drawn from. */
struct kg_plot_input {
    const struct kg_results *results;       /* or NULL */
    const struct kg_comparison *comparison; /* or NULL */
    struct kg_sweep_request sweep;          /* `by` is NULL: the parameter with the most values */
    struct kg_arena *arena;                 /* for what drawing needs */
};

/* A plot as commands for gnuplot that leave where it stands on the picture to the caller. */
struct kg_plot_part {
    struct kg_text script;
    size_t height;   /* pixels that suit it */
    const char *why; /* there is nothing to draw: why; else NULL */
};

struct kg_plot {
    const char *name;
    const char *schema; /* of the files that it is of */
    bool (*draw)(const struct kg_plot_input *input, struct kg_plot_part *part,
                 struct kg_error *err);
    const char *help;
};

enum { KG_PLOT_WIDTH = 1100, KG_PLOT_HEIGHT = 520 };

/* The picture of that name: of the table, "sheet" (all that there is to draw, the usual one), or, of results, a
 * figure that workloads report.
 * image  PNG or SVG is appended
 * err    KG_ERROR_USAGE for an unknown name, and where nothing is to be drawn: why; KG_ERROR_SYSTEM
 *        where there is no gnuplot: what to install */
bool kg_plot_print(const struct kg_plot_input *input, const char *name, bool svg,
                   struct kg_text *image, struct kg_error *err);

/* Appends lines for --help; and their names, with spaces between. */
void kg_plots_help(struct kg_text *text);
void kg_plots_words(struct kg_text *text);
