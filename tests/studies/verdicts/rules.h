/* rules.h: the decision rules of other public benchmarking tools, rewritten from their
 * documentation and source. So they can be compared with kgate's rule on the same recorded times.
 * Each is a pure function of the samples, including random draws from a fixed seed. Thread-safe; a
 * rule allocates and frees its own memory.
 *
 * rules.c has the source of each rule and its simplifications above its function. Two conventions
 * hold for all rules. If a tool's answer is undecided, the rule returns RULE_SAME, since a gate
 * lets it pass. A rule sees only the times, without a tool's own outlier handling, clocks and
 * repetitions. */
#pragma once
#include <stddef.h>

/* Samples of one side. */
struct rule_samples {
    const double *ns; /* times of iterations, ns per call, > 0: all rounds one after the other, in
                         order of time */
    size_t count;
    const double *round_medians; /* ns per call, > 0; in order of time */
    size_t round_count;
};

enum rule_answer { RULE_SAME, RULE_SLOWER, RULE_FASTER };

struct rule {
    const char *name;   /* short, for a table's header */
    const char *source; /* tool, document and section */
    /* The tool's answer for current against base; RULE_SAME if there are too few samples. */
    enum rule_answer (*judge)(const struct rule_samples *base, const struct rule_samples *current);
};

extern const struct rule rules[];
extern const size_t rule_count;
