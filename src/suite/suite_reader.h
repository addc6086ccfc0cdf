/* suite_reader.h: shared parts of the files that turn a YAML tree into a suite. Internal to src/suite. Not thread-safe:
 * a reader belongs to one call of kg_suite_parse. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "model/suite.h"
#include "suite/suite_keys.h"
#include "suite/yaml_tree.h"

enum {
    KG_NAME_BYTES_MOST = 100,
    KG_VALUE_BYTES_MOST = 200,
    KG_AXES_MOST = 64,
    KG_WORDS_MOST = 4096
};

struct kg_suite_reader {
    const char *path;
    struct kg_suite *suite; /* filled by the reader; its arena owns everything */
    struct kg_error *err;
    struct kg_mark rounds_mark; /* place of the last `rounds` */
};

/* Set KG_ERROR_USAGE at a place in the suite's file and return false. kg_reader_fail_text frees `message`. */
__attribute__((format(printf, 3, 4))) bool
kg_reader_fail(const struct kg_suite_reader *reader, struct kg_mark mark, const char *format, ...);
bool kg_reader_fail_text(const struct kg_suite_reader *reader, struct kg_mark mark,
                         struct kg_text *message);

/* Checks the kind of a pair's value. The error names the actual kind. */
bool kg_reader_expect(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                      enum kg_yaml_kind kind);

/* Checks a name: 1 to KG_NAME_BYTES_MOST characters of [A-Za-z0-9_.-].
 * what  the named thing, for the error: "parameter" */
bool kg_reader_name_check(const struct kg_suite_reader *reader, struct kg_mark mark,
                          const char *what, const char *name);

/* Checks text for reports and files: 1 to `most` bytes, no control characters, no character of `without`. */
bool kg_reader_text_check(const struct kg_suite_reader *reader, struct kg_mark mark,
                          const char *what, const char *text, size_t most, const char *without);

/* Sets the error for a key that is missing in all `count` tables.
 * place  name of the key's mapping: "defaults" */
bool kg_reader_unknown_key(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                           const char *place, const struct kg_key_table *const *tables,
                           size_t count);

/* --- suite_settings.c --- */

/* Reads the section `defaults`, `policy` or `suggest`. */
bool kg_suite_section_read(struct kg_suite_reader *reader, const struct kg_key_table *table,
                           const struct kg_yaml_pair *section);
/* Reads a key of kg_suite_keys that is not a section. If the suite lacks the key: nothing. */
bool kg_suite_key_read(struct kg_suite_reader *reader, const struct kg_yaml_node *root,
                       const char *name);
/* Reads a workload's key of kg_default_keys. If the table lacks the key, *known is false. */
bool kg_suite_override_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                            struct kg_settings *settings, bool *known);
/* Applies "key=value" of --set to the suite's defaults. The prefix "policy." or "suggest." selects another section. */
bool kg_suite_set(struct kg_suite_reader *reader, const char *override);
/* Checks that a mapping of settings has itself at most one of `iterations` and `min_time`. */
bool kg_suite_length_check(const struct kg_suite_reader *reader,
                           const struct kg_yaml_node *mapping);
/* Whether the pair is `min_time` or `iterations`, and a stronger mapping has the other: `<<` merged it. */
bool kg_suite_length_hidden(const struct kg_yaml_node *mapping, const struct kg_yaml_pair *pair);
/* Energy counters move every few tens of milliseconds, so min_time is a second if the metrics have energy and the suite
 * names no min_time. */
void kg_suite_min_time_settle(struct kg_settings *settings);
/* Checks that rounds.min is at most rounds.max.
 * override  text of the --set that changed the rounds, for the error; NULL: the suite's file */
bool kg_suite_rounds_check(const struct kg_suite_reader *reader, const struct kg_settings *settings,
                           const char *override);

/* --- suite_axes.c, suite_budget.c, suite_workload.c --- */

/* Add the parameters of `params` or `matrix` to a workload. Its `axes` has room for KG_AXES_MOST. */
bool kg_suite_params_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *params,
                          struct kg_workload_spec *spec);
bool kg_suite_matrix_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *matrix,
                          struct kg_workload_spec *spec);
/* The number of cases of a workload: combinations times devices, at most KG_CASES_MOST + 1. */
size_t kg_suite_case_count(const struct kg_workload_spec *spec);
bool kg_suite_counters_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *counters,
                            struct kg_workload_spec *spec);
/* Whether the metric is one of kgate's own budget metrics. A counter must not have its name. */
bool kg_suite_budget_is_own(const char *metric);
/* Reads `budget`. The caller reads the counters first, in any order of the file. */
bool kg_suite_budget_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *budget,
                          struct kg_workload_spec *spec);
/* --- suite_command.c --- */

/* Reads a key that only commands may have, such as `stdin`. For any other key, *known is false. */
bool kg_suite_command_key_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                               struct kg_workload_spec *spec, bool *known);
/* Checks that a workload without a command has no key of commands.
 * place  the workload, for the error */
bool kg_suite_command_keys_check(const struct kg_suite_reader *reader,
                                 const struct kg_yaml_node *workload, const char *place,
                                 const struct kg_workload_spec *spec);
/* Checks devices, iterations and metrics of a workload with `format`: kgate cannot measure every metric per call. */
bool kg_suite_format_check(const struct kg_suite_reader *reader,
                           const struct kg_yaml_node *workload, struct kg_workload_spec *spec);
/* Reads a list of at most `most` words. */
bool kg_suite_words_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                         size_t most, const char ***words, size_t *count);

bool kg_suite_workloads_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *workloads);

/* --- suite_cuda.c --- */

/* Reads a key of kg_cuda_keys, except `expect`. */
bool kg_suite_cuda_key_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                            struct kg_workload_spec *spec);
/* Checks the keys of a CUDA source together, after all keys are read: required keys, and conflicts with other keys.
 * Then reads `expect`.
 * place  "workload 'saxpy'" for messages */
bool kg_suite_cuda_finish(const struct kg_suite_reader *reader, const struct kg_yaml_node *workload,
                          const char *place, struct kg_workload_spec *spec);
