/* waivers_file.h: reads, changes and prints the file of accepted changes and quarantined cases. */
#pragma once
#include "base/error.h"
#include "base/text.h"
#include "model/waivers.h"

/* Reads a file of waivers. If the file is missing, the list is empty.
 * waivers  freed by the caller with kg_waivers_free; zeroed on failure
 * err      KG_ERROR_USAGE with line and column: unknown or missing key, invalid date or share, empty reason,
 *          an improvement, or a repeated case and metric */
bool kg_waivers_load(const char *path, struct kg_waivers *waivers, struct kg_error *err);
bool kg_waivers_parse(const char *path, const char *bytes, size_t length,
                      struct kg_waivers *waivers, struct kg_error *err);

/* Appends the whole file as text. */
void kg_waivers_print(const struct kg_waivers *waivers, struct kg_text *text);

/* Adds a waiver and copies its strings. The waiver replaces an earlier waiver of the same kind, case and metric. If the
 * reader would refuse the waiver, the function fails. */
bool kg_waivers_put(struct kg_waivers *waivers, const struct kg_waiver *waiver,
                    struct kg_error *err);
/* Removes the waivers of a kind, case and metric (NULL: any metric), and returns their number. */
size_t kg_waivers_remove(struct kg_waivers *waivers, enum kg_waiver_kind kind, const char *id,
                         const char *metric);

/* Reads "+12%" or "-3.5%" as a signed share. */
bool kg_waiver_change_parse(const char *text, double *change);
/* Whether the text may be a reason or a name: one line, not blank. */
bool kg_waiver_text_is(const char *text);
/* Whether the text is an existing day, "2026-01-31". */
bool kg_waiver_day_is(const char *text);
