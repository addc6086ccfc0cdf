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

/* What a sketch is chosen by. */
enum kg_sketch_by {
    KG_BY_NOTHING,       /* behind the last one */
    KG_BY_FUNCTION,      /* a function of a library: what its plain name begins with */
    KG_BY_CALL,          /* a system call: its name; of no words: any */
    KG_BY_CODE,          /* a part of the text of an instruction in the hot loop */
    KG_BY_LOOP,          /* it was seen in a loop of the workload's own */
    KG_BY_WHOLE_NUMBERS, /* likewise, in one without floating point */
    KG_BY_OPENMP,        /* OpenMP starts the case's threads */
    KG_BY_THREADS,       /* something else does */
};

struct kg_sketch {
    enum kg_sketch_by by;
    const char *words;  /* parted by '|', of the first three; else NULL */
    const char *hint;   /* NULL: as the rule has it; "{call}" is the system call's name, here too */
    const char *before; /* NULL: the rule's own sketch is the one for these */
    const char *after;
};

enum { KG_RULE_EVIDENCE_MOST = 8 };

struct kg_rule {
    const char *name; /* "false_sharing": for files, filters and documents */
    enum kg_suggestion_type type;
    enum kg_priority priority; /* the highest it can have: where at least half the time is saved */
    enum kg_basis basis;
    bool last;   /* rank 0: no measurement of this work supports the estimate */
    bool yields; /* ranks below what causes say of the same case: it stands on less */
    /* The row is that of a cause too (causes.h), except of KG_CAUSE_NONE. A cause without functions
     * applies where it was found, and has the estimate of its weighing. */
    enum kg_cause_kind cause;
    enum kg_bound bound; /* the bottleneck of a case whose time goes to the cause */
    /* The words of a cause that a rule with functions of its own has too, if these say nothing. */
    const char *cause_words;
    double needs; /* share of the cause's time that fixed code still needs; 0: not known, because
                       * another layout or algorithm takes its place */
    bool with_caller; /* the function around it goes away too */
    bool traced;      /* the functions judge the cause by the trace of a GPU */
    bool of_kernel;   /* its place is the kernel with the most time */
    const char *experiment, *experiment_words; /* the experiment that measures it; or NULL */
    const char *before; /* a sketch of code as it is often found, and mended; or NULL */
    const char *after;
    const struct kg_sketch *sketches; /* those of single functions and system calls; or NULL */
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

/* The row of a cause; NULL of KG_CAUSE_NONE. */
const struct kg_rule *kg_rule_of_cause(enum kg_cause_kind kind);
/* As rules, files and docs call it: "allocation"; "none" of KG_CAUSE_NONE. */
const char *kg_cause_name(enum kg_cause_kind kind);
/* Whether the rule is a cause alone, without functions of its own. */
bool kg_rule_is_cause(const struct kg_rule *rule);

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

/* sketches.c: code as it is often found, and mended, by the function or the system call that a
 * cause was seen in: a rule has one sketch, but `write` is not mended as `read` is. Pure.
 *
 * To add one: a row in the rule of its cause. */

/* The first row of a rule that fits its cause in a case; NULL: the rule's own sketch is all there is.
 * rows  of the rule; may be NULL */
const struct kg_sketch *kg_sketch_of(const struct kg_sketch *rows, const struct kg_facts *facts,
                                     const struct kg_cause *cause);

/* Appends a sketch's words with each "{call}" replaced. */
void kg_sketch_text(const char *words, const struct kg_cause *cause, struct kg_text *text);
