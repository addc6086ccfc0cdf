/* explain_beside.c: cases that differ from the explained case in one parameter or in the device. */
#include <string.h>

#include "base/units.h"
#include "show/explain/explain_parts.h"

static void relative_add(struct kg_document *document, const struct kg_relative_case *relative)
{
    char time[KG_UNIT_BYTES];
    const double ratio = relative->ratio;
    kg_part_text(document, KG_PART_UNDER, NULL, "%10s  takes %6.*f times as long  ",
                 kg_duration_format(relative->time_ns, time),
                 ratio < 10    ? 2
                 : ratio < 100 ? 1
                               : 0,
                 ratio);
    kg_span_add(document, KG_SPAN_ID, relative->id);
}

static void left_out_add(struct kg_document *document, size_t count, const char *where)
{
    if (!count)
        return;
    kg_part_text(document, KG_PART_UNDER, NULL, "… %zu %s", count, where);
}

/* Adds the cases that differ in one parameter. If there are many: only the nearest ones before and after the case. */
static void group_add(struct kg_document *document, const struct kg_explanation *explanation,
                      const struct kg_relative_case *group, size_t count)
{
    enum { MOST = 12 };
    const size_t own = (size_t)(explanation->result - explanation->results->cases);
    size_t before = 0;
    while (before < count && group[before].index < own)
        before++;
    size_t first = before > MOST / 2 ? before - MOST / 2 : 0;
    if (first + MOST > count)
        first = count > MOST ? count - MOST : 0;
    const size_t last = first + MOST < count ? first + MOST : count;
    kg_part_add(document, KG_PART_ITEM, NULL);
    kg_span_add(document, KG_SPAN_NAME, group->differs);
    left_out_add(document, first, "before");
    for (size_t i = first; i < last; i++)
        relative_add(document, &group[i]);
    left_out_add(document, count - last, "after");
}

void kg_explain_relatives(struct kg_document *document, const struct kg_explanation *explanation)
{
    const struct kg_relative_case *all = explanation->relatives;
    if (explanation->relative_count)
        kg_part_heading(document, "beside it: cases with one difference");
    for (size_t i = 0, count; i < explanation->relative_count; i += count) {
        for (count = 1; i + count < explanation->relative_count &&
                        !strcmp(all[i].differs, all[i + count].differs);
             count++) {
        }
        group_add(document, explanation, &all[i], count);
    }
    if (!kg_known(explanation->facts.time_growth) || !explanation->facts.sweep_parameter)
        return;
    kg_part_text(document, KG_PART_SENTENCE, NULL, "over ");
    kg_span_add(document, KG_SPAN_NAME, explanation->facts.sweep_parameter);
    kg_span_text(document, " time grows as the work to the power of %.2f",
                 explanation->facts.time_growth);
}
