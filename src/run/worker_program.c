#include "run/worker_program.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* The first of `places`, paths from kgate's folder, that may be used in the `mode` of access(). */
static bool beside(const char *kgate, const char *const *places, size_t count, int mode, char *path)
{
    const char *slash = strrchr(kgate, '/');
    const int folder = slash ? (int)(slash - kgate) + 1 : 0;
    for (size_t i = 0; i < count; i++) {
        const int length = snprintf(path, PATH_BYTES, "%.*s%s", folder, kgate, places[i]);
        if (length < PATH_BYTES && access(path, mode) == 0)
            return true;
    }
    path[0] = '\0';
    return false;
}

bool kg_worker_program_find(const char *kgate, char *path)
{
    static const char *const places[] = {"kgate-worker", "../libexec/kgate/kgate-worker"};
    return beside(kgate, places, sizeof places / sizeof *places, X_OK, path);
}

bool kg_memory_library_find(const char *kgate, char *path)
{
    static const char *const places[] = {"libkgate_memory.so",
                                         KGATE_LIBRARIES_FROM_BIN "/libkgate_memory.so",
                                         "../lib/libkgate_memory.so"};
    return beside(kgate, places, sizeof places / sizeof *places, R_OK, path);
}

bool kg_case_has_worker(const struct kg_session *session, size_t index)
{
    const struct kg_case *planned = &session->plan->cases[index];
    return kg_sources[planned->spec->source]->code != KG_CODE_IN_KGATE &&
           !kg_case_on_stream(planned);
}

const char *kg_case_program(const struct kg_session *session, size_t index, char *const **arguments)
{
    static char *const of_kgate[] = {(char *)"kgate", (char *)"worker", NULL};
    static char *const of_worker[] = {(char *)"kgate-worker", NULL};
    const struct kg_build *build = kg_session_build(session, index);
    const bool has_worker = kg_case_has_worker(session, index);
    *arguments = has_worker ? of_worker : of_kgate;
    if (has_worker)
        return build && build->worker ? build->worker : session->launcher->worker;
    return build && build->program ? build->program : session->launcher->program;
}

bool kg_session_worker_find(const struct kg_session *session, struct kg_error *err)
{
    if (kg_worker_program_find(session->launcher->program, session->launcher->worker))
        return true;
    for (size_t i = 0; i < session->plan->case_count; i++)
        if (kg_case_has_worker(session, i))
            return kg_error_set(err, KG_ERROR_SYSTEM,
                                "cannot find kgate-worker, which measures plugins and commands, "
                                "beside '%.300s' or in ../libexec/kgate: install it with kgate "
                                "(`cmake --install`), or copy it there",
                                session->launcher->program);
    return true;
}
