/* units.h: quantities as people write and read them. Pure functions; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Readers. The whole text must match: a non-negative finite decimal number (digits, one point, an
 * exponent), an optional space, then a required unit. If the text is anything else or the value
 * does not fit, they return false and leave *value alone.
 *
 * Durations to nanoseconds:     ns us ms s min h
 * Sizes to bytes:               B kB MB GB TB (powers of 1000), KiB MiB GiB TiB (of 1024);
 *                               a result that is not whole is refused
 * Shares to a fraction:         %  ("5%" is 0.05)
 * Counts, no unit:              digits only, at most UINT64_MAX
 * Numbers, no unit:             as strtod reads decimal ones, with a sign; finite */
bool kg_duration_parse(const char *text, double *ns);
bool kg_size_parse(const char *text, uint64_t *bytes);
bool kg_share_parse(const char *text, double *share);
bool kg_count_parse(const char *text, uint64_t *count);
bool kg_number_parse(const char *text, double *number);

enum { KG_UNIT_BYTES = 32 };

/* Writers, three significant digits with a suitable unit: "12.3 us", "1.50 GiB", "8.42 G". `buffer`
 * has KG_UNIT_BYTES bytes and is returned. NaN becomes "-". */
char *kg_duration_format(double ns, char *buffer);
char *kg_size_format(double bytes, char *buffer);
char *kg_rate_format(double per_second, char *buffer);
/* The same for a unit of kgate's files: "ns", "bytes", "1/s", or "" for a number. */
char *kg_value_format(const char *unit, double value, char *buffer);
/* A ratio as a signed change in per cent, one digit after the point: 1.2 is "+20.0 %". */
char *kg_change_format(double ratio, char *buffer);
