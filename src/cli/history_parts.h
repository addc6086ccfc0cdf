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

/* history_watch.c: lists the suspected changes of this machine; with --confirm decides them.
 * place     for kg_history_open
 * database  opened for reading
 * status    set to the exit status if that is not 0 */
bool kg_history_watch(const struct kg_arguments *arguments, const char *place,
                      struct kg_history_database *database, int *status, struct kg_error *err);

/* history_text.c: rows of a history as text. */
void kg_history_runs_text(const struct kg_history *history, struct kg_text *text);
/* most  newest rows per series; 0: all */
void kg_history_series_text(const struct kg_history *history, size_t most, struct kg_text *text);
void kg_history_changes_text(const struct kg_history *history, struct kg_text *text);
