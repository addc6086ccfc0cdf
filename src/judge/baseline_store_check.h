/* baseline_store_check.h: checks of a store before kgate measures. Is the path a store? Can kgate record runs there? If
 * a baseline is missing: which baselines has the store? */
#pragma once
#include <dirent.h>
#include <stdbool.h>

#include "model/baseline.h"

/* Whether the path is a folder or does not exist. A file is KG_ERROR_USAGE: the user gave the path of a baseline file,
 * not of its folder. */
bool kg_store_check(const char *directory, struct kg_error *err);

/* Whether kgate can record runs. Creates and removes a file in the folder, or in its nearest existing parent. */
bool kg_store_writable(const char *directory, struct kg_error *err);

/* Whether the entry's name is the name of a baseline file. A filter for scandir. */
int kg_store_entry(const struct dirent *entry);

/* Makes a sentence: "no baseline of suite 'lz4' for intel-1cpu in 'baselines' (found there: intel-2cpu)". If this
 * machine has a baseline, the brackets list its suites instead.
 * baseline  baseline of this machine, as loaded; empty if the store has none
 * missing   the sentence, in `arena`; NULL if the baseline has a run of `suite` */
void kg_store_missing(struct kg_arena *arena, const char *directory, const char *fingerprint,
                      const char *suite, const struct kg_baseline *baseline, const char **missing);
