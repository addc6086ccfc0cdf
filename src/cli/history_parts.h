/* history_parts.h: parts of `kgate history`. */
#pragma once
#include "cli/cli.h"
#include "judge/history/history.h"

/* Finds the history: --history, then `history:` of the suite, then kgate-history.db.
 * place  in `arena`, or borrowed from the arguments */
bool kg_history_place(const struct kg_arguments *arguments, struct kg_arena *arena,
                      const char **place, struct kg_error *err);

/* Asks git about a commit, for struct kg_history_add_options. */
struct kg_history_commit kg_history_commit_ask(struct kg_arena *arena, const char *named,
                                               void *user);

/* Commit of the checkout around the working directory; NULL: unknown. */
const char *kg_history_here_ask(struct kg_arena *arena);

/* Rate of false alarms of the user's suite; of a default suite if there is none. */
bool kg_history_alpha(const struct kg_arguments *arguments, double *alpha, struct kg_error *err);

/* history_watch.c: lists the suspected changes of this machine; with --confirm decides them.
 * place     for kg_history_open
 * database  opened for reading
 * status    set to the exit status if that is not 0 */
bool kg_history_watch(const struct kg_arguments *arguments, const char *place,
                      struct kg_history_database *database, int *status, struct kg_error *err);

/* Writes the prior of --machine, or of this machine, beside its baseline or to --output. */
bool kg_history_prior_write(const struct kg_arguments *arguments,
                            struct kg_history_database *database, struct kg_error *err);
