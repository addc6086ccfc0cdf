/* bottleneck.h: the component that takes most of a case's time. A case is an outermost scope with
 * scopes inside it, or one with a process's label as its name. A recording without nested scopes has
 * no case: its one bottleneck is that of all scopes together. Pure. */
#pragma once
#include "profiler/read/profile.h"

/* The result for a case. */
enum kg_bottleneck_kind {
    KG_BOTTLENECK_SCOPE,   /* one path has a notable share */
    KG_BOTTLENECK_NAME,    /* only the paths of one name together have a notable share */
    KG_BOTTLENECK_OUTSIDE, /* most of the case's time is outside its inner scopes */
    KG_BOTTLENECK_SPREAD,  /* no path or name has a notable share */
};
extern const char *const kg_bottleneck_kind_names[5];

/* Time is self time: without the scopes inside. */
struct kg_bottleneck {
    size_t path; /* the case's row in the profile */
    enum kg_bottleneck_kind kind;
    size_t component; /* the inner row with the most time; `path` if there is none */
    double share;  /* share of the case's time: the component's, or that of all its name's paths */
    size_t places; /* number of paths in `share` */
    size_t second; /* the row with the second most time; `path` if there is none */
    double second_share;
    double outside_share; /* share outside the inner scopes */
    uint64_t calls;       /* calls of the component */
    bool close; /* SCOPE: the second component may be the first. Of a case: kgate repeated its call,
                    and the calls differ that much. Flat: its share is almost as large */
    bool
        flat; /* there is no case: shares are of the time of all scopes on all threads, `path` is the component */
    bool on_gpu; /* the shares are of GPU time, with copies: host time of launching says nothing
                    about the GPU */
};

/* All cases, the slowest first; of a recording without nested scopes a flat one. A share is of the
 * case's total over all processes. It excludes the threads that a parallel region started: they work
 * beside the case's own.
 * found    `*count` results, to be freed with free
 * returns  false if memory is out */
bool kg_bottlenecks_find(const struct kg_profile *profile, struct kg_bottleneck **found,
                         size_t *count);

/* Appends "scores, 61 % of its time (softmax 22 %)", without an end of line. Names are not escaped:
 * the caller must do that. */
void kg_bottleneck_words(const struct kg_profile *profile, const struct kg_bottleneck *bottleneck,
                         struct kg_text *text);

/* Appends "bottleneck of CASE: ", or "bottleneck: " if flat, and the words. */
void kg_bottleneck_sentence(const struct kg_profile *profile,
                            const struct kg_bottleneck *bottleneck, struct kg_text *text);

enum { KG_BOTTLENECKS_MOST = 16 }; /* number of cases in a report, the slowest ones */
