/* What is beside one case: the same but for one thing. */
#include <string.h>

#include "base/escape.h"
#include "base/units.h"
#include "show/advice_text.h"
#include "show/explain/explain_page.h"

static void relative_print(struct kg_explain_page *page, const struct kg_relative_case *relative)
{
    char time[KG_UNIT_BYTES], factor[KG_FACTOR_BYTES];
    kg_text_printf(page->text, "    %10s  %8s  %s\n", kg_duration_format(relative->time_ns, time),
                   kg_advice_factor(relative->ratio, factor),
                   kg_advice_shown(&page->arena, page->text, relative->id, page->style->id_most));
}

/* Those that differ in one parameter: of many the ones that stand around the case. */
static void group_print(struct kg_explain_page *page, const struct kg_relative_case *group,
                        size_t count)
{
    enum { MOST = 12 };
    const struct kg_explanation *explanation = page->explanation;
    const size_t own = (size_t)(explanation->result - explanation->results->cases);
    size_t before = 0;
    while (before < count && group[before].index < own)
        before++;
    size_t first = before > MOST / 2 ? before - MOST / 2 : 0;
    if (first + MOST > count)
        first = count > MOST ? count - MOST : 0;
    const size_t last = first + MOST < count ? first + MOST : count;
    kg_text_printf(page->text, "  %s\n",
                   kg_advice_shown(&page->arena, page->text, group->differs, KG_EXPLAIN_NAME_MOST));
    if (first)
        kg_text_printf(page->text, "    … %zu before\n", first);
    for (size_t i = first; i < last; i++)
        relative_print(page, &group[i]);
    if (last < count)
        kg_text_printf(page->text, "    … %zu after\n", count - last);
}

void kg_explain_relatives(struct kg_explain_page *page)
{
    const struct kg_explanation *explanation = page->explanation;
    const struct kg_relative_case *all = explanation->relatives;
    if (explanation->relative_count)
        kg_advice_heading(page->text, page->style, "beside it: the same but for one thing");
    for (size_t i = 0, count; i < explanation->relative_count; i += count) {
        for (count = 1; i + count < explanation->relative_count &&
                        !strcmp(all[i].differs, all[i + count].differs);
             count++) {
        }
        group_print(page, &all[i], count);
    }
    if (kg_known(explanation->facts.time_growth) && explanation->facts.sweep_parameter) {
        kg_text_append(page->text, "  over ");
        kg_escape_terminal(page->text, explanation->facts.sweep_parameter, KG_EXPLAIN_NAME_MOST);
        kg_text_printf(page->text, " time grows as the work to the power of %.2f\n",
                       explanation->facts.time_growth);
    }
}
