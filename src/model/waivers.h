/* waivers.h: the reviewed file beside a suite that says which changes were accepted, and which cases
 * are in quarantine. YAML; written by `kgate accept` and `kgate quarantine`, in a stable order, so that
 * a change of it is read line by line. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Why a case fails nothing: changes.def has the rows. */
enum kg_waiver_kind {
#define KG_WAIVER(constant, ...) KG_WAIVER_##constant,
#include "model/changes.def"
    KG_WAIVER_KINDS
};
extern const char *const kg_waiver_names[KG_WAIVER_KINDS + 1];
extern const char *const kg_waiver_words[KG_WAIVER_KINDS]; /* of NONE: NULL */

struct kg_waiver {
    enum kg_waiver_kind kind; /* ACCEPTED or QUARANTINED */
    const char *id;           /* of the case */
    const char *metric;       /* of ACCEPTED: "time", …; else NULL */
    double change;            /* of ACCEPTED: the share that it covers, signed; else NaN */
    const char *because;
    const char *since;     /* UTC, "2026-01-31T12:00:00Z" */
    const char *by;        /* who wrote it, as git names them; NULL: not known */
    const char *until;     /* the last day, "2026-01-31"; NULL: no end */
    const char *baseline;  /* what the change was measured against; NULL: not known */
    unsigned line, column; /* of the file */
};

/* Zero-initialise: none. */
struct kg_waivers {
    struct kg_arena arena;     /* owns everything below */
    const char *path;          /* as errors say it */
    struct kg_waiver *waivers; /* by kind, case and metric */
    size_t count;
};

/* The file of a suite: "kgate.yaml" has "kgate.accepted.yaml". In `arena`. */
char *kg_waivers_path(struct kg_arena *arena, const char *suite);

/* The order of a file's entries, for qsort: by kind, case and metric. */
int kg_waivers_by_place(const void *a, const void *b);

void kg_waivers_free(struct kg_waivers *waivers);

/* Those of a kind and case, one beside the other: the first, and how many. NULL where there are none. */
const struct kg_waiver *kg_waivers_of(const struct kg_waivers *waivers, enum kg_waiver_kind kind,
                                      const char *id, size_t *count);
