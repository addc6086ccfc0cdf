/* suggest_subject.h: what `suggest` and `explain` look at: results with what lies beside them, or a
 * profile. */
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
    struct kg_suggest_input input; /* of the above */
};

/* Loads results at `path`, the recording that they name, --base, and applies --set. A recording
 * that is gone, or cannot be read, is said in the notes.
 * subject  to be freed, also on failure */
bool kg_subject_load(const struct kg_arguments *arguments, const char *path,
                     struct kg_subject *subject, struct kg_error *err);

/* The same where a profile of any program will do too. */
bool kg_subject_load_any(const struct kg_arguments *arguments, const char *path,
                         struct kg_subject *subject, struct kg_error *err);
void kg_subject_free(struct kg_subject *subject);
