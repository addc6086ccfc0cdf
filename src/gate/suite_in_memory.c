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
    name_append(words.at[kg_words_program(words)], yaml);
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

/* --- Kernels ---------------------------------------------------------------------------------- */

static void bytes_quote(struct kg_text *yaml, const char *bytes, size_t length)
{
    struct kg_text copy = {0};
    kg_text_append_bytes(&copy, bytes, length);
    kg_yaml_quote(yaml, kg_text_string(&copy));
    kg_text_free(&copy);
}

static bool pair_refuse(bool is_matrix, const char *given, struct kg_error *err)
{
    return kg_error_set(err, KG_ERROR_USAGE, "--%s is '%.60s', but must be %s",
                        is_matrix ? "matrix" : "param", given,
                        is_matrix ? "KEY=VALUE,VALUE, such as batch=1,10,100"
                                  : "KEY=VALUE, such as batch=100; --matrix takes several values");
}

/* Appends `"batch": ["1", "10"` from "batch=1,10". A piece without a key is one more value of the key before it.
 * first  whether no pair precedes */
static bool pairs_append(bool is_matrix, const char *given, bool first, struct kg_text *yaml,
                         struct kg_error *err)
{
    const char *piece = given;
    for (size_t length; piece; piece = piece[length] ? piece + length + 1 : NULL) {
        length = strcspn(piece, ",");
        const size_t key = strcspn(piece, "=,");
        const bool keyed = key < length;
        if (!length || (keyed ? !key || key + 1 == length : !is_matrix || piece == given))
            return pair_refuse(is_matrix, given, err);
        if (keyed) {
            kg_text_append(yaml, first ? "" : is_matrix ? "], " : ", ");
            bytes_quote(yaml, piece, key);
            kg_text_append(yaml, is_matrix ? ": [" : ": ");
            bytes_quote(yaml, piece + key + 1, length - key - 1);
            first = false;
        } else {
            kg_text_append(yaml, ", ");
            bytes_quote(yaml, piece, length);
        }
    }
    return true;
}

/* Appends "    params: {…}", or the same for the matrix. */
static bool axes_append(bool is_matrix, const char *const *given, size_t count,
                        struct kg_text *yaml, struct kg_error *err)
{
    if (!count)
        return true;
    kg_text_append(yaml, is_matrix ? "    matrix: {" : "    params: {");
    for (size_t i = 0; i < count; i++)
        if (!pairs_append(is_matrix, given[i], !i, yaml, err))
            return false;
    kg_text_append(yaml, is_matrix ? "]}\n" : "}\n");
    return true;
}

bool kg_suite_of_kernel(const struct kg_kernel_request *request, struct kg_text *yaml,
                        struct kg_error *err)
{
    kg_text_printf(yaml, head, "kernel");
    kg_text_append(yaml, "  - name: ");
    kg_yaml_quote(yaml, request->kernel);
    kg_text_append(yaml, "\n    kernel: ");
    kg_yaml_quote(yaml, request->kernel);
    kg_text_append(yaml, "\n");
    return axes_append(false, request->params, request->param_count, yaml, err) &&
           axes_append(true, request->matrix, request->matrix_count, yaml, err);
}
