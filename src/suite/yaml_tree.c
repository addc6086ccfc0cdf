#include "suite/yaml_tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/grow.h"
#include "base/memory.h"
#include "suite/suite_message.h"

/* An open sequence or mapping; its children are nodes[first…]. */
struct frame {
    struct kg_yaml_node *node;
    size_t first;
    size_t total_before;
};

struct anchor {
    const char *name;
    const struct kg_yaml_node *node;
};

struct builder {
    const char *path;
    struct kg_arena *arena;
    struct kg_error *err;
    struct frame frames[KG_YAML_DEPTH_MOST];
    unsigned frame_count;
    const struct kg_yaml_node **nodes; /* children of all open frames */
    size_t node_count;
    size_t node_capacity;
    size_t total; /* number of nodes so far, aliases followed */
    struct anchor *anchors;
    size_t anchor_count;
    const struct kg_yaml_node *root;
};

static struct kg_mark mark_of(const yaml_mark_t *mark)
{
    return (struct kg_mark){(unsigned)mark->line + 1, (unsigned)mark->column + 1};
}

static bool fail(const struct builder *builder, struct kg_mark mark, const char *message)
{
    return kg_error_at(builder->err, builder->path, mark.line, mark.column, "%s", message);
}

/* Line and column of a byte. If decoding fails, libyaml gives only the offset of the byte. */
static struct kg_mark mark_of_offset(const char *bytes, size_t length, size_t offset)
{
    struct kg_mark mark = {1, 1};
    for (size_t i = 0; i < offset && i < length; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (c == '\n' || (c == '\r' && (i + 1 >= length || bytes[i + 1] != '\n'))) {
            mark.line++;
            mark.column = 1;
        } else if ((c & 0xC0) != 0x80) {
            mark.column++;
        }
    }
    return mark;
}

/* The byte of a character's number. libyaml counts characters. */
static char byte_at(const char *bytes, size_t length, size_t character)
{
    for (size_t i = 0; i < length; i++)
        if (((unsigned char)bytes[i] & 0xC0) != 0x80 && character-- == 0)
            return bytes[i];
    return 0;
}

static bool syntax_error(const struct builder *builder, const yaml_parser_t *parser,
                         const char *bytes, size_t length)
{
    const char *problem = parser->problem ? parser->problem : "cannot be read";
    if (parser->error == YAML_MEMORY_ERROR)
        kg_memory_out();
    if (parser->error == YAML_READER_ERROR) {
        const struct kg_mark mark = mark_of_offset(bytes, length, parser->problem_offset);
        return kg_error_at(builder->err, builder->path, mark.line, mark.column,
                           "not a text file in UTF-8: %s (0x%02X)", problem,
                           (unsigned)parser->problem_value);
    }
    const struct kg_mark mark = mark_of(&parser->problem_mark);
    const char *context = parser->context ? parser->context : "";
    /* libyaml's two errors for a budget without quotes, `time: >= 5ms`: in block style and within braces. */
    const bool unquoted =
        strstr(context, "block scalar") || strstr(problem, "cannot start any token");
    const bool is_tab = byte_at(bytes, length, parser->problem_mark.index) == '\t';
    return kg_error_at(builder->err, builder->path, mark.line, mark.column,
                       "not valid YAML: %s%s%s%s", context, *context ? ", " : "", problem,
                       is_tab     ? "; indent with spaces, not with a tab"
                       : unquoted ? "; a value that begins with >, |, %, @ or ` needs quotes"
                                  : "");
}

static bool in_key_position(const struct builder *builder)
{
    if (!builder->frame_count)
        return false;
    const struct frame *frame = &builder->frames[builder->frame_count - 1];
    return frame->node->kind == KG_YAML_MAPPING && (builder->node_count - frame->first) % 2 == 0;
}

/* Adds a node to the open collection. If none is open, the node becomes the root. */
static bool node_add(struct builder *builder, const struct kg_yaml_node *node, struct kg_mark mark)
{
    if (in_key_position(builder) && node->kind != KG_YAML_SCALAR)
        return fail(builder, mark, "a key must be plain text, not a list or a mapping");
    if (!builder->frame_count) {
        builder->root = node;
        return true;
    }
    kg_grow(&builder->nodes, builder->node_count, &builder->node_capacity, sizeof *builder->nodes);
    builder->nodes[builder->node_count++] = node;
    return true;
}

static bool count_nodes(struct builder *builder, size_t more, struct kg_mark mark)
{
    builder->total += more;
    return builder->total <= KG_YAML_NODES_MOST ||
           kg_error_at(builder->err, builder->path, mark.line, mark.column,
                       "too large: more than %d values, with aliases followed", KG_YAML_NODES_MOST);
}

static const struct anchor *anchor_find(const struct builder *builder, const char *name)
{
    for (size_t i = 0; i < builder->anchor_count; i++)
        if (!strcmp(builder->anchors[i].name, name))
            return &builder->anchors[i];
    return NULL;
}

static bool anchor_add(struct builder *builder, const yaml_char_t *anchor,
                       const struct kg_yaml_node *node)
{
    const char *name = (const char *)anchor;
    char quoted[KG_QUOTE_BYTES];
    if (!name)
        return true;
    const struct anchor *other = anchor_find(builder, name);
    if (other)
        return kg_error_at(builder->err, builder->path, node->mark.line, node->mark.column,
                           "anchor '&%s' is already defined in line %u; take another name",
                           kg_quote(name, quoted), other->node->mark.line);
    if (builder->anchor_count == KG_YAML_ANCHORS_MOST)
        return kg_error_at(builder->err, builder->path, node->mark.line, node->mark.column,
                           "too many anchors: at most %d", KG_YAML_ANCHORS_MOST);
    if (!builder->anchors)
        builder->anchors = kg_arena_alloc(builder->arena, KG_YAML_ANCHORS_MOST, sizeof *other);
    builder->anchors[builder->anchor_count++] =
        (struct anchor){kg_arena_copy(builder->arena, name), node};
    return true;
}

static bool tag_check(const struct builder *builder, const yaml_char_t *tag, struct kg_mark mark)
{
    static const char core[] = "tag:yaml.org,2002:";
    char quoted[KG_QUOTE_BYTES];
    if (!tag || !strncmp((const char *)tag, core, sizeof core - 1))
        return true;
    return kg_error_at(builder->err, builder->path, mark.line, mark.column,
                       "the tag '%s' is not supported; leave it out",
                       kg_quote((const char *)tag, quoted));
}

static struct kg_yaml_node *node_new(struct builder *builder, enum kg_yaml_kind kind,
                                     struct kg_mark mark)
{
    struct kg_yaml_node *node = kg_arena_alloc(builder->arena, 1, sizeof *node);
    node->kind = kind;
    node->mark = mark;
    node->weight = 1;
    return node;
}

static bool on_scalar(struct builder *builder, const yaml_event_t *event)
{
    const struct kg_mark mark = mark_of(&event->start_mark);
    const size_t length = event->data.scalar.length;
    const char *text = (const char *)event->data.scalar.value;
    if (length > KG_YAML_SCALAR_BYTES_MOST)
        return kg_error_at(builder->err, builder->path, mark.line, mark.column,
                           "a text of %zu bytes; at most %d are allowed", length,
                           KG_YAML_SCALAR_BYTES_MOST);
    if (memchr(text, '\0', length))
        return fail(builder, mark, "a text must not contain the character NUL");
    if (!tag_check(builder, event->data.scalar.tag, mark) || !count_nodes(builder, 1, mark))
        return false;
    struct kg_yaml_node *node = node_new(builder, KG_YAML_SCALAR, mark);
    node->text = kg_arena_copy_bytes(builder->arena, text, length);
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->complete = true;
    return anchor_add(builder, event->data.scalar.anchor, node) && node_add(builder, node, mark);
}

static bool on_start(struct builder *builder, enum kg_yaml_kind kind, const yaml_char_t *tag,
                     const yaml_char_t *anchor, struct kg_mark mark)
{
    const size_t total_before = builder->total;
    if (builder->frame_count == KG_YAML_DEPTH_MOST)
        return kg_error_at(builder->err, builder->path, mark.line, mark.column,
                           "nested too deeply: at most %d levels", KG_YAML_DEPTH_MOST);
    if (!tag_check(builder, tag, mark) || !count_nodes(builder, 1, mark))
        return false;
    struct kg_yaml_node *node = node_new(builder, kind, mark);
    if (!anchor_add(builder, anchor, node) || !node_add(builder, node, mark))
        return false;
    builder->frames[builder->frame_count++] =
        (struct frame){node, builder->node_count, total_before};
    return true;
}

static bool on_end(struct builder *builder)
{
    const struct frame frame = builder->frames[--builder->frame_count];
    const struct kg_yaml_node **children = builder->nodes ? builder->nodes + frame.first : NULL;
    const size_t count = builder->node_count - frame.first;
    struct kg_yaml_node *node = frame.node;
    node->depth = 1; /* NOLINT: a frame is pushed with its node and never without */
    for (size_t i = 0; i < count; i++)
        if (children[i]->depth >= node->depth)
            node->depth = children[i]->depth + 1;
    node->weight = builder->total - frame.total_before;
    node->complete = true;
    builder->node_count = frame.first;
    if (node->kind == KG_YAML_MAPPING)
        return kg_yaml_mapping_fill(builder->path, builder->arena, node, children, count,
                                    builder->err);
    node->items = kg_arena_alloc(builder->arena, count, sizeof *node->items);
    if (count)
        memcpy(node->items, children, count * sizeof *node->items);
    node->count = count;
    return true;
}

static bool on_alias(struct builder *builder, const yaml_event_t *event)
{
    const struct kg_mark mark = mark_of(&event->start_mark);
    const char *name = (const char *)event->data.alias.anchor;
    char quoted[KG_QUOTE_BYTES];
    const struct anchor *anchor = anchor_find(builder, name);
    if (!anchor)
        return kg_error_at(builder->err, builder->path, mark.line, mark.column,
                           "alias '*%s' has no anchor '&%s' before it", kg_quote(name, quoted),
                           quoted);
    if (!anchor->node->complete)
        return kg_error_at(builder->err, builder->path, mark.line, mark.column,
                           "alias '*%s' lies within its own anchor of line %u",
                           kg_quote(name, quoted), anchor->node->mark.line);
    if (builder->frame_count + anchor->node->depth > KG_YAML_DEPTH_MOST)
        return kg_error_at(builder->err, builder->path, mark.line, mark.column,
                           "nested too deeply: at most %d levels, with aliases followed",
                           KG_YAML_DEPTH_MOST);
    return count_nodes(builder, anchor->node->weight, mark) &&
           node_add(builder, anchor->node, mark);
}

static bool on_event(struct builder *builder, const yaml_event_t *event)
{
    const struct kg_mark mark = mark_of(&event->start_mark);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return !builder->root || fail(builder, mark, "a second document; a file has only one");
    case YAML_ALIAS_EVENT:
        return on_alias(builder, event);
    case YAML_SCALAR_EVENT:
        return on_scalar(builder, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_start(builder, KG_YAML_SEQUENCE, event->data.sequence_start.tag,
                        event->data.sequence_start.anchor, mark);
    case YAML_MAPPING_START_EVENT:
        return on_start(builder, KG_YAML_MAPPING, event->data.mapping_start.tag,
                        event->data.mapping_start.anchor, mark);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_end(builder);
    case YAML_STREAM_END_EVENT:
        return builder->root || fail(builder, (struct kg_mark){1, 1}, "the file is empty");
    default:
        return true;
    }
}

/* The function reads events instead of libyaml's document for two reasons. The limits apply while reading, before
 * memory is spent. An alias can only name a complete node, so the tree has no cycle. */
static bool read_events(struct builder *builder, const char *bytes, size_t length)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        kg_memory_out();
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, length);
    bool good = true, end = false;
    while (good && !end) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            good = syntax_error(builder, &parser, bytes, length);
            break;
        }
        good = on_event(builder, &event);
        end = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return good;
}

bool kg_yaml_parse(const char *path, const char *bytes, size_t length, struct kg_arena *arena,
                   const struct kg_yaml_node **root, struct kg_error *err)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    struct builder builder = {.path = path, .arena = arena, .err = err};
    if (length > KG_YAML_FILE_BYTES_MOST)
        return kg_error_at(err, path, 0, 0, "a file of %zu bytes; at most %d are allowed", length,
                           KG_YAML_FILE_BYTES_MOST);
    if (length >= 3 && !memcmp(bytes, byte_order_mark, 3)) {
        bytes += 3;
        length -= 3;
    }
    const bool good = read_events(&builder, bytes, length);
    free(builder.nodes);
    if (good)
        *root = builder.root;
    return good;
}

const struct kg_yaml_pair *kg_yaml_find(const struct kg_yaml_node *mapping, const char *key)
{
    if (mapping->kind != KG_YAML_MAPPING)
        return NULL;
    for (size_t i = 0; i < mapping->count; i++)
        if (!strcmp(mapping->pairs[i].key, key))
            return &mapping->pairs[i];
    return NULL;
}
