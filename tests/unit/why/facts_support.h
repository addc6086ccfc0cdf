/* facts_support.h: facts made by hand, by the names that files and documents use. */
#pragma once
#include "test_support.h"

#include "suite/suggest_overrides.h"
#include "why/evidence/facts.h"
#include "why/rules/rules.h"

struct named_fact {
    const char *name; /* NULL ends an array */
    double value;
};

/* The rule of that name; NULL without one. */
static inline const struct kg_rule *rule_find(const char *name)
{
    const struct kg_rule *rule;
    for (size_t i = 0; (rule = kg_rule_at(i)); i++)
        if (!strcmp(rule->name, name))
            return rule;
    return NULL;
}

static inline void fact_set(struct kg_facts *facts, const char *name, double value)
{
    struct kg_trait fact;
    if (!kg_fact_find(name, &fact))
        fail_msg("there is no fact '%s'", name);
    memcpy((char *)facts + fact.offset, &value, sizeof value);
}

static inline void facts_make(struct kg_facts *facts, const char *device, bool scope,
                              const struct named_fact *known)
{
    kg_facts_clear(facts);
    facts->kind = scope ? KG_OPERATION_SCOPE : KG_OPERATION_CASE;
    facts->operation = scope ? "case;part" : "case";
    facts->whole = "case";
    facts->device = device;
    facts->workload = "case";
    facts->other_device_id = "case/other";
    facts->faster_version_id = "case/version=fast";
    facts->sweep_parameter = "n";
    facts->sweep_measure = "items";
    for (; known->name; known++)
        fact_set(facts, known->name, known->value);
}

static inline struct kg_suggest_settings settings_default(void)
{
    struct kg_suggest_settings settings = {0};
    kg_suggest_settings_complete(&settings);
    return settings;
}
