/* command_version.c: version and build of kgate, and its features on this machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_print.h"
#include "base/process/tool.h"
#include "cli/cli.h"
#include "show/formats.h"

#ifndef KGATE_COMMIT
#define KGATE_COMMIT "" /* set by CMake with -DKGATE_COMMIT=… in release builds */
#endif

static bool tool_there(const char *name)
{
    char path[KG_TOOL_PATH_BYTES];
    return kg_tool_find(name, path);
}

/* Adds the build settings; null for unknown or absent parts. */
static void built_put(struct kg_json_writer *writer)
{
#ifdef KGATE_PORTABLE
    const bool portable = true;
#else
    const bool portable = false;
#endif
    kg_json_put_string(writer, "version", KGATE_VERSION);
    kg_json_put_string(writer, "commit", *KGATE_COMMIT ? KGATE_COMMIT : NULL);
    kg_json_put_string(writer, "compiler", KGATE_COMPILER);
    kg_json_put_string(writer, "build_type", KGATE_BUILD_TYPE);
    kg_json_put_bool(writer, "portable", portable);
#ifdef KGATE_CUDA_TOOLKIT
    kg_json_begin(writer, "cuda", "{");
    kg_json_put_string(writer, "toolkit", KGATE_CUDA_TOOLKIT);
    kg_json_put_string(writer, "architectures", KGATE_CUDA_ARCHITECTURES);
    kg_json_finish(writer, "}");
#else
    kg_json_put_string(writer, "cuda", NULL);
#endif
}

/* Adds the features that are available on this machine now. */
static void features_put(struct kg_json_writer *writer)
{
#ifdef KGATE_CUDA_TOOLKIT
    const bool built_with_cuda = true;
#else
    const bool built_with_cuda = false;
#endif
    kg_json_begin(writer, "features", "{");
    kg_json_put_bool(writer, "cuda", built_with_cuda);
    kg_json_put_bool(writer, "html", !kg_report_missing(KG_REPORT_PAGE));
    kg_json_put_bool(writer, "pictures", !kg_report_missing(KG_REPORT_GNUPLOT));
    kg_json_put_bool(writer, "callgrind", tool_there("valgrind"));
    kg_json_finish(writer, "}");
}

static void json_make(struct kg_text *text)
{
    struct kg_json_writer writer = {.text = text};
    kg_json_begin(&writer, NULL, "{");
    built_put(&writer);
    features_put(&writer);
    kg_json_finish(&writer, "}");
    kg_text_append(text, "\n");
}

int kg_cli_version(int argc, char **argv)
{
    struct kg_text text = {0};
    struct kg_error err;
    bool good = argc == 0 || (argc == 1 && !strcmp(argv[0], "--json"));
    if (!good)
        kg_error_set(&err, KG_ERROR_USAGE, "usage: kgate --version [--json]");
    else if (argc)
        json_make(&text);
    else
        kg_text_printf(&text, "kgate %s\n", KGATE_VERSION);
    good = good && kg_print(&text, &err);
    kg_text_free(&text);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
