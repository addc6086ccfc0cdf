/* command_version.c: which kgate this is, and what it can do here. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_string.h"
#include "base/process/tool.h"
#include "cli/cli.h"
#include "run/worker/protocol.h"
#include "show/export.h"

#ifndef KGATE_COMMIT
#define KGATE_COMMIT "" /* -DKGATE_COMMIT=… of CMake: a build of a release says its own */
#endif

static bool tool_there(const char *name)
{
    char path[KG_TOOL_PATH_BYTES];
    return kg_tool_find(name, path);
}

/* What it was built with; null where that is not known, or without. */
static json_t *built(void)
{
#ifdef KGATE_CUDA_TOOLKIT
    json_t *cuda = json_pack("{s:s, s:s}", "toolkit", KGATE_CUDA_TOOLKIT, "architectures",
                             KGATE_CUDA_ARCHITECTURES);
#else
    json_t *cuda = json_null();
#endif
#ifdef KGATE_PORTABLE
    const bool portable = true;
#else
    const bool portable = false;
#endif
    return json_pack("{s:s, s:o, s:s, s:s, s:b, s:o}", "version", KGATE_VERSION, "commit",
                     *KGATE_COMMIT ? kg_json_string(KGATE_COMMIT) : json_null(), "compiler",
                     KGATE_COMPILER, "build_type", KGATE_BUILD_TYPE, "portable", portable, "cuda",
                     cuda);
}

/* What it can do on this machine, now. */
static json_t *features(void)
{
#ifdef KGATE_CUDA_TOOLKIT
    const bool built_with_cuda = true;
#else
    const bool built_with_cuda = false;
#endif
    return json_pack("{s:b, s:b, s:b, s:b}", "cuda", built_with_cuda, "html",
                     kg_export_missing("html") == NULL, "pictures",
                     kg_export_missing("png") == NULL, "callgrind", tool_there("valgrind"));
}

static bool json_make(struct kg_text *text)
{
    json_t *json = built(), *can = features();
    const bool whole =
        json && can && json_object_set(json, "features", can) == 0 &&
        json_object_set_new(json, "worker_protocol", json_string(KG_REQUEST_SCHEMA)) == 0;
    char *dump = whole ? json_dumps(json, JSON_INDENT(2)) : NULL;
    json_decref(can);
    json_decref(json);
    if (dump)
        kg_text_printf(text, "%s\n", dump);
    free(dump);
    return dump != NULL;
}

int kg_cli_version(int argc, char **argv)
{
    struct kg_text text = {0};
    struct kg_error err;
    bool good = argc == 0 || (argc == 1 && !strcmp(argv[0], "--json"));
    if (!good)
        kg_error_set(&err, KG_ERROR_USAGE, "usage: kgate --version [--json]");
    else if (argc)
        good = json_make(&text) || kg_error_memory(&err);
    else
        kg_text_printf(&text, "kgate %s\n", KGATE_VERSION);
    good = good && kg_print(&text, &err);
    kg_text_free(&text);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
