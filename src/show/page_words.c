#include "show/page_words.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/xml.h"

static void part_append(struct kg_text *text, const char *words, size_t length)
{
    struct kg_text part = {0};
    kg_text_append_bytes(&part, words, length);
    kg_xml_text(text, kg_text_string(&part));
    text->failed = text->failed || part.failed;
    kg_text_free(&part);
}

void kg_html_words(struct kg_text *text, const char *words)
{
    for (const char *rest = words ? words : ""; *rest;) {
        const char *tick = strchr(rest, '`');
        const char *end = tick ? strchr(tick + 1, '`') : NULL;
        if (!end) {
            kg_xml_text(text, rest);
            return;
        }
        part_append(text, rest, (size_t)(tick - rest));
        kg_text_append(text, "<code>");
        part_append(text, tick + 1, (size_t)(end - tick - 1));
        kg_text_append(text, "</code>");
        rest = end + 1;
    }
}

void kg_html_element(struct kg_text *text, const char *tag, const char *words)
{
    if (!words || !*words)
        return;
    kg_text_printf(text, "<%s>", tag);
    kg_html_words(text, words);
    kg_text_printf(text, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

void kg_html_badge(struct kg_text *text, const char *sign, const char *word, const char *colour)
{
    kg_text_printf(text, "<span class=\"badge %s\"><span aria-hidden=\"true\">%s</span> ", colour,
                   sign);
    kg_html_words(text, word);
    kg_text_append(text, "</span>");
}

void kg_html_section(struct kg_text *text, const char *id, const char *title)
{
    kg_text_printf(text,
                   "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\" "
                   "tabindex=\"-1\">%s</h2>\n",
                   id, id, id, title);
}

void kg_html_table_begin(struct kg_text *text, const char *caption,
                         const struct kg_html_head *heads, size_t count)
{
    kg_text_printf(text,
                   "<div class=\"scrolled\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n"
                   "<table class=\"ids\">\n<caption class=\"hidden\">%s</caption>\n<thead><tr>",
                   caption, caption);
    for (size_t i = 0; i < count; i++)
        if (heads[i].name)
            kg_text_printf(text, "<th scope=\"col\" class=\"%s\">%s</th>",
                           heads[i].class ? heads[i].class : "", heads[i].name);
    kg_text_append(text, "</tr></thead>\n<tbody>\n");
}

void kg_html_row_begin(struct kg_text *text, const char *first)
{
    kg_text_append(text, "<tr><th scope=\"row\">");
    while (*first) { /* a long name wraps between its parts */
        const size_t part = strcspn(first, "/,;");
        const size_t length = part + (first[part] != '\0');
        part_append(text, first, length);
        first += length;
        kg_text_append(text, *first ? "<wbr>" : "");
    }
    kg_text_append(text, "</th>");
}

void kg_html_cell(struct kg_text *text, const struct kg_html_head *head, const char *value)
{
    if (!head->name)
        return;
    kg_text_printf(text, "<td class=\"%s\">", head->class ? head->class : "");
    kg_html_words(text, value);
    kg_text_append(text, "</td>");
}

void kg_html_row_end(struct kg_text *text)
{
    kg_text_append(text, "</tr>\n");
}

void kg_html_table_end(struct kg_text *text)
{
    kg_text_append(text, "</tbody>\n</table>\n</div>\n");
}

void kg_html_facts_begin(struct kg_text *text)
{
    kg_text_append(text, "<dl class=\"facts\">\n");
}

void kg_html_facts_end(struct kg_text *text)
{
    kg_text_append(text, "</dl>\n");
}

void kg_html_fact(struct kg_text *text, const char *term, const char *value)
{
    if (!value || !*value)
        return;
    kg_text_printf(text, "<div><dt>%s</dt><dd>", term);
    kg_xml_text(text, value);
    kg_text_append(text, "</dd></div>\n");
}

void kg_html_machine(struct kg_text *text, const struct kg_machine *machine)
{
    struct kg_text words = {0};
    char memory[KG_UNIT_BYTES];
    if (!machine->cpu_model || !*machine->cpu_model) /* profiles know of no machine */
        return;
    kg_text_append(&words, machine->cpu_model);
    if (machine->cpu_count)
        kg_text_printf(&words, ", %llu CPU%s", (unsigned long long)machine->cpu_count,
                       machine->cpu_count == 1 ? "" : "s");
    if (machine->memory_bytes)
        kg_text_printf(&words, ", %s", kg_size_format((double)machine->memory_bytes, memory));
    for (size_t i = 0; i < machine->gpu_count; i++)
        kg_text_printf(&words, ", %s", machine->gpus[i].name);
    kg_text_printf(&words, "; fingerprint %s", machine->fingerprint);
    kg_html_fact(text, "Machine", kg_text_string(&words));
    text->failed = text->failed || words.failed;
    kg_text_free(&words);
}

const char *kg_html_moment(const char *created, char *buffer)
{
    enum { DAY = 10, TIME = 11, MINUTES = 5 };
    if (strlen(created) < TIME + MINUTES)
        return created;
    snprintf(buffer, KG_HTML_MOMENT_BYTES, "%.*s %.*s UTC", DAY, created, MINUTES, created + TIME);
    return buffer;
}

void kg_html_side(struct kg_text *text, const char *term, const struct kg_html_side *side)
{
    struct kg_text words = {0};
    char moment[KG_HTML_MOMENT_BYTES];
    if (side->given)
        kg_text_append(&words, side->given);
    if (side->commit)
        kg_text_printf(&words, "%scommit %s", words.length ? ", " : "", side->commit);
    if (side->branch)
        kg_text_printf(&words, side->commit ? " (%s)" : "%s", side->branch);
    if (side->created)
        kg_text_printf(&words, "%s%s", words.length ? ", " : "",
                       kg_html_moment(side->created, moment));
    if (side->more)
        kg_text_printf(&words, "%s%s", words.length ? ", " : "", side->more);
    kg_html_fact(text, term, kg_text_string(&words));
    text->failed = text->failed || words.failed;
    kg_text_free(&words);
}
