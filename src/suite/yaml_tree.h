/* yaml_tree.h: a YAML document as a tree of plain structs, with the place of every key and value.
 * Aliases are references to the node of their anchor and merge keys (`<<`) are already merged. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/suite.h"

/* Limits, so that a hostile file costs bounded time and memory. Nodes are counted with aliases
 * followed, so that a tree of aliases cannot grow ("billion laughs"). */
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
    const char *text;                  /* scalar: its text, without NUL inside; else NULL */
    const struct kg_yaml_node **items; /* sequence: `count` of them */
    struct kg_yaml_pair *pairs;        /* mapping: `count` of them, in file order */
    size_t count;
    size_t weight;  /* nodes in this tree with aliases followed, itself included */
    unsigned depth; /* levels of sequences and mappings; 0 for a scalar */
    bool plain;     /* scalar: written without quotes */
    bool complete;  /* false only while it is being read */
};

/* Keys that a merge key brought stand where the merge key stood and keep their own mark. */
struct kg_yaml_pair {
    const char *key;
    struct kg_mark mark;
    const struct kg_yaml_node *value;
};

/* Reads one document.
 * path   what errors say
 * arena  owns the tree
 * root   filled on success
 * err    on failure: KG_ERROR_USAGE with line and column
 * Refused: more than one document or none, invalid UTF-8, NUL, duplicate and non-scalar keys, an
 * alias within its own anchor, application tags (`!include`), and what is above the limits. */
bool kg_yaml_parse(const char *path, const char *bytes, size_t length, struct kg_arena *arena,
                   const struct kg_yaml_node **root, struct kg_error *err);

/* The value of a mapping's key; NULL where there is none or the node is no mapping. */
const struct kg_yaml_pair *kg_yaml_find(const struct kg_yaml_node *mapping, const char *key);

/* For kg_yaml_parse: turns `count` nodes, key and value in turn, into the pairs of `mapping`;
 * merges, and refuses duplicates. Defined in yaml_mapping.c. */
bool kg_yaml_mapping_fill(const char *path, struct kg_arena *arena, struct kg_yaml_node *mapping,
                          const struct kg_yaml_node *const *nodes, size_t count,
                          struct kg_error *err);
