/* rule_trials.h: the trials of tests/text/suggest/rules.facts. A trial has facts that make a rule
 * fire, and a change of one fact that just prevents this. */
#pragma once
#include "why/rules/facts_text.h"
#include "why/rules/rules.h"

enum { TRIALS_MOST = 200, TRIAL_NAME_BYTES = 48 };

/* Facts of a rule. It fires if the named fact is `fires`, and not if it is `short_of`. */
struct trial {
    char rule[TRIAL_NAME_BYTES];
    const char *device;
    bool scope;
    struct kg_facts known;
    char name[TRIAL_NAME_BYTES];
    double fires;
    double short_of;
};

/* "RULE of a case on cpu" begins one. */
static inline bool trial_begin(struct trial *trial, const char *line)
{
    char kind[8], device[8];
    if (sscanf(line, "%47s of a %7s on %7s", trial->rule, kind, device) != 3)
        return false;
    trial->device = strcmp(device, "cuda") ? "cpu" : "cuda";
    trial->scope = !strcmp(kind, "scope");
    facts_make(&trial->known, trial->device, trial->scope, (const struct named_fact[]){{0}});
    return true;
}

/* "fires at FACT VALUE, not at VALUE" ends it. */
static inline bool trial_end(const struct facts_file *file, struct trial *trial, const char *line)
{
    char fires[TRIAL_NAME_BYTES], short_of[TRIAL_NAME_BYTES];
    if (sscanf(line, "fires at %47s %47[^,], not at %47s", trial->name, fires, short_of) != 3)
        return false;
    trial->fires = facts_number(file, fires);
    trial->short_of = facts_number(file, short_of);
    return true;
}

static inline size_t trials_read(struct trial *trials)
{
    struct facts_file file;
    size_t count = 0;
    bool open = false;
    facts_open(&file, "rules");
    for (char *line; (line = facts_next(&file));) {
        if (!open && count < TRIALS_MOST && trial_begin(&trials[count], line))
            open = true;
        else if (open && trial_end(&file, &trials[count], line)) {
            open = false;
            count++;
        } else if (open)
            facts_line(&file, line, &trials[count].known);
        else
            fail_msg("rules.facts:%u: expected `RULE of a case on cpu`", file.line);
    }
    assert_false(open);
    facts_close(&file);
    return count;
}

/* NULL past the last. */
static inline const struct trial *trial_at(size_t index)
{
    static struct trial trials[TRIALS_MOST];
    static size_t count;
    if (!count)
        count = trials_read(trials);
    return index < count ? &trials[index] : NULL;
}

static inline bool fires(const char *rule, const struct kg_facts *facts)
{
    const struct kg_suggest_settings settings = settings_default();
    struct kg_judged judged;
    if (!rule_find(rule))
        fail_msg("there is no rule '%s'", rule);
    return kg_rule_judge(rule_find(rule), facts, &settings, &judged);
}

static inline void trial_make(const struct trial *trial, double value, struct kg_facts *facts)
{
    *facts = trial->known;
    facts_kind(facts, trial->scope);
    fact_set(facts, trial->name, value);
}
