/* suite_keys.h: the keys of a suite, as tables. The parser, `--set`, the errors with the nearest key and
 * docs/suite.md read these tables. To add a key: add a row. Constant data and pure functions; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "model/suggest_settings.h"
#include "model/suite.h"

enum kg_key_type {
    KG_KEY_SHARE,    /* double; "5%" */
    KG_KEY_ALPHA,    /* double between 0 and 1, both excluded; "1%" or "0.01" */
    KG_KEY_DURATION, /* double, ns */
    KG_KEY_SIZE,     /* uint64_t, bytes; if the default is "none", 0 means "none" */
    KG_KEY_COUNT,    /* uint64_t; if the default is "all", 0 means "all" */
    KG_KEY_PIN,      /* int: a CPU number, KG_PIN_NONE or KG_PIN_AUTO */
    KG_KEY_CHOICE,   /* enum: index into names */
    KG_KEY_SET,      /* unsigned: bits of indices into names; a list in the suite */
    /* Read by the functions of suite_load.c and suite_workload.c, not by kg_key_set: */
    KG_KEY_TEXT,
    KG_KEY_WORDS,   /* a list of texts */
    KG_KEY_MAPPING, /* a mapping with a table or a grammar of its own */
    KG_KEY_LIST     /* a list of mappings */
};

/* The struct of a key's value; `offset` counts from its start. */
enum kg_key_base { KG_BASE_SETTINGS, KG_BASE_POLICY, KG_BASE_SUGGEST, KG_BASE_OTHER };

struct kg_key {
    const char *name; /* "rounds.min" is the key `min` in the mapping `rounds` */
    enum kg_key_type type;
    enum kg_key_base base;
    size_t offset;
    const char *default_text; /* default as a user writes it, words of a set separated by commas;
                               * "required" for a required key; NULL: optional, no default */
    const char *least;        /* smallest value as a user writes it; of a set: the smallest number
                               * of words; NULL: no limit */
    const char *most;         /* largest value; NULL: no limit */
    const char *const *names; /* KG_KEY_CHOICE and KG_KEY_SET: NULL-terminated */
    const char *help;         /* one phrase in Markdown, without a final stop */
};

struct kg_key_table {
    const char *title; /* place of the keys: "defaults" */
    const char *help;  /* one sentence in Markdown */
    const struct kg_key *keys;
    size_t count;
};

extern const struct kg_key_table kg_suite_keys;    /* top level */
extern const struct kg_key_table kg_policy_keys;   /* policy */
extern const struct kg_key_table kg_default_keys;  /* defaults; all but alpha in a workload too */
extern const struct kg_key_table kg_suggest_keys;  /* suggest */
extern const struct kg_key_table kg_workload_keys; /* a workload, besides kg_default_keys */
extern const struct kg_key_table kg_cuda_keys;     /* a workload with `source`, in addition */
extern const struct kg_key_table kg_cuda_arg_keys; /* an argument of a CUDA kernel */

/* The row of the key `name`; NULL if the table lacks the key. */
const struct kg_key *kg_key_find(const struct kg_key_table *table, const char *name);

/* Whether the key is for the whole suite, so that no workload may override it. */
bool kg_key_is_suite_wide(const struct kg_key *key);

/* The type of the key's value in words: "a share", "a whole number". Never NULL. */
const char *kg_key_type_name(const struct kg_key *key);

/* Reads `count` words as the key's value and stores the value. Only a KG_KEY_SET takes more than one word.
 * base     kg_settings, kg_policy or kg_suggest_settings, selected by key->base
 * bad      On failure: index of the wrong word.
 * message  On failure: the reason and the allowed values. The caller adds the place.
 * returns  false if the words are no value of the key; the struct then stays unchanged */
bool kg_key_set(const struct kg_key *key, void *base, const char *const *words, size_t count,
                size_t *bad, struct kg_text *message);

/* As kg_key_set, from one text without `bad`. Commas separate the words of a set. */
bool kg_key_set_text(const struct kg_key *key, void *base, const char *text,
                     struct kg_text *message);

/* Gives the key its default. */
void kg_key_default(const struct kg_key *key, void *base);

/* Whether the struct's value is allowed by the key; always true for words. For structs read from files. */
bool kg_key_holds(const struct kg_key *key, const void *base);

/* Fills the structs with the defaults of the tables. */
void kg_keys_default(struct kg_settings *settings, struct kg_policy *policy,
                     struct kg_suggest_settings *suggest);
