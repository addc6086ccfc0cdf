#include "show/export.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "show/page.h"
#include "show/plots/gnuplot.h"

static const struct ending {
    const char *ending, *format;
} endings[] = {
    {".json", "json"}, {".md", "markdown"},      {".csv", "csv"},
    {".html", "html"}, {".xml", "junit"},        {".svg", "svg"},
    {".png", "png"},   {".prom", "openmetrics"}, {".txt", "text"},
};

static void unknown(const char *path, struct kg_error *err)
{
    struct kg_text known = {0};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        kg_text_printf(&known, " %s", endings[i].ending);
    kg_error_set(err, KG_ERROR_USAGE, "--export '%.300s': its ending must be one of%s", path,
                 kg_text_string(&known));
    kg_text_free(&known);
}

static const struct kg_report_format *format_find(const char *schema, const char *path,
                                                  struct kg_error *err)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(dot, endings[i].ending))
            return kg_report_format_find(schema, endings[i].format, err);
    unknown(path, err);
    return NULL;
}

const char *kg_export_missing(const char *format)
{
    if ((!strcmp(format, "png") || !strcmp(format, "svg")) && !kg_gnuplot_there())
        return "there is no gnuplot (Debian and Ubuntu: gnuplot-nox)";
    return !strcmp(format, "html") && !*kg_page_template ? "this kgate was built without the page"
                                                         : NULL;
}

bool kg_export_check(const char *schema, const char *path, struct kg_error *err)
{
    const struct kg_report_format *format = format_find(schema, path, err);
    const char *why = format ? kg_export_missing(format->name) : NULL, *slash = strrchr(path, '/');
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

bool kg_export_write(const char *schema, const char *path, const struct kg_report_subject *subject,
                     struct kg_error *err)
{
    struct kg_file_writing writing;
    const struct kg_report_format *format = format_find(schema, path, err);
    if (!format || !kg_file_begin(&writing, path, err))
        return false;
    const bool good =
        kg_report_print(format, subject, writing.file, err) || kg_file_blame(&writing, err);
    const bool ended = kg_file_end(&writing, good, err);
    if (good || !format->picture || err->kind != KG_ERROR_USAGE)
        return good && ended;
    fprintf(stderr, "kgate: note: no %s: %s\n", path, err->message);
    return true;
}
