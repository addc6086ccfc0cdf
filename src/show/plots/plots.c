#include "show/plots/plots.h"

#include <string.h>

#include "base/nearest.h"
#include "show/plots/plot_parts.h"

#define RESULTS .schema = KG_RESULTS_SCHEMA
#define COMPARISON .schema = KG_COMPARISON_SCHEMA

static const struct kg_plot plots[] = {
    {COMPARISON, .name = "change", .draw = kg_plot_change,
     .help = "changes, intervals and thresholds"},
    {RESULTS, .name = "time", .draw = kg_plot_time, .help = "time over a parameter, log-log"},
    {RESULTS, .name = "throughput", .draw = kg_plot_throughput,
     .help = "items per second over a parameter, log-log"},
    {RESULTS, .name = "speedup", .draw = kg_plot_speedup,
     .help = "speedup over --against, over a parameter, semi-log"},
    {RESULTS, .name = "memory", .draw = kg_plot_memory,
     .help = "peak memory over a parameter, log-log"},
    {RESULTS, .name = "machines", .draw = kg_plot_machines,
     .help = "several files: time of each case on each machine"},
    {RESULTS, .name = "roofline", .draw = kg_plot_roofline,
     .help = "cases below the machine's measured peaks"},
};
enum { PLOTS = sizeof plots / sizeof *plots, FIGURES_MOST = 4, PARTS_MOST = PLOTS + FIGURES_MOST };
static const char SHEET[] = "sheet";

/* A picture of several plots. */
struct sheet {
    struct kg_plot_part parts[PARTS_MOST];
    size_t count;
};

/* The names of the workloads' own figures that the suite judges, at most FIGURES_MOST. */
static size_t figures_find(const struct kg_results *results, const char *names[FIGURES_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < results->case_count; i++)
        for (size_t s = 0; s < results->cases[i].series_count && count < FIGURES_MOST; s++) {
            const struct kg_series *series = &results->cases[i].series[s];
            size_t known = 0;
            while (known < count && strcmp(names[known], series->name) != 0)
                known++;
            if (known == count && kg_metric_kind_find(series->name) == KG_METRIC_KINDS)
                names[count++] = series->name;
        }
    return count;
}

/* --- The picture ------------------------------------------------------------------------------ */

enum { GAP_PIXELS = 16 };

/* Places a part on a picture of `columns` columns and `height` pixels, `top` pixels from the upper edge. */
static void part_place(const struct kg_plot_part *part, size_t column, size_t columns, size_t top,
                       size_t height, struct kg_text *script)
{
    kg_gnuplot_style(script);
    kg_text_printf(script, "set origin %.6f,%.6f\nset size %.6f,%.6f\n",
                   (double)column / (double)columns,
                   1 - (double)(top + part->height) / (double)height, 1 / (double)columns,
                   (double)part->height / (double)height);
    kg_text_append(script, kg_text_string(&part->script));
}

/* The height of a row of the sheet. */
static size_t row_height(const struct sheet *sheet, size_t first, size_t columns)
{
    size_t height = 0;
    for (size_t i = first; i < first + columns && i < sheet->count; i++)
        if (sheet->parts[i].height > height)
            height = sheet->parts[i].height;
    return height;
}

static bool sheet_print(const struct sheet *sheet, bool svg, struct kg_text *image,
                        struct kg_error *err)
{
    struct kg_text script = {0};
    const size_t columns = sheet->count > 1 ? 2 : 1;
    size_t height = 0, top = 0;
    for (size_t i = 0; i < sheet->count; i += columns)
        height += row_height(sheet, i, columns) + GAP_PIXELS;
    const struct kg_picture picture = {
        .svg = svg, .width = KG_PLOT_WIDTH * columns, .height = height};
    kg_gnuplot_begin(&picture, &script);
    kg_text_append(&script, "set multiplot\n");
    for (size_t i = 0; i < sheet->count; i++) {
        part_place(&sheet->parts[i], i % columns, columns, top, height, &script);
        if (i % columns == columns - 1)
            top += row_height(sheet, i - (columns - 1), columns) + GAP_PIXELS;
    }
    kg_text_append(&script, "unset multiplot\nset output\n");
    if (!svg)
        kg_gnuplot_signs(&script);
    const bool good = kg_gnuplot_run(&script, image, err);
    kg_text_free(&script);
    return good;
}

/* --- By name ---------------------------------------------------------------------------------- */

/* A plot of the input. The choices are the rows of the table, then the judged figures, which have no row; of a history
 * its first series. */
struct choice {
    const char *name;
    const struct kg_plot *plot;
    size_t series; /* of a history: its index */
};

static size_t trends_find(const struct kg_history *history, struct choice choices[PARTS_MOST])
{
    size_t count = 0;
    for (; count < PARTS_MOST && count < history->series_count; count++)
        choices[count] = (struct choice){.name = SHEET, .series = count};
    return count;
}

static size_t choices_find(const struct kg_plot_input *input, struct choice choices[PARTS_MOST])
{
    const char *schema = input->comparison ? KG_COMPARISON_SCHEMA : KG_RESULTS_SCHEMA;
    const char *figures[FIGURES_MOST];
    size_t count = 0;
    if (input->history)
        return trends_find(input->history, choices);
    for (size_t i = 0; i < PLOTS; i++)
        if (!strcmp(plots[i].schema, schema))
            choices[count++] = (struct choice){.name = plots[i].name, .plot = &plots[i]};
    const size_t figure_count = input->results ? figures_find(input->results, figures) : 0;
    for (size_t i = 0; i < figure_count; i++)
        choices[count++] = (struct choice){.name = figures[i]};
    return count;
}

static bool choice_draw(const struct kg_plot_input *input, const struct choice *choice,
                        struct kg_plot_part *part, struct kg_error *err)
{
    if (choice->plot)
        return choice->plot->draw(input, part, err);
    if (input->history)
        kg_plot_trend(input, choice->series, part);
    else
        kg_plot_figure(input, choice->name, part);
    return true;
}

/* Draws every plot that has data. */
static bool all_draw(const struct kg_plot_input *input, struct sheet *sheet, struct kg_error *err)
{
    struct choice choices[PARTS_MOST];
    const size_t count = choices_find(input, choices);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        struct kg_plot_part *part = &sheet->parts[sheet->count];
        good = choice_draw(input, &choices[i], part, err);
        if (good && !part->why) {
            sheet->count++;
            continue;
        }
        kg_text_free(&part->script);
        *part = (struct kg_plot_part){0};
    }
    return good && !sheet->count
               ? kg_error_set(err, KG_ERROR_USAGE, "there is nothing to draw: %s",
                              input->history ? "no series has two runs"
                              : input->comparison
                                  ? "no case was compared with a baseline"
                                  : "no case was measured at several values of a parameter, "
                                    "or reports its work")
               : good;
}

static bool one_draw(const struct kg_plot_input *input, const char *name, struct sheet *sheet,
                     struct kg_error *err)
{
    struct choice choices[PARTS_MOST];
    const char *names[PARTS_MOST + 1] = {SHEET};
    const size_t count = input->history ? 0 : choices_find(input, choices);
    size_t found = 0;
    while (found < count && strcmp(choices[found].name, name) != 0)
        found++;
    for (size_t i = 0; i < count; i++)
        names[i + 1] = choices[i].name;
    if (found == count)
        return kg_error_unknown(err, name, names, count + 1, "--plot is '%.60s'", name);
    sheet->count = 1;
    if (!choice_draw(input, &choices[found], &sheet->parts[0], err))
        return false;
    return !sheet->parts[0].why ||
           kg_error_set(err, KG_ERROR_USAGE, "--plot %s: there is nothing to draw: %s", name,
                        sheet->parts[0].why);
}

bool kg_plot_print(const struct kg_plot_input *input, const char *name, bool svg,
                   struct kg_text *image, struct kg_error *err)
{
    struct sheet sheet = {0};
    const bool all = !name || !strcmp(name, SHEET);
    const bool good = (all ? all_draw(input, &sheet, err) : one_draw(input, name, &sheet, err)) &&
                      sheet_print(&sheet, svg, image, err);
    for (size_t i = 0; i < PARTS_MOST; i++)
        kg_text_free(&sheet.parts[i].script);
    return good;
}

void kg_plots_help(struct kg_text *text)
{
    kg_text_printf(text, "  %-11s all plots\n", SHEET);
    for (size_t i = 0; i < PLOTS; i++)
        kg_text_printf(text, "  %-11s %s\n", plots[i].name, plots[i].help);
    kg_text_append(text, "  NAME        metric that workloads report under this name\n");
}

void kg_plots_words(struct kg_text *text)
{
    kg_text_append(text, SHEET);
    for (size_t i = 0; i < PLOTS; i++)
        kg_text_printf(text, " %s", plots[i].name);
}
