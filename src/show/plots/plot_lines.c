/* plot_lines.c: times, speedups, rates and memory over the values of a parameter, such as the batch. Each group of
 * cases that differ only in this parameter gets a line. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "show/case_figures.h"
#include "show/plots/plot_parts.h"

/* A point of a line; NaN: no point. */
struct point {
    double value, low, high;
};

/* The range of the points of all lines. */
struct span {
    double least, most;
};

struct spans {
    struct span at, values;
    bool sizes; /* each value of the parameter has a unit of bytes: "16KiB" */
};

static void span_widen(struct span *span, double least, double most)
{
    span->least = fmin(span->least, least);
    span->most = fmax(span->most, most);
}

/* A kind of plot. */
struct lines {
    const char *title;  /* followed by "over batch" */
    const char *label;  /* of the value axis; NULL: items per second */
    const char *format; /* gnuplot's format of the values; NULL: sizes in bytes */
    bool log;           /* the value axis is logarithmic too */
    bool against;       /* compares with a reference */
    struct point (*point)(const struct kg_sweep_cell *cell);
    const char *nothing; /* the reason to print if there is no line */
};

/* --- The parameter ---------------------------------------------------------------------------- */

/* A number, or a size such as 16KiB. */
static bool is_number(const char *value, double *number)
{
    uint64_t bytes;
    if (kg_size_parse(value, &bytes))
        *number = (double)bytes;
    else if (!kg_number_parse(value, number))
        return false;
    return *number > 0;
}

/* The number of different numeric values that the measured cases have for the key, at most SEEN_MOST. */
static size_t values_count(const struct kg_results *results, const char *key)
{
    enum { SEEN_MOST = 64 };
    double seen[SEEN_MOST], number;
    size_t count = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        const char *value = kg_tidy_parameter(&results->cases[i], key);
        if (!value || !results->cases[i].round_count || !is_number(value, &number))
            continue;
        size_t s = 0;
        while (s < count && (seen[s] < number || seen[s] > number))
            s++;
        if (s == count && count < SEEN_MOST)
            seen[count++] = number;
    }
    return count;
}

/* The first parameter with the most numeric values; NULL if no parameter has two. */
static const char *parameter_find(const struct kg_results *results)
{
    const char *found = NULL;
    size_t most = 1;
    for (size_t i = 0; i < results->case_count; i++)
        for (size_t p = 0; p < results->cases[i].param_count; p++) {
            const char *name = results->cases[i].params[p].name;
            if (found && !strcmp(found, name))
                continue;
            /* the previous case has the parameter too, so it was counted */
            if (i && kg_tidy_parameter(&results->cases[i - 1], name))
                continue;
            const size_t count = values_count(results, name);
            if (count > most) {
                most = count;
                found = name;
            }
        }
    return found;
}

/* The default reference of speedups. If the cases ran on CPU and GPU: the CPU. Else, if there are several versions:
 * the first version. Otherwise NULL. */
static const char *reference_find(struct kg_arena *arena, const struct kg_results *results)
{
    bool cpu = false, cuda = false;
    const char *version = NULL, *other = NULL;
    for (size_t i = 0; i < results->case_count; i++) {
        const struct kg_case_result *result = &results->cases[i];
        const char *value = kg_tidy_parameter(result, "version");
        if (!result->round_count)
            continue;
        cpu = cpu || !strcmp(result->device, "cpu");
        cuda = cuda || !strcmp(result->device, "cuda");
        if (value && !version)
            version = value;
        if (value && version && strcmp(value, version) != 0)
            other = value;
    }
    if (cpu && cuda)
        return "device=cpu";
    return other ? kg_arena_printf(arena, "version=%s", version) : NULL;
}

/* --- The lines -------------------------------------------------------------------------------- */

static struct point time_point(const struct kg_sweep_cell *cell)
{
    const struct kg_summary *summary = &cell->result->summary;
    return (struct point){cell->time_ns / 1e9, summary->interval_low_ns / 1e9,
                          summary->interval_high_ns / 1e9};
}

static struct point speedup_point(const struct kg_sweep_cell *cell)
{
    if (!cell->reference || cell->reference == cell->result)
        return (struct point){NAN, NAN, NAN};
    const struct kg_summary *own = &cell->result->summary, *other = &cell->reference->summary;
    return (struct point){cell->speedup, other->interval_low_ns / own->interval_high_ns,
                          other->interval_high_ns / own->interval_low_ns};
}

/* The rate with its interval, which follows from the interval of the time. */
static struct point throughput_point(const struct kg_sweep_cell *cell)
{
    const struct kg_case_work *work = &cell->result->work;
    const struct kg_summary *summary = &cell->result->summary;
    const double rate = work->items_per_second;
    return (struct point){rate, rate * cell->time_ns / summary->interval_high_ns,
                          rate * cell->time_ns / summary->interval_low_ns};
}

static struct point memory_point(const struct kg_sweep_cell *cell)
{
    const double bytes = kg_case_peak_bytes(cell->result);
    const double value = bytes > 0 ? bytes : NAN; /* a logarithmic axis has no 0 */
    return (struct point){value, value, value};
}

static const char *name_of(struct kg_arena *arena, const struct kg_sweep *sweep)
{
    return kg_arena_printf(arena, "%s%s%s%s%s", sweep->workload, *sweep->fixed ? " " : "",
                           sweep->fixed, sweep->device ? " " : "",
                           sweep->device ? sweep->device : "");
}

/* Appends the line's block of data. If the line has fewer than two points: appends nothing and returns false.
 * spans  widened to include the points */
static bool block_append(const struct lines *lines, const struct kg_sweep *sweep, size_t index,
                         struct spans *spans, struct kg_text *script)
{
    size_t count = 0;
    const size_t before = script->length;
    double at;
    kg_text_printf(script, "$line%zu << EOD\n", index);
    for (size_t r = 0; r < sweep->row_count; r++) {
        const struct kg_sweep_cell *cell = &sweep->rows[r].cells[0];
        if (!cell->result || !isfinite(cell->time_ns) || !is_number(sweep->rows[r].value, &at))
            continue;
        struct point point = lines->point(cell);
        if (!isfinite(point.value) || !(point.value > 0))
            continue;
        if (!(point.low > 0 && isfinite(point.high)))
            point.low = point.high = point.value;
        kg_text_printf(script, "%.9g %.9g %.9g %.9g\n", at, point.value, point.low, point.high);
        span_widen(&spans->at, at, at);
        span_widen(&spans->values, lines->log ? point.low : point.value,
                   lines->log ? point.high : point.value);
        spans->sizes = spans->sizes && strchr(sweep->rows[r].value, 'B');
        count++;
    }
    kg_text_append(script, "EOD\n");
    if (count < 2)
        kg_text_truncate(script, before);
    return count >= 2;
}

/* The name that all cases use for their items; "items" if the names differ. */
static const char *items_of(const struct kg_results *results)
{
    const char *name = NULL;
    for (size_t i = 0; i < results->case_count; i++) {
        const char *other = results->cases[i].work.item_name;
        if (!(results->cases[i].work.items_per_second > 0))
            continue;
        if (!other || (name && strcmp(name, other) != 0))
            return "items";
        name = other;
    }
    return name ? name : "items";
}

static void frame_print(const struct lines *lines, const struct kg_plot_input *input,
                        const struct kg_sweep_request *request, struct kg_text *script)
{
    const char *title = lines->against
                            ? kg_arena_printf(input->arena, "%s over %s, by %s", lines->title,
                                              request->against, request->by)
                            : kg_arena_printf(input->arena, "%s by %s", lines->title, request->by);
    kg_plot_title(script, input->results->suite, title);
    kg_text_append(script, "set xlabel ");
    kg_gnuplot_string(script, request->by, KG_PLOT_NAME_MOST, false);
    kg_text_printf(script,
                   " textcolor '#202124'\n"
                   "set logscale x\n%sset format x '%%.0s%%c'\nset format y '%s'\n"
                   "set key below horizontal left Left reverse maxcols 3 height 1\n",
                   lines->log ? "set logscale y\n" : "", lines->format ? lines->format : "");
    kg_text_append(script, "set ylabel ");
    kg_gnuplot_string(
        script,
        lines->label ? lines->label
                     : kg_arena_printf(input->arena, "%s per second", items_of(input->results)),
        KG_PLOT_NAME_MOST, false);
    kg_text_append(script, " textcolor '#202124'\n");
}

static void axes_print(const struct lines *lines, const struct spans *spans, struct kg_text *script)
{
    if (spans->sizes)
        kg_plot_size_axis(script, 'x', spans->at.least, spans->at.most);
    if (!lines->format)
        kg_plot_size_axis(script, 'y', spans->values.least, spans->values.most);
    if (!lines->log) /* an interval may be much wider than the range of the values */
        kg_text_printf(script, "set yrange [0:%.6g]\n", 1.15 * fmax(spans->values.most, 1));
}

/* Draws the lines. `left_out` counts the lines without a free colour. */
static void sweeps_draw(const struct lines *lines, struct kg_arena *arena,
                        const struct kg_sweeps *sweeps, struct kg_plot_part *part)
{
    struct kg_text *script = &part->script, plots = {0};
    size_t count = 0, left_out = 0;
    struct spans spans = {{INFINITY, 0}, {INFINITY, 0}, true};
    for (size_t i = 0; i < sweeps->count; i++) {
        const size_t before = script->length;
        if (!block_append(lines, &sweeps->sweeps[i], count, &spans, script))
            continue;
        if (count == KG_PLOT_LINES_MOST) {
            kg_text_truncate(script, before);
            left_out++;
            continue;
        }
        const struct kg_plot_ink *ink = &kg_plot_inks[count];
        const char *name = name_of(arena, &sweeps->sweeps[i]);
        kg_text_printf(&plots,
                       "%s$line%zu using 1:2:3:4 with yerrorlines linewidth 1.6 linecolor '%s' "
                       "pointtype %d pointsize 0.9 title ",
                       count ? ", " : "", count, ink->colour, ink->point);
        kg_gnuplot_string(&plots, name, KG_PLOT_NAME_MOST, false);
        count++;
    }
    if (left_out)
        kg_text_printf(&plots, ", 1/0 with points linecolor '#ffffff' title '%zu more left out'",
                       left_out);
    if (count)
        axes_print(lines, &spans, script);
    kg_text_printf(script, "plot %s%s\n", lines->against ? "1 linecolor '#5f6368' notitle, " : "",
                   kg_text_string(&plots));
    part->height = KG_PLOT_HEIGHT + 10 * count;
    part->why = count ? NULL : lines->nothing;
    kg_text_free(&plots);
}

static bool lines_draw(const struct lines *lines, const struct kg_plot_input *input,
                       struct kg_plot_part *part, struct kg_error *err)
{
    struct kg_sweep_request request = input->sweep;
    struct kg_sweeps sweeps;
    request.across = NULL;
    if (!request.by)
        request.by = parameter_find(input->results);
    if (!lines->against)
        request.against = NULL;
    else if (!request.against)
        request.against = reference_find(input->arena, input->results);
    if (!request.by || (lines->against && !request.against)) {
        part->why = request.by ? "there is no second device or version: say --against KEY=VALUE"
                               : "no parameter has several numbers";
        return true;
    }
    if (!kg_sweeps_find(input->arena, input->results, &request, &sweeps, err))
        return false;
    frame_print(lines, input, &request, &part->script);
    sweeps_draw(lines, input->arena, &sweeps, part);
    return true;
}

/* --- The plots -------------------------------------------------------------------------------- */

#define LINES(name, ...)                                                                           \
    bool kg_plot_##name(const struct kg_plot_input *input, struct kg_plot_part *part,              \
                        struct kg_error *err)                                                      \
    {                                                                                              \
        static const struct lines lines = {__VA_ARGS__};                                           \
        return lines_draw(&lines, input, part, err);                                               \
    }
LINES(time, "time per call", "time, median", "%.0s %cs", true, false, time_point,
      "no case was measured at two values")
LINES(speedup, "speedup", "times as fast", "%g x", false, true, speedup_point,
      "no case has a counterpart to compare with")
LINES(throughput, "throughput", NULL, "%.0s %c/s", true, false, throughput_point,
      "no case reports its items")
LINES(memory, "peak memory", "peak memory", NULL, true, false, memory_point,
      "no case reports its memory")
