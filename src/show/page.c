#include "show/page.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/record.h"
#include "base/xml.h"
#include "show/document.h"
#include "show/format_parts.h"

/* The marks for the files and the summary in src/show/page/index.html. */
static const char FILES[] = "<!--files-->", SUMMARY[] = "<!--summary-->";

/* --- Safe inside HTML ------------------------------------------------------------------------- */

void kg_page_json(struct kg_text *text, const char *json, size_t length)
{
    static const char SEPARATOR[] = "\xe2\x80"; /* then a8 or a9: U+2028, U+2029 */
    size_t from = 0;
    for (size_t i = 0; i < length; i++) {
        const bool separator = length - i > 2 && !memcmp(json + i, SEPARATOR, 2) &&
                               ((unsigned char)json[i + 2] & 0xfe) == 0xa8;
        if (json[i] != '<' && !separator)
            continue;
        kg_text_append_bytes(text, json + from, i - from);
        kg_text_append(text, !separator              ? "\\u003c"
                             : json[i + 2] == '\xa8' ? "\\u2028"
                                                     : "\\u2029");
        i += separator ? 2 : 0;
        from = i + 1;
    }
    kg_text_append_bytes(text, json + from, length - from);
}

static void file_begin(struct kg_text *text, const char *name)
{
    const char *slash = strrchr(name, '/');
    kg_text_append(text, "<script type=\"application/json\" class=\"file\" data-name=\"");
    kg_xml_text(text, slash ? slash + 1 : name);
    kg_text_append(text, "\">");
}

static bool file_print(struct kg_text *text, FILE *output, struct kg_error *err)
{
    kg_text_append(text, "</script>\n");
    return kg_file_print(output, text, err);
}

/* A page while it is printed: the files first, then a summary of the most informative file. */
struct page {
    FILE *output;
    struct kg_text summary;
    size_t first;     /* index of the summary's kind of file */
    char created[32]; /* creation time of the summary's file */
};

/* --- Kinds of files --------------------------------------------------------------------------- */

struct kind {
    const char *schema, *name;
    const struct kg_record *record;
    size_t offset;     /* offset of the pointer in struct kg_report_subject */
    const char *title; /* of the summary for readers without scripts; NULL: no summary */
    void (*document)(const struct kg_report_subject *subject, struct kg_document *document);
    bool (*print)(const struct kind *kind, const struct kg_report_subject *subject,
                  const void *object, FILE *output, struct kg_error *err);
};

static bool whole_print(const struct kind *kind, const struct kg_report_subject *subject,
                        const void *object, FILE *output, struct kg_error *err)
{
    struct kg_text json = {0}, safe = {0};
    (void)subject;
    kg_record_line(kind->record, object, kind->schema, &json);
    kg_page_json(&safe, json.data, json.length);
    const bool good = kg_file_print(output, &safe, err);
    kg_text_free(&json);
    kg_text_free(&safe);
    return good;
}

/* Adds the budget results of each case, because the page does not judge budgets. */
static bool results_print(const struct kind *kind, const struct kg_report_subject *subject,
                          const void *object, FILE *output, struct kg_error *err)
{
    struct kg_arena arena = {0};
    (void)kind;
    (void)subject;
    const bool good = kg_page_results(object, kg_budgets_held(&arena, object), output, err);
    kg_arena_free(&arena);
    return good;
}

static bool side_print(const struct kind *kind, const struct kg_report_subject *subject,
                       const void *object, FILE *output, struct kg_error *err)
{
    (void)kind;
    (void)subject;
    return kg_page_results(object, NULL, output, err);
}

/* Prints a baseline. Beside a comparison, stored runs of other suites are left out. */
static bool baseline_print(const struct kind *kind, const struct kg_report_subject *subject,
                           const void *object, FILE *output, struct kg_error *err)
{
    struct kg_arena scratch = {0};
    struct kg_baseline shown = *(const struct kg_baseline *)object;
    const struct kg_baseline_run *runs = shown.runs;
    const size_t count = shown.run_count;
    shown.runs = kg_arena_alloc(&scratch, count, sizeof *shown.runs);
    shown.run_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!subject->comparison || !strcmp(runs[i].suite, subject->comparison->suite))
            shown.runs[shown.run_count++] = runs[i];
    const bool good = whole_print(kind, subject, &shown, output, err);
    kg_arena_free(&scratch);
    return good;
}

/* The kinds, the most informative first: without scripts the page summarises the first kind that it has. */
static const struct kind kinds[] = {
#define MEMBER(member) offsetof(struct kg_report_subject, member)
    {KG_COMPARISON_SCHEMA, "comparison", &kg_comparison_record, MEMBER(comparison), "Verdict",
     kg_comparison_document, whole_print},
    {KG_RESULTS_SCHEMA, "results", &kg_results_record, MEMBER(results), "Results",
     kg_results_document, results_print},
    {KG_BASELINE_SCHEMA, "baseline", &kg_baseline_record, MEMBER(baseline), "Stored runs",
     kg_baseline_document, baseline_print},
    {KG_CALIBRATION_SCHEMA, "calibration", &kg_calibration_record, MEMBER(calibration),
     "Calibration", kg_calibration_document, whole_print},
    {KG_SUGGESTIONS_SCHEMA, "suggestions", &kg_suggestions_record, MEMBER(suggestions),
     "Suggestions", kg_suggestions_document, whole_print},
    {KG_HISTORY_SCHEMA, "history", &kg_history_record, MEMBER(history), "History",
     kg_history_document, whole_print},
    {KG_RESULTS_SCHEMA, "base", &kg_results_record, MEMBER(pair_base), .print = side_print},
    {KG_RESULTS_SCHEMA, "head", &kg_results_record, MEMBER(pair_head), .print = side_print},
#undef MEMBER
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const void *object_of(const struct kind *kind, const struct kg_report_subject *subject)
{
    return *(const void *const *)(const void *)((const char *)subject + kind->offset);
}

static bool kind_add(const struct kind *kind, const struct kg_report_subject *subject,
                     const char *name, FILE *output, struct kg_error *err)
{
    const void *object = object_of(kind, subject);
    struct kg_text begin = {0}, end = {0};
    if (!object)
        return true;
    file_begin(&begin, name ? name : kind->name);
    const bool good = kg_file_print(output, &begin, err) &&
                      kind->print(kind, subject, object, output, err) &&
                      file_print(&end, output, err);
    kg_text_free(&begin);
    kg_text_free(&end);
    return good;
}

static bool profile_add(const struct kg_report_subject *subject, const char *name, FILE *output,
                        struct kg_error *err)
{
    struct kg_text text = {0};
    FILE *whole = tmpfile();
    if (!whole)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot make a temporary file: %s",
                            strerror(errno));
    file_begin(&text, name ? name : "profile");
    bool good = kg_profile_as_json(subject, whole, err);
    rewind(whole);
    good = good && kg_page_profile(whole, &text, err) && file_print(&text, output, err);
    fclose(whole);
    kg_text_free(&text);
    return good;
}

/* --- The page --------------------------------------------------------------------------------- */

/* Prints the template from `from` to `to`; NULL: to its end. */
static bool template_print(struct page *page, const char *from, const char *to,
                           struct kg_error *err)
{
    fwrite(from, 1, to ? (size_t)(to - from) : strlen(from), page->output);
    return kg_file_print(page->output, &(struct kg_text){0}, err);
}

/* Prints the page up to its files. err: KG_ERROR_USAGE with the steps to build the page, if the build lacks it */
static bool page_begin(struct page *page, FILE *output, struct kg_error *err)
{
    const char *mark = strstr(kg_page_template, FILES);
    *page = (struct page){.output = output};
    if (!mark)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "this kgate was built without the HTML page: with Node.js there, run "
                            "`npm ci --ignore-scripts` in its sources, then cmake and the build "
                            "again");
    return template_print(page, kg_page_template, mark, err);
}

static void profile_document(const struct kg_report_subject *subject, struct kg_document *document)
{
    (void)subject;
    kg_part_prose(document, KG_PART_SENTENCE, NULL,
                  "A recording. `kgate report` of its file prints the scopes as text.");
}

static void summary_make(const struct kg_report_subject *subject, const struct kind *kind,
                         struct kg_text *text)
{
    struct kg_document document = {.style = kg_report_style_page(&subject->style, 0)};
    document.style.html = true;
    kg_text_truncate(text, 0);
    kg_text_printf(text,
                   "<section id=\"verdict\" aria-labelledby=\"verdict-title\">\n"
                   "<h2 id=\"verdict-title\" tabindex=\"-1\">%s</h2>\n",
                   kind ? kind->title : "Profile");
    (kind ? kind->document : profile_document)(subject, &document);
    kg_document_print(&document, text);
    kg_text_append(text, "<p>This is the report without its charts and search: they need a browser "
                         "that runs the script in this file.</p>\n</section>\n");
}

/* Keeps the summary of the most informative file. If two files have the same kind: of the newer one. */
static void summary_take(struct page *page, const struct kg_report_subject *subject)
{
    const char *created = subject->comparison ? subject->comparison->created
                          : subject->results  ? subject->results->created
                                              : "";
    size_t first = 0;
    while (first < KINDS && (!kinds[first].title || !object_of(&kinds[first], subject)))
        first++;
    if (page->summary.length &&
        (first > page->first || (first == page->first && strcmp(created, page->created) < 0)))
        return;
    page->first = first;
    snprintf(page->created, sizeof page->created, "%s", created);
    summary_make(subject, first < KINDS ? &kinds[first] : NULL, &page->summary);
}

/* Adds each part of the subject as a file of the page. Samples of rounds and most entries of a long profile are left
 * out. name: name of the file; NULL: name of the kind */
static bool page_add(struct page *page, const struct kg_report_subject *subject, const char *name,
                     struct kg_error *err)
{
    summary_take(page, subject);
    for (size_t i = 0; i < KINDS; i++)
        if (!kind_add(&kinds[i], subject, name, page->output, err))
            return false;
    return !subject->source.scan || profile_add(subject, subject->source.path, page->output, err);
}

/* If `good`, prints the summary and the rest of the template. Always frees the page. */
static bool page_end(struct page *page, bool good, struct kg_error *err)
{
    const char *files = strstr(kg_page_template, FILES);
    const char *summary = files ? strstr(files, SUMMARY) : NULL;
    if (good && summary)
        good = template_print(page, files + strlen(FILES), summary, err) &&
               kg_file_print(page->output, &page->summary, err) &&
               template_print(page, summary + strlen(SUMMARY), NULL, err);
    kg_text_free(&page->summary);
    return good;
}

bool kg_report_as_html(const struct kg_report_subject *subject, FILE *output, struct kg_error *err)
{
    struct page page;
    const bool good = page_begin(&page, output, err) && page_add(&page, subject, NULL, err);
    return page_end(&page, good, err);
}

/* Whether `paths` also names the recording beside a file. */
static bool is_named(const char *recording, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (kg_file_same(recording, paths[i]))
            return true;
    return false;
}

bool kg_report_page(const struct kg_report_request *request, const char *const *paths, size_t count,
                    FILE *output, struct kg_error *err)
{
    struct page page;
    bool good = page_begin(&page, output, err);
    for (size_t i = 0; good && i < count; i++) {
        struct kg_report_request one = *request;
        struct kg_report_file file;
        one.path = paths[i];
        good = kg_report_file_open(&one, &file, err);
        if (good && file.subject.results && file.subject.source.scan &&
            is_named(file.subject.source.path, paths, count))
            file.subject.source.scan = NULL;
        good = good && page_add(&page, &file.subject, paths[i], err);
        kg_report_file_close(&file);
    }
    return page_end(&page, good, err);
}
