#include "why/rules/rules.h"

#include "why/rules/rule_parts.h"

const char *const kg_suggestion_type_names[KG_TYPE_COUNT + 1] = {
    "routing", "batching", "memory", "caching", "algorithm", "parallelization", NULL};
const char *const kg_priority_names[KG_PRIORITY_COUNT + 1] = {"critical", "high", "medium", "low",
                                                              NULL};
const char *const kg_basis_names[KG_BASIS_COUNT + 1] = {"measured", "modelled", "at most", NULL};

/* In the order of the reference. If two suggestions have the same rank, the earlier rule comes
 * first. */
static const struct kg_rule_family *const families[] = {
    &kg_rules_compare, &kg_rules_causes,  &kg_rules_causes_core, &kg_rules_causes_system,
    &kg_rules_calls,   &kg_rules_profile, &kg_rules_memory,      &kg_rules_threads,
    &kg_rules_vectors, &kg_rules_gpu,
};
enum { FAMILIES = sizeof families / sizeof families[0] };

const struct kg_rule *kg_rule_at(size_t index)
{
    for (size_t f = 0; f < FAMILIES; f++) {
        if (index < families[f]->count)
            return &families[f]->rules[index];
        index -= families[f]->count;
    }
    return NULL;
}

const struct kg_rule *kg_rule_of_cause(enum kg_cause_kind kind)
{
    const struct kg_rule *rule;
    for (size_t i = 0; kind && (rule = kg_rule_at(i)); i++)
        if (rule->cause == kind)
            return rule;
    return NULL;
}

const char *kg_cause_name(enum kg_cause_kind kind)
{
    const struct kg_rule *rule = kg_rule_of_cause(kind);
    return rule ? rule->name : "none";
}

bool kg_rule_is_cause(const struct kg_rule *rule)
{
    return rule->cause && !rule->applies;
}
