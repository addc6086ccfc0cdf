#include "device/nvrtc.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "base/cuda_folders.h"
#include "base/library.h"
#include "base/text.h"

/* nvrtcResult: 0 is NVRTC_SUCCESS. A program is a handle; functions that make or end one take its
 * address. */
struct nvrtc {
    const char *(*error_string)(int code);
    int (*create)(void **program, const char *text, const char *file, int headers,
                  const char *const *texts, const char *const *names);
    int (*destroy)(void **program);
    int (*compile)(void *program, int count, const char *const *options);
    int (*log_size)(void *program, size_t *bytes);
    int (*log)(void *program, char *text);
    int (*cubin_size)(void *program, size_t *bytes);
    int (*cubin)(void *program, char *bytes);
    int (*ptx_size)(void *program, size_t *bytes);
    int (*ptx)(void *program, char *bytes);
    int (*name_add)(void *program, const char *expression);
    int (*name_lowered)(void *program, const char *expression, const char **lowered);
};

#define CALL(member) offsetof(struct nvrtc, member)
static const struct kg_symbol symbols[] = {
    {"nvrtcGetErrorString", NULL, CALL(error_string), false},
    {"nvrtcCreateProgram", NULL, CALL(create), false},
    {"nvrtcDestroyProgram", NULL, CALL(destroy), false},
    {"nvrtcCompileProgram", NULL, CALL(compile), false},
    {"nvrtcGetProgramLogSize", NULL, CALL(log_size), false},
    {"nvrtcGetProgramLog", NULL, CALL(log), false},
    {"nvrtcGetCUBINSize", NULL, CALL(cubin_size), false},
    {"nvrtcGetCUBIN", NULL, CALL(cubin), false},
    {"nvrtcGetPTXSize", NULL, CALL(ptx_size), false},
    {"nvrtcGetPTX", NULL, CALL(ptx), false},
    {"nvrtcAddNameExpression", NULL, CALL(name_add), false},
    {"nvrtcGetLoweredName", NULL, CALL(name_lowered), false},
};

static const char *const usual_libraries[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                              NULL};

struct opening {
    struct nvrtc *nvrtc;
    char why[512]; /* why the last library did not work; "" if there was none */
};

/* Opens a library and keeps it open; false if it does not work. */
static bool library_take(const char *path, void *user)
{
    struct opening *opening = user;
    char why[sizeof opening->why];
    void *library = kg_library_open(path, why, sizeof why);
    if (library &&
        !kg_library_symbols(library, symbols, sizeof symbols / sizeof *symbols, opening->nvrtc))
        return true;
    kg_library_close(library);
    if (*why)
        memcpy(opening->why, why, sizeof opening->why);
    return false;
}

/* Opens the first library that works. The usual ones are looked for in all folders of CUDA's libraries. */
static bool nvrtc_open(const char *const *libraries, struct nvrtc *nvrtc, struct kg_error *err)
{
    struct opening opening = {.nvrtc = nvrtc};
    for (const char *const *path = libraries ? libraries : usual_libraries; *path; path++)
        if (libraries ? library_take(*path, &opening)
                      : kg_cuda_places(*path, library_take, &opening))
            return true;
    return kg_error_set(err, KG_ERROR_MEASURE, "no libnvrtc%s%s",
                        *opening.why ? " that works: "
                                     : ", the run-time compiler of the CUDA Toolkit",
                        opening.why);
}

/* The folder of CUDA's headers that belongs to the library: beside it in a toolkit and in the wheels of CUDA 13, in
 * another wheel of CUDA 12. NULL: none. */
static const char *headers_find(const struct nvrtc *nvrtc, struct kg_arena *arena)
{
    static const char *const beside[] = {"/../include", "/../../cuda_runtime/include",
                                         "/../../../include"};
    Dl_info info;
    union {
        int (*function)(void **);
        void *address;
    } destroy = {.function = nvrtc->destroy};
    if (!dladdr(destroy.address, &info) || !info.dli_fname || !strchr(info.dli_fname, '/'))
        return NULL;
    const int folder = (int)(strrchr(info.dli_fname, '/') - info.dli_fname);
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        const char *path = kg_arena_printf(arena, "%.*s%s", folder, info.dli_fname, beside[i]);
        if (access(kg_arena_printf(arena, "%s/cuda_fp16.h", path), R_OK) == 0)
            return path;
    }
    return NULL;
}

/* The compiler's text; "" if there is none. */
static const char *log_take(const struct nvrtc *nvrtc, void *program, struct kg_arena *arena)
{
    size_t bytes = 0;
    if (nvrtc->log_size(program, &bytes) != 0 || bytes < 2)
        return "";
    char *text = kg_arena_alloc(arena, bytes + 1, 1);
    return text && nvrtc->log(program, text) == 0 ? text : "";
}

/* NVRTC finds the names of kernels in a file of its own, whose lines tell the user nothing. */
static const char lookup[] = "__nv_name_map";

static bool line_has(const char *line, size_t length, const char *words)
{
    return memmem(line, length, words, strlen(words)) != NULL;
}

/* Appends the lines with an error, FILE(LINE): error: TEXT, without the pieces of source between
 * them. So an error is one line. If no line has an error, appends all lines. */
static void errors_append(struct kg_text *text, const char *log)
{
    static const char mark[] = "error";
    const bool all = !strstr(log, mark);
    for (const char *line = log; *line;) {
        const size_t length = strcspn(line, "\n");
        if (length && (all || line_has(line, length, mark)) && !line_has(line, length, lookup) &&
            !line_has(line, length, "detected in the compilation"))
            kg_text_printf(text, "%s%.*s", text->length ? "; " : "", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* Errors of the file come first: a kernel is often not found because of an error in the file. */
static bool failed(const struct nvrtc *nvrtc, int code, const struct kg_nvrtc_source *source,
                   const char *log, struct kg_error *err)
{
    struct kg_text text = {0};
    errors_append(&text, log);
    if (strstr(log, lookup))
        kg_text_printf(&text, "%s'%s' has no kernel '%s'", text.length ? "; " : "", source->file,
                       source->entry);
    kg_error_set(err, KG_ERROR_USAGE, "%s",
                 text.length ? kg_text_string(&text) : nvrtc->error_string(code));
    kg_text_free(&text);
    return false;
}

/* Takes the cubin, or the PTX if the architecture is virtual (compute_90): then the cubin has no
 * bytes. */
static bool image_take(const struct nvrtc *nvrtc, void *program, struct kg_arena *arena,
                       struct kg_nvrtc_image *image, struct kg_error *err)
{
    int (*take)(void *, char *) = nvrtc->cubin;
    int code = nvrtc->cubin_size(program, &image->length);
    if (code != 0 || !image->length) {
        take = nvrtc->ptx;
        code = nvrtc->ptx_size(program, &image->length);
    }
    char *bytes = code == 0 && image->length ? kg_arena_alloc(arena, image->length + 1, 1) : NULL;
    if (bytes)
        code = take(program, bytes);
    image->bytes = bytes;
    if (code != 0)
        return kg_error_set(err, KG_ERROR_USAGE, "NVRTC gave no code: %s",
                            nvrtc->error_string(code));
    return bytes || kg_error_set(err, KG_ERROR_USAGE, "NVRTC produced no code with these options");
}

static bool symbol_take(const struct nvrtc *nvrtc, void *program, const char *entry,
                        struct kg_arena *arena, struct kg_nvrtc_image *image, struct kg_error *err)
{
    const char *lowered = NULL;
    const int code = nvrtc->name_lowered(program, entry, &lowered);
    if (code != 0 || !lowered)
        return kg_error_set(err, KG_ERROR_USAGE, "there is no kernel '%s': %s", entry,
                            nvrtc->error_string(code));
    image->symbol = kg_arena_copy(arena, lowered);
    return true;
}

/* The source's options, and last the folder of CUDA's headers: folders that the user names come first. */
static const char *const *options_make(const struct nvrtc *nvrtc,
                                       const struct kg_nvrtc_source *source, struct kg_arena *arena,
                                       size_t *count)
{
    const char *headers = headers_find(nvrtc, arena);
    const char **options = kg_arena_alloc(arena, source->option_count + 1, sizeof *options);
    *count = source->option_count;
    for (size_t i = 0; i < *count; i++)
        options[i] = source->options[i];
    if (headers)
        options[(*count)++] = kg_arena_printf(arena, "--include-path=%s", headers);
    return options;
}

static bool program_compile(const struct nvrtc *nvrtc, void *program,
                            const struct kg_nvrtc_source *source, struct kg_arena *arena,
                            struct kg_nvrtc_image *image, struct kg_error *err)
{
    size_t count;
    int code = nvrtc->name_add(program, source->entry);
    if (code != 0)
        return kg_error_set(err, KG_ERROR_USAGE, "'%s' cannot be the name of a kernel: %s",
                            source->entry, nvrtc->error_string(code));
    const char *const *options = options_make(nvrtc, source, arena, &count);
    code = nvrtc->compile(program, (int)count, options);
    if (code != 0)
        return failed(nvrtc, code, source, log_take(nvrtc, program, arena), err);
    return symbol_take(nvrtc, program, source->entry, arena, image, err) &&
           image_take(nvrtc, program, arena, image, err);
}

enum kg_nvrtc_result kg_nvrtc_compile(const char *const *libraries,
                                      const struct kg_nvrtc_source *source, struct kg_arena *arena,
                                      struct kg_nvrtc_image *image, struct kg_error *err)
{
    struct nvrtc nvrtc;
    void *program = NULL;
    *image = (struct kg_nvrtc_image){0};
    if (!nvrtc_open(libraries, &nvrtc, err))
        return KG_NVRTC_MISSING;
    const int code = nvrtc.create(&program, source->text, source->file, 0, NULL, NULL);
    if (code != 0) {
        failed(&nvrtc, code, source, "", err);
        return KG_NVRTC_FAILED;
    }
    const bool good = program_compile(&nvrtc, program, source, arena, image, err);
    nvrtc.destroy(&program);
    return good ? KG_NVRTC_GOOD : KG_NVRTC_FAILED;
}
