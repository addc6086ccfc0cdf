/* report_profile.c: reports of profiles: of recordings, of kgate.profile.v1 files, and of the
 * recording that `run --profile` left beside its results. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "profile/filter.h"
#include "profile/profile_load.h"
#include "util/file.h"

/* Rows of a table or ranking where nothing was said. */
enum { TOP_USUAL = 20, SELF_MOST = 5 };

static bool json_scan(const struct kg_profile_source *source,
                      const struct kg_profile_visitor *visitor, struct kg_error *err)
{
    return kg_profile_json_scan(source->path, visitor, err);
}

static void text_report(const struct kg_profile *profile, size_t top, struct kg_text *text)
{
    kg_profile_table(profile, top, text);
    if (!profile->entry_count)
        return;
    kg_text_append(text, "\n");
    kg_profile_top(profile, SELF_MOST, text);
    kg_profile_bottlenecks(profile, text);
}

/* What is reported: a recording (or the part of it that was asked for), or a JSON profile. */
struct subject {
    const char *path;
    int file; /* -1: JSON */
};

/* Those that are made from the figures. */
static bool figures_report(const struct subject *subject, enum kg_cli_format format, size_t top,
                           FILE *output, struct kg_error *err)
{
    struct kg_profile profile;
    struct kg_text text = {0};
    if (!(subject->file < 0 ? kg_profile_load(subject->path, &profile, err)
                            : kg_profile_read_file(subject->file, subject->path, &profile, err)))
        return false;
    switch (format) {
    case KG_FORMAT_TREE:
        kg_profile_tree(&profile, top, &text);
        kg_profile_bottlenecks(&profile, &text);
        break;
    case KG_FORMAT_TOP:
        kg_profile_top(&profile, top, &text);
        break;
    case KG_FORMAT_FOLDED:
        kg_profile_folded(&profile, &text);
        break;
    case KG_FORMAT_MARKDOWN:
        kg_report_profile_markdown(&profile, top, &text);
        break;
    default:
        text_report(&profile, top, &text);
    }
    const bool good = text.failed ? kg_error_memory(err) : kg_print_to(output, &text, err);
    kg_text_free(&text);
    kg_profile_free(&profile);
    return good;
}

/* Those that hold every entry: streamed. */
static bool entries_report(const struct subject *subject, enum kg_cli_format format, FILE *output,
                           struct kg_error *err)
{
    const struct kg_profile_source source =
        subject->file < 0
            ? (struct kg_profile_source){.scan = json_scan, .path = subject->path, .file = -1}
            : kg_profile_source_file(subject->file, subject->path);
    return format == KG_FORMAT_TRACE ? kg_profile_trace_write(&source, output, err)
           : format == KG_FORMAT_CSV ? kg_profile_csv_write(&source, output, err)
                                     : kg_profile_json(subject->file, subject->path, output, err);
}

/* A JSON profile as JSON is itself, once it is known to be good to the last entry. */
static bool copy_report(const char *path, FILE *output, struct kg_error *err)
{
    const struct kg_profile_visitor nothing = {0};
    struct kg_text text = {0};
    const bool good = kg_profile_json_scan(path, &nothing, err) &&
                      kg_file_read(path, SIZE_MAX / 2, &text, err) &&
                      kg_print_to(output, &text, err);
    kg_text_free(&text);
    return good;
}

static bool report_to(const struct subject *subject, enum kg_cli_format format, size_t top,
                      FILE *output, struct kg_error *err)
{
    if (format == KG_FORMAT_JSON && subject->file < 0)
        return copy_report(subject->path, output, err);
    if (format == KG_FORMAT_TRACE || format == KG_FORMAT_CSV || format == KG_FORMAT_JSON)
        return entries_report(subject, format, output, err);
    return figures_report(subject, format, top, output, err);
}

/* A recording's descriptor, or one of the part that matches. */
static bool recording_open(const char *path, const char *filter, int *file, struct kg_error *err)
{
    *file = open(path, O_RDONLY | O_CLOEXEC);
    if (*file < 0)
        return kg_error_set(err, KG_ERROR_USAGE, "cannot read '%s': %s", path, strerror(errno));
    if (!filter)
        return true;
    FILE *part = tmpfile();
    const int copy = part ? fcntl(fileno(part), F_DUPFD_CLOEXEC, 0) : -1;
    bool good = copy >= 0 ? kg_profile_filter(*file, path, filter, copy, err)
                          : kg_error_set(err, KG_ERROR_SYSTEM, "cannot make a temporary file: %s",
                                         strerror(errno));
    if (part)
        fclose(part);
    close(*file);
    *file = copy;
    if (!good && copy >= 0)
        close(copy);
    return good;
}

static bool subject_report(const struct kg_arguments *arguments, const struct subject *subject,
                           enum kg_cli_format format, struct kg_error *err)
{
    struct kg_file_writing writing;
    const size_t top = arguments->top != KG_TOP_UNSET ? (size_t)arguments->top
                       : format == KG_FORMAT_TREE     ? 0
                                                      : TOP_USUAL;
    if (!arguments->output)
        return report_to(subject, format, top, stdout, err);
    if (!kg_file_begin(&writing, arguments->output, err))
        return false;
    const bool good = report_to(subject, format, top, writing.file, err);
    return kg_file_end(&writing, good, err) && good;
}

bool kg_cli_report_profile(const struct kg_arguments *arguments, const char *path,
                           enum kg_cli_format format, struct kg_error *err)
{
    struct subject subject = {.path = path, .file = -1};
    if (kg_profile_is_recording(path)) {
        if (!recording_open(path, arguments->filter, &subject.file, err))
            return false;
    } else if (arguments->filter) {
        return kg_error_set(err, KG_ERROR_USAGE,
                            "a JSON profile is added up already: --filter is for its recording");
    }
    const bool good = subject_report(arguments, &subject, format, err);
    if (subject.file >= 0)
        close(subject.file);
    return good;
}
