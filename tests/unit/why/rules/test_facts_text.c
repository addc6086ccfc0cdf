/* Runs the tests that are written as facts, tests/text/suggest/{causes,diagnosis,changes}.facts: a
 * line sets facts, or gives an expected result. */
#include "why/evidence/changed_rows.h"
#include "why/rules/diagnosis.h"
#include "why/rules/rule_trials.h"

enum { NOTES_BYTES = 2048 };

/* The part of a test read so far. */
struct scene {
    struct facts_file file;
    struct kg_facts facts;
    char measure[64];
    struct kg_slower slower;
    unsigned expectations;
};

/* fail_msg, with file and line. */
#define FAIL(scene, ...)                                                                           \
    do {                                                                                           \
        char message[3 * NOTES_BYTES];                                                             \
        snprintf(message, sizeof message, __VA_ARGS__);                                            \
        fail_msg("tests/text/suggest/%s.facts:%u: %s", (scene)->file.name, (scene)->file.line,     \
                 message);                                                                         \
    } while (0)

/* The text after a word at the start of a line; NULL if the line begins otherwise. */
static char *after(char *line, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || (line[length] && line[length] != ' '))
        return NULL;
    return line + length + (line[length] == ' ');
}

/* The text between quotes; *next: the text after it. */
static const char *quoted(const struct scene *scene, char *at, char **next)
{
    char *begin = strchr(at, '"'), *end = begin ? strchr(begin + 1, '"') : NULL;
    if (!end) {
        FAIL(scene, "expected a text in quotes, found `%s`", at);
        *next = at;
        return "";
    }
    *end = '\0';
    *next = end + 1;
    return begin + 1;
}

/* --- Facts and rules -------------------------------------------------------------------------- */

static struct kg_judged judged_by(const struct scene *scene, const char *rule)
{
    const struct kg_suggest_settings settings = settings_default();
    struct kg_judged judged;
    if (!kg_rule_judge(rule_find(rule), &scene->facts, &settings, &judged))
        FAIL(scene, "%s does not fire", rule);
    return judged;
}

/* The rule with the highest rank below *last; updates *last. NULL if there is none. */
static const struct kg_rule *next_fired(const struct kg_facts *facts, double *last)
{
    const struct kg_suggest_settings settings = settings_default();
    const struct kg_rule *best = NULL;
    struct kg_judged judged;
    double best_rank = -1;
    for (size_t r = 0; kg_rule_at(r); r++)
        if (kg_rule_judge(kg_rule_at(r), facts, &settings, &judged) && judged.rank < *last &&
            judged.rank > best_rank) {
            best = kg_rule_at(r);
            best_rank = judged.rank;
        }
    *last = best_rank;
    return best;
}

/* "fires RULE RULE", by rank, or "fires nothing". */
static void expect_fired(const struct scene *scene, const char *expected)
{
    char names[512] = "";
    double last = INFINITY;
    for (const struct kg_rule *rule; (rule = next_fired(&scene->facts, &last));)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] ? " " : "",
                 rule->name);
    if (strcmp(names[0] ? names : "nothing", expected) != 0)
        FAIL(scene, "expected %s, found %s", expected, names[0] ? names : "nothing");
}

/* "RULE estimates 6.25ms", to a nanosecond. */
static void expect_estimate(const struct scene *scene, const char *rule, const char *expected)
{
    const double found = judged_by(scene, rule).estimated_ns;
    if (!(fabs(found - facts_number(&scene->file, expected)) < 1))
        FAIL(scene, "expected %s to estimate %s, found %g ns", rule, expected, found);
}

/* "RULE is at most". */
static void expect_basis(const struct scene *scene, const char *rule, const char *expected)
{
    const struct kg_judged judged = judged_by(scene, rule);
    if (strcmp(kg_basis_names[judged.basis], expected) != 0)
        FAIL(scene, "expected %s to be %s, found %s", rule, expected, kg_basis_names[judged.basis]);
    if (judged.basis == KG_BASIS_AT_MOST && judged.priority < KG_PRIORITY_MEDIUM)
        FAIL(scene, "%s is at most, but its priority is %s", rule,
             kg_priority_names[judged.priority]);
}

static void expect_priority(const struct scene *scene, const char *rule, const char *expected)
{
    const struct kg_judged judged = judged_by(scene, rule);
    if (strcmp(kg_priority_names[judged.priority], expected) != 0)
        FAIL(scene, "expected %s to have the priority %s, found %s", rule, expected,
             kg_priority_names[judged.priority]);
}

/* Checks the expectation of one rule. */
static void expect_rule(const struct scene *scene, const char *rule, char *line)
{
    char *rest;
    if (!strcmp(line, "fires") || !strcmp(line, "does not fire")) {
        if (fires(rule, &scene->facts) != !strcmp(line, "fires"))
            FAIL(scene, "expected: %s %s", rule, line);
    } else if ((rest = after(line, "estimates")))
        expect_estimate(scene, rule, rest);
    else if ((rest = after(line, "has priority")))
        expect_priority(scene, rule, rest);
    else if ((rest = after(line, "is")))
        expect_basis(scene, rule, rest);
    else if (strcmp(line, "comes last") != 0)
        FAIL(scene, "unknown: %s %s", rule, line);
    else if (judged_by(scene, rule).rank != 0)
        FAIL(scene, "expected %s to come last", rule);
}

/* --- Diagnosis -------------------------------------------------------------------------------- */

static struct kg_diagnosis diagnosed(const struct scene *scene)
{
    const struct kg_suggest_settings settings = settings_default();
    struct kg_diagnosis diagnosis;
    kg_diagnose(&scene->facts, &settings, &diagnosis);
    for (size_t i = 0; i < 6 && diagnosis.evidence[i]; i++)
        if (!facts_is(diagnosis.evidence[i]))
            FAIL(scene, "there is no fact '%s'", diagnosis.evidence[i]);
    if ((diagnosis.bound == KG_BOUND_UNKNOWN) != (diagnosis.missing != NULL) ||
        (diagnosis.bound == KG_BOUND_UNKNOWN) != isnan(diagnosis.share))
        FAIL(scene, "%s has a share of %g and misses %s", kg_bound_names[diagnosis.bound],
             diagnosis.share, diagnosis.missing ? diagnosis.missing : "nothing");
    return diagnosis;
}

/* Sets each fact to nonsense, one per trial: a share stays a share or unknown. */
static void nonsense_gives_no_silly_share(const struct scene *scene)
{
    static const double nonsense[] = {0, NAN, INFINITY, -INFINITY, -1, 1e308, 5e-324};
    const struct kg_suggest_settings settings = settings_default();
    for (size_t f = 0; f < kg_fact_count + kg_trait_count; f++)
        for (size_t v = 0; v < sizeof nonsense / sizeof nonsense[0]; v++) {
            struct kg_facts facts = scene->facts;
            struct kg_diagnosis diagnosis;
            const char *name =
                f < kg_fact_count ? kg_fact_table[f].name : kg_trait_table[f - kg_fact_count].name;
            fact_set(&facts, name, nonsense[v]);
            kg_diagnose(&facts, &settings, &diagnosis);
            if (diagnosis.bound == KG_BOUND_UNKNOWN
                    ? !isnan(diagnosis.share)
                    : !(diagnosis.share > 0 && diagnosis.share <= 1))
                FAIL(scene, "%s = %g: %s, %g", name, nonsense[v], kg_bound_names[diagnosis.bound],
                     diagnosis.share);
        }
}

/* "bound memory-bound 80% by bandwidth_share". */
static void expect_bound(const struct scene *scene, const char *line)
{
    const struct kg_diagnosis diagnosis = diagnosed(scene);
    char bound[32], share[32], evidence[64];
    if (sscanf(line, "%31s %31s by %63s", bound, share, evidence) != 3)
        FAIL(scene, "expected `bound BOUND SHARE by FACT`");
    if (strcmp(kg_bound_names[diagnosis.bound], bound) != 0 ||
        !(fabs(diagnosis.share - facts_number(&scene->file, share)) < 1e-6) ||
        strcmp(diagnosis.evidence[0], evidence) != 0)
        FAIL(scene, "expected %s, found %s %g by %s", line, kg_bound_names[diagnosis.bound],
             diagnosis.share, diagnosis.evidence[0] ? diagnosis.evidence[0] : "nothing");
    nonsense_gives_no_silly_share(scene);
}

/* Expects "unknown", optionally with a part of the missing evidence. */
static void expect_unknown(const struct scene *scene, char *line)
{
    const struct kg_diagnosis diagnosis = diagnosed(scene);
    char *next;
    if (diagnosis.bound != KG_BOUND_UNKNOWN)
        FAIL(scene, "expected unknown, found %s", kg_bound_names[diagnosis.bound]);
    else if (*line && !strstr(diagnosis.missing, quoted(scene, line, &next)))
        FAIL(scene, "found: %s", diagnosis.missing);
}

/* --- Changes ---------------------------------------------------------------------------------- */

static void slower_begin(struct scene *scene, double times)
{
    scene->slower = (struct kg_slower){
        .base_value = 1e6, .current_value = times * 1e6, .page_fault_ns = 50e3, .launch_ns = 2000};
    kg_traits_clear(&scene->slower.base);
    kg_traits_clear(&scene->slower.current);
}

static void trait_put(const struct scene *scene, struct kg_traits *traits, const char *name,
                      const char *value)
{
    for (size_t i = 0; i < kg_trait_count; i++)
        if (!strcmp(kg_trait_table[i].name, name)) {
            kg_trait_set(traits, &kg_trait_table[i], facts_number(&scene->file, value));
            return;
        }
    FAIL(scene, "there is no trait '%s'", name);
}

/* All notes, separated by "; ", the largest share first. */
static const char *notes_of(const struct scene *scene)
{
    static char text[NOTES_BYTES];
    struct kg_arena arena = {0};
    struct kg_reason notes[KG_REASONS_MOST];
    size_t count, length = 0;
    kg_slower_note(&arena, &scene->slower, notes, &count);
    assert_true(count <= KG_REASONS_MOST);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (!(notes[i].explains > 0 && notes[i].explains <= (i ? notes[i - 1].explains : 1)))
            FAIL(scene, "'%s' explains %g", notes[i].text, notes[i].explains);
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? "; " : "",
                                   notes[i].text);
        assert_true(length < sizeof text);
    }
    kg_arena_free(&arena);
    return text;
}

static bool has_in_order(const struct scene *scene, const char *text, char *line)
{
    for (char *next = line; strchr(line, '"'); line = next) {
        text = strstr(text, quoted(scene, line, &next));
        if (!text)
            return false;
    }
    return true;
}

/* Words: "notes" the whole text, "contains" a part, "lacks" no such part; "begins" a prefix, "order" parts
 * in order. */
static void expect_notes(const struct scene *scene, const char *word, char *line)
{
    const char *text = notes_of(scene);
    char *next, whole[NOTES_BYTES];
    snprintf(whole, sizeof whole, "%s", line);
    bool good;
    if (!strcmp(word, "order"))
        good = has_in_order(scene, text, line);
    else if (!strcmp(line, "nothing"))
        good = !*text;
    else {
        const char *part = quoted(scene, line, &next);
        good = !strcmp(word, "notes")      ? !strcmp(text, part)
               : !strcmp(word, "contains") ? strstr(text, part) != NULL
               : !strcmp(word, "lacks")    ? !strstr(text, part)
                                           : !strncmp(text, part, strlen(part));
    }
    if (!good)
        FAIL(scene, "expected: %s %s, notes: '%s'", word, whole, text);
}

static enum kg_metric_kind metric_named(const struct scene *scene, const char *name)
{
    for (int i = 0; kg_metric_kind_names[i]; i++)
        if (!strcmp(kg_metric_kind_names[i], name))
            return (enum kg_metric_kind)i;
    FAIL(scene, "there is no metric '%s'", name);
    return KG_METRIC_TIME;
}

/* --- Lines ------------------------------------------------------------------------------------ */

/* "on cuda", "scope on cpu". */
static void facts_begin(struct scene *scene, const char *device, bool scope)
{
    facts_make(&scene->facts, strcmp(device, "cuda") ? "cpu" : "cuda", scope,
               (const struct named_fact[]){{0}});
}

/* Whether a line "RULE fires" or the like; a fact may be called as a rule is. */
static bool is_of_rule(const char *line)
{
    static const char *const verbs[] = {"fires", "does", "estimates", "has", "is", "comes"};
    char rule[TRIAL_NAME_BYTES], verb[TRIAL_NAME_BYTES];
    bool known = false;
    if (sscanf(line, "%47s %47s", rule, verb) != 2 || !rule_find(rule))
        return false;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        known = known || !strcmp(verb, verbs[i]);
    return known;
}

/* False if the line is no expectation. */
static bool line_expects(struct scene *scene, char *line)
{
    static const char *const of_notes[] = {"notes", "contains", "lacks", "begins", "order"};
    char rule[TRIAL_NAME_BYTES];
    char *rest;
    for (size_t i = 0; i < sizeof of_notes / sizeof *of_notes; i++)
        if ((rest = after(line, of_notes[i]))) {
            expect_notes(scene, of_notes[i], rest);
            return true;
        }
    if ((rest = after(line, "fires")))
        expect_fired(scene, rest);
    else if ((rest = after(line, "bound")))
        expect_bound(scene, rest);
    else if ((rest = after(line, "unknown")))
        expect_unknown(scene, rest);
    else if (is_of_rule(line) && sscanf(line, "%47s", rule) == 1)
        expect_rule(scene, rule, line + strlen(rule) + 1);
    else
        return false;
    return true;
}

static void line_sets(struct scene *scene, char *line)
{
    char name[64], base[32], current[32], more[2];
    char *rest;
    if ((rest = after(line, "on")))
        facts_begin(scene, rest, false);
    else if ((rest = after(line, "scope on")))
        facts_begin(scene, rest, true);
    else if (!strcmp(line, "outermost"))
        scene->facts.operation = scene->facts.whole;
    else if ((rest = after(line, "sweep_measure"))) {
        snprintf(scene->measure, sizeof scene->measure, "%s", rest);
        scene->facts.sweep_measure = scene->measure;
    } else if (strstr(line, " times as slow"))
        slower_begin(scene, strtod(line, NULL));
    else if ((rest = after(line, "metric")))
        scene->slower.metric = metric_named(scene, rest);
    else if ((rest = after(line, "page_fault_ns none")))
        scene->slower.page_fault_ns = NAN;
    else if ((rest = after(line, "launch_ns none")))
        scene->slower.launch_ns = NAN;
    else if (sscanf(line, "%63s %31s -> %31s %1s", name, base, current, more) == 3) {
        trait_put(scene, &scene->slower.base, name, base);
        trait_put(scene, &scene->slower.current, name, current);
    } else
        facts_line(&scene->file, line, &scene->facts);
}

static void file_run(const char *name)
{
    struct scene scene = {0};
    facts_open(&scene.file, name);
    for (char *line; (line = facts_next(&scene.file));) {
        if (!scene.file.indented && !after(line, "test"))
            FAIL(&scene, "expected `test NAME`, found `%s`", line);
        else if (!scene.file.indented)
            scene.expectations++;
        else if (line_expects(&scene, line))
            scene.expectations++;
        else
            line_sets(&scene, line);
    }
    assert_true(scene.expectations > 0);
    facts_close(&scene.file);
}

static void causes(void **state)
{
    file_run("causes");
}

static void diagnoses(void **state)
{
    file_run("diagnosis");
}

static void changes(void **state)
{
    file_run("changes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(causes),
        cmocka_unit_test(diagnoses),
        cmocka_unit_test(changes),
    };
    return cmocka_run_group_tests_name("facts as text", tests, NULL, NULL);
}
