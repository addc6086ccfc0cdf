/* rules.h: the rules: each says what to try, from what is known of an operation. Pure; thread-safe.
 *
 * To add a rule: a row in the rules_*.c that it belongs to, with its condition and its estimate as
 * static functions beside it. To add a family: such a file, a line in rule_parts.h, a line in
 * rules.c. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "model/suggest_settings.h"
#include "why/evidence/facts.h"
#include "why/rules/cause.h"

enum kg_suggestion_type {
    KG_TYPE_ROUTING,         /* run it elsewhere */
    KG_TYPE_BATCHING,        /* do several at once */
    KG_TYPE_MEMORY,          /* move less, or in another order, or hold less */
    KG_TYPE_CACHING,         /* keep what was computed */
    KG_TYPE_ALGORITHM,       /* do something else that gives the same */
    KG_TYPE_PARALLELIZATION, /* use what is idle */
    KG_TYPE_COUNT
};
extern const char *const kg_suggestion_type_names[KG_TYPE_COUNT + 1];

enum kg_priority {
    KG_PRIORITY_CRITICAL,
    KG_PRIORITY_HIGH,
    KG_PRIORITY_MEDIUM,
    KG_PRIORITY_LOW,
    KG_PRIORITY_COUNT
};
extern const char *const kg_priority_names[KG_PRIORITY_COUNT + 1];

/* What an estimate stands on. */
enum kg_basis {
    KG_BASIS_MEASURED, /* the better way was measured, on this machine, in these results */
    KG_BASIS_MODELLED, /* from measured times and measured ceilings */
    KG_BASIS_AT_MOST,  /* what there is to gain if something holds that no measurement shows; its
                          suggestions have medium priority at most */
    KG_BASIS_COUNT
};
extern const char *const kg_basis_names[KG_BASIS_COUNT + 1]; /* "measured", "modelled", "at most" */

enum { KG_RULE_EVIDENCE_MOST = 8 };

struct kg_rule {
    const char *name; /* "false_sharing": for files, filters and documents */
    enum kg_suggestion_type type;
    enum kg_priority priority; /* the highest it can have: where at least half the time is saved */
    enum kg_basis basis;
    bool last;   /* rank 0: no measurement of this work supports the estimate */
    bool yields; /* ranks below what causes say of the same case: it stands on less */
    /* Rules of what the time goes to (causes.h) have no functions: such a rule applies where that
     * cause was found. Its estimate is the cause's own. */
    bool is_cause;
    /* A rule with functions of its own may name a cause too: where they say nothing, that may. The
     * words are then these, and not `description`. */
    const char *cause_words;
    enum kg_cause_kind cause;
    const char *before; /* a sketch of code as it is often found, and mended; or NULL */
    const char *after;
    bool scopes; /* is about scopes inside others; else about cases, and about the outermost scopes
                    of a program's profile */
    bool (*applies)(const struct kg_facts *facts, const struct kg_suggest_settings *settings);
    /* The time that the estimate is compared with; NULL: the operation's time_ns. */
    double (*current_ns)(const struct kg_facts *facts);
    /* The time the operation would take; NULL where the rule is about memory alone. */
    double (*estimate_ns)(const struct kg_facts *facts, const struct kg_suggest_settings *settings);
    /* Peak memory that it would take; NULL: the rule is not about memory. */
    double (*estimate_bytes)(const struct kg_facts *facts,
                             const struct kg_suggest_settings *settings);
    /* If true, the basis is "at most" instead of `basis`, and the sentence `doubt` is added to
     * the description. NULL: never. */
    bool (*doubtful)(const struct kg_facts *facts, const struct kg_suggest_settings *settings);
    const char *doubt;
    const char *description; /* what is wrong: one sentence; `{fact}` is that fact formatted */
    const char *hint;        /* what to do: one or two sentences, likewise */
    const char *evidence[KG_RULE_EVIDENCE_MOST]; /* names of facts, the most telling first */
    /* For the documents: when it applies, what the estimate assumes, and the suite's keys of the
     * thresholds that it reads, separated by commas, or NULL. */
    const char *when;
    const char *assumes;
    const char *settings;
};

/* The rule that says of a version that another is faster. */
#define KG_RULE_SLOWER_VERSION "slower_version"

/* The rules of all families, one after the other; NULL past the last. */
const struct kg_rule *kg_rule_at(size_t index);
const struct kg_rule *kg_rule_find(const char *name); /* NULL without one */

/* What a rule gives for one operation. Times are NaN if it is only about memory, bytes if it is not
 * about memory. Of a cause the estimate is NaN where what is saved depends on what takes its place. */
struct kg_judged {
    enum kg_priority priority;
    enum kg_basis basis;
    double share; /* of the time that its cause explains; NaN where it is of none */
    double current_ns;
    double estimated_ns;
    double saved_ns;
    double speedup;
    double current_bytes;
    double estimated_bytes;
    bool by_cause; /* what the time goes to said so, not the rule's functions */
    double rank;   /* to sort by, largest first: the time saved, half of it if that is "at most",
                    since it may be nothing; of a cause the time that it explains; 0 for memory, and for rules that are `last` */
};

/* Whether the rule has a suggestion for the operation: it is about such operations, it applies, and
 * its estimate is finite, less than now, and saves at least settings->min_gain of the operation's
 * time (of a scope: of the time of what it is inside) or memory. */
bool kg_rule_judge(const struct kg_rule *rule, const struct kg_facts *facts,
                   const struct kg_suggest_settings *settings, struct kg_judged *judged);

/* Appends a rule's description or hint with each `{name}` replaced: by the fact of that name,
 * formatted, or by one of the names other_device_id, faster_version_id, sweep_parameter,
 * sweep_measure, operation, whole, workload, device; "?" where that is not known. */
void kg_rule_text(const char *words, const struct kg_facts *facts, struct kg_text *text);

/* The reference of all rules, Markdown: the part of docs/suggestions.md between its markers. */
void kg_rules_reference_write(struct kg_text *text);
