#include <math.h>
#include <string.h>

#include "why/rules/rule_parts.h"

/* A rule keeps its priority if it saves at least half of the time. It loses one level below a
 * half, and one more below a fifth. */
static const double priority_shares[] = {0.5, 0.2};
enum { PRIORITY_SHARES = sizeof priority_shares / sizeof priority_shares[0] };

static enum kg_priority priority_of(const struct kg_rule *rule, enum kg_basis basis, double share)
{
    unsigned priority = rule->priority;
    for (size_t i = 0; i < PRIORITY_SHARES; i++)
        priority += share < priority_shares[i];
    if (basis == KG_BASIS_AT_MOST && priority < KG_PRIORITY_MEDIUM)
        priority = KG_PRIORITY_MEDIUM;
    return priority < KG_PRIORITY_LOW ? (enum kg_priority)priority : KG_PRIORITY_LOW;
}

/* A profile of any program has no cases. Its outermost scopes count as cases. */
static bool looks_at(const struct kg_rule *rule, const struct kg_facts *facts)
{
    const bool whole =
        facts->kind == KG_OPERATION_CASE ||
        (facts->operation && facts->whole && !strcmp(facts->operation, facts->whole));
    return rule->anywhere || rule->scopes != whole;
}

static bool time_judge(const struct kg_rule *rule, const struct kg_facts *facts,
                       const struct kg_suggest_settings *settings, struct kg_judged *judged)
{
    const double current_ns = rule->current_ns ? rule->current_ns(facts) : facts->traits.time_ns;
    const double estimated_ns = rule->estimate_ns(facts, settings);
    if (!kg_known(current_ns) || !kg_known(estimated_ns) || estimated_ns >= current_ns)
        return false;
    const double saved_ns = current_ns - estimated_ns;
    const double of_ns = facts->kind == KG_OPERATION_SCOPE && facts->whole_ns > current_ns
                             ? facts->whole_ns
                             : current_ns;
    const double share = saved_ns / of_ns, speedup = current_ns / estimated_ns;
    if (!(share >= settings->min_gain) || !isfinite(speedup))
        return false;
    judged->current_ns = current_ns;
    judged->estimated_ns = estimated_ns;
    judged->saved_ns = saved_ns;
    judged->speedup = speedup;
    judged->priority = priority_of(rule, judged->basis, share);
    judged->rank = rule->last ? 0 : judged->basis == KG_BASIS_AT_MOST ? saved_ns / 2 : saved_ns;
    return true;
}

/* The saving is unknown, so other suggestions come first. */
static bool share_judge(const struct kg_rule *rule, const struct kg_facts *facts,
                        const struct kg_suggest_settings *settings, struct kg_judged *judged)
{
    const double share = rule->share(facts, settings);
    if (!kg_known(facts->traits.time_ns) || !(share >= settings->min_gain) || !isfinite(share))
        return false;
    judged->share = fmin(share, 1);
    judged->current_ns = facts->traits.time_ns;
    judged->priority = priority_of(rule, judged->basis, judged->share);
    judged->rank = 0;
    return true;
}

static bool memory_judge(const struct kg_rule *rule, const struct kg_facts *facts,
                         const struct kg_suggest_settings *settings, struct kg_judged *judged)
{
    const double current_bytes = facts->traits.peak_bytes;
    const double estimated_bytes = rule->estimate_bytes(facts, settings);
    if (!kg_known(current_bytes) || !kg_known(estimated_bytes))
        return false;
    const double share = (current_bytes - estimated_bytes) / current_bytes;
    if (!(share >= settings->min_gain) || !(share > 0))
        return false;
    judged->current_ns = facts->traits.time_ns;
    judged->current_bytes = current_bytes;
    judged->estimated_bytes = estimated_bytes;
    judged->priority = priority_of(rule, judged->basis, share);
    return true;
}

/* Gives an estimate only if the longest remaining time is at most 2.25 times the shortest. The
 * estimate is their geometric mean. */
static void cause_estimate(const struct kg_cause *cause, double roof, struct kg_judged *judged)
{
    static const double NEAR = 1.5 * 1.5, LEAST = 1e-6;
    const double least = fmax(fmax(LEAST, roof), 1 - cause->saves_most);
    const double most = fmax(least, 1 - cause->saves_least);
    if (!isfinite(cause->saves_least) || !(most <= NEAR * least) || !(most < 1))
        return;
    judged->estimated_ns = sqrt(least * most) * judged->current_ns;
    judged->saved_ns = judged->current_ns - judged->estimated_ns;
    judged->speedup = judged->current_ns / judged->estimated_ns;
}

static bool cause_judge(const struct kg_rule *rule, const struct kg_facts *facts,
                        const struct kg_suggest_settings *settings, struct kg_judged *judged)
{
    const struct kg_cause *cause = kg_cause_of(facts, rule->cause);
    /* the roofline limits the saving */
    const double roof = kg_attainable_ns(facts, settings) / facts->traits.time_ns;
    const double share = cause ? fmin(cause->share, 1 - roof) : 0;
    if (!cause || !(share >= settings->min_gain))
        return false;
    if (cause->measured)
        judged->basis = KG_BASIS_MEASURED;
    else if (!cause->proven)
        judged->basis = KG_BASIS_AT_MOST;
    judged->by_cause = true;
    judged->share = cause->share;
    judged->current_ns = facts->traits.time_ns;
    judged->rank = share * judged->current_ns;
    judged->priority = priority_of(rule, judged->basis, share);
    cause_estimate(cause, roof, judged);
    return true;
}

/* A weaker suggestion, or one that the suite's author knows, ranks below all others. */
static void rank_lower(struct kg_judged *judged)
{
    judged->rank = 0;
    if (judged->priority < KG_PRIORITY_MEDIUM)
        judged->priority = KG_PRIORITY_MEDIUM;
}

static bool judge(const struct kg_rule *rule, const struct kg_facts *facts,
                  const struct kg_suggest_settings *settings, struct kg_judged *judged)
{
    *judged = (struct kg_judged){.priority = KG_PRIORITY_LOW,
                                 .basis = rule->basis,
                                 .share = NAN,
                                 .current_ns = NAN,
                                 .estimated_ns = NAN,
                                 .saved_ns = NAN,
                                 .speedup = NAN,
                                 .current_bytes = NAN,
                                 .estimated_bytes = NAN};
    if (kg_rule_is_cause(rule))
        return cause_judge(rule, facts, settings, judged);
    if (!looks_at(rule, facts))
        return false;
    if (rule->cause_words && kg_cause_of(facts, rule->cause))
        return cause_judge(rule, facts, settings, judged);
    if (!rule->applies(facts, settings))
        return false;
    if (rule->doubtful && rule->doubtful(facts, settings))
        judged->basis = KG_BASIS_AT_MOST;
    if (!(rule->share         ? share_judge(rule, facts, settings, judged)
          : rule->estimate_ns ? time_judge(rule, facts, settings, judged)
                              : memory_judge(rule, facts, settings, judged)))
        return false;
    if (rule->yields && facts->causes && facts->causes->count)
        rank_lower(judged);
    return true;
}

/* If a faster version of the case exists, that suggestion ranks above all others. */
bool kg_rule_judge(const struct kg_rule *rule, const struct kg_facts *facts,
                   const struct kg_suggest_settings *settings, struct kg_judged *judged)
{
    if (!judge(rule, facts, settings, judged))
        return false;
    if (facts->known_slower && strcmp(rule->name, KG_RULE_SLOWER_VERSION) != 0)
        rank_lower(judged);
    return true;
}

/* --- Words --- */

/* The value of a fact that is text; NULL: unknown, or the fact is a number. */
static const char *text_fact(const char *name, const struct kg_facts *facts)
{
    const struct {
        const char *name;
        const char *text;
    } texts[] = {{"other_device_id", facts->other_device_id},
                 {"faster_version_id", facts->faster_version_id},
                 {"sweep_parameter", facts->sweep_parameter},
                 {"sweep_measure", facts->sweep_measure},
                 {"operation", facts->operation},
                 {"whole", facts->whole},
                 {"workload", facts->workload},
                 {"device", facts->device}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!strcmp(name, texts[i].name))
            return texts[i].text;
    return NULL;
}

static void fact_append(const char *name, const struct kg_facts *facts, struct kg_text *text)
{
    const char *words = text_fact(name, facts);
    struct kg_trait fact;
    const double value = kg_fact_find(name, &fact) ? kg_fact_get(facts, &fact) : NAN;
    if (words)
        kg_text_append(text, words);
    else if (isfinite(value))
        kg_trait_format(fact.unit, value, text);
    else
        kg_text_append(text, "?");
}

void kg_rule_text(const char *words, const struct kg_facts *facts, struct kg_text *text)
{
    char name[64];
    for (const char *brace; (brace = strchr(words, '{')); words += strcspn(words, "}") + 1) {
        const size_t length = strcspn(brace, "}") - 1;
        kg_text_append_bytes(text, words, (size_t)(brace - words));
        words = brace;
        if (!brace[length + 1] || length >= sizeof name) {
            kg_text_append(text, words);
            return;
        }
        memcpy(name, brace + 1, length);
        name[length] = '\0';
        fact_append(name, facts, text);
    }
    kg_text_append(text, words);
}
