#include "suite/sources/cuda_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/code/gpu_kernels.h"
#include "base/file.h"
#include "base/hash.h"
#include "device/driver.h"
#include "device/nvrtc.h"
#include "suite/sources/cuda_launch.h"
#include "suite/sources/host.h"

enum { FILE_MOST = 256 * 1024 * 1024, SHARED_WITHOUT_ASKING = 48 * 1024 };

/* What is open. A worker process measures one case at a time. */
static struct opened {
    struct kg_arena arena;
    struct kg_cuda_launch launch;
    struct kg_nvrtc_image image;
    const char *file;
    bool parameters_known; /* the kernel's, of the file */
    struct kgate_workload workload;
} opened;

/* What a case on the device has. */
static struct loaded {
    const struct kg_driver *driver;
    void *stream;
    void *module, *function;
    void *memory[KG_CUDA_ARGS_MOST];     /* of buffers; NULL for scalars */
    uint64_t words[KG_CUDA_ARGS_MOST];   /* what the kernel is handed: an address, or a scalar */
    void *parameters[KG_CUDA_ARGS_MOST]; /* where these are */
} loaded;

/* --- Opening: on the host alone ---------------------------------------------------------------- */

static bool option_given(const struct kg_cuda_call *call, const char *beginning)
{
    for (size_t i = 0; i < call->option_count; i++)
        if (!strncmp(call->options[i], beginning, strlen(beginning)))
            return true;
    return false;
}

/* The suite's options, and what they do not say: the architecture, and the source's own folder. */
static bool options_make(const struct kg_source_opening *opening, const char *const **options,
                         size_t *count, struct kg_error *err)
{
    const struct kg_cuda_call *call = opening->call;
    const char *slash = strrchr(opened.file, '/');
    const char **all = kg_arena_alloc(&opened.arena, call->option_count + 2, sizeof *all);
    const char *folder = slash ? kg_arena_printf(&opened.arena, "--include-path=%.*s",
                                                 (int)(slash - opened.file), opened.file)
                               : "--include-path=.";
    const char *architecture =
        kg_arena_printf(&opened.arena, "--gpu-architecture=%s", opening->architecture);
    if (!all || !folder || !architecture)
        return kg_error_memory(err);
    *count = 0;
    if (!option_given(call, "--gpu-architecture") && !option_given(call, "-arch"))
        all[(*count)++] = architecture;
    for (size_t i = 0; i < call->option_count; i++)
        all[(*count)++] = call->options[i];
    all[(*count)++] = folder;
    *options = all;
    return true;
}

/* Where the kernel alone was not found: those that are there, as far as they can be seen. */
static bool compile_refuse(struct kg_source_opening *opening, const char *text,
                           struct kg_error *err)
{
    struct kg_gpu_kernels kernels;
    char what[sizeof err->message];
    kg_error_wrap(err, "not compiled");
    memcpy(what, err->message, sizeof what);
    return opened.image.no_kernel &&
           kg_gpu_kernels_source(text, strlen(text), &opened.arena, &kernels, err) &&
           kg_cuda_entry_missing(&kernels, what, opening->call->entry, opening, err);
}

static bool compile(struct kg_source_opening *opening, const char *text, struct kg_error *err)
{
    const char *const named[] = {getenv("KGATE_NVRTC"), NULL};
    struct kg_nvrtc_source source = {
        .text = text, .file = opened.file, .entry = opening->call->entry};
    if (!options_make(opening, &source.options, &source.option_count, err))
        return false;
    const enum kg_nvrtc_result result =
        kg_nvrtc_compile(named[0] ? named : NULL, &source, &opened.arena, &opened.image, err);
    opening->unavailable = result == KG_NVRTC_MISSING;
    if (result == KG_NVRTC_FAILED)
        return compile_refuse(opening, text, err);
    return result == KG_NVRTC_GOOD || kg_error_wrap(err, "not compiled");
}

static bool arguments_check(struct kg_source_opening *opening, const struct kg_gpu_kernels *kernels,
                            struct kg_error *err)
{
    opened.parameters_known = kernels->parameters_known;
    return kg_cuda_arguments_check(kernels, opening->call->entry, &opened.launch, opening, err);
}

/* The compiler says that the kernel is there. What cannot be read of its PTX is taken as good. */
static bool compiled_check(struct kg_source_opening *opening, struct kg_error *err)
{
    struct kg_gpu_kernels kernels;
    const struct kg_nvrtc_image *image = &opened.image;
    if (image->ptx && kg_gpu_kernels_ptx(image->ptx, image->ptx_length, image->symbol,
                                         &opened.arena, &kernels, err))
        return arguments_check(opening, &kernels, err);
    return !image->ptx || err->kind == KG_ERROR_USAGE;
}

static bool ptx_read(struct kg_gpu_kernels *kernels, struct kg_error *err)
{
    return kg_gpu_kernels_ptx(opened.image.bytes, opened.image.length, opened.image.symbol,
                              &opened.arena, kernels, err);
}

static bool cubin_read(struct kg_gpu_kernels *kernels, struct kg_error *err)
{
    return kg_gpu_kernels_cubin(opened.image.bytes, opened.image.length, opened.image.symbol,
                                &opened.arena, kernels, err);
}

/* The driver alone knows what is in it. */
static bool fatbin_read(struct kg_gpu_kernels *kernels, struct kg_error *err)
{
    *kernels = (struct kg_gpu_kernels){.found = true};
    return kg_gpu_fatbin_check(opened.image.bytes, opened.image.length, err);
}

/* The kinds of images: by their ending, and what a file of them begins with. */
static const struct image_kind {
    const char *ending;
    unsigned char mark[4];
    size_t mark_bytes;
    bool (*read)(struct kg_gpu_kernels *kernels, struct kg_error *err);
} image_kinds[] = {{".ptx", "", 0, ptx_read},
                   {".cubin", {0x7f, 'E', 'L', 'F'}, 4, cubin_read},
                   {".fatbin", {0x50, 0xed, 0x55, 0xba}, 4, fatbin_read}};
enum { IMAGE_KINDS = sizeof image_kinds / sizeof *image_kinds };

/* The file is no such code; perhaps it is another kind. */
static bool image_refuse(const struct image_kind *kind, struct kg_error *err)
{
    char why[sizeof err->message];
    const char *other = NULL;
    if (err->kind != KG_ERROR_USAGE)
        return false;
    memcpy(why, err->message, sizeof why);
    for (size_t i = 0; i < IMAGE_KINDS; i++)
        if (&image_kinds[i] != kind && image_kinds[i].mark_bytes &&
            opened.image.length >= image_kinds[i].mark_bytes &&
            !memcmp(opened.image.bytes, image_kinds[i].mark, image_kinds[i].mark_bytes))
            other = image_kinds[i].ending;
    return kg_error_set(err, KG_ERROR_USAGE, "'%.300s' %.600s%s%s", opened.file, why,
                        other ? "; by its first bytes its name should end in " : "",
                        other ? other : "");
}

/* An image as it is: that it is one, has the kernel, and that this takes the arguments, is found out
 * without the driver, which says the rest. */
static bool image_take(struct kg_source_opening *opening, const char *ending,
                       const struct kg_text *file, struct kg_error *err)
{
    const char *entry = opening->call->entry;
    struct kg_gpu_kernels kernels;
    size_t i = 0;
    opened.image = (struct kg_nvrtc_image){
        .bytes = kg_arena_copy_bytes(&opened.arena, kg_text_string(file), file->length),
        .length = file->length,
        .symbol = entry};
    if (!opened.image.bytes)
        return kg_error_memory(err);
    while (i < IMAGE_KINDS && strcmp(ending, image_kinds[i].ending) != 0)
        i++;
    if (i == IMAGE_KINDS)
        return kg_error_set(err, KG_ERROR_USAGE, "'%.300s' is no GPU code by its name",
                            opened.file);
    if (!image_kinds[i].read(&kernels, err))
        return image_refuse(&image_kinds[i], err);
    return kg_cuda_entry_find(&kernels, opened.file, entry, opening, err) &&
           arguments_check(opening, &kernels, err);
}

static bool file_take(struct kg_source_opening *opening, struct kg_error *err)
{
    const char *folder = opening->call->folder;
    struct kg_text file = {0};
    opened.file = kg_arena_printf(
        &opened.arena, "%s%s", opening->target[0] == '/' || !folder ? "" : folder, opening->target);
    if (!opened.file)
        return kg_error_memory(err);
    const char *ending = strrchr(opened.file, '.');
    bool good = kg_file_read(opened.file, FILE_MOST, &file, err);
    if (good && ending && !strcmp(ending, ".cu"))
        good = compile(opening, kg_text_string(&file), err) && compiled_check(opening, err);
    else if (good)
        good = image_take(opening, ending ? ending : "", &file, err);
    kg_text_free(&file);
    return good;
}

/* Multiply-adds of double precision have another rate, those of 16 bits may have. */
static bool is_single(enum kg_cuda_type type)
{
    return kg_cuda_type_whole(type) || type == KG_CUDA_F32;
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    (void)context;
    *work = (struct kgate_work){
        .items = opened.launch.items, .bytes = opened.launch.bytes, .flops = opened.launch.flops};
    for (size_t i = 0; i < opened.launch.arg_count; i++)
        if (!is_single(opened.launch.args[i].type))
            work->arithmetic = KGATE_ARITHMETIC_OTHER;
    return true;
}

/* --- On the device ----------------------------------------------------------------------------- */

static bool refuse(struct kgate_context *context, const char *what, int code)
{
    char words[160];
    kg_driver_words(loaded.driver, code, words, sizeof words);
    snprintf(context->message, sizeof context->message, "%.90s: %s", what, words);
    return false;
}

/* What the driver knows of the kernel, where the file told nothing. A driver that says nothing of the first
 * parameter is not asked further. */
static bool parameters_check(struct kgate_context *context)
{
    enum { MOST = KG_CUDA_ARGS_MOST + 1 };
    size_t sizes[MOST], offset, count = 0;
    struct kg_source_opening unused = {0};
    struct kg_error err;
    while (loaded.driver->function_parameter && count < MOST &&
           loaded.driver->function_parameter(loaded.function, count, &offset, &sizes[count]) ==
               KG_DRIVER_SUCCESS)
        count++;
    const struct kg_gpu_kernels kernels = {.found = true,
                                           .parameters_known = count > 0,
                                           .parameter_bytes = sizes,
                                           .parameter_count = count};
    if (kg_cuda_arguments_check(&kernels, opened.image.symbol, &opened.launch, &unused, &err))
        return true;
    snprintf(context->message, sizeof context->message, "%.250s", err.message);
    return false;
}

static bool load(struct kgate_context *context)
{
    char what[96];
    int code = loaded.driver->module_load(&loaded.module, opened.image.bytes);
    if (code != KG_DRIVER_SUCCESS)
        return refuse(context, "the driver does not load the code", code);
    code = loaded.driver->module_function(&loaded.function, loaded.module, opened.image.symbol);
    if (code != KG_DRIVER_SUCCESS) {
        snprintf(what, sizeof what, "the code has no kernel '%.60s'", opened.image.symbol);
        return refuse(context, what, code);
    }
    if (!opened.parameters_known && !parameters_check(context))
        return false;
    if (opened.launch.shared_bytes <= SHARED_WITHOUT_ASKING || !loaded.driver->function_set)
        return true;
    code = loaded.driver->function_set(loaded.function, KG_FUNCTION_DYNAMIC_SHARED_MOST,
                                       (int)opened.launch.shared_bytes);
    return code == KG_DRIVER_SUCCESS || refuse(context, "the device does not give `shared`", code);
}

static bool buffers_make(struct kgate_context *context)
{
    for (size_t i = 0; i < opened.launch.arg_count; i++) {
        const struct kg_cuda_argument *argument = &opened.launch.args[i];
        loaded.parameters[i] = &loaded.words[i];
        loaded.words[i] = argument->scalar;
        if (!argument->buffer)
            continue;
        const size_t bytes = argument->count * kg_cuda_type_bytes(argument->type);
        loaded.memory[i] = context->allocate_device(context, bytes);
        loaded.words[i] = (uintptr_t)loaded.memory[i];
        if (!loaded.memory[i]) {
            snprintf(context->message, sizeof context->message,
                     "no memory for %zu bytes on the GPU", bytes);
            return false;
        }
    }
    return true;
}

/* Fills the buffers, or those alone that a call has written. */
static bool buffers_fill(struct kgate_context *context, bool written)
{
    const struct kg_cuda_device device = {loaded.driver, loaded.stream};
    for (size_t i = 0; i < opened.launch.arg_count; i++) {
        const struct kg_cuda_argument *argument = &opened.launch.args[i];
        if (!argument->buffer || (written && !argument->out))
            continue;
        const int code = kg_cuda_buffer_fill(&device, argument, loaded.words[i]);
        if (code != KG_DRIVER_SUCCESS)
            return refuse(context, "cannot fill a buffer", code);
    }
    return true;
}

static int launch(void)
{
    const struct kg_cuda_launch *how = &opened.launch;
    return loaded.driver->launch(loaded.function, how->grid[0], how->grid[1], how->grid[2],
                                 how->block[0], how->block[1], how->block[2], how->shared_bytes,
                                 loaded.stream, loaded.parameters, NULL);
}

/* `run` can say nothing, so that the device takes the launch is found out here. */
static bool launch_try(struct kgate_context *context)
{
    char what[96];
    int code = launch();
    if (code == KG_DRIVER_SUCCESS)
        code = loaded.driver->stream_synchronize(loaded.stream);
    snprintf(what, sizeof what, "'%.60s' does not run", opened.image.symbol);
    return code == KG_DRIVER_SUCCESS || refuse(context, what, code);
}

static bool set_up(struct kgate_context *context, void **state)
{
    const struct kg_host *host = context->host;
    loaded = (struct loaded){.driver = host->driver, .stream = context->stream};
    *state = &loaded;
    return load(context) && buffers_make(context) && buffers_fill(context, false) &&
           launch_try(context) && buffers_fill(context, true);
}

static void run(void *state)
{
    (void)state;
    launch();
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *found)
{
    const struct kg_cuda_device device = {loaded.driver, loaded.stream};
    (void)state;
    return kg_cuda_check(&device, &opened.launch, loaded.words, found, context->message,
                         sizeof context->message);
}

static void tear_down(struct kgate_context *context, void *state)
{
    (void)state;
    for (size_t i = 0; i < opened.launch.arg_count; i++)
        context->release_device(context, loaded.memory[i]);
    if (loaded.module)
        loaded.driver->module_unload(loaded.module);
    loaded = (struct loaded){0};
}

const struct kgate_workload *kg_cuda_source_open(struct kg_source_opening *opening,
                                                 struct kg_error *err)
{
    struct kg_mark at;
    kg_arena_free(&opened.arena);
    opened = (struct opened){0};
    if (!opening->call || !opening->call->entry || !opening->architecture) {
        kg_error_set(err, KG_ERROR_USAGE, "nothing says how '%s' is called", opening->target);
        return NULL;
    }
    if (!kg_cuda_launch_make(&opened.arena, opening->call, opening->seed, &opened.launch, &at,
                             err) ||
        !file_take(opening, err))
        return NULL;
    snprintf(opening->code_hash, sizeof opening->code_hash, "%016" PRIx64,
             kg_hash_bytes(KG_HASH_START, opened.image.bytes, opened.image.length));
    opened.workload = (struct kgate_workload){
        .name = opening->call->entry,
        .summary = opened.file,
        .devices = 1U << KGATE_DEVICE_CUDA,
        .describe = describe,
        .set_up = set_up,
        .run = run,
        .check = kg_cuda_expects(&opened.launch) ? check : NULL,
        .tear_down = tear_down,
    };
    return &opened.workload;
}
