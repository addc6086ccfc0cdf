/* suggestions.h: the suggestions for a suite or a program, as plain structs, and the input for
 * making them. JSON in kgate.suggestions.v1. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/baseline.h"
#include "model/comparison.h"
#include "model/results.h"
#include "profiler/read/profile.h"
#include "why/evidence/difference.h"
#include "why/evidence/facts.h"
#include "why/rules/diagnosis.h"
#include "why/rules/rules.h"

#define KG_SUGGESTIONS_SCHEMA "kgate.suggestions.v1"

/* A figure of the evidence. */
struct kg_evidence_figure {
    const char *name; /* name of the fact */
    const char *unit; /* a name of kg_trait_unit_names */
    double value;
    const char *text; /* "cores busy: 1.0" */
};

struct kg_suggestion {
    const char *operation; /* as in struct kg_facts */
    const char *kind;      /* "case", "scope" */
    const char *whole;
    const char *device;
    const char *rule;
    enum kg_suggestion_type type;
    enum kg_priority priority;
    enum kg_basis basis;
    double rank; /* as in struct kg_judged; in no file */
    const char *description;
    const char *hint;
    struct kg_place place; /* place of the cause; all NULL: unknown */
    const char *before;    /* a sketch of typical slow code and its fix; or NULL */
    const char *after;
    struct kg_evidence_figure *evidence;
    size_t evidence_count;
    double current_ns;
    double share; /* share of the time that its cause explains; NaN: no cause */
    /* NaN: about memory alone, or unknown. The same for the next four. */
    double estimated_ns;
    double saved_ns;
    double speedup; /* speedup of the operation */
    double whole_ns;
    /* Speedup of the whole by Amdahl's law. Scope: its whole. Case: one call of every case in
     * the suite. */
    double whole_speedup;
    double current_bytes; /* NaN: not about memory */
    double estimated_bytes;
};

/* The bottleneck of an operation. */
struct kg_bound_finding {
    const char *operation;
    const char *kind;
    enum kg_bound bound;
    double time_ns;
    double share;
    const char *text;   /* one sentence: "memory-bound: 87 % of …" */
    double unexplained; /* share of the time without a cause; NaN: no profile */
    const char *missing;
    struct kg_evidence_figure *evidence;
    size_t evidence_count;
};

/* Changed evidence against the baseline, for a case that became slower. */
struct kg_evidence_change {
    const char *operation;
    /* name of the trait; "function": time per call of a place in code; "compiler"; "build" */
    const char *name;
    const char *unit;
    double base;
    double current;
    double explains;        /* part of the change, 0 to 1 */
    struct kg_place place;  /* place of a function; else all NULL, like the next three */
    struct kg_place caller; /* caller of that function */
    struct kg_place header; /* function of a system header that it calls */
    struct kg_place callee; /* function of an installed library that it entered */
    const char *text;       /* "bandwidth fell from 82 % to 41 % of its ceiling: cache" */
    const char *hint;       /* first thing to try; NULL: nothing known */
    const char *diff;       /* changed lines of source there, as in kg_source_hunk; NULL: unknown */
    const char *commits;    /* commits that touched these lines, one per line; NULL: unknown */
};

/* Whether the change shows where the time went: a place in code, or the compiler's options. */
bool kg_evidence_is_place(const struct kg_evidence_change *change);

struct kg_suggestions {
    struct kg_arena arena; /* owns everything below; nothing is borrowed */
    /* Time of creation. If there is a comparison: its time, which identifies files that belong
     * together. */
    const char *created;
    const char *kgate_version;
    const char *suite;       /* NULL: made from a profile */
    const char *source;      /* path of the input file as given, for printed commands */
    const char *base;        /* path of the baseline's file, for printed commands; NULL: none */
    const char *fingerprint; /* fingerprint of the measuring machine; NULL: made from a profile */
    struct kg_suggest_settings settings;
    struct kg_evidence_change *changes; /* worst case first */
    size_t change_count;
    /* Per case with samples of both sides and a changed time. */
    struct kg_difference_table *differences;
    size_t difference_count;
    struct kg_bound_finding *findings; /* one per case or outermost scope, slowest first */
    size_t finding_count;
    /* most time saved first; suggestions about memory alone last */
    struct kg_suggestion *suggestions;
    size_t suggestion_count;
    /* number of suggestions and findings that no file can hold; a note names them */
    size_t unwritable_count;
    /* first entry that no file can hold, with its field; NULL: none. In no file */
    const char *unwritable;
    bool discarded; /* the program removes `source` and `base` when it ends; in no file */
    /* Number of suggestions not made, because the baseline has the same evidence; in no file. */
    size_t alike_count;
    /* number removed by priority or type in kg_suggestions_keep; in no file */
    size_t left_out_count;
    const char **notes; /* missing information, with reasons */
    size_t note_count;
};

extern const struct kg_record kg_suggestions_record;
extern const struct kg_record kg_suggestion_record;
extern const struct kg_record kg_bound_finding_record;
extern const struct kg_record kg_evidence_change_record;

/* The input. Each pointer may be NULL, but not results and profile both. */
struct kg_suggest_input {
    const char *source;
    const char *base; /* path of the baseline, for printed commands */
    const char *note; /* a note: an unreadable additional file, with the reason */
    const struct kg_results *results;
    const struct kg_profile *profile;   /* recorded with the results, or from any program */
    const struct kg_baseline *baseline; /* its newest run of the suite has traits */
    /* Results of both builds from paired rounds. Their profiles are preferred to those of
     * results and baseline. */
    const struct kg_results *pair_base;
    const struct kg_results *pair_head;
    /* Decides which cases became slower. NULL: cases whose time exceeds the baseline's by more
     * than their threshold. */
    const struct kg_comparison *comparison;
    /* NULL: the settings in the results, else the defaults */
    const struct kg_suggest_settings *settings;
    bool brief; /* true: makes no findings */
};

/* The table of a case; NULL: there is none. */
const struct kg_difference_table *
kg_suggestions_difference(const struct kg_suggestions *suggestions, const char *operation);

/* The suggestions, or NULL if they could not be made. That is no failure for the caller. */
const struct kg_suggestions *kg_suggestions_made(const struct kg_suggestions *suggestions);

/* Keeps the wanted suggestions, at most `top` (0: all). Changes and findings are kept if their
 * operation matches `filter`.
 * err  KG_ERROR_USAGE for an unknown priority or type, or a filter without a match */
struct kg_suggest_wanted {
    const char *priority; /* "critical", or a list separated by commas; NULL: all */
    const char *type;     /* the same for types */
    const char *filter;   /* a glob for operations */
    size_t top;
};
bool kg_suggestions_keep(struct kg_suggestions *suggestions, const struct kg_suggest_wanted *wanted,
                         struct kg_error *err);

bool kg_suggestions_write(const struct kg_suggestions *suggestions, const char *path,
                          struct kg_error *err);
bool kg_suggestions_load(const char *path, struct kg_suggestions *suggestions,
                         struct kg_error *err);
void kg_suggestions_free(struct kg_suggestions *suggestions);

/* Number of suggestions with at least this priority. */
size_t kg_suggestions_count(const struct kg_suggestions *suggestions, enum kg_priority least);
