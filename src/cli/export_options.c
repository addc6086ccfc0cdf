#include "cli/export_options.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/record.h"

static void unknown(const char *schema, const char *path, struct kg_error *err)
{
    struct kg_text known = {0};
    for (size_t i = 0; i < kg_report_format_count; i++)
        if (kg_report_formats[i].ending && kg_schema_is(kg_report_formats[i].schema, schema))
            kg_text_printf(&known, " %s", kg_report_formats[i].ending);
    kg_error_set(err, KG_ERROR_USAGE, "--export '%.300s': the file name must end in one of%s", path,
                 kg_text_string(&known));
    kg_text_free(&known);
}

static const struct kg_report_format *format_find(const char *schema, const char *path,
                                                  struct kg_error *err)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < kg_report_format_count; i++) {
        const struct kg_report_format *format = &kg_report_formats[i];
        if (format->ending && !strcmp(dot, format->ending) && kg_schema_is(format->schema, schema))
            return format;
    }
    unknown(schema, path, err);
    return NULL;
}

/* Whether kgate can write the report: the ending is known, this machine has the format's programs, and the folder is
 * writable.
 * err  KG_ERROR_USAGE with the reason */
static bool export_check(const char *schema, const char *path, struct kg_error *err)
{
    const struct kg_report_format *format = format_find(schema, path, err);
    const char *why = format ? kg_report_missing(format->need) : NULL, *slash = strrchr(path, '/');
    char folder[4096] = ".";
    if (!format)
        return false;
    if (why)
        return kg_error_set(err, KG_ERROR_USAGE, "--export '%.300s': %s", path, why);
    if (slash && (size_t)(slash - path) + 2 < sizeof folder) {
        memcpy(folder, path, (size_t)(slash - path) + 1);
        folder[slash - path + 1] = '\0';
    }
    return access(folder, W_OK) == 0 ||
           kg_error_set(err, KG_ERROR_USAGE, "--export '%.300s': cannot write to '%.300s': %s",
                        path, folder, strerror(errno));
}

/* Writes the report. If a picture has nothing to draw, the function writes no file, prints a note on standard error, and
 * returns true. */
static bool export_write(const char *schema, const char *path,
                         const struct kg_report_subject *subject, struct kg_error *err)
{
    const struct kg_report_format *format = format_find(schema, path, err);
    if (!format || kg_report_write(format, subject, path, err))
        return format != NULL;
    if (!kg_report_is_empty(format, err))
        return false;
    fprintf(stderr, "kgate: note: no %s: %s\n", path, err->message);
    return true;
}

bool kg_exports_check(const struct kg_arguments *arguments, const char *schema,
                      struct kg_error *err)
{
    for (size_t i = 0; i < arguments->exports.count; i++)
        if (!export_check(schema, arguments->exports.at[i], err))
            return false;
    return true;
}

bool kg_exports_write(const struct kg_arguments *arguments, const char *schema,
                      const struct kg_report_subject *subject, struct kg_error *err)
{
    for (size_t i = 0; i < arguments->exports.count; i++)
        if (!export_write(schema, arguments->exports.at[i], subject, err))
            return false;
    return true;
}
