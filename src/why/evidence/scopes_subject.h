/* scopes_subject.h: a case, or an outermost scope, that is looked at, and its rows' times and bytes
 * in one call of it. For scopes.c and scopes_parts.c. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/cpu_ceilings.h"
#include "model/suggest_settings.h"
#include "why/evidence/facts.h"
#include "why/evidence/scopes_view.h"

/* From this share of its time on the GPU, a whole's time is that of the GPU; and from this share of
 * what is inside a scope, one inside it is what it is there for. */
#define KG_SCOPE_MOSTLY 0.5

struct kg_scope_subject {
    struct kg_scope_view view; /* without calls nothing was recorded of it */
    const struct kg_suggest_settings *settings;
    const struct kg_cpu_ceilings *ceilings; /* or NULL */
    bool on_gpu;
    double scale;     /* of the host's times: from all calls to one as it was measured */
    double gpu_scale; /* of the GPU's */
};

/* of    facts of the case; NULL: the outermost scope `root` of a profile of any program
 * View and memory are to be freed by kg_scope_view_free, but not on failure. */
bool kg_scope_subject_open(const struct kg_profile *profile, const struct kg_facts *of, size_t root,
                           const struct kg_suggest_settings *settings,
                           struct kg_scope_subject *subject, struct kg_error *err);

/* a / b where both are known. */
double kg_scope_ratio(double a, double b);

const struct kg_profile_figures *kg_scope_figures(const struct kg_scope_subject *subject,
                                                  size_t row);
size_t kg_scope_kind(const struct kg_scope_subject *subject, size_t row);

/* The part of a row's figures that is of the first thread in the processes looked at. */
double kg_scope_part(const struct kg_scope_subject *subject, size_t row);

/* A row's calls and time in a call of the whole. Of what is on the GPU that is its time there: the
 * host may only have launched it. */
double kg_scope_calls(const struct kg_scope_subject *subject, size_t row);
double kg_scope_time(const struct kg_scope_subject *subject, size_t row);

/* Time on the GPU, of all calls, as it was recorded. */
double kg_scope_gpu_time(const struct kg_scope_subject *subject, size_t row);

/* Read and written in a call of the whole, by all threads; NaN where nothing was said. */
double kg_scope_bytes(const struct kg_scope_subject *subject, size_t row);

/* Whether the first thread waited there, and was not waiting already; or
 * began a parallel region. */
bool kg_scope_is_wait(const struct kg_scope_subject *subject, size_t row);
bool kg_scope_is_region(const struct kg_scope_subject *subject, size_t row);

/* Rows from `first` up to `end`: a scope and those inside it. */
struct kg_scope_rows {
    size_t first, end;
    bool whole;
};
struct kg_scope_rows kg_scope_rows_at(const struct kg_scope_subject *subject, size_t row);
