/* policy.h: the kinds of change, and the gate's reaction to them. Constant data, thread-safe. */
#pragma once
#include <stdint.h>

/* changes.def has the rows. */
enum kg_change {
#define KG_CHANGE(constant, ...) KG_CHANGE_##constant,
#include "model/changes.def"
    KG_CHANGE_COUNT
};

/* The better direction of a metric. */
enum kg_better { KG_BETTER_LOWER, KG_BETTER_HIGHER };
extern const char *const kg_better_names[3];

/* KG_MISSING_UNDECIDED: single cases may miss their device, but not all cases of a device. */
enum kg_missing_device { KG_MISSING_SKIP, KG_MISSING_FAIL, KG_MISSING_UNDECIDED };

/* Result of a gate without a decision: it has a suspect, more than half of its compared cases are
 * undecided, or it could compare nothing. */
enum kg_undecided {
    KG_UNDECIDED_REPORT, /* its verdict is UNDECIDED */
    KG_UNDECIDED_PASS,
    KG_UNDECIDED_FAIL
};

/* Formats that a suite's `reports` may name, besides the JSON files that kgate always writes: rows of
 * formats.def. */
enum kg_report_kind {
#define KG_REPORT(constant, ...) KG_REPORT_##constant,
#include "model/formats.def"
    KG_REPORT_KINDS
};
extern const char *const kg_report_names[KG_REPORT_KINDS + 1];

struct kg_policy {
    unsigned fail_on; /* bits 1u << enum kg_change */
    enum kg_missing_device missing_device;
    enum kg_undecided undecided;
    double missing;       /* share of MISSING cases that a merge accepts, 0 to 1 */
    double alpha;         /* false alarms allowed for the whole suite, 0 to 1 */
    unsigned reports;     /* bits 1u << enum kg_report_kind */
    double instability;   /* share from which on kgate proposes quarantine */
    uint64_t stable_runs; /* number of stable runs that end a quarantine */
};

/* "IMPROVEMENT" and so on; never NULL for a value of the enum. */
const char *kg_change_name(enum kg_change change);

/* All names in enum order, terminated by NULL: for tables of enumerations and for kg_nearest. */
extern const char *const kg_change_names[KG_CHANGE_COUNT + 1];
extern const char *const kg_missing_device_names[4];
extern const char *const kg_undecided_names[4];
