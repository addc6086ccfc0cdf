#include "cli/subject.h"

#include <unistd.h>

#include "profiler/read/profile_load.h"
#include "suite/suggest_overrides.h"

/* A note instead of the recording. false where it is not the recording's fault. */
static bool recording_note(struct kg_subject *subject, const char *why, struct kg_error *err)
{
    if (err->kind == KG_ERROR_MEMORY)
        return false;
    subject->input.note = kg_arena_printf(
        &subject->arena, "the profile '%.300s' of these results %s", subject->results.profile, why);
    return subject->input.note ? true : kg_error_memory(err);
}

static bool recording_load(struct kg_subject *subject, const char *path, struct kg_error *err)
{
    if (!subject->results.profile)
        return true;
    *err = (struct kg_error){0};
    const char *beside = kg_results_recording(&subject->arena, path, &subject->results);
    if (!beside)
        return kg_error_memory(err);
    if (access(beside, R_OK) != 0)
        return recording_note(subject, "is gone: nothing is said of scopes", err);
    if (kg_profile_load_usual(beside, &subject->profile, err)) {
        subject->input.profile = &subject->profile;
        return true;
    }
    const char *why = kg_arena_printf(&subject->arena, "cannot be read: %s", err->message);
    return why ? recording_note(subject, why, err) : kg_error_memory(err);
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
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "'%.300s' is a recording, and has no cases: `kgate report %.300s` shows "
            "it, `kgate suggest %.300s` says what to try",
            path, path, path);
    if (!kg_results_load(path, &subject->results, err))
        return false;
    subject->input.results = &subject->results;
    if (arguments->base && !kg_base_load(arguments->base, &subject->base, err))
        return false;
    subject->input.base = arguments->base;
    if (arguments->base)
        subject->input.baseline = &subject->base.baseline;
    return settings_apply(arguments, subject, err) && recording_load(subject, path, err);
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
                            "--base is for results; two profiles are compared by `kgate compare`");
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
