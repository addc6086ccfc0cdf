#include "show/page.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/record.h"
#include "base/xml.h"
#include "show/format_parts.h"
#include "show/page_summary.h"

/* Where the files and the summary go, in src/show/page/index.html. */
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

/* --- Kinds of files --------------------------------------------------------------------------- */

struct kind {
    const char *schema, *name;
    const struct kg_record *record;
    size_t offset; /* of the pointer in struct kg_report_subject */
    bool (*print)(const struct kind *kind, const struct kg_report_subject *subject,
                  const void *object, FILE *output, struct kg_error *err);
};

static bool whole_print(const struct kind *kind, const struct kg_report_subject *subject,
                        const void *object, FILE *output, struct kg_error *err)
{
    struct kg_text json = {0}, safe = {0};
    (void)subject;
    kg_record_line(kind->record, object, kind->schema, &json);
    if (!json.failed)
        kg_page_json(&safe, json.data, json.length);
    const bool good = json.failed ? kg_error_memory(err) : kg_file_print(output, &safe, err);
    kg_text_free(&json);
    kg_text_free(&safe);
    return good;
}

/* With how each case stands to its budgets, which the page does not judge itself. */
static bool results_print(const struct kind *kind, const struct kg_report_subject *subject,
                          const void *object, FILE *output, struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_held *held = NULL;
    (void)kind;
    (void)subject;
    const bool good = kg_budgets_held(&arena, object, &held)
                          ? kg_page_results(object, held, output, err)
                          : kg_error_memory(err);
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

/* Beside a comparison, without the stored runs of other suites. */
static bool baseline_print(const struct kind *kind, const struct kg_report_subject *subject,
                           const void *object, FILE *output, struct kg_error *err)
{
    struct kg_arena scratch = {0};
    struct kg_baseline shown = *(const struct kg_baseline *)object;
    const struct kg_baseline_run *runs = shown.runs;
    const size_t count = shown.run_count;
    shown.runs = kg_arena_alloc(&scratch, count, sizeof *shown.runs);
    shown.run_count = 0;
    for (size_t i = 0; i < count && shown.runs; i++)
        if (!subject->comparison || !strcmp(runs[i].suite, subject->comparison->suite))
            shown.runs[shown.run_count++] = runs[i];
    const bool good =
        shown.runs ? whole_print(kind, subject, &shown, output, err) : kg_error_memory(err);
    kg_arena_free(&scratch);
    return good;
}

static const struct kind kinds[] = {
#define MEMBER(member) offsetof(struct kg_report_subject, member)
    {KG_COMPARISON_SCHEMA, "comparison", &kg_comparison_record, MEMBER(comparison), whole_print},
    {KG_RESULTS_SCHEMA, "results", &kg_results_record, MEMBER(results), results_print},
    {KG_RESULTS_SCHEMA, "base", &kg_results_record, MEMBER(pair_base), side_print},
    {KG_RESULTS_SCHEMA, "head", &kg_results_record, MEMBER(pair_head), side_print},
    {KG_SUGGESTIONS_SCHEMA, "suggestions", &kg_suggestions_record, MEMBER(suggestions),
     whole_print},
    {KG_BASELINE_SCHEMA, "baseline", &kg_baseline_record, MEMBER(baseline), baseline_print},
    {KG_CALIBRATION_SCHEMA, "calibration", &kg_calibration_record, MEMBER(calibration),
     whole_print},
#undef MEMBER
};

static bool kind_add(const struct kind *kind, const struct kg_report_subject *subject,
                     const char *name, FILE *output, struct kg_error *err)
{
    const void *object = *(const void *const *)(const void *)((const char *)subject + kind->offset);
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

/* The template from `from` up to the mark, or with NULL to its end. */
static bool template_print(struct kg_page *page, const char *from, const char *to,
                           struct kg_error *err)
{
    fwrite(from, 1, to ? (size_t)(to - from) : strlen(from), page->output);
    return kg_file_print(page->output, &(struct kg_text){0}, err);
}

bool kg_page_begin(struct kg_page *page, FILE *output, struct kg_error *err)
{
    const char *mark = strstr(kg_page_template, FILES);
    *page = (struct kg_page){.output = output};
    if (!mark)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "this kgate was built without the HTML page: with Node.js there, run "
                            "`npm ci --ignore-scripts` in its sources, then cmake and the build "
                            "again");
    return template_print(page, kg_page_template, mark, err);
}

/* Keeps the summary of the file that says most; of two alike of the newer one. */
static void summary_take(struct kg_page *page, const struct kg_report_subject *subject)
{
    const int rank = kg_page_summary_rank(subject);
    const char *created = kg_page_summary_created(subject);
    if (rank < page->rank || (rank == page->rank && created && strcmp(created, page->created) < 0))
        return;
    page->rank = rank;
    snprintf(page->created, sizeof page->created, "%s", created ? created : "");
    kg_text_truncate(&page->summary, 0);
    kg_page_summary(subject, &page->summary);
}

bool kg_page_add(struct kg_page *page, const struct kg_report_subject *subject, const char *name,
                 struct kg_error *err)
{
    summary_take(page, subject);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!kind_add(&kinds[i], subject, name, page->output, err))
            return false;
    return !subject->source.scan || profile_add(subject, subject->source.path, page->output, err);
}

bool kg_page_end(struct kg_page *page, bool good, struct kg_error *err)
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
    struct kg_page page;
    const bool good = kg_page_begin(&page, output, err) && kg_page_add(&page, subject, NULL, err);
    return kg_page_end(&page, good, err);
}

/* Whether the recording beside a file was named itself, too. */
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
    struct kg_page page;
    bool good = kg_page_begin(&page, output, err);
    for (size_t i = 0; good && i < count; i++) {
        struct kg_report_request one = *request;
        struct kg_report_file file;
        one.path = paths[i];
        good = kg_report_file_open(&one, &file, err);
        if (good && file.subject.results && file.subject.source.scan &&
            is_named(file.subject.source.path, paths, count))
            file.subject.source.scan = NULL;
        good = good && kg_page_add(&page, &file.subject, paths[i], err);
        kg_report_file_close(&file);
    }
    return kg_page_end(&page, good, err);
}
