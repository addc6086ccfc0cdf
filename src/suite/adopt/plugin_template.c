/* plugin_template.c: the texts of `kgate init --plugin`. The user's suite has comments, so kgate adds the entry to its
 * text. The parser then checks that the new suite has exactly one workload more. */
#include "suite/adopt/adopt.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "model/suite.h"

enum { NAME_MOST = 60 };

bool kg_plugin_name_good(const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return false;
    return length && length <= NAME_MOST && !isdigit((unsigned char)name[0]);
}

/* --- The source -------------------------------------------------------------------------------- */

/* NAME stands for the workload's name, BUILD for the command that builds it. */
static const char source[] =
    "/* NAME_bench.c: one function as a benchmark of kgate. It measures an example: put your own "
    "call\n"
    " * into `run`, its input into `set_up`.\n"
    " *\n"
    " *     BUILD\n"
    " *     kgate gate --update-missing      the first time: measures, and records a baseline\n"
    " *     kgate gate                       compares\n"
    " *\n"
    " * Add your library to the first command: its sources, or -lNAME. */\n"
    "#include <kgate/plugin.h>\n"
    "#include <stdlib.h>\n"
    "\n"
    "/* #include \"your_library.h\" */\n"
    "\n"
    "struct state {\n"
    "    char text[4096]; /* the input of a call */\n"
    "    long sum;        /* its result */\n"
    "};\n"
    "\n"
    "/* Makes the input, before the timed calls. NULL as the result fails the case. */\n"
    "static void *set_up(void)\n"
    "{\n"
    "    struct state *state = calloc(1, sizeof *state);\n"
    "    for (size_t i = 0; state && i + 1 < sizeof state->text; i++)\n"
    "        state->text[i] = i % 5 == 4 ? ' ' : (char)('0' + i % 10);\n"
    "    return state;\n"
    "}\n"
    "\n"
    "/* The call that is timed. kgate calls it many times, in several processes: each call must do "
    "the\n"
    " * same work. Store the result, or the compiler may remove the work. */\n"
    "static void run(void *data)\n"
    "{\n"
    "    struct state *state = data;\n"
    "    const char *at = state->text;\n"
    "    state->sum = 0;\n"
    "    while (*at) { /* in place of this loop: your call */\n"
    "        char *end;\n"
    "        state->sum += strtol(at, &end, 10);\n"
    "        at = *end ? end + 1 : end;\n"
    "    }\n"
    "}\n"
    "\n"
    "/* Frees the state. */\n"
    "static void tear_down(void *data)\n"
    "{\n"
    "    free(data);\n"
    "}\n"
    "\n"
    "/* More functions: more of these lines, here or in other files of the plugin. set_up and "
    "tear_down\n"
    " * may be NULL. kgate/plugin.h says what each function may do. */\n"
    "KGATE_BENCH(NAME, set_up, run, tear_down);\n";

void kg_plugin_source(const char *name, struct kg_text *text)
{
    for (const char *at = source; *at;) {
        if (!strncmp(at, "NAME_", 5) || !strncmp(at, "NAME,", 5)) {
            kg_text_append(text, name);
            at += 4;
        } else if (!strncmp(at, "BUILD", 5)) {
            kg_plugin_build_command(name, NULL, text);
            at += 5;
        } else {
            kg_text_append_bytes(text, at++, 1);
        }
    }
}

void kg_plugin_build_command(const char *name, const char *include, struct kg_text *command)
{
    kg_text_append(command, "cc -O2 -fPIC -shared ");
    if (!include)
        kg_text_append(command, "$(pkg-config --cflags kgate-profiler) ");
    else if (*include) {
        kg_text_append(command, "-I");
        kg_shell_quote(command, include);
        kg_text_append(command, " ");
    }
    kg_text_printf(command, "%s_bench.c -o lib%s_bench.so", name, name);
}

/* --- The suite --------------------------------------------------------------------------------- */

void kg_plugin_entry(const char *name, unsigned indent, struct kg_text *yaml)
{
    kg_text_printf(yaml, "%*s- name: %s\n%*s  plugin: ./lib%s_bench.so\n", (int)indent, "", name,
                   (int)indent, "", name);
}

void kg_plugin_suite(const char *name, const char *suite, struct kg_text *yaml)
{
    kg_text_append(yaml,
                   "# `kgate validate` checks this file; docs/suite.md of kgate has every key.\n"
                   "version: 1\n"
                   "suite: ");
    kg_yaml_quote(yaml, suite);
    kg_text_append(yaml, "\nworkloads:\n");
    kg_plugin_entry(name, 2, yaml);
}

/* The list of workloads in the suite's text. */
struct list {
    bool found, inside;
    bool has_items;
    unsigned indent; /* indentation of the items, in blanks */
    size_t end;      /* offset after the last line of the list */
};

static bool is_blank_or_comment(const char *line, size_t length)
{
    const size_t blanks = strspn(line, " \t\r");
    return blanks >= length || line[blanks] == '#';
}

/* A line of the list begins with a blank or with the dash of an item; the next key ends the list. */
static void line_take(struct list *list, const char *line, size_t length, size_t after)
{
    static const char key[] = "workloads:";
    const size_t blanks = strspn(line, " ");
    const bool item = line[blanks] == '-' && (line[blanks + 1] == ' ' || line[blanks + 1] == '\n');
    if (!list->found && length >= sizeof key - 1 && !strncmp(line, key, sizeof key - 1)) {
        list->inside = is_blank_or_comment(line + sizeof key - 1, length - (sizeof key - 1));
        list->found = true;
    } else if (list->inside && !is_blank_or_comment(line, length)) {
        list->inside = blanks > 0 || item;
        if (list->inside && item && !list->has_items)
            list->indent = (unsigned)blanks;
        list->has_items = list->has_items || (list->inside && item);
        if (list->inside)
            list->end = after;
    } else if (list->inside && blanks > 0 && blanks < length) {
        list->end = after; /* a comment of the list */
    }
}

static struct list list_find(const char *text, size_t length)
{
    struct list list = {0};
    for (size_t at = 0; at < length;) {
        const char *newline = memchr(text + at, '\n', length - at);
        const size_t line = newline ? (size_t)(newline - text) - at : length - at;
        const size_t after = at + line + (newline != NULL);
        line_take(&list, text + at, line, after);
        at = after;
    }
    return list;
}

/* Whether the new text is a suite with one workload more, called `name`. */
static bool is_extended(const char *path, const struct kg_text *yaml, const char *name,
                        size_t workload_count)
{
    struct kg_suite suite;
    struct kg_error err;
    if (!kg_suite_parse(path, kg_text_string(yaml), yaml->length, NULL, 0, &suite, &err))
        return false;
    const bool good = suite.workload_count == workload_count + 1 &&
                      !strcmp(suite.workloads[workload_count].name, name);
    kg_suite_free(&suite);
    return good;
}

bool kg_plugin_entry_add(const char *name, const char *path, const char *old, size_t length,
                         struct kg_text *yaml, struct kg_error *err)
{
    struct kg_suite suite;
    if (!kg_suite_parse(path, old, length, NULL, 0, &suite, err))
        return false;
    const size_t count = suite.workload_count;
    bool there = false;
    for (size_t i = 0; i < count; i++)
        there = there || !strcmp(suite.workloads[i].name, name);
    kg_suite_free(&suite);
    if (there)
        return kg_error_set(err, KG_ERROR_USAGE, "'%.200s' has a workload '%s' already", path,
                            name);
    const struct list list = list_find(old, length);
    if (!list.has_items)
        return true;
    kg_text_append_bytes(yaml, old, list.end);
    if (old[list.end - 1] != '\n')
        kg_text_append(yaml, "\n");
    kg_plugin_entry(name, list.indent, yaml);
    kg_text_append_bytes(yaml, old + list.end, length - list.end);
    if (!is_extended(path, yaml, name, count))
        kg_text_free(yaml);
    return true;
}
