#include "gate/suite_in_memory.h"

#include <string.h>

#include "base/escape.h"

/* A call may take minutes, because the user set no time-out. */
static const char head[] = "version: 1\n"
                           "suite: %s\n"
                           "defaults: {timeout: 10min}\n"
                           "workloads:\n";

/* Appends a program's name. A workload's name allows only these characters. */
static void name_append(const char *program, struct kg_text *yaml)
{
    enum { MOST = 60 };
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    const char *slash = strrchr(program, '/');
    const char *name = slash && slash[1] ? slash + 1 : program;
    for (size_t i = 0; name[i] && i < MOST; i++)
        kg_text_append_bytes(yaml, strchr(allowed, name[i]) ? &name[i] : "_", 1);
}

void kg_suite_of_command(struct kg_words words, struct kg_text *yaml)
{
    kg_text_printf(yaml, head, "command");
    kg_text_append(yaml, "  - name: \"");
    name_append(words.at[0], yaml);
    kg_text_append(yaml, "\"\n    command: [");
    for (size_t i = 0; i < words.count; i++) {
        struct kg_text word = {0};
        for (const char *c = words.at[i]; *c;
             c++) /* a suite would read single braces as parameters */
            kg_text_append_bytes(&word,
                                 *c == '{'   ? "{{"
                                 : *c == '}' ? "}}"
                                             : c,
                                 *c == '{' || *c == '}' ? 2 : 1);
        kg_text_append(yaml, i ? ", " : "");
        kg_yaml_quote(yaml, kg_text_string(&word));
        kg_text_free(&word);
    }
    kg_text_append(yaml, "]\n");
}

void kg_suite_of_plugin(const char *path, struct kg_words workloads, struct kg_text *yaml)
{
    kg_text_printf(yaml, head, "plugin");
    for (size_t i = 0; i < workloads.count; i++) {
        kg_text_append(yaml, "  - {name: ");
        kg_yaml_quote(yaml, workloads.at[i]);
        kg_text_append(yaml, ", plugin: ");
        kg_yaml_quote(yaml, path);
        kg_text_append(yaml, "}\n");
    }
}
