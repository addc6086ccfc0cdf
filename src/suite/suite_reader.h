/* suite_reader.h: what the files that turn a YAML tree into a suite share. Internal to
 * src/suite. Not thread-safe: a reader belongs to one call of kg_suite_parse. */
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
    struct kg_suite *suite; /* being filled; its arena owns all */
    struct kg_error *err;
    struct kg_mark rounds_mark; /* where `rounds` was last given */
};

/* KG_ERROR_USAGE at a place in the suite's file. Both return false; the second frees `message`. */
__attribute__((format(printf, 3, 4))) bool
kg_reader_fail(const struct kg_suite_reader *reader, struct kg_mark mark, const char *format, ...);
bool kg_reader_fail_text(const struct kg_suite_reader *reader, struct kg_mark mark,
                         struct kg_text *message);

/* Checks that the value of a pair is of a kind; the error says what it is instead. */
bool kg_reader_expect(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                      enum kg_yaml_kind kind);

/* Checks a name: 1 to KG_NAME_BYTES_MOST of [A-Za-z0-9_.-]. `what` is what it names. */
bool kg_reader_name_check(const struct kg_suite_reader *reader, struct kg_mark mark,
                          const char *what, const char *name);

/* Checks text that is shown to people and written to files: 1 to `most` bytes, no control
 * characters and none of `without`. */
bool kg_reader_text_check(const struct kg_suite_reader *reader, struct kg_mark mark,
                          const char *what, const char *text, size_t most, const char *without);

/* The error of a key that none of `count` tables has. `place` is where it stands: "defaults". */
bool kg_reader_unknown_key(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                           const char *place, const struct kg_key_table *const *tables,
                           size_t count);

/* --- suite_settings.c --- */

/* Reads a whole `defaults`, `policy` or `suggest`. */
bool kg_suite_section_read(struct kg_suite_reader *reader, const struct kg_key_table *table,
                           const struct kg_yaml_pair *section);
/* Reads a key of kg_suite_keys that has a value of its own, where the suite has it. */
bool kg_suite_key_read(struct kg_suite_reader *reader, const struct kg_yaml_node *root,
                       const char *name);
/* Reads a workload's key where it is one of kg_default_keys; *known says whether it is. */
bool kg_suite_override_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                            struct kg_settings *settings, bool *known);
/* Applies "key=value" of --set to the suite's defaults, or what its prefix says. */
bool kg_suite_set(struct kg_suite_reader *reader, const char *override);
/* Checks that rounds.min is not above rounds.max; `override` is the --set at fault, or NULL. */
bool kg_suite_rounds_check(const struct kg_suite_reader *reader, const struct kg_settings *settings,
                           const char *override);

/* --- suite_axes.c, suite_budget.c, suite_workload.c --- */

/* Adds the parameters of `params` or `matrix` to a workload, whose `axes` has room for
 * KG_AXES_MOST. */
bool kg_suite_params_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *params,
                          struct kg_workload_spec *spec);
bool kg_suite_matrix_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *matrix,
                          struct kg_workload_spec *spec);
/* Cases of one workload: its combinations on each of its devices; KG_CASES_MOST + 1 for more. */
size_t kg_suite_case_count(const struct kg_workload_spec *spec);
bool kg_suite_counters_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *counters,
                            struct kg_workload_spec *spec);
/* Whether budgets know the metric as one of kgate's own: no counter may have its name. */
bool kg_suite_budget_is_own(const char *metric);
/* After kg_suite_counters_read, whichever stands first in the file. */
bool kg_suite_budget_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *budget,
                          struct kg_workload_spec *spec);
/* --- suite_command.c --- */

/* Reads a key of what a command gets besides its words; *known says whether it is one. */
bool kg_suite_command_key_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                               struct kg_workload_spec *spec, bool *known);
/* Refuses such a key of a workload that is no command. `place` is the workload. */
bool kg_suite_command_keys_check(const struct kg_suite_reader *reader,
                                 const struct kg_yaml_node *workload, const char *place,
                                 const struct kg_workload_spec *spec);
/* Refuses metrics that cannot be told of a workload with a format. */
bool kg_suite_format_check(const struct kg_suite_reader *reader,
                           const struct kg_yaml_node *workload, struct kg_workload_spec *spec);
/* Reads a list of at most `most` words. */
bool kg_suite_words_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                         size_t most, const char ***words, size_t *count);

bool kg_suite_workloads_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *workloads);

/* --- suite_cuda.c --- */

/* Reads a key of kg_cuda_keys, but for `expect`. */
bool kg_suite_cuda_key_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                            struct kg_workload_spec *spec);
/* What only all keys together can say: whether they are there and go together, and `expect`.
 * place: "workload 'saxpy'" for messages */
bool kg_suite_cuda_finish(const struct kg_suite_reader *reader, const struct kg_yaml_node *workload,
                          const char *place, struct kg_workload_spec *spec);
