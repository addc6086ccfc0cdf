/* rules.h: rules that turn facts about an operation into suggestions. Pure; thread-safe.
 *
 * To add a rule: add a row to its rules_*.c, with its condition and its estimate as static
 * functions. To add a family: add a file, a line in rule_parts.h, and a line in rules.c. */
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
    KG_TYPE_MEMORY,          /* move less, move in another order, or hold less */
    KG_TYPE_CACHING,         /* keep computed results */
    KG_TYPE_ALGORITHM,       /* get the same result in another way */
    KG_TYPE_PARALLELIZATION, /* use idle resources */
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

/* The support of an estimate. */
enum kg_basis {
    KG_BASIS_MEASURED, /* the better way was measured, on this machine, in these results */
    KG_BASIS_MODELLED, /* from measured times and measured ceilings */
    /* Upper bound of the gain, under an assumption that no measurement shows. Medium priority at
     * most. */
    KG_BASIS_AT_MOST,
    KG_BASIS_COUNT
};
extern const char *const kg_basis_names[KG_BASIS_COUNT + 1]; /* "measured", "modelled", "at most" */

/* The criterion that selects a sketch. */
enum kg_sketch_by {
    KG_BY_NOTHING,       /* ends the list */
    KG_BY_FUNCTION,      /* a library function: the start of its plain name */
    KG_BY_CALL,          /* a system call: its name; NULL: any */
    KG_BY_CODE,          /* a part of the text of an instruction in the hot loop */
    KG_BY_LOOP,          /* the cause has a loop of the workload's own */
    KG_BY_WHOLE_NUMBERS, /* such a loop without floating point */
    KG_BY_OPENMP,        /* OpenMP starts the case's threads */
    KG_BY_THREADS,       /* the case starts threads without OpenMP */
};

struct kg_sketch {
    enum kg_sketch_by by;
    const char *words;  /* for the first three criteria, separated by '|'; else NULL */
    const char *hint;   /* NULL: the rule's hint; "{call}" stands for the system call's name */
    const char *before; /* NULL: the rule's own sketch fits */
    const char *after;
};

enum { KG_RULE_EVIDENCE_MOST = 8 };

struct kg_rule {
    const char *name; /* "false_sharing": for files, filters and documents */
    enum kg_suggestion_type type;
    enum kg_priority priority; /* the highest possible: if at least half of the time is saved */
    enum kg_basis basis;
    bool last;   /* rank 0: no measurement of this work supports the estimate */
    bool yields; /* weaker evidence: ranks below the causes of the same case */
    /* The cause that the row describes too (causes.h); or KG_CAUSE_NONE. A cause without
     * functions applies if kg_causes_weigh found it, and takes its estimate from there. */
    enum kg_cause_kind cause;
    enum kg_bound bound; /* the bottleneck of a case with this cause */
    /* The description of the cause, for a rule with functions of its own. Used if
     * kg_causes_weigh found the cause. */
    const char *cause_words;
    /* Share of the cause's time that fixed code still needs. 0: unknown, because another layout
     * or algorithm replaces the code. */
    double needs;
    bool with_caller; /* the caller goes away too */
    bool traced;      /* the functions judge the cause by the trace of a GPU */
    bool of_kernel;   /* its place is the kernel with the most time */
    const char *experiment, *experiment_words; /* the experiment that measures the cause; or NULL */
    const char *before; /* a sketch of typical slow code and its fix; or NULL */
    const char *after;
    const struct kg_sketch *sketches; /* sketches for single functions and system calls; or NULL */
    /* True: for scopes inside others. False: for cases, and for the outermost scopes of a
     * program's profile. */
    bool scopes;
    bool anywhere; /* for all of them */
    bool (*applies)(const struct kg_facts *facts, const struct kg_suggest_settings *settings);
    /* Current time, for comparison with the estimate. NULL: the operation's time_ns. */
    double (*current_ns)(const struct kg_facts *facts);
    /* Estimated time of the operation. NULL: the rule is about memory alone. */
    double (*estimate_ns)(const struct kg_facts *facts, const struct kg_suggest_settings *settings);
    /* Share of the whole's time in question, for a rule that cannot estimate the saving. NULL: it
     * has an estimate. */
    double (*share)(const struct kg_facts *facts, const struct kg_suggest_settings *settings);
    /* Estimated peak memory, in bytes. NULL: the rule is not about memory. */
    double (*estimate_bytes)(const struct kg_facts *facts,
                             const struct kg_suggest_settings *settings);
    /* If true, the basis is "at most" instead of `basis`, and the description ends with the
     * sentence `doubt`. NULL: never. */
    bool (*doubtful)(const struct kg_facts *facts, const struct kg_suggest_settings *settings);
    const char *doubt;
    /* The problem, in one sentence; `{fact}` stands for a formatted fact */
    const char *description;
    const char *hint; /* The fix, in one or two sentences, with `{fact}` too */
    const char *evidence[KG_RULE_EVIDENCE_MOST]; /* names of facts, the most important first */
    /* For `kgate suggest --rules`: the condition, and the assumption of the estimate. */
    const char *when;
    const char *assumes;
};

/* The rule for a version if another version is faster. */
#define KG_RULE_SLOWER_VERSION "slower_version"

/* The rules of all families, in order; NULL past the last. */
const struct kg_rule *kg_rule_at(size_t index);

/* The row of a cause; NULL for KG_CAUSE_NONE. */
const struct kg_rule *kg_rule_of_cause(enum kg_cause_kind kind);
/* The cause's name in rules, files and docs: "allocation"; "none" for KG_CAUSE_NONE. */
const char *kg_cause_name(enum kg_cause_kind kind);
/* Whether the rule is a cause alone, without functions of its own. */
bool kg_rule_is_cause(const struct kg_rule *rule);

/* The result of a rule for one operation. Times are NaN if the rule is only about memory, bytes
 * if it is not about memory. A cause has no estimated time (NaN) if the saving depends on the
 * replacement. */
struct kg_judged {
    enum kg_priority priority;
    enum kg_basis basis;
    double share; /* share of the time that the cause explains, or of rule->share; else NaN */
    double current_ns;
    double estimated_ns;
    double saved_ns;
    double speedup;
    double current_bytes;
    double estimated_bytes;
    bool by_cause; /* a cause of kg_causes_weigh decided, not the rule's functions */
    /* Slower cases: the workload's function below which the cause's time grew most. All NULL:
     * unknown. Its strings are those of the samples. */
    struct kg_place grown;
    /* Sort key, largest first: the time saved, halved if the basis is "at most", because it may
     * be nothing. A cause: the time that it explains. Memory, and rules that are `last`: 0. */
    double rank;
};

/* Whether the rule has a suggestion for the operation. All of these must hold:
 * - the rule is about this kind of operation, and its condition holds;
 * - the estimate is finite and less than the current value;
 * - the saving is at least settings->min_gain of the memory or time. For a scope: of its whole's
 *   time. */
bool kg_rule_judge(const struct kg_rule *rule, const struct kg_facts *facts,
                   const struct kg_suggest_settings *settings, struct kg_judged *judged);

/* Appends a rule's description or hint. Each `{name}` becomes the formatted fact of that name,
 * or one of these texts: other_device_id, faster_version_id, sweep_parameter, sweep_measure,
 * operation, whole, workload, device. Unknown values become "?". */
void kg_rule_text(const char *words, const struct kg_facts *facts, struct kg_text *text);

/* sketches.c: slow code and its fix, for the function or the system call that shows a cause.
 * `write` needs another fix than `read`, so one sketch per rule is not enough. Pure.
 *
 * To add a sketch: add a row to the rule of its cause. */

/* The first row that fits the rule's cause in a case. NULL: use the rule's own sketch.
 * rows  of the rule; may be NULL */
const struct kg_sketch *kg_sketch_of(const struct kg_sketch *rows, const struct kg_facts *facts,
                                     const struct kg_cause *cause);

/* Appends a sketch's words with each "{call}" replaced. */
void kg_sketch_text(const char *words, const struct kg_cause *cause, struct kg_text *text);
