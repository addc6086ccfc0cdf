/* journal.h: what is measured is on disk at once. While a run goes on, FILE.journal beside the
 * results file has one line of JSON for each thing that happened; when the results are written it
 * is removed. A run killed by anything short of a power cut leaves it, and it reads as results.
 *
 * Line 1 is kgate.journal.v1: the results document without rounds. Each further line is
 * {"case": INDEX, "round": {…}} or {"case": INDEX, "update": {…the case without rounds…}}. A last
 * line cut short is ignored. One writer; not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/results.h"

#define KG_JOURNAL_MARK "kgate.journal." /* that of any version begins so */

struct kg_journal {
    FILE *file;
    char path[4096]; /* of the journal */
    size_t length;
    size_t most; /* that a reader takes: a line that would pass it is refused */
};

/* Starts the journal of the results file `results_path`, and holds its lock. A symbolic link in its
 * place is refused, and so is one that another process holds: KG_ERROR_USAGE. */
bool kg_journal_open(const char *results_path, const struct kg_results *results,
                     struct kg_journal *journal, struct kg_error *err);
/* Appends a round, or the changed state of a case, and hands it to the kernel. What would make it
 * longer than can be read is refused before it is written, so that the rounds before are not lost. */
bool kg_journal_round(struct kg_journal *journal, size_t index, const struct kg_round *round,
                      struct kg_error *err);
bool kg_journal_case(struct kg_journal *journal, size_t index, const struct kg_case_result *result,
                     struct kg_error *err);
/* Closes and removes it: the results are safe elsewhere. */
void kg_journal_remove(struct kg_journal *journal);
/* Closes and keeps it. */
void kg_journal_close(struct kg_journal *journal);

/* Reads a journal's text as results with `complete` false and summaries made anew. */
bool kg_journal_parse(const char *path, const char *bytes, size_t length,
                      struct kg_results *results, struct kg_error *err);
