#include "cli/suggest_subject.h"

#include <unistd.h>

#include "profiler/read/profile_load.h"
#include "suite/suggest_overrides.h"

/* Loads the recording that the results name. On failure sets a note. */
static void recording_load(struct kg_subject *subject, const char *path)
{
    const char *name = subject->results.profile;
    struct kg_error err;
    if (!name)
        return;
    const char *beside = kg_results_recording(&subject->arena, path, &subject->results);
    if (access(beside, R_OK) != 0)
        subject->input.note = kg_arena_printf(&subject->arena,
                                              "the profile '%.300s' of these results is missing, "
                                              "so there are no suggestions about scopes",
                                              name);
    else if (kg_profile_load_usual(beside, &subject->profile, &err))
        subject->input.profile = &subject->profile;
    else
        subject->input.note = kg_arena_printf(
            &subject->arena, "the profile '%.300s' of these results cannot be read: %s", name,
            err.message);
}

static bool settings_apply(const struct kg_arguments *arguments, struct kg_subject *subject,
                           struct kg_error *err)
{
    subject->settings = subject->results.suggest;
    kg_suggest_settings_complete(&subject->settings);
    subject->input.settings = &subject->settings;
    return kg_suggest_settings_set(&subject->settings, arguments->set.at, arguments->set.count,
                                   err);
}

bool kg_subject_load(const struct kg_arguments *arguments, const char *path,
                     struct kg_subject *subject, struct kg_error *err)
{
    *subject = (struct kg_subject){.input.source = path};
    if (!kg_input_regular(path, err) || !kg_profile_or_json(path, err))
        return false;
    if (kg_profile_is(path))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "'%.300s' is a recording without cases: `kgate report %.300s` shows "
                            "it, `kgate suggest %.300s` gives suggestions",
                            path, path, path);
    if (!kg_results_load(path, &subject->results, err))
        return false;
    subject->input.results = &subject->results;
    if (arguments->base && !kg_base_load(arguments->base, &subject->base, err))
        return false;
    subject->input.base = arguments->base;
    if (arguments->base)
        subject->input.baseline = &subject->base.baseline;
    if (!settings_apply(arguments, subject, err))
        return false;
    recording_load(subject, path);
    return true;
}

bool kg_subject_load_any(const struct kg_arguments *arguments, const char *path,
                         struct kg_subject *subject, struct kg_error *err)
{
    *subject = (struct kg_subject){.input.source = path};
    if (!kg_input_regular(path, err) || !kg_profile_or_json(path, err))
        return false;
    if (!kg_profile_is(path))
        return kg_subject_load(arguments, path, subject, err);
    if (arguments->base)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--base is for results; compare two profiles with `kgate compare`");
    if (!kg_profile_load_usual(path, &subject->profile, err))
        return false;
    subject->input.profile = &subject->profile;
    return settings_apply(arguments, subject, err);
}

void kg_subject_free(struct kg_subject *subject)
{
    kg_base_free(&subject->base);
    kg_profile_free(&subject->profile);
    kg_results_free(&subject->results);
    kg_arena_free(&subject->arena);
}
