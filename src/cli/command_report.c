/* command_report.c: prints a saved file in one of its formats (show/formats.h). */
#include "show/formats.h"

#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/input_files.h"
#include "show/columns.h"
#include "show/plots/plots.h"

/* Prints one file in its format, or all files on one page. */
static bool report(const struct kg_arguments *arguments, const struct kg_report_request *request,
                   FILE *output, struct kg_error *err)
{
    struct kg_report_file file;
    if (request->format && !strcmp(request->format, "html"))
        return kg_report_page(request, arguments->positional, arguments->positional_count, output,
                              err);
    bool good = arguments->positional_count > 1
                    ? kg_report_machines_open(request, arguments->positional,
                                              arguments->positional_count, &file, err)
                    : kg_report_file_open(request, &file, err);
    if (good && file.format->need == KG_REPORT_GNUPLOT && isatty(fileno(output)))
        good = kg_error_set(err, KG_ERROR_USAGE,
                            "a terminal cannot show a picture: give -o FILE.%s", file.format->name);
    good = good && kg_report_print(file.format, &file.subject, output, err);
    kg_report_file_close(&file);
    return good;
}

static bool output(const struct kg_arguments *arguments, const struct kg_report_request *request,
                   struct kg_error *err)
{
    struct kg_file_writing writing;
    if (!arguments->output)
        return report(arguments, request, stdout, err);
    if (!kg_file_begin(&writing, arguments->output, err))
        return false;
    const bool good = report(arguments, request, writing.file, err) || kg_file_blame(&writing, err);
    return kg_file_end(&writing, good, err) && good;
}

int kg_cli_report(const struct kg_arguments *arguments)
{
    struct kg_report_request request = {
        .path = arguments->positional[0],
        .format = arguments->format,
        .filter = arguments->filter,
        .columns = arguments->columns,
        .plot = arguments->plot,
        .sweep = {arguments->by, arguments->across, arguments->against},
        .top = arguments->top == KG_TOP_UNSET ? KG_REPORT_TOP_USUAL : (size_t)arguments->top,
        .style = kg_style(arguments)};
    struct kg_error err;
    if (arguments->output)
        kg_style_for_file(&request.style);
    for (size_t i = 0; i < arguments->positional_count; i++)
        if (!kg_input_regular(arguments->positional[i], &err))
            return kg_fail(&err);
    return output(arguments, &request, &err) ? KG_EXIT_PASS : kg_fail(&err);
}

void kg_cli_report_more(struct kg_text *text)
{
    kg_text_append(text, "\nformats, by the kind of file:\n");
    kg_report_formats_help(NULL, text);
    kg_text_append(text, "\ncolumns of results:\n");
    kg_columns_help(text);
    kg_text_append(text, "\nplots, for --format png or svg:\n");
    kg_plots_help(text);
}
