/* formats_plots.c: results, comparisons and histories as pictures. */
#include "show/format_parts.h"
#include "show/plots/plots.h"

static bool plotted(const struct kg_report_subject *subject, bool svg, struct kg_text *text,
                    struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_plot_input input = {.results = subject->results,
                                  .comparison = subject->comparison,
                                  .history = subject->history,
                                  .arena = &arena};
    if (subject->axis)
        input.sweep = *subject->axis;
    if (input.comparison) /* a gate has both; a picture shows one */
        input.results = NULL;
    const bool good = kg_plot_print(&input, subject->plot, svg, text, err);
    kg_arena_free(&arena);
    return good;
}

bool kg_plotted_as_png(const struct kg_report_subject *subject, struct kg_text *text,
                       struct kg_error *err)
{
    return plotted(subject, false, text, err);
}

bool kg_plotted_as_svg(const struct kg_report_subject *subject, struct kg_text *text,
                       struct kg_error *err)
{
    return plotted(subject, true, text, err);
}
