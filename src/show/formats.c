#include "show/formats.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/nearest.h"
#include "base/record.h"
#include "base/table.h"
#include "show/document.h"
#include "show/format_parts.h"
#include "show/page.h"
#include "show/plots/gnuplot.h"

/* Functions that print a member of the subject as JSON. */
#define DOCUMENT(function)
#define PAGE(function)
#define RECORD(kind, member)                                                                       \
    static bool member##_as_json(const struct kg_report_subject *subject, struct kg_text *text,    \
                                 struct kg_error *err)                                             \
    {                                                                                              \
        return kg_record_print(&kg_##member##_record, subject->member, KG_##kind##_SCHEMA, text,   \
                               err);                                                               \
    }
#define TEXT(function)
#define PICTURE(function)
#define STREAM(function)
#define RECORDING
#define KG_FORMAT(kind, name, ending, file, need, printed, help) printed
#include "model/formats.def"
#undef DOCUMENT
#undef PAGE
#undef RECORD
#undef TEXT
#undef PICTURE
#undef STREAM
#undef RECORDING

/* --- The table -------------------------------------------------------------------------------- */

const struct kg_report_format kg_report_formats[] = {
#define TEXT(function) .text = function
#define PICTURE(function) .make = function
#define STREAM(function) .stream = function
#define DOCUMENT(function) .document = function
#define PAGE(function) .page = function
#define RECORD(kind, member) .make = member##_as_json
#define RECORDING .recording = true
#define KG_FORMAT(kind, name_, ending_, file_, need_, printed, help_)                              \
    {.schema = KG_##kind##_SCHEMA,                                                                 \
     .name = #name_,                                                                               \
     .ending = (ending_),                                                                          \
     .file = (file_),                                                                              \
     .need = KG_REPORT_##need_,                                                                    \
     .help = (help_),                                                                              \
     printed},
#include "model/formats.def"
#undef TEXT
#undef PICTURE
#undef STREAM
#undef DOCUMENT
#undef PAGE
#undef RECORD
#undef RECORDING
};
enum { FORMATS = sizeof kg_report_formats / sizeof kg_report_formats[0] };
const size_t kg_report_format_count = FORMATS;

const char *kg_report_missing(enum kg_report_need need)
{
    if (need == KG_REPORT_GNUPLOT && !kg_gnuplot_there())
        return "there is no gnuplot (Debian and Ubuntu: gnuplot-nox)";
    return need == KG_REPORT_PAGE && !*kg_page_template ? "this kgate was built without the page"
                                                        : NULL;
}

/* --- Looking up ------------------------------------------------------------------------------- */

/* Appends "results" for "kgate.results.v1". */
static void kind_append(const char *schema, struct kg_text *text)
{
    const size_t skipped = strcspn(schema, ".") + 1, length = kg_schema_kind_length(schema);
    if (skipped < length)
        kg_text_append_bytes(text, schema + skipped, length - skipped);
}

static bool format_unknown(const char *schema, const char *name, struct kg_error *err)
{
    const char *names[FORMATS];
    char meant[KG_MEANT_BYTES];
    size_t count = 0;
    struct kg_text text = {0};
    for (size_t i = 0; i < FORMATS; i++)
        if (kg_schema_is(kg_report_formats[i].schema, schema))
            names[count++] = kg_report_formats[i].name;
    kind_append(schema, &text);
    kg_text_append(&text, " files can be printed as ");
    for (size_t i = 0; i < count; i++)
        kg_text_printf(&text, "%s%s", !i ? "" : i + 1 == count ? " or " : ", ", names[i]);
    kg_error_set(err, KG_ERROR_USAGE, "--format is '%.60s', but %s%s", name, kg_text_string(&text),
                 kg_meant(meant, name, names, count));
    kg_text_free(&text);
    return false;
}

const struct kg_report_format *kg_report_format_find(const char *schema, const char *name,
                                                     struct kg_error *err)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (kg_schema_is(kg_report_formats[i].schema, schema) &&
            (!name || !strcmp(kg_report_formats[i].name, name)))
            return &kg_report_formats[i];
    format_unknown(schema, name, err);
    return NULL;
}

void kg_report_formats_help(const char *schema, struct kg_text *text)
{
    struct kg_table table = {.columns = 3,
                             .heads = {"file", "format", ""},
                             .left = {true, true, true},
                             .indent = 2,
                             .trimmed = true};
    const char *before = "";
    for (size_t i = 0; i < FORMATS; i++) {
        if (schema && !kg_schema_is(kg_report_formats[i].schema, schema))
            continue;
        struct kg_table_row *row = kg_table_row_add(&table);
        struct kg_text kind = {0};
        if (strcmp(before, kg_report_formats[i].schema) != 0)
            kind_append(kg_report_formats[i].schema, &kind);
        row->cells[0] = kg_table_cell(&table, &kind);
        row->cells[1] = kg_report_formats[i].name;
        row->cells[2] = kg_report_formats[i].help;
        before = kg_report_formats[i].schema;
    }
    kg_table_print(&table, false, text);
    kg_table_free(&table);
}

/* Whether an earlier row of the schema has the same name. */
static bool is_named_before(const char *schema, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if ((!schema || kg_schema_is(kg_report_formats[i].schema, schema)) &&
            !strcmp(kg_report_formats[i].name, kg_report_formats[index].name))
            return true;
    return false;
}

void kg_report_formats_words(const char *schema, struct kg_text *text)
{
    for (size_t i = 0; i < FORMATS; i++)
        if ((!schema || kg_schema_is(kg_report_formats[i].schema, schema)) &&
            !is_named_before(schema, i))
            kg_text_printf(text, "%s%s", text->length ? " " : "", kg_report_formats[i].name);
}

/* Builds the document of a subject and prints it. */
static void document_print(void (*build)(const struct kg_report_subject *subject,
                                         struct kg_document *document),
                           const struct kg_report_subject *subject, bool page, struct kg_text *text)
{
    const size_t top = subject->top == KG_REPORT_TOP_USUAL ? 0 : subject->top;
    struct kg_document document = {.style = page ? kg_report_style_page(&subject->style, top)
                                                 : subject->style};
    build(subject, &document);
    kg_document_print(&document, text);
}

static bool text_make(const struct kg_report_format *format,
                      const struct kg_report_subject *subject, struct kg_text *text,
                      struct kg_error *err)
{
    if (format->make)
        return format->make(subject, text, err);
    if (format->text)
        format->text(subject, text);
    else
        document_print(format->page ? format->page : format->document, subject, format->page, text);
    return true;
}

void kg_report_comparison(const struct kg_comparison *comparison,
                          const struct kg_suggestions *suggestions,
                          const struct kg_report_style *style, struct kg_text *text)
{
    const struct kg_report_subject subject = {
        .comparison = comparison, .suggestions = suggestions, .style = *style};
    document_print(kg_comparison_document, &subject, false, text);
}

void kg_report_results(const struct kg_results *results, const struct kg_report_style *style,
                       struct kg_text *text)
{
    const struct kg_report_subject subject = {.results = results, .style = *style};
    document_print(kg_results_document, &subject, false, text);
}

void kg_report_calibration(const struct kg_calibration *calibration,
                           const struct kg_report_style *style, struct kg_text *text)
{
    const struct kg_report_subject subject = {.calibration = calibration, .style = *style};
    document_print(kg_calibration_document, &subject, false, text);
}

void kg_report_bisect(const struct kg_bisect *bisect, const struct kg_report_style *style,
                      struct kg_text *text)
{
    const struct kg_report_subject subject = {.bisect = bisect, .style = *style};
    document_print(kg_bisect_document, &subject, false, text);
}

void kg_report_suggestions(const struct kg_suggestions *suggestions,
                           const struct kg_report_style *style, struct kg_text *text)
{
    const struct kg_report_subject subject = {.suggestions = suggestions, .style = *style};
    document_print(kg_suggestions_document, &subject, false, text);
}

bool kg_report_print(const struct kg_report_format *format, const struct kg_report_subject *subject,
                     FILE *output, struct kg_error *err)
{
    struct kg_text text = {0};
    if (format->need == KG_REPORT_GNUPLOT && isatty(fileno(output)))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "a terminal cannot show a picture: give -o FILE.%s", format->name);
    if (format->stream)
        return format->stream(subject, output, err);
    const bool good = text_make(format, subject, &text, err) && kg_file_print(output, &text, err);
    kg_text_free(&text);
    return good;
}

bool kg_report_write(const struct kg_report_format *format, const struct kg_report_subject *subject,
                     const char *path, struct kg_error *err)
{
    struct kg_file_writing writing;
    if (!kg_file_begin(&writing, path, err))
        return false;
    const bool good =
        kg_report_print(format, subject, writing.file, err) || kg_file_blame(&writing, err);
    return kg_file_end(&writing, good, err) && good;
}

bool kg_report_is_empty(const struct kg_report_format *format, const struct kg_error *err)
{
    return format->need == KG_REPORT_GNUPLOT && err->kind == KG_ERROR_USAGE;
}
