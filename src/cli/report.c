/* report.c: a saved file in one of its formats (report/formats.h). */
#include "report/formats.h"

#include "cli/cli.h"
#include "cli/inputs.h"
#include "util/file.h"

static bool output(const struct kg_arguments *arguments, const struct kg_report_file *file,
                   struct kg_error *err)
{
    struct kg_file_writing writing;
    if (!arguments->output)
        return kg_report_print(file->format, &file->subject, stdout, err);
    if (!kg_file_begin(&writing, arguments->output, err))
        return false;
    const bool good = kg_report_print(file->format, &file->subject, writing.file, err);
    return kg_file_end(&writing, good, err) && good;
}

int kg_cli_report(const struct kg_arguments *arguments)
{
    struct kg_report_request request = {
        .path = arguments->positional[0],
        .format = arguments->format,
        .filter = arguments->filter,
        .top = arguments->top == KG_TOP_UNSET ? KG_REPORT_TOP_USUAL : (size_t)arguments->top,
        .style = kg_style(arguments)};
    struct kg_report_file file;
    struct kg_error err;
    if (arguments->output)
        kg_style_for_file(&request.style);
    if (!kg_input_regular(request.path, &err))
        return kg_fail(&err);
    const bool good = kg_report_file_open(&request, &file, &err) && output(arguments, &file, &err);
    kg_report_file_close(&file);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}

void kg_cli_report_more(struct kg_text *text)
{
    kg_text_append(text, "\nformats, by the kind of file:\n");
    kg_report_formats_help(NULL, text);
}
