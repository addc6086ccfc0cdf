/* suggestion_growth.c: for a case that became slower, a reader needs the change, not each slow
 * place. The rank of a suggestion therefore depends on the growth of its evidence. Evidence is
 * the time of its cause in the samples of both builds. Without a cause, it is the saving that
 * the rule finds in both builds' traits. */
#include <math.h>
#include <string.h>

#include "why/evidence/difference.h"
#include "why/rules/causes_weighing.h"
#include "why/rules/rule_parts.h"
#include "why/suggest_parts.h"

/* Minimum part of the slowdown that a cause explains. */
static const double EXPLAINS_LEAST = 0.2;

/* Evidence of a suggestion on both sides, in ns or bytes; NaN: unknown. */
struct sides {
    double base, current;
};

/* A site does not show whether a small request waited, so waits count as small requests. */
static enum kg_cause_kind site_kind(const struct kg_hot *hot, const struct kg_place *callee,
                                    const char *call)
{
    const enum kg_cause_kind kind = kg_cause_of_site(hot, callee, call);
    return kind == KG_CAUSE_WAITING ? KG_CAUSE_SMALL_IO : kind;
}

/* Whether the row's time belongs to the cause. In libraries and the kernel: by its kind.
 * Otherwise: by its function. */
static bool is_of_cause(const struct kg_difference_row *row, const struct kg_hot *hot,
                        const struct kg_cause *cause)
{
    static const struct kg_place none = {0};
    const enum kg_cause_kind wanted =
        site_kind(hot, cause->seen ? cause->seen : &none, cause->in_call);
    if (wanted != KG_CAUSE_NONE)
        return site_kind(hot, &row->callee, row->call) == wanted;
    return !row->callee.function && !row->call && cause->seen && cause->seen->function &&
           kg_place_same(cause->seen, &row->place);
}

/* grown  set to the place with the most growth of the cause */
static struct sides cause_sides(const struct kg_slower *slowdown, const struct kg_hot *hot,
                                const struct kg_cause *cause, struct kg_place *grown)
{
    struct kg_arena scratch = {0};
    struct kg_difference difference;
    struct sides sides = {0};
    double most = 0;
    kg_difference_make(&scratch, slowdown->base_sampled, slowdown->base_value,
                       slowdown->current_sampled, slowdown->current_value, &difference);
    for (size_t i = 0; i < difference.count; i++) {
        const struct kg_difference_row *row = &difference.rows[i];
        if (!is_of_cause(row, hot, cause))
            continue;
        sides.base += row->base_ns;
        sides.current += row->current_ns;
        if (row->current_ns - row->base_ns > most) {
            most = row->current_ns - row->base_ns;
            *grown = row->place;
        }
    }
    kg_arena_free(&scratch);
    return sides.current > 0 ? sides : (struct sides){NAN, NAN};
}

/* Judges the rule on the baseline's traits, with the same machine and neighbours. */
static struct kg_judged base_judge(const struct kg_slower *slowdown, const struct kg_rule *rule,
                                   const struct kg_facts *facts,
                                   const struct kg_suggest_settings *settings)
{
    struct kg_facts base = *facts;
    struct kg_judged judged;
    base.traits = slowdown->base;
    base.whole_ns = slowdown->base_value;
    base.hot = NULL;
    base.causes = NULL;
    return kg_rule_judge(rule, &base, settings, &judged) ? judged : (struct kg_judged){0};
}

static bool is_of_memory(const struct kg_judged *judged)
{
    return isfinite(judged->estimated_bytes) && !isfinite(judged->saved_ns);
}

/* Memory that both sides hold explains no time. */
static bool memory_grew(const struct kg_judged *base, const struct kg_judged *current)
{
    const double saved = current->current_bytes - current->estimated_bytes;
    return saved - (base->current_bytes - base->estimated_bytes) >= EXPLAINS_LEAST * saved;
}

bool kg_suggestion_grew(const struct kg_slower *slowdown, const struct kg_rule *rule,
                        const struct kg_facts *facts, const struct kg_suggest_settings *settings,
                        struct kg_judged *judged)
{
    const struct kg_cause *cause = judged->by_cause ? kg_cause_of(facts, rule->cause) : NULL;
    struct sides sides = {NAN, NAN};
    if (cause) {
        sides = cause_sides(slowdown, facts->hot, cause, &judged->grown);
    } else {
        const struct kg_judged base = base_judge(slowdown, rule, facts, settings);
        if (is_of_memory(judged))
            return memory_grew(&base, judged);
        sides = (struct sides){base.saved_ns, judged->saved_ns};
    }
    const double grown_ns = sides.current - sides.base;
    if (isnan(grown_ns))
        return true;
    judged->rank *= fmin(1, fmax(0, grown_ns / sides.current));
    return grown_ns >= EXPLAINS_LEAST * (slowdown->current_value - slowdown->base_value);
}
