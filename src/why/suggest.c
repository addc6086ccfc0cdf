#include "why/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "why/evidence/gather.h"
#include "why/rules/rule_parts.h"
#include "why/rules/rules.h"
#include "why/suggest_parts.h"

/* State while suggestions are made. */
struct maker {
    const struct kg_suggest_input *input;
    struct kg_suggestions *made;
    struct kg_facts_list cases;
    struct kg_facts_list scopes;
    size_t capacity;                    /* capacity of made->suggestions */
    double suite_ns;                    /* time of one call of every case */
    const struct kg_slower **slowdowns; /* slowdowns of cases with a longer time; else NULL */
    const char *no_changes;             /* why there was no comparison with the baseline; or NULL */
};

static const char *kept_text(struct maker *maker, struct kg_text *text)
{
    const char *copy = kg_arena_copy(&maker->made->arena, kg_text_string(text));
    kg_text_free(text);
    return copy;
}

/* Makes figures from the known facts, and from the cause if there is one. */
static void figures_make(struct maker *maker, const struct kg_facts *facts,
                         const char *const *names, size_t most, const struct kg_cause *cause,
                         struct kg_evidence_figure **figures, size_t *count)
{
    struct kg_evidence evidence = {.arena = &maker->made->arena};
    kg_evidence_facts(&evidence, facts, names, most);
    if (cause)
        kg_evidence_cause(&evidence, facts, cause);
    *figures = evidence.figures;
    *count = evidence.count;
}

/* --- Findings --------------------------------------------------------------------------------- */

/* Minimum share of the time for a cause to decide the case's bottleneck. On the GPU the
 * breakdown of the time decides. */
static const double CAUSE_LEAST = 0.25;

static const struct kg_cause *main_cause(const struct kg_facts *facts)
{
    const struct kg_causes *causes = kg_on_device(facts, "cpu") ? facts->causes : NULL;
    return causes && causes->count && causes->of[0].share >= CAUSE_LEAST ? &causes->of[0] : NULL;
}

/* Appends the causes: "; formatting: 74 % in vsnprintf, called from put_row (report.c:41); 12 %
 * unexplained". If the bottleneck is unknown, also the hottest place. */
static void causes_add(const struct kg_facts *facts, enum kg_bound bound, struct kg_text *text)
{
    const struct kg_causes *causes = facts->causes;
    const char *separator = "; ";
    for (size_t i = 0; causes && i < causes->count; i++) {
        kg_text_printf(text, "%s%s: ", separator, kg_cause_name(causes->of[i].kind));
        kg_cause_words(&causes->of[i], text);
    }
    if (causes && causes->count)
        kg_text_printf(text, "; %.0f %% unexplained", 100 * causes->unexplained);
    if (causes && causes->hottest && bound == KG_BOUND_UNKNOWN) {
        kg_text_printf(text, "%s%.0f %% of the time in ", causes->count ? "; " : ": ",
                       100 * causes->hottest->self);
        kg_place_words(&causes->hottest->place, text);
    }
}

/* A text such as "memory-bound: 87 % of the bandwidth ceiling, level: memory". */
static const char *finding_text(struct maker *maker, const struct kg_facts *facts,
                                const struct kg_bound_finding *finding)
{
    struct kg_text text = {0};
    const char *separator = ": ";
    kg_text_append(&text, kg_bound_names[finding->bound]);
    for (size_t i = 0; i < finding->evidence_count; i++) {
        kg_text_printf(&text, "%s%s", separator, finding->evidence[i].text);
        separator = ", ";
    }
    causes_add(facts, finding->bound, &text);
    if (finding->missing) {
        const bool listed = facts->causes && (facts->causes->count || facts->causes->hottest);
        kg_text_printf(&text, "%s%s", finding->evidence_count || listed ? "; " : ": ",
                       finding->missing);
    }
    return kept_text(maker, &text);
}

/* The next measurement that would explain more. For a case on the CPU: the first command not yet
 * followed. */
static const char *missing_text(struct maker *maker, const struct kg_facts *facts,
                                const struct kg_diagnosis *diagnosis)
{
    const struct kg_results *results = maker->input->results;
    const bool is_case = results && facts->kind == KG_OPERATION_CASE;
    struct kg_text text = {0};
    if (!diagnosis->missing)
        return NULL;
    if (!is_case || !kg_next_look(results, &results->cases[facts - maker->cases.of],
                                  maker->input->profile || results->profile || results->no_profile,
                                  kg_cpus_taken(facts, &maker->made->settings), &text))
        kg_text_append(&text, diagnosis->missing);
    return kept_text(maker, &text);
}

static void finding_make(struct maker *maker, const struct kg_facts *facts,
                         struct kg_bound_finding *finding)
{
    enum { EVIDENCE_MOST = sizeof((struct kg_diagnosis){0}.evidence) / sizeof(const char *) };
    struct kg_diagnosis diagnosis;
    kg_diagnose(facts, &maker->made->settings, &diagnosis);
    const struct kg_cause *cause = main_cause(facts);
    if (cause)
        diagnosis = (struct kg_diagnosis){.bound = kg_rule_of_cause(cause->kind)->bound,
                                          .share = cause->share};
    *finding = (struct kg_bound_finding){
        .operation = kg_arena_keep(&maker->made->arena, facts->operation),
        .kind = kg_operation_kind_names[facts->kind],
        .bound = diagnosis.bound,
        .time_ns = facts->traits.time_ns,
        .share = diagnosis.share,
        .unexplained = facts->causes ? facts->causes->unexplained : NAN,
        .missing = missing_text(maker, facts, &diagnosis),
    };
    figures_make(maker, facts, diagnosis.evidence, EVIDENCE_MOST, NULL, &finding->evidence,
                 &finding->evidence_count);
    finding->text = finding_text(maker, facts, finding);
}

/* Whether the operation gets a diagnosis: cases, and outermost scopes of a profile. */
static bool is_whole(const struct kg_facts *facts)
{
    return facts->kind == KG_OPERATION_CASE || !strcmp(facts->operation, facts->whole);
}

static int finding_compare(const void *left, const void *right)
{
    const struct kg_bound_finding *a = left, *b = right;
    return a->time_ns != b->time_ns ? (a->time_ns < b->time_ns) - (a->time_ns > b->time_ns)
                                    : strcmp(a->operation, b->operation);
}

static void findings_make(struct maker *maker)
{
    struct kg_suggestions *made = maker->made;
    /* the results' cases, or the outermost scopes of a profile of any program */
    const struct kg_facts_list *list = maker->input->results ? &maker->cases : &maker->scopes;
    made->findings = kg_arena_alloc(&made->arena, list->count, sizeof *made->findings);
    for (size_t i = 0; i < list->count; i++)
        if (is_whole(&list->of[i]) && kg_known(list->of[i].traits.time_ns))
            finding_make(maker, &list->of[i], &made->findings[made->finding_count++]);
    qsort(made->findings, made->finding_count, sizeof *made->findings, finding_compare);
}

/* --- Changes ---------------------------------------------------------------------------------- */

static void changes_make(struct maker *maker, struct kg_arena *scratch)
{
    struct kg_traits *traits;
    maker->slowdowns = kg_arena_alloc(scratch, maker->cases.count, sizeof *maker->slowdowns);
    if (!maker->input->results || !maker->input->baseline)
        return;
    traits = kg_arena_alloc(scratch, maker->cases.count, sizeof *traits);
    for (size_t i = 0; i < maker->cases.count; i++)
        traits[i] = maker->cases.of[i].traits;
    kg_changes_find(maker->input, traits, scratch, maker->slowdowns, maker->made,
                    &maker->no_changes);
}

/* --- Suggestions ------------------------------------------------------------------------------ */

static struct kg_suggestion *suggestion_add(struct maker *maker)
{
    struct kg_suggestions *made = maker->made;
    kg_arena_grow(&made->arena, &made->suggestions, made->suggestion_count, &maker->capacity,
                  sizeof *made->suggestions);
    return &made->suggestions[made->suggestion_count++];
}

/* Fills in the effect on the whole, by Amdahl's law. The whole takes at least the time of its
 * part. */
static void whole_fill(const struct maker *maker, const struct kg_facts *facts,
                       struct kg_suggestion *suggestion)
{
    const double whole = facts->kind == KG_OPERATION_CASE ? maker->suite_ns : facts->whole_ns;
    suggestion->whole_ns = suggestion->whole_speedup = NAN;
    if (!isfinite(suggestion->saved_ns))
        return;
    suggestion->whole_ns =
        isfinite(whole) && whole >= suggestion->current_ns ? whole : suggestion->current_ns;
    suggestion->whole_speedup =
        suggestion->whole_ns /
        (suggestion->whole_ns - suggestion->current_ns + suggestion->estimated_ns);
}

static const char *rule_text(struct maker *maker, const char *template,
                             const struct kg_facts *facts)
{
    struct kg_text text = {0};
    kg_rule_text(template, facts, &text);
    return kept_text(maker, &text);
}

static const char *sketch_text(struct maker *maker, const char *words, const struct kg_cause *cause)
{
    struct kg_text text = {0};
    kg_sketch_text(words, cause, &text);
    return kept_text(maker, &text);
}

/* The place of a fix: the workload's own function, rather than a library's; NULL: unknown. */
static const struct kg_place *place_of(const struct kg_cause *cause)
{
    return cause && cause->caller ? cause->caller : cause ? cause->seen : NULL;
}

/* Whether the cause's time grew most below another function than the one with most of its time. */
static bool grew_elsewhere(const struct kg_cause *cause, const struct kg_judged *judged)
{
    const struct kg_place *place = place_of(cause);
    return judged->grown.function && place && place->function &&
           strcmp(judged->grown.function, place->function) != 0;
}

/* The description of the problem, and its doubt. */
static const char *description_text(struct maker *maker, const struct kg_rule *rule,
                                    const struct kg_facts *facts, const struct kg_judged *judged)
{
    const struct kg_cause *cause = judged->by_cause ? kg_cause_of(facts, rule->cause) : NULL;
    struct kg_text text = {0};
    if (cause) {
        kg_cause_words(cause, &text);
        kg_text_append(&text, ". ");
    }
    if (cause && grew_elsewhere(cause, judged)) {
        kg_text_append(&text, "It grew most in calls from ");
        kg_place_words(&judged->grown, &text);
        kg_text_append(&text, ". ");
    }
    kg_rule_text(cause && rule->cause_words ? rule->cause_words : rule->description, facts, &text);
    if (rule->doubt && judged->basis != rule->basis) {
        kg_text_append(&text, " ");
        kg_rule_text(rule->doubt, facts, &text);
    }
    return kept_text(maker, &text);
}

/* Whether the suggestion has the place of the rule's cause. On the GPU each rule is its own
 * cause. */
static bool speaks_for_cause(const struct kg_rule *rule, const struct kg_facts *facts,
                             const struct kg_judged *judged)
{
    return judged->by_cause || (kg_on_device(facts, "cuda") && rule->cause);
}

/* Fills in the code before and after, and the hint. If a sketch fits the cause's function or
 * system call, its words replace the rule's. */
static void sketch_fill(struct maker *maker, const struct kg_rule *rule,
                        const struct kg_facts *facts, const struct kg_cause *cause,
                        struct kg_suggestion *suggestion)
{
    const struct kg_sketch *sketch = cause ? kg_sketch_of(rule->sketches, facts, cause) : NULL;
    suggestion->before = rule->before;
    suggestion->after = rule->after;
    suggestion->hint = sketch && sketch->hint ? sketch_text(maker, sketch->hint, cause)
                                              : rule_text(maker, rule->hint, facts);
    if (!sketch || !sketch->before)
        return;
    suggestion->before = sketch_text(maker, sketch->before, cause);
    suggestion->after = sketch_text(maker, sketch->after, cause);
}

static void suggestion_make(struct maker *maker, const struct kg_rule *rule,
                            const struct kg_facts *facts, const struct kg_judged *judged)
{
    struct kg_arena *arena = &maker->made->arena;
    struct kg_suggestion *suggestion = suggestion_add(maker);
    *suggestion = (struct kg_suggestion){
        .operation = kg_arena_keep(arena, facts->operation),
        .kind = kg_operation_kind_names[facts->kind],
        .whole = kg_arena_keep(arena, facts->whole),
        .device = kg_arena_keep(arena, facts->device),
        .rule = rule->name,
        .type = rule->type,
        .priority = judged->priority,
        .basis = judged->basis,
        .description = description_text(maker, rule, facts, judged),
        .rank = judged->rank,
        .share = judged->share,
        .current_ns = judged->current_ns,
        .estimated_ns = judged->estimated_ns,
        .saved_ns = judged->saved_ns,
        .speedup = judged->speedup,
        .current_bytes = judged->current_bytes,
        .estimated_bytes = judged->estimated_bytes,
    };
    const struct kg_cause *cause =
        speaks_for_cause(rule, facts, judged) ? kg_cause_of(facts, rule->cause) : NULL;
    whole_fill(maker, facts, suggestion);
    if (cause && grew_elsewhere(cause, judged))
        suggestion->place = kg_place_copy(arena, &judged->grown);
    else if (place_of(cause))
        suggestion->place = kg_place_copy(arena, place_of(cause));
    sketch_fill(maker, rule, facts, cause, suggestion);
    figures_make(maker, facts, rule->evidence, KG_RULE_EVIDENCE_MOST, cause, &suggestion->evidence,
                 &suggestion->evidence_count);
}

/* slowdown  of the facts' case; NULL: its time did not rise */
static void rules_ask(struct maker *maker, const struct kg_facts *facts,
                      const struct kg_slower *slowdown)
{
    const struct kg_suggest_settings *settings = &maker->made->settings;
    for (size_t r = 0; kg_rule_at(r); r++) {
        const struct kg_rule *rule = kg_rule_at(r);
        struct kg_judged judged;
        if (!kg_rule_judge(rule, facts, settings, &judged))
            continue;
        if (!slowdown || kg_suggestion_grew(slowdown, rule, facts, settings, &judged))
            suggestion_make(maker, rule, facts, &judged);
        else
            maker->made->alike_count++;
    }
}

static double saved_bytes(const struct kg_suggestion *suggestion)
{
    const double saved = suggestion->current_bytes - suggestion->estimated_bytes;
    return isfinite(saved) ? saved : 0;
}

/* By rank, highest first; suggestions about memory alone by bytes saved. */
static int suggestion_compare(const void *left, const void *right)
{
    const struct kg_suggestion *a = left, *b = right;
    const double keys[][2] = {{a->rank, b->rank},
                              {saved_bytes(a), saved_bytes(b)},
                              {b->priority, a->priority},
                              {b->basis, a->basis}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? 1 : -1;
    const int operations = strcmp(a->operation, b->operation);
    return operations ? operations : strcmp(a->rule, b->rule);
}

/* Among all slower versions, only the one with the largest saving keeps its rank: the suite's
 * author knows the others. */
static void versions_yield(struct kg_suggestions *made)
{
    struct kg_suggestion *first = NULL;
    for (size_t i = 0; i < made->suggestion_count; i++) {
        struct kg_suggestion *suggestion = &made->suggestions[i];
        if (strcmp(suggestion->rule, KG_RULE_SLOWER_VERSION) != 0)
            continue;
        struct kg_suggestion *less = first && suggestion->rank > first->rank ? first
                                     : first                                 ? suggestion
                                                                             : NULL;
        if (less) {
            less->rank = 0;
            less->priority =
                less->priority < KG_PRIORITY_MEDIUM ? KG_PRIORITY_MEDIUM : less->priority;
        }
        if (!first || less == first)
            first = suggestion;
    }
}

static void suggestions_make(struct maker *maker)
{
    struct kg_suggestions *made = maker->made;
    for (size_t i = 0; i < maker->cases.count; i++)
        if (kg_known(maker->cases.of[i].traits.time_ns))
            maker->suite_ns += maker->cases.of[i].traits.time_ns;
    for (size_t i = 0; i < maker->cases.count; i++)
        rules_ask(maker, &maker->cases.of[i], maker->slowdowns[i]);
    for (size_t i = 0; i < maker->scopes.count; i++)
        rules_ask(maker, &maker->scopes.of[i], NULL);
    versions_yield(made);
    if (made->suggestion_count)
        qsort(made->suggestions, made->suggestion_count, sizeof *made->suggestions,
              suggestion_compare);
}

/* --- The whole -------------------------------------------------------------------------------- */

static void header_make(struct maker *maker)
{
    const struct kg_suggest_input *input = maker->input;
    struct kg_suggestions *made = maker->made;
    struct kg_arena *arena = &made->arena;
    kg_suggest_settings_of(input, &made->settings);
    made->created =
        input->comparison ? kg_arena_keep(arena, input->comparison->created) : kg_timestamp(arena);
    made->kgate_version = KGATE_VERSION;
    made->source = kg_arena_keep(arena, input->source);
    made->base = kg_arena_keep(arena, input->base);
    if (input->results) {
        made->suite = kg_arena_keep(arena, input->results->suite);
        made->fingerprint = kg_arena_keep(arena, input->results->machine.fingerprint);
    }
}

void kg_suggest(const struct kg_suggest_input *input, struct kg_suggestions *suggestions)
{
    struct kg_arena scratch = {0};
    struct maker maker = {.input = input, .made = suggestions};
    *suggestions = (struct kg_suggestions){0};
    header_make(&maker);
    kg_facts_gather(input, &scratch, &maker.cases, &maker.scopes);
    if (!input->brief)
        findings_make(&maker);
    changes_make(&maker, &scratch);
    suggestions_make(&maker);
    kg_suggestions_check(suggestions);
    kg_notes_make(input, &maker.cases, maker.no_changes, suggestions);
    kg_arena_free(&scratch);
}
