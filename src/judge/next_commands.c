/* next_commands.c: after a FAIL the reader wants to reproduce the change, to accept it, or to put an unstable case in
 * quarantine. Each is a command for the worst case that fails. */
#include "judge/next_commands.h"

#include <string.h>

#include "base/escape.h"
#include "judge/waivers_apply.h"
#include "model/change.h"

enum { COMMANDS_MOST = 3 };

/* Cases that fail, and the parts of their commands. */
struct failing {
    struct kg_comparison *comparison;
    const struct kg_results *current;
    const struct kg_next_source *source;
    const struct kg_case_change *change;   /* the worst case that fails */
    const struct kg_case_change *waivable; /* the worst that can be waived; NULL: none */
    bool
        has_suite; /* false: the suite is not a file, so no file of accepted changes is beside it */
};

/* Returns the worst case that fails; NULL if there is none. A FAILED case fails, but cannot be waived. A MISSING case has
 * no command: its shard must be measured again.
 * waivable  only cases that `accept` or `quarantine` can cover */
static const struct kg_case_change *worst_failing(const struct kg_comparison *comparison,
                                                  bool waivable)
{
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (change->fails && change->change != KG_CHANGE_MISSING &&
            (!waivable || kg_changes[change->change].waivable))
            return change;
    }
    return NULL;
}

/* Adds a command and frees its text. */
static void command_add(const struct failing *failing, const char *purpose, struct kg_text *text)
{
    struct kg_comparison *comparison = failing->comparison;
    comparison->next_commands[comparison->next_command_count++] =
        (struct kg_next_command){purpose, kg_arena_copy(&comparison->arena, kg_text_string(text))};
    kg_text_free(text);
}

static void suite_append(const struct failing *failing, struct kg_text *text)
{
    kg_text_append(text, " -c ");
    kg_shell_quote(text, failing->comparison->suite_path);
}

static void filter_append(const struct failing *failing, struct kg_text *text)
{
    kg_text_append(text, " --filter ");
    kg_shell_quote_glob(text, failing->change->id);
}

/* Appends a file of the folder. */
static void file_append(const struct failing *failing, const char *name, struct kg_text *text)
{
    struct kg_text path = {0};
    kg_text_printf(&path, "%s/%s", failing->source->directory, name);
    kg_shell_quote(text, kg_text_string(&path));
    kg_text_free(&path);
}

/* An `ab` is repeated as given. Its command has BASE and HEAD to fill in if its folders belong to a pipeline. */
static void pairs_append(const struct failing *failing, struct kg_text *text)
{
    const struct kg_again *again = failing->source->again;
    if (again && again->command) {
        kg_text_append(text, again->command);
        if (!again->is_filtered && failing->current->case_count > 1)
            filter_append(failing, text);
        return;
    }
    kg_text_append(text, "kgate ab");
    suite_append(failing, text);
    kg_text_append(text, " --base BASE --head HEAD");
    filter_append(failing, text);
}

static void reproduce_add(const struct failing *failing)
{
    struct kg_text text = {0};
    const char *baselines = failing->source->baselines;
    if (failing->current->pair) {
        pairs_append(failing, &text);
    } else {
        kg_text_append(&text, "kgate gate");
        suite_append(failing, &text);
        if (baselines) {
            kg_text_append(&text, " -b ");
            kg_shell_quote(&text, baselines);
        }
        kg_text_append(&text, failing->source->options ? failing->source->options : "");
        filter_append(failing, &text);
    }
    command_add(failing, "reproduce", &text);
}

/* Returns the first metric of the case that can be accepted; NULL if there is none. */
static const struct kg_metric *acceptable_find(const struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++)
        if (kg_is_acceptable(change, &change->metrics[m]))
            return &change->metrics[m];
    return NULL;
}

/* Without comparison.json the command names the metric and the change. */
static void accept_add(const struct failing *failing, const struct kg_metric *metric)
{
    struct kg_text text = {0};
    kg_text_append(&text, "kgate accept ");
    kg_shell_quote_glob(&text, failing->waivable->id);
    suite_append(failing, &text);
    if (failing->source->directory) {
        kg_text_append(&text, " --from ");
        file_append(failing, "comparison.json", &text);
    } else {
        kg_text_append(&text, " --metric ");
        kg_shell_quote(&text, metric->name);
        kg_text_printf(&text, " --change %+.1f%%", 100 * kg_acceptable_change(metric));
    }
    kg_text_append(&text, " --because TEXT");
    command_add(failing, "accept", &text);
}

static void quarantine_add(const struct failing *failing)
{
    struct kg_text text = {0};
    kg_text_append(&text, "kgate quarantine ");
    kg_shell_quote_glob(&text, failing->waivable->id);
    suite_append(failing, &text);
    kg_text_append(&text, " --because TEXT");
    command_add(failing, "quarantine", &text);
}

/* After paired rounds the folder has both builds' results, whose profiles were taken side by side. */
static void explain_add(const struct failing *failing)
{
    struct kg_text text = {0};
    const bool paired = failing->current->pair || failing->waivable->pairs;
    kg_text_append(&text, "kgate explain ");
    kg_shell_quote_glob(&text, failing->waivable->id);
    kg_text_append(&text, " ");
    file_append(failing, paired ? "head.json" : "results.json", &text);
    if (paired) {
        kg_text_append(&text, " --base ");
        file_append(failing, "base.json", &text);
    }
    command_add(failing, "explain", &text);
}

void kg_next_commands_make(struct kg_comparison *comparison, const struct kg_results *current,
                           const struct kg_next_source *source)
{
    const char *suite = comparison->suite_path;
    const struct failing failing = {.comparison = comparison,
                                    .current = current,
                                    .source = source,
                                    .change = worst_failing(comparison, false),
                                    .waivable = worst_failing(comparison, true),
                                    .has_suite = suite && *suite && strcmp(suite, "-") != 0};
    const bool is_repeatable = source->again && source->again->command;
    comparison->next_commands = NULL;
    comparison->next_command_count = 0;
    if (!failing.change || !(failing.has_suite || (current->pair && is_repeatable)))
        return;
    comparison->next_commands =
        kg_arena_alloc(&comparison->arena, COMMANDS_MOST, sizeof *comparison->next_commands);
    reproduce_add(&failing);
    if (!failing.waivable)
        return;
    const struct kg_metric *metric = acceptable_find(failing.waivable);
    if (failing.has_suite && metric)
        accept_add(&failing, metric);
    else if (source->is_measured && source->directory)
        explain_add(&failing);
    if (failing.has_suite)
        quarantine_add(&failing);
}
