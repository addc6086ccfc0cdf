/* stored_prior.h: the noise of each case by a history, in a file beside the baseline: kgate.prior.v1. `kgate history
 * export --format prior` writes it, and a gate reads it, so that a gate needs no database. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/record.h"
#include "base/statistics/stats.h"

#define KG_PRIOR_SCHEMA "kgate.prior.v1"
/* Most degrees of freedom of a variance. */
#define KG_PRIOR_FREEDOM_MOST 60.0

/* Variances of one metric of a case. They are of logarithms, so they are relative. */
struct kg_prior_series {
    const char *suite;
    const char *id_of_case;
    const char *definition_hash;
    const char *metric;
    const char *source;
    size_t runs;
    struct kg_variance
        between;               /* of runs, beyond the scatter of their rounds; freedom 0: unknown */
    struct kg_variance within; /* of the rounds within a run; freedom 0: unknown */
};

struct kg_stored_prior {
    const char *fingerprint;
    const char *created;
    const char *kgate_version;
    struct kg_prior_series *series; /* sorted by kg_stored_prior_sort */
    size_t series_count;
};

extern const struct kg_record kg_stored_prior_record;

/* The prior's file of a baseline: DIR/X.prior.json of DIR/X.json, in `arena`. */
char *kg_stored_prior_path(struct kg_arena *arena, const char *baseline_path);
/* Whether a file of the store is a prior, by its name. */
bool kg_stored_prior_named(const char *name);

/* Reads the prior of a baseline, if there is one.
 * fingerprint  machine of the baseline
 * prior        in `arena`; NULL: no file
 * err          KG_ERROR_USAGE: the file is damaged, newer, or of another machine */
bool kg_stored_prior_load(struct kg_arena *arena, const char *baseline_path,
                          const char *fingerprint, const struct kg_stored_prior **prior,
                          struct kg_error *err);
/* The same from memory; errors name `path`. */
bool kg_stored_prior_parse(struct kg_arena *arena, const char *path, const char *bytes,
                           size_t length, const char *fingerprint,
                           const struct kg_stored_prior **prior, struct kg_error *err);

/* Order by suite, case, definition, metric and source. */
int kg_prior_series_compare(const void *a, const void *b);
void kg_stored_prior_sort(struct kg_stored_prior *prior);
/* The series with that suite, case, definition, metric and source; NULL: none, or `prior` is NULL. */
const struct kg_prior_series *kg_stored_prior_find(const struct kg_stored_prior *prior,
                                                   const struct kg_prior_series *wanted);
