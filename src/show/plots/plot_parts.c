#include "show/plots/plot_parts.h"

#include <math.h>

enum { TITLE_MOST = 110, WORDS_MOST = 40 };

const struct kg_plot_ink kg_plot_inks[KG_PLOT_LINES_MOST] = {
    {"#0072b2", 7},  {"#d55e00", 9}, {"#009e73", 5},  {"#cc79a7", 11},
    {"#e69f00", 13}, {"#56b4e9", 6}, {"#333333", 15}, {"#8c6d1f", 4}};

void kg_plot_title(struct kg_text *script, const char *suite, const char *title)
{
    struct kg_text words = {0};
    kg_text_printf(&words, "%s: %s", suite, title);
    kg_text_append(script, "set title ");
    kg_gnuplot_string(script, kg_text_string(&words), TITLE_MOST, false);
    kg_text_append(script, " textcolor '#202124'\n");
    kg_text_free(&words);
}

void kg_plot_row_add(struct kg_plot_rows *rows, const char *name, const char *words)
{
    rows->count++;
    kg_text_append(&rows->names, rows->count > 1 ? ", " : "");
    kg_gnuplot_string(&rows->names, name, KG_PLOT_NAME_MOST, true);
    kg_text_printf(&rows->names, " %zu", rows->count);
    kg_text_append(&rows->labels, "set label ");
    kg_gnuplot_string(&rows->labels, words, WORDS_MOST, false);
    kg_text_printf(&rows->labels, " at graph 1.01, first %zu left textcolor '#202124'\n",
                   rows->count);
}

void kg_plot_rows_end(struct kg_plot_rows *rows, size_t margin, struct kg_text *script)
{
    kg_text_append(script, kg_text_string(&rows->labels));
    kg_text_printf(script,
                   "set rmargin %zu\n"
                   "set yrange [%zu.6:0.4]\n"
                   "unset mytics\n"
                   "set ytics (%s)\n",
                   margin, rows->count, kg_text_string(&rows->names));
    kg_text_free(&rows->labels);
    kg_text_free(&rows->names);
}

void kg_plot_size_axis(struct kg_text *script, char axis, double least, double most)
{
    enum { TICS_MOST = 8 };
    static const double BESIDE = 1.1; /* room for the points at an end */
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    enum { UNITS = sizeof units / sizeof *units, STEP = 10 };
    int step = 1, first = (int)floor(log2(fmax(least, 1))), last = (int)ceil(log2(most));
    while ((last - first) / step > TICS_MOST - 1)
        step *= 2;
    first = step * (int)floor((double)first / step);
    last = step * (int)ceil((double)last / step);
    last += first == last ? step : 0;
    kg_text_printf(script, "set %crange [%.9g:%.9g]\nset %ctics (", axis, ldexp(1, first) / BESIDE,
                   ldexp(1, last) * BESIDE, axis);
    for (int exponent = first; exponent <= last && exponent < STEP * UNITS; exponent += step)
        kg_text_printf(script, "%s'%d %s' %.9g", exponent > first ? ", " : "", 1 << exponent % STEP,
                       units[exponent / STEP], ldexp(1, exponent));
    kg_text_append(script, ") nomirror textcolor '#202124'\n");
}
