/* Prints what kgate's reader makes of a YAML file, as JSON: a scalar is {"text": TEXT, "plain": BOOL},
 * a sequence a list, a mapping {"pairs": [[KEY, VALUE]…]} in the file's order.
 *     yaml_values FILE
 * Exit status 0; 2 and the reason for a file that it refuses; 3 where that could not be found out. */
#include <stdio.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/json_print.h"
#include "suite/yaml_tree.h"

enum { BAD_FILE = 2, FAILED = 3 };

static void value_put(struct kg_json_writer *writer, const char *name,
                      const struct kg_yaml_node *node);

static void pairs_put(struct kg_json_writer *writer, const struct kg_yaml_node *mapping)
{
    kg_json_begin(writer, "pairs", "[");
    for (size_t i = 0; i < mapping->count; i++) {
        kg_json_begin(writer, NULL, "[");
        kg_json_put_string(writer, NULL, mapping->pairs[i].key);
        value_put(writer, NULL, mapping->pairs[i].value);
        kg_json_finish(writer, "]");
    }
    kg_json_finish(writer, "]");
}

static void value_put(struct kg_json_writer *writer, const char *name,
                      const struct kg_yaml_node *node)
{
    const bool list = node->kind == KG_YAML_SEQUENCE;
    kg_json_begin(writer, name, list ? "[" : "{");
    if (node->kind == KG_YAML_MAPPING) {
        pairs_put(writer, node);
    } else if (list) {
        for (size_t i = 0; i < node->count; i++)
            value_put(writer, NULL, node->items[i]);
    } else {
        kg_json_put_string(writer, "text", node->text);
        kg_json_put_bool(writer, "plain", node->plain);
    }
    kg_json_finish(writer, list ? "]" : "}");
}

int main(int argc, char **argv)
{
    struct kg_arena arena = {0};
    struct kg_text text = {0};
    struct kg_error err = {0};
    const struct kg_yaml_node *root;
    if (argc != 2) {
        fputs("usage: yaml_values FILE\n", stderr);
        return BAD_FILE;
    }
    const bool read = kg_file_read(argv[1], KG_YAML_FILE_BYTES_MOST, &text, &err);
    if (!read || !kg_yaml_parse(argv[1], kg_text_string(&text), text.length, &arena, &root, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return read && err.kind == KG_ERROR_USAGE ? BAD_FILE : FAILED;
    }
    struct kg_text json = {0};
    value_put(&(struct kg_json_writer){.text = &json}, NULL, root);
    const bool good = !json.failed && fputs(json.data, stdout) >= 0 && fflush(stdout) == 0;
    kg_arena_free(&arena);
    kg_text_free(&json);
    kg_text_free(&text);
    return good ? 0 : FAILED;
}
