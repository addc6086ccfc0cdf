/* Prints what kgate's reader makes of a YAML file, as JSON: a scalar is {"text": TEXT, "plain": BOOL},
 * a sequence a list, a mapping {"pairs": [[KEY, VALUE]…]} in the file's order.
 *     yaml_values FILE
 * Exit status 0; 2 and the reason for a file that it refuses; 3 where that could not be found out. */
#include <jansson.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/file.h"
#include "suite/yaml_tree.h"

enum { BAD_FILE = 2, FAILED = 3 };

static json_t *value_of(const struct kg_yaml_node *node);

static json_t *pairs_of(const struct kg_yaml_node *mapping)
{
    json_t *pairs = json_array();
    for (size_t i = 0; i < mapping->count; i++)
        json_array_append_new(
            pairs, json_pack("[so]", mapping->pairs[i].key, value_of(mapping->pairs[i].value)));
    return json_pack("{so}", "pairs", pairs);
}

static json_t *items_of(const struct kg_yaml_node *sequence)
{
    json_t *items = json_array();
    for (size_t i = 0; i < sequence->count; i++)
        json_array_append_new(items, value_of(sequence->items[i]));
    return items;
}

static json_t *value_of(const struct kg_yaml_node *node)
{
    if (node->kind == KG_YAML_MAPPING)
        return pairs_of(node);
    if (node->kind == KG_YAML_SEQUENCE)
        return items_of(node);
    return json_pack("{sssb}", "text", node->text, "plain", node->plain);
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
    json_t *value = value_of(root);
    const bool good = value && json_dumpf(value, stdout, JSON_ENCODE_ANY) == 0 && !ferror(stdout);
    json_decref(value);
    kg_arena_free(&arena);
    kg_text_free(&text);
    return good ? 0 : FAILED;
}
