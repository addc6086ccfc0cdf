/* waivers.h: the reviewed file beside a suite with its accepted changes and its cases in
 * quarantine. YAML. `kgate accept` and `kgate quarantine` write it in a stable order: a reviewer
 * can read a change line by line. */
#pragma once
#include <stddef.h>

#include "base/arena.h"

/* Why a case does not fail the gate: the rows of changes.def. */
enum kg_waiver_kind {
#define KG_WAIVER(constant, ...) KG_WAIVER_##constant,
#include "model/changes.def"
    KG_WAIVER_KINDS
};
extern const char *const kg_waiver_names[KG_WAIVER_KINDS + 1];
extern const char *const kg_waiver_words[KG_WAIVER_KINDS]; /* NULL for NONE */

struct kg_waiver {
    enum kg_waiver_kind kind; /* ACCEPTED or QUARANTINED */
    const char *id;           /* of the case */
    const char *metric;       /* ACCEPTED only: "time", …; else NULL */
    double change;            /* ACCEPTED only: the covered share, signed; else NaN */
    const char *because;
    const char *since;     /* UTC, "2026-01-31T12:00:00Z" */
    const char *by;        /* its author, as git names them; NULL: unknown */
    const char *until;     /* the last day, "2026-01-31"; NULL: no end */
    const char *baseline;  /* reference of the measured change; NULL: unknown */
    unsigned line, column; /* of the file */
};

/* Zero-initialise: none. */
struct kg_waivers {
    struct kg_arena arena;     /* owns everything below */
    const char *path;          /* path for errors */
    struct kg_waiver *waivers; /* by kind, case and metric */
    size_t count;
};

/* The path of a suite's file, in `arena`: "kgate.accepted.yaml" for "kgate.yaml". */
char *kg_waivers_path(struct kg_arena *arena, const char *suite);

/* The order of a file's entries, for qsort: by kind, case and metric. */
int kg_waivers_by_place(const void *a, const void *b);

void kg_waivers_free(struct kg_waivers *waivers);

/* The entries of a kind and case, which are neighbours: the first, and their number. NULL: none. */
const struct kg_waiver *kg_waivers_of(const struct kg_waivers *waivers, enum kg_waiver_kind kind,
                                      const char *id, size_t *count);
