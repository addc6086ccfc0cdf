/* plot_roofline.c: each case below the machine's measured peaks: FLOP/s over FLOP/byte (Williams, Waterman and
 * Patterson, "Roofline", 2009). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "show/plots/plot_parts.h"

/* A roofline: the peak of one memory and one arithmetic unit together. */
struct roof {
    const char *name;
    double bytes_per_s;
    double flops_per_s;
    const char *colour;
    int dash;
};

enum { ROOFS_MOST = 6 };

struct roofline {
    struct roof roofs[ROOFS_MOST];
    size_t roof_count;
    double x_least, x_most, y_least, y_most;
    const char *workloads[KG_PLOT_LINES_MOST]; /* workloads with points, in order of the cases */
    struct kg_text data[KG_PLOT_LINES_MOST];
    size_t workload_count;
    size_t left_out; /* number of cases of further workloads */
};

static void roof_add(struct roofline *roofline, const char *name, double bytes_per_s,
                     double flops_per_s, const char *colour, int dash)
{
    if (bytes_per_s > 0 && flops_per_s > 0 && isfinite(bytes_per_s) && isfinite(flops_per_s) &&
        roofline->roof_count < ROOFS_MOST)
        roofline->roofs[roofline->roof_count++] =
            (struct roof){name, bytes_per_s, flops_per_s, colour, dash};
}

/* The largest number of threads of a measured case on the CPU; 0: no such case. */
static double threads_most(const struct kg_results *results)
{
    double most = 0;
    for (size_t i = 0; i < results->case_count; i++)
        if (!strcmp(results->cases[i].device, "cpu") && results->cases[i].round_count) {
            const double threads = (double)results->cases[i].threads;
            most = threads > most ? threads : most < 1 ? 1 : most;
        }
    return most;
}

static void roofs_add(struct roofline *roofline, const struct kg_results *results)
{
    const struct kg_cpu_ceilings *cpu = &results->cpu_ceilings;
    const struct kg_ceilings *gpu = &results->ceilings;
    const double threads = threads_most(results);
    if (threads > 0) {
        const double vector = kg_cpu_flops(cpu, true, threads);
        roof_add(roofline, "CPU: memory", kg_cpu_bandwidth(cpu, KG_LEVEL_MEMORY, threads), vector,
                 "#202124", 1);
        roof_add(roofline, "CPU: L2", kg_cpu_bandwidth(cpu, KG_LEVEL_L2, threads), vector,
                 "#202124", 2);
        roof_add(roofline, "CPU: scalar", kg_cpu_bandwidth(cpu, KG_LEVEL_MEMORY, threads),
                 kg_cpu_flops(cpu, false, threads), "#202124", 3);
    }
    roof_add(roofline, "GPU: memory, multiply-adds", gpu->copy_bytes_per_s, gpu->fma_flops_per_s,
             "#8c6d1f", 1);
    roof_add(roofline, "GPU: memory, tensor cores", gpu->copy_bytes_per_s, gpu->tensor_flops_per_s,
             "#8c6d1f", 2);
}

static void range_widen(struct roofline *roofline, double x, double y)
{
    roofline->x_least = fmin(roofline->x_least, x);
    roofline->x_most = fmax(roofline->x_most, x);
    roofline->y_least = fmin(roofline->y_least, y);
    roofline->y_most = fmax(roofline->y_most, y);
}

static void case_add(struct roofline *roofline, const struct kg_case_result *result)
{
    const struct kg_case_work *work = &result->work;
    const double x = work->flops / work->bytes, y = work->flops_per_second;
    if (!result->round_count || !(x > 0) || !(y > 0) || !isfinite(x) || !isfinite(y))
        return;
    size_t w = 0;
    while (w < roofline->workload_count && strcmp(roofline->workloads[w], result->workload) != 0)
        w++;
    if (w == KG_PLOT_LINES_MOST) {
        roofline->left_out++;
        return;
    }
    if (w == roofline->workload_count)
        roofline->workloads[roofline->workload_count++] = result->workload;
    kg_text_printf(&roofline->data[w], "%.9g %.9g\n", x, y);
    range_widen(roofline, x, y);
}

/* Widens the range to include each ridge point, so that the bend of each roofline is visible. */
static void range_finish(struct roofline *roofline)
{
    for (size_t i = 0; i < roofline->roof_count; i++)
        range_widen(roofline, roofline->roofs[i].flops_per_s / roofline->roofs[i].bytes_per_s,
                    roofline->roofs[i].flops_per_s);
    roofline->x_least /= 2;
    roofline->x_most *= 4;
    roofline->y_least /= 2;
    roofline->y_most *= 2;
}

static void roofs_print(const struct roofline *roofline, struct kg_text *script)
{
    char bytes[KG_UNIT_BYTES], flops[KG_UNIT_BYTES], words[200];
    for (size_t i = 0; i < roofline->roof_count; i++) {
        const struct roof *roof = &roofline->roofs[i];
        snprintf(words, sizeof words, "%s: %sB/s, %sFLOP/s", roof->name,
                 kg_rate_format(roof->bytes_per_s, bytes),
                 kg_rate_format(roof->flops_per_s, flops));
        kg_text_printf(
            script,
            "%s(%.9g*x < %.9g ? %.9g*x : %.9g) linewidth 1.6 linecolor '%s' dashtype %d title ",
            i ? ", " : "plot ", roof->bytes_per_s, roof->flops_per_s, roof->bytes_per_s,
            roof->flops_per_s, roof->colour, roof->dash);
        kg_gnuplot_string(script, words, sizeof words, false);
    }
}

static void points_print(struct roofline *roofline, struct kg_text *script)
{
    for (size_t w = 0; w < roofline->workload_count; w++) {
        kg_text_printf(script,
                       "%s$points%zu using 1:2 with points linecolor '%s' pointtype %d pointsize "
                       "1.2 title ",
                       w || roofline->roof_count ? ", " : "plot ", w, kg_plot_inks[w].colour,
                       kg_plot_inks[w].point);
        kg_gnuplot_string(script, roofline->workloads[w], KG_PLOT_NAME_MOST, false);
    }
    if (roofline->left_out)
        kg_text_printf(script,
                       ", 1/0 with points linecolor '#ffffff' title '%zu case%s of further "
                       "workloads left out'",
                       roofline->left_out, roofline->left_out == 1 ? "" : "s");
    kg_text_append(script, "\n");
}

bool kg_plot_roofline(const struct kg_plot_input *input, struct kg_plot_part *part,
                      struct kg_error *err)
{
    (void)err;
    struct kg_text *script = &part->script;
    struct roofline roofline = {.x_least = INFINITY, .x_most = 0, .y_least = INFINITY, .y_most = 0};
    for (size_t i = 0; i < input->results->case_count; i++)
        case_add(&roofline, &input->results->cases[i]);
    part->height = KG_PLOT_HEIGHT + 60;
    part->why = roofline.workload_count ? NULL : "no case reports its operations and bytes";
    roofs_add(&roofline, input->results);
    range_finish(&roofline);
    for (size_t w = 0; w < roofline.workload_count; w++) {
        kg_text_printf(script, "$points%zu << EOD\n%sEOD\n", w, kg_text_string(&roofline.data[w]));
        kg_text_free(&roofline.data[w]);
    }
    kg_plot_title(script, input->results->suite,
                  "roofline: operations per second under the measured peaks");
    kg_text_printf(script,
                   "set logscale xy\nset samples 500\nset xrange [%.9g:%.9g]\nset yrange "
                   "[%.9g:%.9g]\nset format x '%%g'\nset format y '%%.0s %%cFLOP/s'\n"
                   "set xlabel 'operations per byte, FLOP/B' textcolor '#202124'\n"
                   "set key below horizontal left Left reverse maxcols 3 height 1\n",
                   roofline.x_least, roofline.x_most, roofline.y_least, roofline.y_most);
    roofs_print(&roofline, script);
    points_print(&roofline, script);
    return true;
}
