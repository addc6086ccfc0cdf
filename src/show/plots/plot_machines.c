/* plot_machines.c: the time of each case on each machine, as bars. A case is a group of bars; the longest is its
 * slowest machine. */
#include <math.h>

#include "base/nearest.h"
#include "base/units.h"
#include "show/plots/plot_parts.h"

enum { ROW_PIXELS = 22, FRAME_PIXELS = 130, WORDS_MARGIN = 11 };

/* The rows of the plot, and a block of data for each machine. */
struct machines_plot {
    struct kg_plot_rows rows;
    const char *names[KG_PLOT_LINES_MOST];
    struct kg_text data[KG_PLOT_LINES_MOST];
    size_t count; /* number of machines */
    size_t left_out;
};

/* Returns the index of the machine; KG_PLOT_LINES_MOST if there is no colour left for it. */
static size_t machine_find(struct machines_plot *plot, const char *name)
{
    const size_t index = kg_word_index(name, plot->names, plot->count);
    if (index == plot->count && plot->count < KG_PLOT_LINES_MOST)
        plot->names[plot->count++] = name;
    return index;
}

/* Returns the longest time of a case, in ns; 0 if no machine measured it. */
static double longest_of(const struct kg_sweep *sweep)
{
    double longest = 0;
    for (size_t r = 0; r < sweep->row_count; r++)
        longest = fmax(longest, sweep->rows[r].cells[0].time_ns); /* fmax ignores NaN */
    return longest;
}

/* "encode, batch=10, cpu": the case of a table. */
static const char *case_name(struct kg_arena *arena, const struct kg_sweep *sweep)
{
    return kg_arena_printf(arena, "%s%s%s%s%s", sweep->workload, *sweep->fixed ? ", " : "",
                           sweep->fixed, sweep->device ? ", " : "",
                           sweep->device ? sweep->device : "");
}

/* Adds the bars of one case. The first carries the name of the case. */
static void case_add(struct kg_arena *arena, const struct kg_sweep *sweep,
                     struct machines_plot *plot)
{
    const double longest = longest_of(sweep);
    const char *name = case_name(arena, sweep);
    char time[KG_UNIT_BYTES];
    for (size_t r = 0; r < sweep->row_count; r++) {
        const double ns = sweep->rows[r].cells[0].time_ns;
        if (!isfinite(ns))
            continue;
        const size_t machine = machine_find(plot, sweep->rows[r].value);
        if (plot->rows.count == KG_PLOT_ROWS_MOST || machine == KG_PLOT_LINES_MOST) {
            plot->left_out++;
            continue;
        }
        kg_plot_row_add(&plot->rows, name, kg_duration_format(ns, time));
        kg_text_printf(&plot->data[machine], "%.6g %zu\n", ns / longest, plot->rows.count);
        name = "";
    }
}

/* Appends the blocks of data, and the bars with the names of the machines. */
static void bars_print(struct machines_plot *plot, struct kg_text *script)
{
    const char *separator = "plot ";
    for (size_t i = 0; i < plot->count; i++)
        kg_text_printf(script, "$machine%zu << EOD\n%sEOD\n", i, kg_text_string(&plot->data[i]));
    for (size_t i = 0; i < plot->count; i++) {
        if (plot->data[i].length) {
            kg_text_printf(script,
                           "%s$machine%zu using (0):2:(0):1:($2-0.36):($2+0.36) with boxxyerror "
                           "fillstyle solid noborder linecolor '%s' title ",
                           separator, i, kg_plot_inks[i].colour);
            kg_gnuplot_string(script, plot->names[i], KG_PLOT_NAME_MOST, false);
            separator = ", ";
        }
        kg_text_free(&plot->data[i]);
    }
    kg_text_append(script, "\n");
}

bool kg_plot_machines(const struct kg_plot_input *input, struct kg_plot_part *part,
                      struct kg_error *err)
{
    static const struct kg_sweep_request machines = {.by = KG_MACHINE_KEY};
    struct machines_plot plot = {0};
    struct kg_sweeps sweeps;
    struct kg_error single;
    struct kg_text *script = &part->script;
    (void)err;
    if (!kg_sweeps_find(input->arena, input->results, &machines, &sweeps, &single)) {
        part->why = "the results are of one machine";
        return true;
    }
    for (size_t i = 0; i < sweeps.count; i++)
        case_add(input->arena, &sweeps.sweeps[i], &plot);
    kg_plot_title(script, input->results->suite, "time on each machine");
    const size_t count = plot.rows.count;
    kg_plot_rows_end(&plot.rows, WORDS_MARGIN, script);
    kg_text_append(script, "set xlabel 'time over the slowest machine of the case");
    if (plot.left_out)
        kg_text_printf(script, "; the first %d, %zu left out", KG_PLOT_ROWS_MOST, plot.left_out);
    kg_text_append(script, "' textcolor '#202124'\nset xrange [0:1]\n"
                           "set key below horizontal left height 1\n");
    part->height = FRAME_PIXELS + ROW_PIXELS * count;
    part->why = count ? NULL : "no case was measured on two machines";
    if (count)
        bars_print(&plot, script);
    return true;
}
