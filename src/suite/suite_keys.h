/* suite_keys.h: the keys of a suite, said once. The parser, `--set`, the errors with the nearest
 * key and docs/suite.md all read these tables; to add a key is to add a row. Constant data and pure
 * functions; thread-safe. */
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
    KG_KEY_SIZE,     /* uint64_t, bytes; 0 is "none" where that is the default */
    KG_KEY_COUNT,    /* uint64_t; 0 is "all" where that is the default */
    KG_KEY_PIN,      /* int: a CPU number, KG_PIN_NONE or KG_PIN_AUTO */
    KG_KEY_CHOICE,   /* enum: index into names */
    KG_KEY_SET,      /* unsigned: bits of indices into names; a list in the suite */
    /* Read by the functions of suite_load.c and suite_workload.c, not by kg_key_set: */
    KG_KEY_TEXT,
    KG_KEY_WORDS,   /* a list of texts */
    KG_KEY_MAPPING, /* a mapping with a table or a grammar of its own */
    KG_KEY_LIST     /* a list of mappings */
};

/* The struct that `offset` counts from. */
enum kg_key_base { KG_BASE_SETTINGS, KG_BASE_POLICY, KG_BASE_SUGGEST, KG_BASE_OTHER };

struct kg_key {
    const char *name; /* "rounds.min" is the key `min` in the mapping `rounds` */
    enum kg_key_type type;
    enum kg_key_base base;
    size_t offset;
    const char *default_text; /* as a user would write it, words of a set parted by commas;
                               * "required", or NULL for what may be left out */
    const char *least;        /* as a user would write it, of a set the fewest words; NULL where
                               * there is no limit */
    const char *most;
    const char *const *names; /* KG_KEY_CHOICE and KG_KEY_SET: NULL-terminated */
    const char *help;         /* one phrase in Markdown, without a final stop */
};

struct kg_key_table {
    const char *title; /* where the keys stand: "defaults" */
    const char *help;  /* one sentence in Markdown */
    const struct kg_key *keys;
    size_t count;
};

extern const struct kg_key_table kg_suite_keys;    /* top level */
extern const struct kg_key_table kg_policy_keys;   /* policy */
extern const struct kg_key_table kg_default_keys;  /* defaults; all but alpha in a workload too */
extern const struct kg_key_table kg_suggest_keys;  /* suggest */
extern const struct kg_key_table kg_workload_keys; /* a workload, besides those of defaults */
extern const struct kg_key_table kg_cuda_keys;     /* a workload with `source`, besides these */
extern const struct kg_key_table kg_cuda_arg_keys; /* an argument of its kernel */

/* The row of that name; NULL where there is none. */
const struct kg_key *kg_key_find(const struct kg_key_table *table, const char *name);

/* True for a key that stands for the whole suite and that no workload may override. */
bool kg_key_is_suite_wide(const struct kg_key *key);

/* What the key takes, for people: "a share", "a whole number". Never NULL. */
const char *kg_key_type_name(const struct kg_key *key);

/* Reads `count` words as the key's value into the struct that `base` points to (a kg_settings, a
 * kg_policy or a kg_suggest_settings, as key->base says). Only a KG_KEY_SET takes more than a word.
 * bad      index of the word at fault, on failure
 * message  on failure the reason and what is allowed; the caller adds the place
 * returns false, leaving the struct alone, where that is no value of the key */
bool kg_key_set(const struct kg_key *key, void *base, const char *const *words, size_t count,
                size_t *bad, struct kg_text *message);

/* Sets the key from one text: words of a set parted by commas. As kg_key_set, but for `bad`. */
bool kg_key_set_text(const struct kg_key *key, void *base, const char *text,
                     struct kg_text *message);

/* Gives the key its default. */
void kg_key_default(const struct kg_key *key, void *base);

/* Whether what the struct has for the key is what the key allows; true for words. For structs that
 * come from files. */
bool kg_key_holds(const struct kg_key *key, const void *base);

/* Fills the structs with the defaults of the tables. */
void kg_keys_default(struct kg_settings *settings, struct kg_policy *policy,
                     struct kg_suggest_settings *suggest);
