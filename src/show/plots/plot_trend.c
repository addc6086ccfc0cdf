/* plot_trend.c: the values of a series run by run, its levels, its changes with their causes, and the user's place.
 * Runs stand at equal distances, because commits have an order and no distance. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "show/plots/plot_parts.h"

enum { CHANGES_MOST = 8, TICS_MOST = 8, LINE_PIXELS = 18, DATE_LENGTH = 10, COMMIT_SHOWN = 12 };
static const char CODE_INK[] = "#d55e00", OTHER_INK[] = "#5f6368", HERE_INK[] = "#009e73";

/* A unit that suits all values of a plot. */
struct scale {
    double factor;
    const char *unit;
};

static struct scale scale_of(const char *unit, double most)
{
    static const struct {
        const char *of;
        double least;
        struct scale scale;
    } scales[] = {
        {"ns", 1e9, {1e-9, "s"}},
        {"ns", 1e6, {1e-6, "ms"}},
        {"ns", 1e3, {1e-3, "µs"}},
        {"bytes", 0x1p30, {0x1p-30, "GiB"}},
        {"bytes", 0x1p20, {0x1p-20, "MiB"}},
        {"bytes", 0x1p10, {0x1p-10, "KiB"}},
    };
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (unit && !strcmp(unit, scales[i].of) && most >= scales[i].least)
            return scales[i].scale;
    return (struct scale){1, unit ? unit : ""};
}

static double largest(const struct kg_history_series *series)
{
    double most = 0;
    for (size_t i = 0; i < series->point_count; i++)
        most = fmax(most, series->points[i].value);
    return most;
}

/* Dates below the axis, at round distances. */
static void dates_print(const struct kg_history *history, const struct kg_history_series *series,
                        struct kg_text *script)
{
    const size_t step = (series->point_count + TICS_MOST - 1) / TICS_MOST;
    kg_text_append(script, "set xtics (");
    for (size_t i = 0; i < series->point_count; i += step) {
        const struct kg_history_run *run = &history->runs[series->points[i].run];
        const char *date = run->started ? run->started : "";
        struct kg_text day = {0};
        kg_text_append_bytes(&day, date, strnlen(date, DATE_LENGTH));
        kg_text_append(script, i ? ", " : "");
        kg_gnuplot_string(script, kg_text_string(&day), DATE_LENGTH, true);
        kg_text_printf(script, " %zu", i);
        kg_text_free(&day);
    }
    kg_text_printf(script, ")\nset xrange [-0.5:%zu.5]\n", series->point_count - 1);
}

static void frame_print(struct kg_arena *arena, const struct kg_history *history,
                        const struct kg_history_series *series, const struct scale *scale,
                        struct kg_text *script)
{
    kg_plot_title(script, series->suite,
                  kg_arena_printf(arena, "%s, %s%s%s", series->id_of_case, series->metric,
                                  series->host ? ", host " : "", series->host ? series->host : ""));
    kg_text_append(script, "set ylabel ");
    kg_gnuplot_string(script,
                      *scale->unit ? kg_arena_printf(arena, "%s, %s", series->metric, scale->unit)
                                   : series->metric,
                      KG_PLOT_NAME_MOST, false);
    kg_text_append(script,
                   " textcolor '#202124'\nset title offset 0, 2.6\nset key at graph 1, graph 1.1 "
                   "right bottom horizontal\nset tmargin 7\nset offsets graph 0, 0, 0.08, 0.08\n");
    dates_print(history, series, script);
}

/* Whether the step may be the code's. */
static bool is_code(const struct kg_history_change *change)
{
    return (!strcmp(change->cause, "code") || !strcmp(change->cause, "unknown")) &&
           strcmp(change->state, "refuted") != 0;
}

/* "2: step +5.0 % (+4.7 to +5.3 %), cause code, confirmed, v1.20..v1.21" */
static void change_words(const struct kg_history_change *change, size_t number,
                         struct kg_text *words)
{
    char ratio[KG_UNIT_BYTES], low[KG_UNIT_BYTES], high[KG_UNIT_BYTES];
    kg_text_printf(words, "%zu: %s %s", number, change->kind,
                   kg_change_format(change->ratio, ratio));
    if (change->low > 0 && change->high > 0)
        kg_text_printf(words, " (%s to %s)", kg_change_format(change->low, low),
                       kg_change_format(change->high, high));
    kg_text_printf(words, ", cause %s, %s", change->cause, change->state);
    if (change->culprit)
        kg_text_printf(words, ", commit %.*s", COMMIT_SHOWN, change->culprit);
    else if (change->commit_before && change->commit_after)
        kg_text_printf(words, ", %.*s..%.*s", COMMIT_SHOWN, change->commit_before, COMMIT_SHOWN,
                       change->commit_after);
}

/* A grey band for the range of a change, and a dashed line at its place. */
static void mark_print(const struct kg_trend_mark *mark, const char *ink, struct kg_text *script)
{
    const double at = (double)mark->at - 0.5;
    kg_text_printf(script,
                   "set object rectangle from %zu, graph 0 to %zu, graph 1 behind fillcolor "
                   "'#eceef1' fillstyle solid noborder\n"
                   "set arrow from %g, graph 0 to %g, graph 1 nohead dashtype 2 linewidth 1.5 "
                   "linecolor '%s'\n",
                   mark->before, mark->after, at, at, ink);
}

/* Appends a line below the axis. */
static void line_print(const char *words, size_t line, const char *ink, struct kg_text *script)
{
    kg_text_append(script, "set label ");
    kg_gnuplot_string(script, words, SIZE_MAX, false);
    kg_text_printf(script, " at graph 0, graph 0 offset 0, %g left textcolor '%s'\n",
                   -2.2 - 1.2 * (double)line, ink);
}

/* Numbers a change, and explains the number in a line. The numbers of close changes alternate in height.
 * raised  whether the number before is raised; set for this one */
static void change_print(const struct kg_history *history, const struct kg_history_series *series,
                         size_t mark, size_t number, bool *raised, struct kg_text *script)
{
    static const double CLOSE = 0.025;
    const struct kg_history_change *change = &history->changes[series->marks[mark].change];
    const char *ink = is_code(change) ? CODE_INK : OTHER_INK;
    const size_t at = series->marks[mark].at, before = mark ? series->marks[mark - 1].at : 0;
    const bool close = number > 1 && (double)(at - before) < CLOSE * (double)series->point_count;
    struct kg_text words = {0};
    *raised = close && !*raised;
    kg_text_printf(script,
                   "set label '%zu' at %g, graph 1.03 center front offset 0, %d textcolor '%s'\n",
                   number, (double)at - 0.5, *raised, ink);
    change_words(change, number, &words);
    line_print(kg_text_string(&words), number, ink, script);
    kg_text_free(&words);
}

/* Explains the newest changes. Returns the number of lines below the axis. */
static size_t marks_print(const struct kg_history *history, const struct kg_history_series *series,
                          struct kg_text *script)
{
    const size_t first = series->mark_count > CHANGES_MOST ? series->mark_count - CHANGES_MOST : 0;
    const size_t shown = series->mark_count - first;
    bool raised = false;
    for (size_t i = 0; i < series->mark_count; i++) {
        const struct kg_history_change *change = &history->changes[series->marks[i].change];
        mark_print(&series->marks[i], is_code(change) ? CODE_INK : OTHER_INK, script);
        if (i >= first)
            change_print(history, series, i, i - first + 1, &raised, script);
    }
    if (first) {
        char words[64];
        snprintf(words, sizeof words, "%zu older change%s without a number", first,
                 first == 1 ? "" : "s");
        line_print(words, shown + 1, OTHER_INK, script);
    }
    return shown + (first > 0);
}

static void blocks_print(const struct kg_history *history, const struct kg_history_series *series,
                         double factor, struct kg_text *script)
{
    const size_t here = kg_history_here(history, series);
    kg_text_append(script, "$points << EOD\n");
    for (size_t i = 0; i < series->point_count; i++) {
        const struct kg_history_point *point = &series->points[i];
        const double error = point->error >= 0 ? point->error : 0;
        kg_text_printf(script, "%zu %.9g %.9g\n", i, point->value * factor, error * factor);
    }
    kg_text_append(script, "EOD\n$levels << EOD\n");
    for (size_t i = 0; i < series->level_count; i++) {
        const size_t end =
            i + 1 < series->level_count ? series->levels[i + 1].first : series->point_count;
        const double value = series->levels[i].value * factor;
        kg_text_printf(script, "%g %.9g\n%g %.9g\n\n", (double)series->levels[i].first - 0.5, value,
                       (double)end - 0.5, value);
    }
    kg_text_printf(script, "EOD\n$here << EOD\n%zu %.9g\nEOD\n", here,
                   series->points[here].value * factor);
}

/* "you are here: v1.20", or the newest run */
static const char *here_name(struct kg_arena *arena, const struct kg_history *history,
                             const struct kg_history_series *series)
{
    const struct kg_history_run *run =
        &history->runs[series->points[kg_history_here(history, series)].run];
    const bool known = history->here && run->commit && !strcmp(history->here, run->commit);
    return kg_arena_printf(arena, "%s%s%.*s", known ? "you are here" : "newest run",
                           run->commit ? ": " : "", COMMIT_SHOWN, run->commit ? run->commit : "");
}

void kg_plot_trend(const struct kg_plot_input *input, size_t index, struct kg_plot_part *part)
{
    const struct kg_history *history = input->history;
    const struct kg_history_series *series = &history->series[index];
    const struct scale scale = scale_of(series->unit, largest(series));
    struct kg_text *script = &part->script;
    frame_print(input->arena, history, series, &scale, script);
    const size_t lines = marks_print(history, series, script);
    kg_text_printf(script, "set bmargin %g\n", 3.5 + 1.2 * (double)lines);
    blocks_print(history, series, scale.factor, script);
    kg_text_append(script,
                   "plot $points using 1:2:3 with yerrorbars linecolor '#0072b2' pointtype 7 "
                   "pointsize 0.6 title 'run, with standard error', $levels with lines linewidth 3 "
                   "linecolor '#333333' title 'level: median', $here with points pointtype 13 "
                   "pointsize 2.2 linecolor '");
    kg_text_append(script, HERE_INK);
    kg_text_append(script, "' title ");
    kg_gnuplot_string(script, here_name(input->arena, history, series), KG_PLOT_NAME_MOST, false);
    kg_text_append(script, "\n");
    part->height = KG_PLOT_HEIGHT + LINE_PIXELS * lines;
    part->why = series->point_count > 1 ? NULL : "a series has one run";
}
