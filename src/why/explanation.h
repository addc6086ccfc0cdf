/* explanation.h: everything that is known of one case, for `kgate explain`. Runs on files alone. */
#pragma once
#include "why/suggestions.h"

#define KG_EXPLANATION_SCHEMA "kgate.explanation.v1"
extern const struct kg_record kg_explanation_record;

/* A case that differs in one thing. */
struct kg_relative_case {
    const char *id;
    const char *differs; /* the parameter's name, or "device" */
    size_t index;        /* in the results */
    double time_ns;
    double ratio; /* of its time to that of the explained case */
};

/* A command that shows more. */
struct kg_deeper {
    const char *shows; /* what it shows: a phrase */
    const char *command;
};

struct kg_explanation {
    struct kg_arena arena;            /* owns the arrays; strings are borrowed from the results */
    const struct kg_results *results; /* borrowed, as the next two */
    const struct kg_case_result *result;
    const struct kg_suggestions *suggestions; /* what is said of the case and its scopes alone */
    struct kg_facts facts;
    struct kg_facts *scopes; /* by time, most first */
    size_t scope_count;
    struct kg_relative_case *relatives; /* by what differs, then in the results' order */
    size_t relative_count;
    struct kg_deeper *deeper;
    size_t deeper_count;
};

/* The case that `name` means: an id, a glob or a part of an id that one case alone matches.
 * err  KG_ERROR_USAGE naming those that match, or the nearest */
bool kg_explanation_find(const struct kg_results *results, const char *name, size_t *index,
                         struct kg_error *err);

/* input        with results
 * index        of the case
 * suggestions  made from the same input; what is of other cases is taken out of it
 * explanation  filled on success, to be freed with kg_explanation_free before what it borrows */
void kg_explain(const struct kg_suggest_input *input, size_t index,
                struct kg_suggestions *suggestions, struct kg_explanation *explanation);
void kg_explanation_free(struct kg_explanation *explanation);

/* Appends the explanation as JSON, kgate.explanation.v1. */
void kg_explanation_json(const struct kg_explanation *explanation, struct kg_text *text);

/* The commands alone: of the tools that make sense for the case's device. */
bool kg_deeper_find(const struct kg_results *results, const struct kg_case_result *result,
                    struct kg_arena *arena, struct kg_deeper **deeper, size_t *count);

/* Settings of a run that a tool looks at from outside: see tool_commands.c. */
#define KG_DEEPER_LONG " --set rounds.min=1 --set trace=no --set metrics=time --set min_time=1s"

/* Whether there is a suite to measure again: results of another harness have none. */
bool kg_deeper_possible(const struct kg_results *results);

/* Appends the command that runs this case alone: "kgate run -c SUITE --filter ID SETTINGS -o
 * deeper.json". */
void kg_deeper_run(const struct kg_results *results, const struct kg_case_result *result,
                   const char *settings, struct kg_text *text);
