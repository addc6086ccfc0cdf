#include "why/explanation.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "why/evidence/gather.h"

/* --- Selection of the case ------------------------------------------------------------------- */

enum how { HOW_EXACT, HOW_GLOB, HOW_PART, HOW_COUNT };

static bool meant(const char *id, const char *name, enum how how)
{
    return how == HOW_EXACT  ? !strcmp(id, name)
           : how == HOW_GLOB ? fnmatch(name, id, 0) == 0
                             : strstr(id, name) != NULL;
}

static bool ambiguous(const struct kg_results *results, const char *name, enum how how,
                      size_t count, struct kg_error *err)
{
    enum { MOST = 8 };
    struct kg_text ids = {0};
    size_t named = 0;
    for (size_t i = 0; i < results->case_count && named < MOST; i++)
        if (meant(results->cases[i].id, name, how)) {
            kg_text_printf(&ids, "%s'", named++ ? ", " : "");
            kg_escape_terminal(&ids, results->cases[i].id, 120);
            kg_text_append(&ids, "'");
        }
    if (count > named)
        kg_text_printf(&ids, " and %zu more", count - named);
    kg_error_set(err, KG_ERROR_USAGE, "'%.200s' matches %zu cases; name one of them: %s", name,
                 count, kg_text_string(&ids));
    kg_text_free(&ids);
    return false;
}

static bool unknown(const struct kg_results *results, const char *name, struct kg_error *err)
{
    struct kg_text near = {0};
    if (!results->case_count)
        return kg_error_set(err, KG_ERROR_USAGE, "the results have no case");
    const char **ids = kg_alloc(results->case_count, sizeof *ids);
    for (size_t i = 0; i < results->case_count; i++)
        ids[i] = results->cases[i].id;
    kg_suggest_few_append(&near, name, ids, results->case_count, "the cases are");
    kg_error_set(err, KG_ERROR_USAGE, "no case matches '%.200s'%s", name, kg_text_string(&near));
    kg_text_free(&near);
    free(ids);
    return false;
}

bool kg_explanation_find(const struct kg_results *results, const char *name, size_t *index,
                         struct kg_error *err)
{
    for (int how = 0; how < HOW_COUNT; how++) {
        size_t count = 0;
        for (size_t i = 0; i < results->case_count; i++)
            if (meant(results->cases[i].id, name, (enum how)how)) {
                *index = i;
                count++;
            }
        if (count == 1)
            return true;
        if (count)
            return ambiguous(results, name, (enum how)how, count, err);
    }
    return unknown(results, name, err);
}

/* --- Relatives ------------------------------------------------------------------------------- */

static const char *target_of(const struct kg_case_result *result)
{
    return result->target ? result->target : result->workload;
}

/* The only difference of two cases of one target: a parameter, or the device. NULL: there are
 * none or several. */
static const char *difference(const struct kg_case_result *a, const struct kg_case_result *b)
{
    const char *differs = strcmp(a->device, b->device) != 0 ? "device" : NULL;
    if (strcmp(target_of(a), target_of(b)) != 0 || a->param_count != b->param_count)
        return NULL;
    for (size_t i = 0; i < a->param_count; i++) {
        if (strcmp(a->params[i].name, b->params[i].name) != 0)
            return NULL;
        if (!strcmp(a->params[i].value, b->params[i].value))
            continue;
        if (differs)
            return NULL;
        differs = a->params[i].name;
    }
    return differs;
}

/* Position of a difference in the explained case's order of parameters. */
static size_t place(const struct kg_case_result *result, const char *differs)
{
    size_t i = 0;
    while (i < result->param_count && strcmp(result->params[i].name, differs) != 0)
        i++;
    return i;
}

static void relatives_find(struct kg_explanation *explanation)
{
    const struct kg_results *results = explanation->results;
    const struct kg_case_result *result = explanation->result;
    const double time_ns = result->summary.median_ns;
    explanation->relatives =
        kg_arena_alloc(&explanation->arena, results->case_count, sizeof *explanation->relatives);
    for (size_t p = 0; p <= result->param_count; p++)
        for (size_t i = 0; i < results->case_count; i++) {
            const struct kg_case_result *other = &results->cases[i];
            const char *differs = difference(result, other);
            if (!differs || place(result, differs) != p || !kg_known(other->summary.median_ns))
                continue;
            explanation->relatives[explanation->relative_count++] =
                (struct kg_relative_case){.id = other->id,
                                          .differs = differs,
                                          .index = i,
                                          .time_ns = other->summary.median_ns,
                                          .ratio = other->summary.median_ns / time_ns};
        }
}

/* --- The whole ------------------------------------------------------------------------------- */

static int scope_compare(const void *left, const void *right)
{
    const struct kg_facts *a = left, *b = right;
    return (a->traits.time_ns < b->traits.time_ns) - (a->traits.time_ns > b->traits.time_ns);
}

/* Takes the scopes of the case. */
static void scopes_take(struct kg_explanation *explanation, const struct kg_facts_list *scopes)
{
    explanation->scopes =
        kg_arena_alloc(&explanation->arena, scopes->count, sizeof *explanation->scopes);
    for (size_t i = 0; i < scopes->count; i++)
        if (!strcmp(scopes->of[i].whole, explanation->result->id))
            explanation->scopes[explanation->scope_count++] = scopes->of[i];
    qsort(explanation->scopes, explanation->scope_count, sizeof *explanation->scopes,
          scope_compare);
}

/* Removes entries of other cases. */
static void suggestions_narrow(struct kg_suggestions *suggestions, const char *id)
{
    size_t kept = 0;
    for (size_t i = 0; i < suggestions->suggestion_count; i++)
        if (!strcmp(suggestions->suggestions[i].whole, id))
            suggestions->suggestions[kept++] = suggestions->suggestions[i];
    suggestions->suggestion_count = kept;
    kept = 0;
    for (size_t i = 0; i < suggestions->finding_count; i++)
        if (!strcmp(suggestions->findings[i].operation, id))
            suggestions->findings[kept++] = suggestions->findings[i];
    suggestions->finding_count = kept;
    kept = 0;
    for (size_t i = 0; i < suggestions->change_count; i++)
        if (!strcmp(suggestions->changes[i].operation, id))
            suggestions->changes[kept++] = suggestions->changes[i];
    suggestions->change_count = kept;
    kept = 0;
    for (size_t i = 0; i < suggestions->difference_count; i++)
        if (!strcmp(suggestions->differences[i].operation, id))
            suggestions->differences[kept++] = suggestions->differences[i];
    suggestions->difference_count = kept;
}

void kg_explain(const struct kg_suggest_input *input, size_t index,
                struct kg_suggestions *suggestions, struct kg_explanation *explanation)
{
    struct kg_facts_list cases, scopes;
    const struct kg_case_result *result = &input->results->cases[index];
    *explanation = (struct kg_explanation){
        .results = input->results, .result = result, .suggestions = suggestions};
    suggestions_narrow(suggestions, result->id);
    kg_facts_gather(input, &explanation->arena, &cases, &scopes);
    explanation->facts = cases.of[index];
    scopes_take(explanation, &scopes);
    relatives_find(explanation);
    kg_deeper_find(input->results, result, &explanation->arena, &explanation->deeper,
                   &explanation->deeper_count);
}

void kg_explanation_free(struct kg_explanation *explanation)
{
    kg_arena_free(&explanation->arena);
    *explanation = (struct kg_explanation){0};
}
