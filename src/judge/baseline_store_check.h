/* baseline_store_check.h: what can be said of a store before anything is measured: whether it is one,
 * whether runs can be recorded in it, and what there is in the place of a baseline that is missing. */
#pragma once
#include <dirent.h>
#include <stdbool.h>

#include "model/baseline.h"

/* Whether the path is a folder, or nothing yet. A file is KG_ERROR_USAGE: a user gave the path of a
 * baseline. */
bool kg_store_check(const char *directory, struct kg_error *err);

/* Whether runs can be recorded: makes a file in the folder, or in the one that it would be made in,
 * and removes it. */
bool kg_store_writable(const char *directory, struct kg_error *err);

/* Whether the folder's entry is a baseline by its name: a filter of scandir. */
int kg_store_entry(const struct dirent *entry);

/* "no baseline of suite 'lz4' for intel-1cpu in 'baselines' (found there: intel-2cpu)", or the
 * suites that this machine has runs of there.
 * baseline  of this machine, as loaded; empty where there is none
 * missing   the sentence, in `arena`; NULL where the suite has a run */
void kg_store_missing(struct kg_arena *arena, const char *directory, const char *fingerprint,
                      const char *suite, const struct kg_baseline *baseline, const char **missing);
