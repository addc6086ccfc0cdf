/* Suggestions for a pull request. */
#include <string.h>

#include "base/escape.h"
#include "base/units.h"
#include "show/advice_text.h"
#include "show/markdown_parts.h"
#include "show/report.h"

/* Characters, each of at most nine bytes once escaped, so that a suggestion, a change or a finding
 * stays below KG_ADVICE_ITEM_MOST bytes. */
enum { ID_MOST = 200, WORDS_MOST = 400, COMMAND_MOST = 300, CLOSING_MOST = 12000 };

static const char *symbol(enum kg_priority priority)
{
    static const char *const symbols[KG_PRIORITY_COUNT] = {[KG_PRIORITY_CRITICAL] = "🔴",
                                                           [KG_PRIORITY_HIGH] = "🟠",
                                                           [KG_PRIORITY_MEDIUM] = "🟡",
                                                           [KG_PRIORITY_LOW] = "⚪"};
    return symbols[priority];
}

static void words(struct kg_text *text, const char *before, const char *string, const char *after)
{
    kg_text_append(text, before);
    kg_markdown_words(text, string ? string : "", WORDS_MOST);
    kg_text_append(text, after);
}

static void name(struct kg_text *text, const char *string)
{
    kg_escape_markdown(text, string, ID_MOST);
}

/* What was left out, and the command that shows it. */
static void more(struct kg_text *text, const struct kg_suggestions *suggestions, size_t count)
{
    struct kg_text command = {0};
    kg_advice_command(suggestions, &command);
    kg_text_printf(text, "\n… and %zu more: <code>", count);
    kg_escape_markdown(text, kg_text_string(&command), COMMAND_MOST);
    kg_text_append(text, "</code> shows all.\n");
    text->failed = text->failed || command.failed;
    kg_text_free(&command);
}

void kg_advice_changes_markdown(const struct kg_suggestions *suggestions, size_t room,
                                struct kg_text *text)
{
    size_t i = 0;
    if (suggestions->change_count)
        kg_text_append(text, "\n**What changed against the baseline**\n\n");
    for (; i < suggestions->change_count && text->length < room; i++) {
        kg_text_append(text, "- ");
        name(text, suggestions->changes[i].operation);
        words(text, ": ", suggestions->changes[i].text, "\n");
    }
    if (i < suggestions->change_count)
        more(text, suggestions, suggestions->change_count - i);
}

static void suggestion_print(const struct kg_suggestion *suggestion, struct kg_arena *arena,
                             struct kg_text *text)
{
    const char *gain = kg_advice_gain(arena, suggestion);
    const char *evidence =
        kg_advice_evidence(arena, suggestion->evidence, suggestion->evidence_count);
    kg_text_printf(text, "1. %s **%s**, ", symbol(suggestion->priority),
                   kg_priority_names[suggestion->priority]);
    name(text, suggestion->operation);
    kg_text_append(text, ": ");
    name(text, suggestion->rule);
    kg_text_printf(text, " (%s)", kg_suggestion_type_names[suggestion->type]);
    words(text, "<br>\n   **", gain, "**");
    words(text, "<br>\n   ", suggestion->description, "");
    words(text, "<br>\n   Try: ", suggestion->hint, "");
    if (suggestion->before && suggestion->after) {
        kg_text_append(text, "<br>\n   Before: ");
        name(text, suggestion->before);
        kg_text_append(text, "<br>\n   After: ");
        name(text, suggestion->after);
    }
    if (evidence && *evidence)
        words(text, "<br>\n   Evidence: ", evidence, "");
    kg_text_append(text, "\n");
    text->failed = text->failed || !gain || !evidence;
}

void kg_advice_markdown(const struct kg_suggestions *suggestions, size_t top, size_t room,
                        struct kg_text *text)
{
    struct kg_arena arena = {0};
    const size_t count = suggestions->suggestion_count;
    const size_t most = top && top < count ? top : count;
    size_t i = 0;
    kg_text_append(text, "\n");
    if (!count) {
        kg_advice_none(suggestions, text);
        kg_text_append(text, "\n");
    }
    for (; i < most && text->length < room; i++)
        suggestion_print(&suggestions->suggestions[i], &arena, text);
    if (i < count)
        more(text, suggestions, count - i);
    kg_arena_free(&arena);
}

static void findings_print(const struct kg_suggestions *suggestions, size_t room,
                           struct kg_text *text)
{
    char time[KG_UNIT_BYTES];
    size_t i = 0;
    if (!suggestions->finding_count)
        return;
    kg_text_printf(text,
                   "\n<details><summary>What holds them back</summary>\n\n"
                   "| operation | %s | bottleneck |\n| :-- | --: | :-- |\n",
                   suggestions->suite ? "median of rounds" : "time");
    for (; i < suggestions->finding_count && text->length < room; i++) {
        const struct kg_bound_finding *finding = &suggestions->findings[i];
        kg_text_append(text, "| ");
        name(text, finding->operation);
        kg_text_printf(text, " | %s", kg_duration_format(finding->time_ns, time));
        words(text, " | ", finding->text, " |\n");
    }
    if (i < suggestions->finding_count)
        more(text, suggestions, suggestions->finding_count - i);
    kg_text_append(text, "\n</details>\n");
}

void kg_report_suggestions_markdown(const struct kg_suggestions *suggestions, size_t top,
                                    struct kg_text *text)
{
    struct kg_text closing = {0};
    for (size_t i = 0; i < suggestions->note_count && closing.length < CLOSING_MOST; i++)
        words(&closing, i ? "- " : "\n- ", suggestions->notes[i], "\n");
    const size_t room = KG_MARKDOWN_MOST - KG_ADVICE_ITEM_MOST - closing.length;
    words(text,
          "**kgate suggest**: ", suggestions->suite ? suggestions->suite : suggestions->source,
          ", ");
    kg_advice_count(suggestions, text);
    kg_text_append(text, "\n");
    kg_advice_changes_markdown(suggestions, room / 4, text);
    kg_advice_markdown(suggestions, top, room / 4 * 3, text);
    findings_print(suggestions, room, text);
    kg_text_append(text, kg_text_string(&closing));
    text->failed = text->failed || closing.failed;
    kg_text_free(&closing);
}
