/* formats_profile.c: the formats of profiles, from recordings and from kgate.profile.v1 files. */
#include <string.h>

#include "base/file.h"
#include "profiler/read/profile_load.h"
#include "show/document.h"
#include "show/format_parts.h"

/* Default number of rows of a table or ranking. */
enum { TOP_USUAL = 20, SELF_MOST = 5 };

static size_t rows(const struct kg_report_subject *subject, size_t usual)
{
    return subject->top == KG_REPORT_TOP_USUAL ? usual : subject->top;
}

size_t kg_profile_rows(const struct kg_report_subject *subject)
{
    return rows(subject, TOP_USUAL);
}

bool kg_profile_is_of_many(const struct kg_profile *profile)
{
    const char *first = NULL;
    for (size_t i = 0; i < profile->process_count; i++) {
        const char *label = profile->processes[i].label;
        if (first && label && strcmp(first, label) != 0)
            return true;
        first = first ? first : label;
    }
    return false;
}

/* --- From the figures ------------------------------------------------------------------------- */

static void bottlenecks_print(const struct kg_report_subject *subject, struct kg_text *text)
{
    struct kg_document document = {.style = subject->style};
    kg_bottlenecks_add(&document, subject->profile);
    kg_document_print(&document, text);
}

void kg_profile_as_text(const struct kg_report_subject *subject, struct kg_text *text)
{
    const size_t width = subject->style.width;
    if (kg_profile_is_of_many(subject->profile)) {
        struct kg_document document = {.style = subject->style};
        kg_components_document(subject, &document);
        kg_document_print(&document, text);
        return;
    }
    kg_profile_table(subject->profile, rows(subject, TOP_USUAL), width, text);
    if (!subject->profile->entry_count)
        return;
    kg_text_append(text, "\n");
    kg_profile_top(subject->profile, SELF_MOST, width, text);
    bottlenecks_print(subject, text);
}

void kg_profile_as_tree(const struct kg_report_subject *subject, struct kg_text *text)
{
    kg_profile_tree(subject->profile, rows(subject, 0), subject->style.width, text);
    bottlenecks_print(subject, text);
}

void kg_profile_as_top(const struct kg_report_subject *subject, struct kg_text *text)
{
    kg_profile_top(subject->profile, rows(subject, TOP_USUAL), subject->style.width, text);
}

void kg_profile_as_folded(const struct kg_report_subject *subject, struct kg_text *text)
{
    kg_profile_folded(subject->profile, text);
}

/* --- From every entry ------------------------------------------------------------------------- */

/* Copies a JSON profile unchanged, after a check of every entry. */
static bool profile_copy(const char *path, FILE *output, struct kg_error *err)
{
    const struct kg_profile_visitor nothing = {0};
    struct kg_text text = {0};
    const bool good = kg_profile_json_scan(path, &nothing, err) &&
                      kg_file_read(path, SIZE_MAX / 2, &text, err) &&
                      kg_file_print(output, &text, err);
    kg_text_free(&text);
    return good;
}

bool kg_profile_as_json(const struct kg_report_subject *subject, FILE *output, struct kg_error *err)
{
    const struct kg_profile_source *source = &subject->source;
    return source->file < 0 ? profile_copy(source->path, output, err)
                            : kg_profile_json(source->file, source->path, output, err);
}

bool kg_profile_as_trace(const struct kg_report_subject *subject, FILE *output,
                         struct kg_error *err)
{
    return kg_profile_trace_write(&subject->source, output, err);
}

bool kg_profile_as_csv(const struct kg_report_subject *subject, FILE *output, struct kg_error *err)
{
    return kg_profile_csv_write(&subject->source, output, err);
}
