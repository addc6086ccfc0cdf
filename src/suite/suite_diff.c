#include "suite/suite_diff.h"

#include <string.h>

#include "base/text.h"
#include "suite/yaml_tree.h"

enum { LINES_MOST = 50, VALUE_MOST = 80 };

struct differ {
    struct kg_arena *arena;
    struct kg_suite_diff *diff;
};

/* Appends the node as one line of YAML without quotes. If the line is long: only its beginning. */
static void node_print(const struct kg_yaml_node *node, struct kg_text *text)
{
    if (text->length > VALUE_MOST)
        return;
    if (node->kind == KG_YAML_SCALAR) {
        kg_text_append(text, node->text);
        return;
    }
    const bool list = node->kind == KG_YAML_SEQUENCE;
    kg_text_append(text, list ? "[" : "{");
    for (size_t i = 0; i < node->count; i++) {
        kg_text_append(text, i ? ", " : "");
        if (!list)
            kg_text_printf(text, "%s: ", node->pairs[i].key);
        node_print(list ? node->items[i] : node->pairs[i].value, text);
    }
    kg_text_append(text, list ? "]" : "}");
}

static void line_add(struct differ *differ, const char *line)
{
    if (differ->diff->count < LINES_MOST)
        differ->diff->lines[differ->diff->count++] = line;
}

/* Adds "KEY BEFORE -> AFTER". For a mapping that only one suite has: "KEY: added" or "KEY: removed". */
static void value_differs(struct differ *differ, const char *key, const struct kg_yaml_node *before,
                          const struct kg_yaml_node *after)
{
    struct kg_text old = {0}, new = {0};
    if (before)
        node_print(before, &old);
    if (after)
        node_print(after, &new);
    const struct kg_yaml_node *only = !before ? after : !after ? before : NULL;
    const bool whole = only && only->kind == KG_YAML_MAPPING;
    if (whole)
        line_add(differ,
                 kg_arena_printf(differ->arena, "%s: %s", key, before ? "removed" : "added"));
    else
        line_add(differ, kg_arena_printf(differ->arena, "%s %.*s -> %.*s", key, VALUE_MOST,
                                         before ? kg_text_string(&old) : "(default)", VALUE_MOST,
                                         after ? kg_text_string(&new) : "(default)"));
    kg_text_free(&old);
    kg_text_free(&new);
}

static bool same(const struct kg_yaml_node *a, const struct kg_yaml_node *b)
{
    if (a->kind != b->kind || a->count != b->count)
        return false;
    if (a->kind == KG_YAML_SCALAR)
        return !strcmp(a->text, b->text);
    for (size_t i = 0; i < a->count; i++) {
        const bool list = a->kind == KG_YAML_SEQUENCE;
        if (!list && strcmp(a->pairs[i].key, b->pairs[i].key) != 0)
            return false;
        if (!same(list ? a->items[i] : a->pairs[i].value, list ? b->items[i] : b->pairs[i].value))
            return false;
    }
    return true;
}

/* The name of a workload; NULL for a node without a name. */
static const char *name_of(const struct kg_yaml_node *item)
{
    const struct kg_yaml_pair *name =
        item->kind == KG_YAML_MAPPING ? kg_yaml_find(item, "name") : NULL;
    return name && name->value->kind == KG_YAML_SCALAR ? name->value->text : NULL;
}

static const struct kg_yaml_node *named_find(const struct kg_yaml_node *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *other = name_of(list->items[i]);
        if (other && !strcmp(other, name))
            return list->items[i];
    }
    return NULL;
}

static bool all_named(const struct kg_yaml_node *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (!name_of(list->items[i]))
            return false;
    return list->count > 0;
}

static void nodes_differ(struct differ *differ, const char *key, const struct kg_yaml_node *before,
                         const struct kg_yaml_node *after);

/* The i-th part of a mapping or of a list of workloads: returns its name and sets *value. */
static const char *part(const struct kg_yaml_node *node, size_t i,
                        const struct kg_yaml_node **value)
{
    const bool list = node->kind == KG_YAML_SEQUENCE;
    *value = list ? node->items[i] : node->pairs[i].value;
    return list ? name_of(node->items[i]) : node->pairs[i].key;
}

static const struct kg_yaml_node *part_find(const struct kg_yaml_node *node, const char *name)
{
    if (node->kind == KG_YAML_SEQUENCE)
        return named_find(node, name);
    const struct kg_yaml_pair *pair = kg_yaml_find(node, name);
    return pair ? pair->value : NULL;
}

static void parts_differ(struct differ *differ, const char *key, const struct kg_yaml_node *before,
                         const struct kg_yaml_node *after)
{
    const struct kg_yaml_node *value;
    for (int side = 0; side < 2; side++) {
        const struct kg_yaml_node *from = side ? after : before;
        for (size_t i = 0; i < from->count; i++) {
            const char *name = part(from, i, &value);
            const struct kg_yaml_node *other = part_find(side ? before : after, name);
            if ((side && other) || (!*key && !strncmp(name, "x-", 2)))
                continue;
            const char *whole =
                kg_arena_printf(differ->arena, "%s%s%.100s", key, *key ? "." : "", name);
            nodes_differ(differ, whole, side ? NULL : value, side ? value : other);
        }
    }
}

static void nodes_differ(struct differ *differ, const char *key, const struct kg_yaml_node *before,
                         const struct kg_yaml_node *after)
{
    const bool both = before && after && before->kind == after->kind;
    if (both && same(before, after))
        return;
    if (both && (before->kind == KG_YAML_MAPPING ||
                 (before->kind == KG_YAML_SEQUENCE && all_named(before) && all_named(after))))
        parts_differ(differ, key, before, after);
    else
        value_differs(differ, *key ? key : "the suite", before, after);
}

bool kg_suite_diff(struct kg_arena *arena, const char *path, const char *before,
                   size_t before_length, const char *after, size_t after_length,
                   struct kg_suite_diff *diff, struct kg_error *err)
{
    struct kg_arena trees = {0};
    const struct kg_yaml_node *old, *new;
    *diff = (struct kg_suite_diff){.lines = kg_arena_alloc(arena, LINES_MOST, sizeof *diff->lines)};
    struct differ differ = {.arena = arena, .diff = diff};
    const bool good = kg_yaml_parse(path, before, before_length, &trees, &old, err) &&
                      kg_yaml_parse(path, after, after_length, &trees, &new, err);
    if (good)
        nodes_differ(&differ, "", old, new);
    kg_arena_free(&trees);
    return good;
}
