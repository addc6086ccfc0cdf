/* causes_gpu.c: a case on the GPU, by its trace: what each rule about it says that the time of a call
 * goes to. */
#include <math.h>
#include <string.h>

#include "why/rules/causes_weighing.h"
#include "why/rules/rule_parts.h"

static const struct {
    enum kg_cause_kind kind;
    bool of_kernel; /* its place is the kernel with the most time */
} seen_by_trace[] = {
    {KG_CAUSE_LAUNCH_GAPS, false},       {KG_CAUSE_PAGEABLE_TRANSFERS, false},
    {KG_CAUSE_OVERLAP_TRANSFERS, false}, {KG_CAUSE_SMALL_GRID, true},
    {KG_CAUSE_LOW_OCCUPANCY, true},      {KG_CAUSE_TAIL_EFFECT, true},
};

void kg_weigh_gpu(struct kg_weighing *weighing)
{
    const struct kg_facts *facts = weighing->facts;
    const double call_ns = kg_facts_call_ns(facts);
    for (size_t i = 0; i < sizeof seen_by_trace / sizeof *seen_by_trace; i++) {
        const enum kg_cause_kind kind = seen_by_trace[i].kind;
        const struct kg_rule *rule = kg_rule_find(kg_cause_name(kind));
        struct kg_judged judged;
        if (!rule || !kg_known(call_ns) || !kg_rule_judge(rule, facts, weighing->settings, &judged))
            continue;
        struct kg_cause *cause = kg_weighing_add(weighing, kind, judged.saved_ns / call_ns);
        cause->proven = judged.basis != KG_BASIS_AT_MOST;
        if (seen_by_trace[i].of_kernel && facts->main_kernel.function)
            cause->seen = &facts->main_kernel;
    }
}
