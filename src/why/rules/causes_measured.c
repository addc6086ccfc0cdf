/* causes_measured.c: causes with a measured cost, from experiments, page faults on this machine,
 * and GPU traces. */
#include <math.h>
#include <string.h>

#include "why/evidence/known_functions.h"
#include "why/rules/causes_weighing.h"
#include "why/rules/rule_parts.h"

void kg_weighing_shrink(struct kg_weighing *weighing, double share)
{
    for (int kind = 0; kind < KG_CAUSE_COUNT; kind++) {
        weighing->of[kind].share *= 1 - share;
        weighing->of[kind].saves_least *= 1 - share;
        weighing->of[kind].saves_most *= 1 - share;
    }
}

/* Whether a loop has a more specific cause. Huge pages speed up such a loop too, but they do not
 * fix it. */
static bool has_its_name(const struct kg_weighing *weighing)
{
    static const double TELLS = 0.2;
    return weighing->of[KG_CAUSE_POINTER_CHASING].share >= TELLS ||
           weighing->of[KG_CAUSE_ACCESS_PATTERN].share >= TELLS ||
           weighing->of[KG_CAUSE_MEMORY_TRAFFIC].share >= TELLS;
}

/* Whether most accesses stay in the line of the previous access, so that one page serves many
 * accesses. Huge pages speed up such code too, because the processor prefetches within a page
 * only. */
static bool is_in_sequence(const struct kg_hot *hot)
{
    static const double MISSES_OF_ACCESSES = 0.3;
    return hot->counted.line_misses < MISSES_OF_ACCESSES * hot->counted.loads;
}

/* If few samples were in system calls for memory, the faults are elsewhere. */
static void faults_elsewhere(struct kg_cause *faults, double share)
{
    static const double MOSTLY = 0.5;
    if (faults->share >= MOSTLY * share)
        return;
    faults->in_call = NULL;
    faults->call = NULL;
}

/* Keeping memory saves the faults, the calls that cause them, and their aftermath. So the
 * experiment's result replaces the share and the saving that the faults had. Only their place
 * stays. */
static void faults_replace(struct kg_weighing *weighing, double share)
{
    struct kg_cause *faults = &weighing->of[KG_CAUSE_PAGE_FAULTS];
    faults_elsewhere(faults, share);
    faults->share = 0;
    faults->saves_least = faults->saves_most = NAN;
}

static void experiment_weigh(struct kg_weighing *weighing, const struct kg_experiment *experiment,
                             enum kg_cause_kind kind)
{
    const double share = 1 - experiment->ratio;
    const bool faults = kind == KG_CAUSE_PAGE_FAULTS;
    if (!(share >= KG_SHARE_LEAST) || !(experiment->ratio_high < 1) ||
        (faults && weighing->of[kind].share > share))
        return;
    if (faults)
        faults_replace(weighing, share);
    const bool beside =
        kind == KG_CAUSE_PAGE_WALKS && (has_its_name(weighing) || is_in_sequence(weighing->hot));
    if (!beside)
        kg_weighing_shrink(weighing, share);
    struct kg_cause *cause = kg_weighing_add(weighing, kind, share);
    cause->measured = cause->proven = !beside;
    kg_cause_saves(cause, 1 - experiment->ratio_high, 1 - experiment->ratio_low);
}

/* The rule whose experiment has this name; NULL: none. */
static const struct kg_rule *rule_of(const char *experiment)
{
    const struct kg_rule *rule;
    for (size_t i = 0; (rule = kg_rule_at(i)); i++)
        if (rule->experiment && !strcmp(rule->experiment, experiment))
            return rule;
    return NULL;
}

enum kg_cause_kind kg_experiment_cause(const char *name)
{
    const struct kg_rule *rule = rule_of(name);
    return rule ? rule->cause : KG_CAUSE_NONE;
}

const char *kg_experiment_words(const char *name)
{
    const struct kg_rule *rule = rule_of(name);
    return rule ? rule->experiment_words : name;
}

void kg_weigh_experiments(struct kg_weighing *weighing)
{
    const struct kg_hot *hot = weighing->hot;
    for (size_t i = 0; i < hot->experiment_count; i++) {
        const enum kg_cause_kind kind = kg_experiment_cause(hot->experiments[i].name);
        if (kind != KG_CAUSE_NONE)
            experiment_weigh(weighing, &hot->experiments[i], kind);
    }
}

/* Share of the samples in the kernel, outside of system calls that have another cause; 0:
 * unknown. */
static double kernel_share(const struct kg_weighing *weighing)
{
    static const enum kg_cause_kind others[] = {KG_CAUSE_SMALL_IO,  KG_CAUSE_SYNC_IO,
                                                KG_CAUSE_PROCESSES, KG_CAUSE_WAITING,
                                                KG_CAUSE_LOCKS,     KG_CAUSE_BARRIERS};
    double share = weighing->hot->sampled.system;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        share -= weighing->of[others[i]].share;
    return kg_known_or_zero(share);
}

/* If the kernel must clear a page and take it back, a fault costs more than the measured first
 * touch. So the kernel's total share is a second estimate. */
void kg_weigh_faults(struct kg_weighing *weighing)
{
    const double modelled = kg_faulting_ns(weighing->facts) / weighing->facts->traits.time_ns;
    struct kg_cause *cause = &weighing->of[KG_CAUSE_PAGE_FAULTS];
    if (!(modelled >= KG_SHARE_LEAST))
        return;
    const double share = fmin(1, fmax(modelled, kernel_share(weighing)));
    if (share <= cause->share)
        return;
    kg_weighing_shrink(weighing, share);
    faults_elsewhere(cause, share);
    cause->share = share;
    cause->proven = true;
    /* touching fresh pages also misses the caches: up to half of the rest may go away */
    kg_cause_saves(cause, share, share + (1 - share) / 2);
}

void kg_weigh_gpu(struct kg_weighing *weighing)
{
    const struct kg_facts *facts = weighing->facts;
    const double call_ns = kg_facts_call_ns(facts);
    const struct kg_rule *rule;
    for (size_t i = 0; kg_known(call_ns) && (rule = kg_rule_at(i)); i++) {
        struct kg_judged judged;
        if (!rule->traced || !kg_rule_judge(rule, facts, weighing->settings, &judged))
            continue;
        struct kg_cause *cause = kg_weighing_add(weighing, rule->cause, judged.saved_ns / call_ns);
        cause->proven = judged.basis != KG_BASIS_AT_MOST;
        if (rule->of_kernel && facts->main_kernel.function)
            cause->seen = &facts->main_kernel;
    }
}
