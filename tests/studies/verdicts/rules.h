/* rules.h: the decision rules of other public benchmarking tools, written anew from their
 * documentation and source, so that they can be compared with kgate's own on the same recorded
 * times. Each is a pure function of the samples, random draws from a fixed seed included;
 * thread-safe; what a rule needs beyond its input it allocates and frees.
 *
 * Where each rule comes from, and where it is simplified, stands above its function in rules.c. Two
 * things hold for all: what a tool calls undecided is RULE_SAME, for a gate lets it pass; and a
 * rule sees the times alone, so that a tool's own outlier handling, clocks and repetitions are left
 * out. */
#pragma once
#include <stddef.h>

/* Samples of one side. */
struct rule_samples {
    const double *ns; /* times of iterations, ns a call, > 0: all rounds one after the other, in the
                         order taken */
    size_t count;
    const double *round_medians; /* ns a call, > 0; in the order taken */
    size_t round_count;
};

enum rule_answer { RULE_SAME, RULE_SLOWER, RULE_FASTER };

struct rule {
    const char *name;   /* short, for a table's header */
    const char *source; /* tool, document and section */
    /* What the tool would say of current against base; RULE_SAME where there
     * are too few samples. */
    enum rule_answer (*judge)(const struct rule_samples *base, const struct rule_samples *current);
};

extern const struct rule rules[];
extern const size_t rule_count;
