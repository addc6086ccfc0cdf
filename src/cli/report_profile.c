/* report_profile.c: reports of profiles: of recordings, of kgate.profile.v1 files, and of the
 * recording that `run --profile` left beside its results. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "profile/profile_load.h"
#include "util/file.h"

/* Rows of a table or ranking where nothing was said. */
enum { TOP_USUAL = 20, BOTTLENECKS = 5 };

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
    kg_profile_bottlenecks(profile, BOTTLENECKS, text);
}

/* Those that are made from the figures. */
static bool figures_report(const char *path, enum kg_cli_format format, size_t top, FILE *output,
                           struct kg_error *err)
{
    struct kg_profile profile;
    struct kg_text text = {0};
    if (!kg_profile_load(path, &profile, err))
        return false;
    switch (format) {
    case KG_FORMAT_TREE:
        kg_profile_tree(&profile, top, &text);
        break;
    case KG_FORMAT_TOP:
        kg_profile_bottlenecks(&profile, top, &text);
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
static bool entries_report(const char *path, enum kg_cli_format format, FILE *output,
                           struct kg_error *err)
{
    const bool recording = kg_profile_is_recording(path);
    struct kg_profile_source source = {.scan = json_scan, .path = path, .file = -1};
    const int file = recording ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (recording && file < 0)
        return kg_error_set(err, KG_ERROR_USAGE, "cannot read '%s': %s", path, strerror(errno));
    if (recording)
        source = kg_profile_source_file(file, path);
    const bool good = format == KG_FORMAT_TRACE ? kg_profile_trace_write(&source, output, err)
                      : format == KG_FORMAT_CSV ? kg_profile_csv_write(&source, output, err)
                                                : kg_profile_json(file, path, output, err);
    if (file >= 0)
        close(file);
    return good;
}

/* A JSON profile as JSON is itself, once it is known to be good. */
static bool copy_report(const char *path, FILE *output, struct kg_error *err)
{
    struct kg_profile profile;
    struct kg_text text = {0};
    if (!kg_profile_load(path, &profile, err))
        return false;
    kg_profile_free(&profile);
    const bool good =
        kg_file_read(path, SIZE_MAX / 2, &text, err) && kg_print_to(output, &text, err);
    kg_text_free(&text);
    return good;
}

static bool report_to(const char *path, enum kg_cli_format format, size_t top, FILE *output,
                      struct kg_error *err)
{
    if (format == KG_FORMAT_JSON && !kg_profile_is_recording(path))
        return copy_report(path, output, err);
    if (format == KG_FORMAT_TRACE || format == KG_FORMAT_CSV || format == KG_FORMAT_JSON)
        return entries_report(path, format, output, err);
    return figures_report(path, format, top, output, err);
}

bool kg_cli_report_profile(const struct kg_arguments *arguments, const char *path,
                           enum kg_cli_format format, struct kg_error *err)
{
    struct kg_file_writing writing;
    const size_t top = arguments->top != KG_TOP_UNSET ? (size_t)arguments->top
                       : format == KG_FORMAT_TREE     ? 0
                                                      : TOP_USUAL;
    if (!arguments->output)
        return report_to(path, format, top, stdout, err);
    if (!kg_file_begin(&writing, arguments->output, err))
        return false;
    const bool good = report_to(path, format, top, writing.file, err);
    return kg_file_end(&writing, good, err) && good;
}
