/* waivers_file.h: reads, changes and prints the file of accepted changes and quarantined cases. */
#pragma once
#include "base/error.h"
#include "base/text.h"
#include "model/waivers.h"

/* Reads a file; one that is not there has none.
 * waivers  to be freed with kg_waivers_free; zeroed on failure
 * err      KG_ERROR_USAGE with line and column: unknown and missing keys, what is no date or share, a
 *          reason without words, an improvement, the same case and metric twice */
bool kg_waivers_load(const char *path, struct kg_waivers *waivers, struct kg_error *err);
bool kg_waivers_parse(const char *path, const char *bytes, size_t length,
                      struct kg_waivers *waivers, struct kg_error *err);

/* The whole file as text. */
void kg_waivers_print(const struct kg_waivers *waivers, struct kg_text *text);

/* Adds one, in the place of one of the same kind, case and metric. Its strings are copied. What the
 * reader would refuse is refused here. */
bool kg_waivers_put(struct kg_waivers *waivers, const struct kg_waiver *waiver,
                    struct kg_error *err);
/* Removes those of that kind, case and metric (NULL: any); how many. */
size_t kg_waivers_remove(struct kg_waivers *waivers, enum kg_waiver_kind kind, const char *id,
                         const char *metric);

/* "+12%" or "-3.5%" to a signed share. */
bool kg_waiver_change_parse(const char *text, double *change);
/* Whether the text may be a reason or a name: one line with more than blanks in it. */
bool kg_waiver_text_is(const char *text);
/* Whether the text is a day, "2026-01-31". */
bool kg_waiver_day_is(const char *text);
