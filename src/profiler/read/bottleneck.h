/* bottleneck.h: the component that a case's time goes to. A case is an outermost scope with others
 * inside it, or one that a process was recorded for. Pure. */
#pragma once
#include "profiler/read/profile.h"

/* What there is to say of a case. */
enum kg_bottleneck_kind {
    KG_BOTTLENECK_SCOPE,   /* one path has a notable share */
    KG_BOTTLENECK_NAME,    /* no path has, but all of one name have together */
    KG_BOTTLENECK_OUTSIDE, /* most of its time is in no scope inside it */
    KG_BOTTLENECK_SPREAD,  /* none of these */
};
extern const char *const kg_bottleneck_kind_names[5];

/* Time is a scope's own: without that of the scopes inside it. */
struct kg_bottleneck {
    size_t path; /* the case's row in the profile */
    enum kg_bottleneck_kind kind;
    size_t component; /* the row inside it with the most time; `path` where there is none */
    double share;     /* of the case's time: the component's, or all of its name's */
    size_t places;    /* paths that the share is of */
    size_t second;    /* the row with the next most; `path` where there is none */
    double second_share;
    double outside_share; /* in no scope inside the case */
    uint64_t calls;       /* of the component */
    bool close;  /* SCOPE, of a case that kgate called again and again: by how much those calls
                    differ among themselves, the second may well be the first */
    bool on_gpu; /* the shares are of time on the GPU, copies with it: where a case was launched
                    from is not where it spends its time */
};

/* All cases, the slowest first. A share is of the case's total over all processes; what threads did
 * that have outermost scopes of their own is not in it, as it is not in the tree.
 * found    `*count` of them, to be freed with free
 * returns  false where memory is out */
bool kg_bottlenecks_find(const struct kg_profile *profile, struct kg_bottleneck **found,
                         size_t *count);

/* Appends "scores, 61 % of its time (softmax 22 %)", without an end of line. Names are as they were
 * told: to be escaped. */
void kg_bottleneck_words(const struct kg_profile *profile, const struct kg_bottleneck *bottleneck,
                         struct kg_text *text);

enum { KG_BOTTLENECKS_MOST = 16 }; /* cases that a report tells of, the slowest */
