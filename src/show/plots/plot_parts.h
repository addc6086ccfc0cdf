/* plot_parts.h: common parts of plots, and the functions for the table in plots.c. Pure. */
#pragma once
#include "show/plots/gnuplot.h"
#include "show/plots/plots.h"

enum { KG_PLOT_ROWS_MOST = 30, KG_PLOT_LINES_MOST = 8, KG_PLOT_NAME_MOST = 46 };

/* Colours for readers with any colour vision (Okabe and Ito), each with a type of gnuplot's points. */
struct kg_plot_ink {
    const char *colour;
    int point;
};
extern const struct kg_plot_ink kg_plot_inks[KG_PLOT_LINES_MOST];

/* Rows from top to bottom: a name on the left, a figure in words on the right. */
struct kg_plot_rows {
    struct kg_text names;  /* for `set ytics` */
    struct kg_text labels; /* commands */
    size_t count;
};
void kg_plot_row_add(struct kg_plot_rows *rows, const char *name, const char *words);
/* Appends margins, names, words and range, and frees the rows.
 * margin  width of the words, in characters */
void kg_plot_rows_end(struct kg_plot_rows *rows, size_t margin, struct kg_text *script);

/* "set title 'SUITE: …'" */
void kg_plot_title(struct kg_text *script, const char *suite, const char *title);

/* Appends the tics ("16 KiB", "64 KiB", …; at most ten) and the range of a logarithmic axis of bytes.
 * axis         'x' or 'y'
 * least, most  smallest and largest value in bytes, above 0; both lie inside the range */
void kg_plot_size_axis(struct kg_text *script, char axis, double least, double most);

bool kg_plot_change(const struct kg_plot_input *input, struct kg_plot_part *part,
                    struct kg_error *err);
bool kg_plot_time(const struct kg_plot_input *input, struct kg_plot_part *part,
                  struct kg_error *err);
bool kg_plot_speedup(const struct kg_plot_input *input, struct kg_plot_part *part,
                     struct kg_error *err);
bool kg_plot_throughput(const struct kg_plot_input *input, struct kg_plot_part *part,
                        struct kg_error *err);
bool kg_plot_memory(const struct kg_plot_input *input, struct kg_plot_part *part,
                    struct kg_error *err);
bool kg_plot_machines(const struct kg_plot_input *input, struct kg_plot_part *part,
                      struct kg_error *err);
bool kg_plot_roofline(const struct kg_plot_input *input, struct kg_plot_part *part,
                      struct kg_error *err);
/* Draws a series of a history. */
void kg_plot_trend(const struct kg_plot_input *input, size_t index, struct kg_plot_part *part);
/* Draws the figure `name`, reported by workloads, as bars. */
void kg_plot_figure(const struct kg_plot_input *input, const char *name, struct kg_plot_part *part);
