/* Figures of a command: numbers that it writes to its standard output, or to a file. */
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_tree.h"
#include "run/worker/worker_state.h"

enum { OUTPUT_MOST = 64 * 1024 * 1024 };

bool kg_worker_output_open(struct kg_worker *worker, struct kg_error *err)
{
    const struct kg_command_setting *setting = &worker->request.setting;
    bool needed = false;
    for (size_t i = 0; i < setting->figure_count; i++)
        needed = needed || !setting->figures[i].file;
    if (!needed)
        return true;
    worker->command.output = memfd_create("kgate-output", MFD_CLOEXEC);
    return worker->command.output >= 0 ||
           kg_error_set(err, KG_ERROR_SYSTEM, "no memory for the command's output");
}

void kg_worker_output_show(const struct kg_worker *worker)
{
    char bytes[4096];
    const int output = worker->command.output;
    if (output < 0 || !worker->command.shows)
        return;
    const off_t length = lseek(output, 0, SEEK_END);
    const off_t from = length > (off_t)sizeof bytes ? length - (off_t)sizeof bytes : 0;
    const ssize_t count = pread(output, bytes, sizeof bytes, from);
    if (count > 0 && write(STDOUT_FILENO, bytes, (size_t)count) < 0)
        return;
}

/* The last text that was read. Several figures of one text read and parse it once. */
struct output {
    const char *file; /* NULL: standard output */
    bool read;
    struct kg_text text;
    struct kg_arena arena;
    const struct kg_json *json; /* in the arena */
};

static void output_drop(struct output *output)
{
    kg_text_free(&output->text);
    kg_arena_free(&output->arena);
    *output = (struct output){0};
}

static bool output_read(const struct kg_worker *worker, const struct kg_output_figure *figure,
                        struct output *output, struct kg_error *err)
{
    char path[4096];
    const char *directory = worker->request.setting.directory;
    const char *file = figure->file;
    if (output->read && output->file == file)
        return true;
    output_drop(output);
    output->read = true;
    output->file = file;
    if (!file)
        snprintf(path, sizeof path, "/proc/self/fd/%d", worker->command.output);
    else
        snprintf(path, sizeof path, "%s%s%s", directory && *file != '/' ? directory : "",
                 directory && *file != '/' ? "/" : "", file);
    return kg_file_read(path, OUTPUT_MOST, &output->text, err) ||
           kg_error_wrap(err, "counter '%s'", figure->name);
}

/* A number, or a string with only a number; NaN for other text. */
static double number_read(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    while (*end == ' ' || *end == '\n')
        end++;
    return end == text || *end ? NAN : value;
}

static const char *output_name(const struct kg_output_figure *figure)
{
    return figure->file ? figure->file : "standard output";
}

static bool json_take(const struct kg_output_figure *figure, struct output *output, double *value,
                      struct kg_error *err)
{
    if (!output->json)
        output->json = kg_json_read(output_name(figure), kg_text_string(&output->text),
                                    output->text.length, &output->arena, err);
    if (!output->json)
        return kg_error_wrap(err, "counter '%s'", figure->name);
    const struct kg_json *found = kg_json_pointer_find(output->json, figure->json);
    if (!found)
        return kg_error_set(err, KG_ERROR_MEASURE, "counter '%s': %s has no '%.200s'", figure->name,
                            output_name(figure), figure->json);
    const char *string = kg_json_string(found);
    *value = string ? number_read(string) : kg_json_real(found);
    return true;
}

static bool regex_take(const struct kg_output_figure *figure, const struct output *output,
                       double *value, struct kg_error *err)
{
    char number[64];
    regex_t regex;
    regmatch_t match[2];
    const char *text = kg_text_string(&output->text);
    if (regcomp(&regex, figure->regex, REG_EXTENDED | REG_NEWLINE) != 0)
        return kg_error_set(err, KG_ERROR_USAGE, "counter '%s': 'regex' cannot be compiled",
                            figure->name);
    const bool found = regexec(&regex, text, 2, match, 0) == 0 && match[1].rm_so >= 0;
    regfree(&regex);
    if (!found)
        return kg_error_set(err, KG_ERROR_MEASURE, "counter '%s': nothing in %s matches '%.200s'",
                            figure->name, output_name(figure), figure->regex);
    snprintf(number, sizeof number, "%.*s", (int)(match[1].rm_eo - match[1].rm_so),
             text + match[1].rm_so);
    *value = number_read(number);
    return true;
}

static bool figure_take(struct kg_worker *worker, const struct kg_output_figure *figure,
                        struct output *output, struct kg_error *err)
{
    double value;
    if (!output_read(worker, figure, output, err) ||
        !(figure->json ? json_take(figure, output, &value, err)
                       : regex_take(figure, output, &value, err)))
        return false;
    if (!(value >= 0) || isinf(value))
        return kg_error_set(err, KG_ERROR_MEASURE,
                            "counter '%s': the value in %s is not a number from 0 up", figure->name,
                            output_name(figure));
    kg_host_report(&worker->host, figure->name, value * figure->scale);
    return true;
}

bool kg_worker_output_figures(struct kg_worker *worker, struct kg_error *err)
{
    const struct kg_command_setting *setting = &worker->request.setting;
    struct output output = {0};
    bool good = true;
    for (size_t i = 0; i < setting->figure_count && good; i++)
        good = figure_take(worker, &setting->figures[i], &output, err);
    output_drop(&output);
    return good;
}
