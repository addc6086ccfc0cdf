/* journal.h: puts every measured round on disk at once. During a run, FILE.journal beside the
 * results file has one line of JSON per event; writing the results removes it. A killed run leaves
 * the journal, unless the power failed, and kgate reads it as results.
 *
 * Line 1 is kgate.journal.v1: the results document without rounds. Each further line is {"case":
 * INDEX, "round": {…}} or {"case": INDEX, "update": {…the case without rounds…}}. A last line cut
 * short is ignored. One writer; not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/results.h"

#define KG_JOURNAL_MARK "kgate.journal." /* beginning of every version's schema */

struct kg_journal {
    FILE *file;
    char path[4096]; /* of the journal */
    size_t length;
    size_t most; /* a reader's limit: a line beyond it is refused */
};

/* Starts the journal of the results file `results_path`, and holds its lock. KG_ERROR_USAGE if its
 * path is a symbolic link, or if another process holds the journal. */
bool kg_journal_open(const char *results_path, const struct kg_results *results,
                     struct kg_journal *journal, struct kg_error *err);
/* Appends a round, or the changed state of a case, and hands it to the kernel. If the journal
 * would exceed a reader's limit, the function writes nothing and refuses: the rounds before are
 * not lost. */
bool kg_journal_round(struct kg_journal *journal, size_t index, const struct kg_round *round,
                      struct kg_error *err);
bool kg_journal_case(struct kg_journal *journal, size_t index, const struct kg_case_result *result,
                     struct kg_error *err);
/* Closes and removes the journal: the results are safe elsewhere. */
void kg_journal_remove(struct kg_journal *journal);
/* Closes and keeps the journal. */
void kg_journal_close(struct kg_journal *journal);

/* Reads a journal's text as results, with `complete` false and summaries computed again. */
bool kg_journal_parse(const char *path, const char *bytes, size_t length,
                      struct kg_results *results, struct kg_error *err);
