/* suggestions.h: the suggestions of a suite or a program, as plain structs, and the input that they are made from.
 * JSON in kgate.suggestions.v1. */
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

/* A figure that speaks for something. */
struct kg_evidence_figure {
    const char *name; /* of the fact */
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
    double rank; /* as kg_judged has it; in no file */
    const char *description;
    const char *hint;
    struct kg_place place; /* where it is; all NULL where not known */
    const char *before;    /* a sketch of code as it is often found, and mended; or NULL */
    const char *after;
    struct kg_evidence_figure *evidence;
    size_t evidence_count;
    double current_ns;
    double share;        /* of the time that its cause explains; NaN where it is of none */
    double estimated_ns; /* NaN where it is about memory alone, or not known, as the next four */
    double saved_ns;
    double speedup; /* of the operation */
    double whole_ns;
    double whole_speedup; /* by Amdahl's law: of a scope what it is inside of, of a case one call of
                             every case of the suite */
    double current_bytes; /* NaN where it is not about memory */
    double estimated_bytes;
};

/* What holds an operation back. */
struct kg_bound_finding {
    const char *operation;
    const char *kind;
    enum kg_bound bound;
    double time_ns;
    double share;
    const char *text; /* the sentence for a reader: "memory-bound: 87 % of …" */
    double
        unexplained; /* share of the time that no cause explains; NaN where it was not looked at */
    const char *missing;
    struct kg_evidence_figure *evidence;
    size_t evidence_count;
};

/* Evidence that changed against the baseline, of a case that became slower. */
struct kg_evidence_change {
    const char *operation;
    const char
        *name; /* of the trait; "function": time per call of a place in code; "compiler"; "build" */
    const char *unit;
    double base;
    double current;
    double explains;        /* part of the change, 0 to 1 */
    struct kg_place place;  /* of a function; else all NULL, as the next two */
    struct kg_place caller; /* of that function */
    struct kg_place callee; /* function of an installed library that it entered */
    const char *text;       /* "bandwidth fell from 82 % to 41 % of its ceiling: cache" */
    const char *diff; /* lines of source that changed there, as kg_source_hunk; NULL: not known */
    const char *commits; /* that touched these lines, one per line; NULL: not known */
};

/* Whether it says where the time went: a place in code, or the compiler's options. */
bool kg_evidence_is_place(const struct kg_evidence_change *change);

struct kg_suggestions {
    struct kg_arena arena; /* owns everything below, nothing is borrowed */
    const char *created; /* that of the comparison where they were made with one: files that belong
                            together are known by it */
    const char *kgate_version;
    const char *suite;       /* NULL for a profile */
    const char *source;      /* the file's path as given: a command on it is printed */
    const char *base;        /* the path of the baseline's file, for the same; NULL without any */
    const char *fingerprint; /* of the machine that measured; NULL for a profile */
    struct kg_suggest_settings settings;
    struct kg_evidence_change *changes; /* worst case first */
    size_t change_count;
    struct kg_difference_table
        *differences; /* per case with samples of both sides and another time */
    size_t difference_count;
    struct kg_bound_finding *findings; /* one a case, or an outermost scope; the slowest first */
    size_t finding_count;
    struct kg_suggestion *suggestions; /* most time saved first; memory alone after them */
    size_t suggestion_count;
    size_t
        unwritable_count;   /* suggestions and findings that no file can hold, which a note names */
    const char *unwritable; /* the first of them and its field; NULL: none. In no file, both */
    bool discarded;         /* `source` and `base` are removed when the program ends; in no file */
    size_t alike_count; /* suggestions not made, because the baseline has their evidence too; in no
                               file */
    size_t left_out_count; /* by priority or type in kg_suggestions_keep; in no file */
    const char **notes;    /* what could not be told, and why */
    size_t note_count;
};

extern const struct kg_record kg_suggestions_record;
extern const struct kg_record kg_suggestion_record;
extern const struct kg_record kg_bound_finding_record;
extern const struct kg_record kg_evidence_change_record;

/* What is looked at. Each may be NULL, but not results and profile both. */
struct kg_suggest_input {
    const char *source;
    const char *base; /* where the baseline was read from, for the command that is printed */
    const char *note; /* for the notes: what could not be read beside it, and why */
    const struct kg_results *results;
    const struct kg_profile *profile;   /* recorded with the results, or of any program */
    const struct kg_baseline *baseline; /* whose newest run of the suite has traits */
    const struct kg_results *pair_base; /* both builds of cases measured in pairs, whose profiles */
    const struct kg_results *pair_head; /* are compared before those of results and baseline */
    const struct kg_comparison *comparison; /* which cases became slower; NULL: those whose time is
                                               above the baseline's by more than their threshold */
    const struct kg_suggest_settings *settings; /* NULL: those in the results, else the defaults */
    bool brief;                                 /* no findings: for who shows none */
};

/* The table of a case; NULL without one. */
const struct kg_difference_table *
kg_suggestions_difference(const struct kg_suggestions *suggestions, const char *operation);

/* The suggestions, or NULL: they could not be made, which is no failure of who wanted them. */
const struct kg_suggestions *kg_suggestions_made(const struct kg_suggestions *suggestions);

/* Keeps those that are wanted, at most `top` (0: all); changes and findings only of operations that
 * match `filter`.
 * err  KG_ERROR_USAGE for what cannot be a priority or a type, or a filter that nothing matches */
struct kg_suggest_wanted {
    const char *priority; /* "critical", or more of them parted by commas; NULL: all */
    const char *type;     /* likewise */
    const char *filter;   /* a glob over operations */
    size_t top;
};
bool kg_suggestions_keep(struct kg_suggestions *suggestions, const struct kg_suggest_wanted *wanted,
                         struct kg_error *err);

bool kg_suggestions_write(const struct kg_suggestions *suggestions, const char *path,
                          struct kg_error *err);
bool kg_suggestions_load(const char *path, struct kg_suggestions *suggestions,
                         struct kg_error *err);
void kg_suggestions_free(struct kg_suggestions *suggestions);

/* How many are of that priority or a higher one. */
size_t kg_suggestions_count(const struct kg_suggestions *suggestions, enum kg_priority least);
