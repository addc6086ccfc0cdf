#include "show/markdown_parts.h"

#include <string.h>

#include "base/escape.h"
#include "show/cells.h"

/* Characters, as in markdown.c. */
enum { ID_MOST = 200, REASON_MOST = 300, HINT_MOST = 160, TAIL_MOST = 300, COMMAND_MOST = 400 };

/* Reasons that are shown, and ids before one that several cases have. */
enum { REASONS_MOST = 20, ALIKE_MOST = 4 };

bool kg_markdown_is_change(const struct kg_case_change *change)
{
    return change->change == KG_CHANGE_FAILED || change->change == KG_CHANGE_REGRESSION ||
           change->change == KG_CHANGE_IMPROVEMENT || change->change == KG_CHANGE_SUSPECT ||
           change->change == KG_CHANGE_INCONCLUSIVE || change->change == KG_CHANGE_REMOVED;
}

/* The last lines that a failed case wrote to standard error. */
static void tail_print(const char *tail, bool behind, struct kg_text *text)
{
    const size_t length = strlen(tail);
    if (length > TAIL_MOST) {
        tail += length - TAIL_MOST;
        while ((*tail & 0xc0) == 0x80) /* to the next whole character */
            tail++;
    }
    kg_text_append(text, behind ? "<br>it wrote last:" : "it wrote last:");
    while (*tail) {
        const size_t line = strcspn(tail, "\n");
        struct kg_text one = {0};
        kg_text_append_bytes(&one, tail, line);
        kg_text_append(text, "<br>");
        kg_escape_markdown(text, kg_text_string(&one), TAIL_MOST);
        kg_text_free(&one);
        tail += line + (tail[line] == '\n');
    }
}

/* "try: …" and what it would save. */
static void advice_print(const struct kg_suggestion *first, bool behind, struct kg_text *text)
{
    kg_text_append(text, behind ? "<br>try: " : "try: ");
    kg_markdown_words(text, first->hint, HINT_MOST);
}

/* A case with something to say, and all of it. */
struct reason {
    const struct kg_case_change *change;
    const char *circumstances;
    const struct kg_suggestion *first;
    const char *why; /* of a failure the table has it */
};

/* Whether there is anything to say of the case. */
static bool reason_find(const struct kg_case_change *change, const struct kg_advice_index *advice,
                        struct kg_arena *arena, struct reason *reason)
{
    const bool failed = change->change == KG_CHANGE_FAILED;
    if (!kg_markdown_is_change(change))
        return false;
    *reason = (struct reason){
        .change = change,
        .circumstances = kg_cell_circumstances(arena, change),
        .first =
            change->change == KG_CHANGE_REGRESSION ? kg_advice_first(advice, change->id) : NULL,
        .why = failed ? NULL : change->reason,
    };
    if (reason->circumstances && !*reason->circumstances)
        reason->circumstances = NULL;
    return reason->why || reason->circumstances || reason->first || change->waiver ||
           change->stderr_tail;
}

/* Whether its reason is all there is to say: it is said once for all that have the same. */
static bool is_plain(const struct reason *reason)
{
    return reason->why && !reason->circumstances && !reason->first && !reason->change->waiver &&
           !reason->change->stderr_tail;
}

static bool is_same(const struct reason *one, const struct reason *other)
{
    return is_plain(one) && is_plain(other) && !strcmp(one->why, other->why);
}

/* Appends the cases behind number `i` that have the same reason: ", ID, ID and 3 more". */
static void alike_print(const struct kg_comparison *comparison,
                        const struct kg_advice_index *advice, size_t i, const struct reason *reason,
                        struct kg_text *text)
{
    struct kg_arena arena = {0};
    size_t count = 0;
    if (!is_plain(reason))
        return;
    for (size_t k = i + 1; k < comparison->case_count; k++) {
        struct reason other;
        if (!comparison->cases[k].reason || strcmp(comparison->cases[k].reason, reason->why) != 0 ||
            !reason_find(&comparison->cases[k], advice, &arena, &other) || !is_same(reason, &other))
            continue;
        if (++count >= ALIKE_MOST)
            continue;
        kg_text_append(text, ", ");
        kg_escape_markdown(text, other.change->id, ID_MOST);
    }
    if (count >= ALIKE_MOST)
        kg_text_printf(text, " and %zu more", count - ALIKE_MOST + 1);
    kg_arena_free(&arena);
}

static void reason_print(const struct reason *reason, struct kg_text *text)
{
    const char *const parts[] = {reason->circumstances, reason->why, reason->change->waiver};
    bool any = false;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        if (!parts[p])
            continue;
        kg_text_append(text, any ? "; " : "");
        kg_markdown_words(text, parts[p], REASON_MOST);
        any = true;
    }
    if (reason->first)
        advice_print(reason->first, any, text);
    if (reason->change->stderr_tail)
        tail_print(reason->change->stderr_tail, any || reason->first, text);
}

/* Why, for what needs a word: not for every one of ten thousand. */
void kg_markdown_reasons(const struct kg_comparison *comparison,
                         const struct kg_advice_index *advice, size_t room, struct kg_text *text)
{
    struct reason shown[REASONS_MOST];
    struct kg_arena arena = {0};
    size_t count = 0;
    for (size_t i = 0; i < comparison->case_count && count < REASONS_MOST && text->length < room;
         i++) {
        struct reason *reason = &shown[count];
        bool said = false;
        if (!reason_find(&comparison->cases[i], advice, &arena, reason))
            continue;
        for (size_t k = 0; k < count && !said; k++)
            said = is_same(&shown[k], reason);
        if (said)
            continue;
        kg_text_append(text, count++ ? "- " : "\n- ");
        kg_escape_markdown(text, reason->change->id, ID_MOST);
        alike_print(comparison, advice, i, reason, text);
        kg_text_append(text, ": ");
        reason_print(reason, text);
        kg_text_append(text, "\n");
    }
    kg_arena_free(&arena);
}

/* Whether the case was measured in pairs of two builds. */
static bool is_paired(const struct kg_case_change *change)
{
    return change->metric_count && kg_metric_against(&change->metrics[0]) == KG_AGAINST_BASE;
}

void kg_markdown_again(const struct kg_comparison *comparison, struct kg_text *text)
{
    const struct kg_case_change *worst = comparison->case_count ? &comparison->cases[0] : NULL;
    struct kg_text command = {0};
    if (!worst || !comparison->suite_path || !*comparison->suite_path ||
        !kg_markdown_is_change(worst))
        return;
    kg_text_printf(&command, "Measure one of them again: `kgate %s -c ",
                   is_paired(worst) ? "ab --base BASE --head HEAD" : "gate");
    kg_shell_quote(&command, comparison->suite_path);
    kg_text_append(&command, " --filter ");
    kg_shell_quote_glob(&command, worst->id);
    kg_text_append(&command, "`");
    kg_text_append(text, "\n");
    kg_markdown_words(text, kg_text_string(&command), COMMAND_MOST);
    kg_text_append(text, "\n");
    text->failed = text->failed || command.failed;
    kg_text_free(&command);
}
