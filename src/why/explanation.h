/* explanation.h: collects all facts about one case, for `kgate explain`. Reads only files. */
#pragma once
#include "why/suggestions.h"

#define KG_EXPLANATION_SCHEMA "kgate.explanation.v1"
extern const struct kg_record kg_explanation_record;

/* A case that differs in one parameter or in the device. */
struct kg_relative_case {
    const char *id;
    const char *differs; /* the parameter's name, or "device" */
    size_t index;        /* index in the results */
    double time_ns;
    double ratio; /* ratio of its time to the explained case's time */
};

/* A command that shows more. */
struct kg_deeper {
    const char *shows; /* a phrase for its output */
    const char *command;
};

struct kg_explanation {
    struct kg_arena arena;            /* owns the arrays; strings are borrowed from the results */
    const struct kg_results *results; /* borrowed, like the next two */
    const struct kg_case_result *result;
    const struct kg_suggestions *suggestions; /* suggestions for the case and its scopes only */
    struct kg_facts facts;
    struct kg_facts *scopes; /* by time, longest first */
    size_t scope_count;
    /* by the parameter that differs, then in the results' order */
    struct kg_relative_case *relatives;
    size_t relative_count;
    struct kg_deeper *deeper;
    size_t deeper_count;
};

/* Finds the case by `name`: an id, or a glob or a part of an id that only one case matches.
 * err  KG_ERROR_USAGE with the matching ids, or the nearest id */
bool kg_explanation_find(const struct kg_results *results, const char *name, size_t *index,
                         struct kg_error *err);

/* Explains a case.
 * input        with results
 * index        of the case
 * suggestions  made from the same input; entries of other cases are removed
 * explanation  filled; the caller frees it with kg_explanation_free, before the things that it
 *              borrows */
void kg_explain(const struct kg_suggest_input *input, size_t index,
                struct kg_suggestions *suggestions, struct kg_explanation *explanation);
void kg_explanation_free(struct kg_explanation *explanation);

/* Appends the explanation as JSON, kgate.explanation.v1. */
void kg_explanation_json(const struct kg_explanation *explanation, struct kg_text *text);

/* Finds only the commands: tools for the case's device. Strings live in `arena`. */
void kg_deeper_find(const struct kg_results *results, const struct kg_case_result *result,
                    struct kg_arena *arena, struct kg_deeper **deeper, size_t *count);

/* Settings of a run under an external tool: see tool_commands.c. */
#define KG_DEEPER_LONG " --set rounds.min=1 --set trace=no --set metrics=time --set min_time=1s"

/* Whether a suite exists to measure again. Results of another harness have none. */
bool kg_deeper_possible(const struct kg_results *results);

/* Appends the command that runs only this case: "kgate run -c SUITE --filter ID SETTINGS -o
 * deeper.json". */
void kg_deeper_run(const struct kg_results *results, const struct kg_case_result *result,
                   const char *settings, struct kg_text *text);
