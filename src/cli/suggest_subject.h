/* suggest_subject.h: input of `suggest` and `explain`: results with their recording, or a profile. */
#pragma once
#include "cli/cli.h"
#include "cli/input_files.h"
#include "why/suggestions.h"

struct kg_subject {
    struct kg_arena arena;
    struct kg_results results;
    struct kg_profile profile;
    struct kg_base base;
    struct kg_suggest_settings settings;
    struct kg_suggest_input input; /* input made of the members above */
};

/* Loads the results at `path`, their recording and --base, and applies --set. If the recording is missing or
 * unreadable, the input gets a note.
 * subject  the caller frees it, also on failure */
bool kg_subject_load(const struct kg_arguments *arguments, const char *path,
                     struct kg_subject *subject, struct kg_error *err);

/* Like kg_subject_load, but also accepts a profile of any program. */
bool kg_subject_load_any(const struct kg_arguments *arguments, const char *path,
                         struct kg_subject *subject, struct kg_error *err);
void kg_subject_free(struct kg_subject *subject);
