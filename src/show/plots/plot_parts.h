/* plot_parts.h: what plots have in common, and their functions for the table in plots.c. Pure. */
#pragma once
#include "show/plots/gnuplot.h"
#include "show/plots/plots.h"

enum { KG_PLOT_ROWS_MOST = 30, KG_PLOT_LINES_MOST = 8, KG_PLOT_NAME_MOST = 46 };

/* Colours that also those tell apart who see no red or no green (Okabe and Ito), and the types of gnuplot's
 * points to go with them. */
struct kg_plot_ink {
    const char *colour;
    int point;
};
extern const struct kg_plot_ink kg_plot_inks[KG_PLOT_LINES_MOST];

/* Rows of names from top to bottom, with a figure in words on the right of each. */
struct kg_plot_rows {
    struct kg_text names;  /* for `set ytics` */
    struct kg_text labels; /* commands */
    size_t count;
};
void kg_plot_row_add(struct kg_plot_rows *rows, const char *name, const char *words);
/* Appends margins, names, words and range, and frees the rows.
 * margin  for the words, in characters */
void kg_plot_rows_end(struct kg_plot_rows *rows, size_t margin, struct kg_text *script);

/* "set title 'SUITE: …'" */
void kg_plot_title(struct kg_text *script, const char *suite, const char *title);

/* Appends the tics and the range of a logarithmic axis of bytes, 'x' or 'y': "16 KiB", "64 KiB", …, at most
 * nine, which include the values from `least` to `most`, both above 0. */
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
bool kg_plot_roofline(const struct kg_plot_input *input, struct kg_plot_part *part,
                      struct kg_error *err);
/* Bars of what workloads report under that name. */
void kg_plot_figure(const struct kg_plot_input *input, const char *name, struct kg_plot_part *part);
