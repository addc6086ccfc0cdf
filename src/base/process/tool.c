#include "base/process/tool.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process/supervise.h"

bool kg_tool_find(const char *name, char path[KG_TOOL_PATH_BYTES])
{
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        const size_t length = strcspn(folders, ":");
        const int written =
            snprintf(path, KG_TOOL_PATH_BYTES, "%.*s/%s", (int)length, folders, name);
        if (length && written < KG_TOOL_PATH_BYTES && access(path, X_OK) == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* Whether the tool succeeded; if not, err has the reason. */
static bool outcome_check(const struct kg_tool_run *run, const struct kg_outcome *outcome,
                          struct kg_error *err)
{
    const char *name = run->arguments[0];
    if (outcome->ending == KG_ENDED_EXIT && !outcome->code)
        return true;
    if (outcome->ending == KG_ENDED_TIMEOUT)
        return kg_error_set(err, KG_ERROR_SYSTEM, "%s took more than %.0f s", name,
                            run->timeout_ns / 1e9);
    if (outcome->ending == KG_ENDED_INTERRUPT)
        return kg_error_set(err, KG_ERROR_SYSTEM, "%s was interrupted", name);
    return kg_error_set(err, KG_ERROR_SYSTEM, "%s ended with %s %d%s%.300s", name,
                        outcome->ending == KG_ENDED_SIGNAL ? "signal" : "status", outcome->code,
                        outcome->tail_length ? ": " : "", outcome->tail);
}

static bool run_in(const struct kg_tool_run *run, const char *folder, struct kg_error *err)
{
    struct kg_outcome outcome;
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    const struct kg_launch launch = {.program = run->program,
                                     .arguments = run->arguments,
                                     .directory = folder,
                                     .request = run->input,
                                     .request_length = run->input_length,
                                     .threads = 1,
                                     .pin = -1,
                                     .timeout_ns = run->timeout_ns,
                                     .mask = &mask};
    if (!kg_supervise(&launch, &outcome, err))
        return false;
    const bool good = outcome_check(run, &outcome, err);
    kg_outcome_free(&outcome);
    return good;
}

bool kg_tool_make(const struct kg_tool_run *run, struct kg_text *bytes, struct kg_error *err)
{
    char folder[KG_TOOL_PATH_BYTES], made[KG_TOOL_PATH_BYTES + 64];
    if (!kg_directory_temporary("tool", folder, sizeof folder, err))
        return false;
    snprintf(made, sizeof made, "%s/%.60s", folder, run->file);
    const bool good = run_in(run, folder, err) && kg_file_read(made, SIZE_MAX / 2, bytes, err);
    unlink(made);
    rmdir(folder);
    return good;
}
