/* github.c: annotations of a GitHub workflow: `::error file=…,line=…,title=…::…` on standard output. The runner decodes
 * %0A (line end) and %25 (per cent), in properties also %3A and %2C. It shows at most ten errors, ten warnings and ten
 * notices per step. So the worst come first, and the tenth gives the number of annotations left out. */
#include <string.h>

#include "base/escape.h"
#include "show/format_parts.h"
#include "show/outcome.h"
#include "why/advice_index.h"

enum { SHOWN_MOST = 10, MESSAGE_MOST = 1000 };

enum level { LEVEL_ERROR, LEVEL_WARNING, LEVEL_NOTICE, LEVELS };
static const char *const level_names[LEVELS] = {"error", "warning", "notice"};

/* The annotations of one step of a workflow. */
struct annotations {
    const char *suite_path; /* NULL: unknown */
    struct kg_text lines[LEVELS];
    size_t count[LEVELS];
    size_t wanted[LEVELS]; /* number in all, printed or not */
};

static void escape(struct kg_text *text, const char *string, bool property)
{
    struct kg_text shown = {0};
    kg_escape_terminal(&shown, string, MESSAGE_MOST);
    for (const char *s = kg_text_string(&shown); *s; s++)
        if (*s == '%' || (property && (*s == ':' || *s == ',')))
            kg_text_printf(text, "%%%02X", (unsigned char)*s);
        else
            kg_text_append_bytes(text, s, 1);
    kg_text_free(&shown);
}

/* Appends further lines of a message. */
static void lines_append(struct kg_text *text, const char *lines)
{
    while (*lines) {
        const size_t length = strcspn(lines, "\n");
        struct kg_text line = {0};
        kg_text_append_bytes(&line, lines, length);
        kg_text_append(text, "%0A");
        escape(text, kg_text_string(&line), false);
        kg_text_free(&line);
        lines += length + (lines[length] == '\n');
    }
}

/* Appends one annotation.
 * line    line of the suite; 0: none
 * title   unescaped
 * cause   further lines, or ""
 * tail    last lines of the case's standard error, or NULL */
static void annotation_append(struct annotations *annotations, enum level level, size_t line,
                              const char *title, const char *message, const char *cause,
                              const char *tail)
{
    struct kg_text *text = &annotations->lines[level];
    kg_text_printf(text, "::%s ", level_names[level]);
    if (annotations->suite_path) {
        kg_text_append(text, "file=");
        escape(text, annotations->suite_path, true);
        kg_text_append(text, ",");
        if (line)
            kg_text_printf(text, "line=%zu,", line);
    }
    kg_text_append(text, "title=");
    escape(text, title, true);
    kg_text_append(text, "::");
    escape(text, message, false);
    lines_append(text, cause);
    if (tail)
        lines_append(text, tail);
    kg_text_append(text, "\n");
    annotations->count[level]++;
}

/* LEVELS: the case gets no annotation. */
static enum level level_of(const struct kg_case_outcome *outcome)
{
    if (outcome->kind == KG_OUTCOME_FAILURE || outcome->kind == KG_OUTCOME_ERROR)
        return LEVEL_ERROR;
    if (!outcome->worth_noting)
        return LEVELS;
    return outcome->kind == KG_OUTCOME_SKIPPED && !outcome->waived ? LEVEL_WARNING : LEVEL_NOTICE;
}

static void case_annotate(struct annotations *annotations, const struct kg_case_outcome *outcome)
{
    const enum level level = level_of(outcome);
    struct kg_text title = {0};
    if (level == LEVELS)
        return;
    annotations->wanted[level]++;
    if (annotations->count[level] == SHOWN_MOST)
        return;
    kg_text_printf(&title, "%s: %s", outcome->word, outcome->id);
    annotation_append(annotations, level, outcome->line, kg_text_string(&title), outcome->message,
                      outcome->cause, outcome->tail);
    kg_text_free(&title);
}

/* If there are more than ten annotations, replaces the tenth by the number of annotations left out. */
static void rest_annotate(struct annotations *annotations, enum level level)
{
    struct kg_text *text = &annotations->lines[level];
    struct kg_text message = {0};
    if (annotations->wanted[level] <= annotations->count[level])
        return;
    size_t start = text->length - 1;
    while (start && text->data[start - 1] != '\n')
        start--;
    kg_text_truncate(text, start);
    annotations->count[level]--;
    kg_text_printf(&message, "GitHub shows %d %ss of a step; the whole report has all cases",
                   SHOWN_MOST, level_names[level]);
    struct kg_text title = {0};
    kg_text_printf(&title, "kgate: %zu more",
                   annotations->wanted[level] - annotations->count[level]);
    annotation_append(annotations, level, 0, kg_text_string(&title), kg_text_string(&message), "",
                      NULL);
    kg_text_free(&title);
    kg_text_free(&message);
}

static void annotations_print(struct annotations *annotations, struct kg_text *text)
{
    for (enum level level = 0; level < LEVELS; level++) {
        rest_annotate(annotations, level);
        kg_text_append(text, kg_text_string(&annotations->lines[level]));
        kg_text_free(&annotations->lines[level]);
    }
}

/* The path of the suite; NULL for standard input, which is no file of the repository. */
static const char *path_known(const char *path)
{
    return path && *path && strcmp(path, "-") != 0 ? path : NULL;
}

/* Adds the verdict as the first annotation, unless it is PASS. The verdict may concern no single case. */
static void verdict_annotate(struct annotations *annotations,
                             const struct kg_comparison *comparison)
{
    const enum level level = comparison->verdict == KG_VERDICT_FAIL ? LEVEL_ERROR : LEVEL_WARNING;
    struct kg_text title = {0};
    if (comparison->verdict == KG_VERDICT_PASS)
        return;
    kg_text_printf(&title, "kgate %s: suite %s", kg_verdict_names[comparison->verdict],
                   comparison->suite);
    annotations->wanted[level]++;
    annotation_append(annotations, level, 0, kg_text_string(&title),
                      comparison->verdict_reason_count ? comparison->verdict_reasons[0] : "", "",
                      NULL);
    kg_text_free(&title);
}

void kg_cases_as_github(const struct kg_report_subject *subject, struct kg_text *text)
{
    struct annotations annotations = {.suite_path = path_known(subject->comparison
                                                                   ? subject->comparison->suite_path
                                                                   : subject->results->suite_path)};
    struct kg_arena scratch = {0};
    struct kg_advice_index advice;
    kg_advice_index_make(&scratch, subject->suggestions, &advice);
    if (subject->comparison)
        verdict_annotate(&annotations, subject->comparison);
    for (size_t i = 0; i < kg_outcome_count(subject); i++) {
        struct kg_arena arena = {0};
        const struct kg_case_outcome outcome = kg_outcome_of(&arena, subject, &advice, i);
        case_annotate(&annotations, &outcome);
        kg_arena_free(&arena);
    }
    annotations_print(&annotations, text);
    kg_arena_free(&scratch);
}
