/* yaml_tree.h: a YAML document as a tree of plain structs, with the place of every key and value. An alias points to
 * the node of its anchor. Merge keys (`<<`) are already merged. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/suite.h"

/* Limits, so that a hostile file costs bounded time and memory. The reader follows aliases when it counts nodes, so a
 * tree of aliases cannot explode ("billion laughs"). */
enum {
    KG_YAML_FILE_BYTES_MOST = 16 * 1024 * 1024,
    KG_YAML_SCALAR_BYTES_MOST = 64 * 1024,
    KG_YAML_DEPTH_MOST = 32,
    KG_YAML_NODES_MOST = 1000000,
    KG_YAML_ANCHORS_MOST = 1024
};

enum kg_yaml_kind { KG_YAML_SCALAR, KG_YAML_SEQUENCE, KG_YAML_MAPPING };

struct kg_yaml_pair;

struct kg_yaml_node {
    enum kg_yaml_kind kind;
    struct kg_mark mark;
    const char *text;                  /* scalar: text without an inner NUL; else NULL */
    const struct kg_yaml_node **items; /* sequence: `count` items */
    struct kg_yaml_pair *pairs;        /* mapping: `count` pairs, in file order */
    size_t count;
    size_t weight;  /* number of nodes in this tree, this node included, aliases followed */
    unsigned depth; /* levels of sequences and mappings; 0 for a scalar */
    bool plain;     /* scalar: written without quotes */
    bool complete;  /* false while the reader fills the node */
};

/* A pair of a mapping. Merged pairs stand at the place of the merge key and keep their own mark. */
struct kg_yaml_pair {
    const char *key;
    struct kg_mark mark;
    const struct kg_yaml_node *value;
    size_t rank; /* 0: the mapping's own pair; 1 and up: merged, the stronger mapping first */
};

/* Reads one document.
 * path   file name for errors
 * arena  owns the tree
 * root   filled on success
 * err    KG_ERROR_USAGE with line and column.
 * The reader refuses several documents, an empty file, invalid UTF-8, NUL, and files above the limits. It also
 * refuses duplicate or non-scalar keys, an alias within its own anchor, and application tags (`!include`). */
bool kg_yaml_parse(const char *path, const char *bytes, size_t length, struct kg_arena *arena,
                   const struct kg_yaml_node **root, struct kg_error *err);

/* The pair of a mapping's key; NULL if the mapping lacks the key or the node is no mapping. */
const struct kg_yaml_pair *kg_yaml_find(const struct kg_yaml_node *mapping, const char *key);

/* For kg_yaml_parse: turns `count` nodes, keys and values alternating, into the pairs of `mapping`. The function merges
 * `<<` and refuses duplicate keys. Defined in yaml_mapping.c. */
bool kg_yaml_mapping_fill(const char *path, struct kg_arena *arena, struct kg_yaml_node *mapping,
                          const struct kg_yaml_node *const *nodes, size_t count,
                          struct kg_error *err);
