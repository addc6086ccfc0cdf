#include "suite/sources/cuda_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/code/elf.h"
#include "base/file.h"
#include "base/hash.h"
#include "device/driver.h"
#include "device/nvrtc.h"
#include "suite/sources/cuda_launch.h"
#include "suite/sources/plugin_host.h"

enum { FILE_MOST = 256 * 1024 * 1024, SHARED_WITHOUT_ASKING = 48 * 1024 };

/* The open workload. There is only one, because a worker process measures one case at a time. */
static struct opened {
    struct kg_arena arena;
    struct kg_cuda_launch launch;
    struct kg_nvrtc_image image;
    const char *file;
    struct kgate_workload workload;
} opened;

/* The state of the case on the device. */
static struct loaded {
    const struct kg_driver *driver;
    void *stream;
    void *module, *function;
    void *memory[KG_CUDA_ARGS_MOST];     /* memory of buffers; NULL for scalars */
    uint64_t words[KG_CUDA_ARGS_MOST];   /* arguments of the kernel: an address or a scalar each */
    void *parameters[KG_CUDA_ARGS_MOST]; /* pointers to `words` */
} loaded;

/* --- Opening: on the host alone ---------------------------------------------------------------- */

static bool option_given(const struct kg_cuda_call *call, const char *beginning)
{
    for (size_t i = 0; i < call->option_count; i++)
        if (!strncmp(call->options[i], beginning, strlen(beginning)))
            return true;
    return false;
}

/* The compiler options: the suite's, the source's folder as an include path, and the architecture if it is missing. */
static void options_make(const struct kg_source_opening *opening, const char *const **options,
                         size_t *count)
{
    const struct kg_cuda_call *call = opening->call;
    const char *slash = strrchr(opened.file, '/');
    const char **all = kg_arena_alloc(&opened.arena, call->option_count + 2, sizeof *all);
    const char *folder = slash ? kg_arena_printf(&opened.arena, "--include-path=%.*s",
                                                 (int)(slash - opened.file), opened.file)
                               : "--include-path=.";
    const char *architecture =
        kg_arena_printf(&opened.arena, "--gpu-architecture=%s", opening->architecture);
    *count = 0;
    if (!option_given(call, "--gpu-architecture") && !option_given(call, "-arch"))
        all[(*count)++] = architecture;
    for (size_t i = 0; i < call->option_count; i++)
        all[(*count)++] = call->options[i];
    all[(*count)++] = folder;
    *options = all;
}

static bool compile(struct kg_source_opening *opening, const char *text, struct kg_error *err)
{
    const char *const named[] = {getenv("KGATE_NVRTC"), NULL};
    struct kg_nvrtc_source source = {
        .text = text, .file = opened.file, .entry = opening->call->entry};
    options_make(opening, &source.options, &source.option_count);
    const enum kg_nvrtc_result result =
        kg_nvrtc_compile(named[0] ? named : NULL, &source, &opened.arena, &opened.image, err);
    opening->unavailable = result == KG_NVRTC_MISSING;
    return result == KG_NVRTC_GOOD || kg_error_wrap(err, "not compiled");
}

/* --- Images ------------------------------------------------------------------------------------ */

static bool cubin_check(struct kg_error *err)
{
    enum { MACHINE_CUDA = 190 };
    struct kg_elf elf;
    if (!kg_elf_open(opened.image.bytes, opened.image.length, &elf))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "its ELF header is wrong; the file may be truncated");
    return elf.machine == MACHINE_CUDA ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "it is an ELF file for the machine %u, and CUDA's is %d", elf.machine,
                        MACHINE_CUDA);
}

/* Checks the header, which follows fatbinary.h of the CUDA Toolkit. The driver trusts the length in the header. */
static bool fatbin_check(struct kg_error *err)
{
    struct {
        uint32_t magic;
        uint16_t version, header_bytes;
        uint64_t bytes; /* behind the header */
    } header = {0};
    const size_t length = opened.image.length;
    if (length >= sizeof header)
        memcpy(&header, opened.image.bytes, sizeof header);
    return (header.bytes && header.header_bytes >= sizeof header && header.header_bytes <= length &&
            header.bytes <= length - header.header_bytes) ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "it is shorter than its header says; it may be truncated");
}

/* The kinds of images, by the ending of the file name. */
static const struct image_kind {
    const char *ending;
    const char *mark;                    /* first bytes of the files; NULL: any */
    bool (*check)(struct kg_error *err); /* of a file with the mark; NULL: the driver checks */
} image_kinds[] = {{".ptx", NULL, NULL},
                   {".cubin",
                    "\x7f"
                    "ELF",
                    cubin_check},
                   {".fatbin", "\x50\xed\x55\xba", fatbin_check}};
enum { IMAGE_KINDS = sizeof image_kinds / sizeof *image_kinds };

static bool image_is(const struct image_kind *kind)
{
    const size_t bytes = strlen(kind->mark);
    return opened.image.length >= bytes && !memcmp(opened.image.bytes, kind->mark, bytes);
}

/* Does the checks that need no driver. They matter, because the driver reads the image without a length. */
static bool image_check(const char *ending, struct kg_error *err)
{
    const struct image_kind *kind = NULL, *other = NULL;
    for (size_t i = 0; i < IMAGE_KINDS; i++)
        if (!strcmp(ending, image_kinds[i].ending))
            kind = &image_kinds[i];
        else if (image_kinds[i].mark && image_is(&image_kinds[i]))
            other = &image_kinds[i];
    if (!kind)
        return kg_error_set(err, KG_ERROR_USAGE, "'%.300s' is no GPU code by its name",
                            opened.file);
    if (other)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "'%.300s' is no %s file: by its first bytes its name should end in %s",
                            opened.file, kind->ending + 1, other->ending);
    const bool marked = !kind->mark || image_is(kind);
    if (marked && (!kind->check || kind->check(err)))
        return true;
    if (!marked)
        kg_error_set(err, KG_ERROR_USAGE, "it does not begin as one");
    return kg_error_wrap(err, "'%.300s' is no %s file", opened.file, kind->ending + 1);
}

/* Takes a file that is already an image. */
static bool image_take(struct kg_source_opening *opening, const char *ending,
                       const struct kg_text *file, struct kg_error *err)
{
    opened.image = (struct kg_nvrtc_image){
        .bytes = kg_arena_copy_bytes(&opened.arena, kg_text_string(file), file->length),
        .length = file->length,
        .symbol = opening->call->entry};
    return image_check(ending, err);
}

static bool file_take(struct kg_source_opening *opening, struct kg_error *err)
{
    const char *folder = opening->call->folder;
    struct kg_text file = {0};
    opened.file = kg_arena_printf(
        &opened.arena, "%s%s", opening->target[0] == '/' || !folder ? "" : folder, opening->target);
    const char *ending = strrchr(opened.file, '.');
    bool good = kg_file_read(opened.file, FILE_MOST, &file, err);
    if (good && ending && !strcmp(ending, ".cu"))
        good = compile(opening, kg_text_string(&file), err);
    else if (good)
        good = image_take(opening, ending ? ending : "", &file, err);
    kg_text_free(&file);
    return good;
}

/* Whether the single-precision peak applies. Double precision has another rate, and 16 bits may have another. */
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

static size_t argument_bytes(const struct kg_cuda_argument *argument)
{
    return argument->buffer ? sizeof(void *) : kg_cuda_type_bytes(argument->type);
}

/* "'saxpy' takes 4 parameters of 4, 4, 8, 8 bytes, …" */
static bool count_refuse(struct kgate_context *context, const size_t *sizes, size_t count)
{
    struct kg_text list = {0};
    for (size_t i = 0; i < count; i++)
        kg_text_printf(&list, "%s%zu", i ? ", " : "", sizes[i]);
    snprintf(context->message, sizeof context->message,
             "'%.60s' takes %zu parameter%s of %.60s bytes, but `args` has %zu: give one for each "
             "parameter, in their order",
             opened.workload.name, count, count == 1 ? "" : "s", kg_text_string(&list),
             opened.launch.arg_count);
    kg_text_free(&list);
    return false;
}

static bool size_refuse(struct kgate_context *context, size_t i, size_t bytes)
{
    const struct kg_cuda_argument *argument = &opened.launch.args[i];
    snprintf(context->message, sizeof context->message,
             "argument %zu%s%.40s%s is a %s of %s, %zu bytes, but parameter %zu of '%.60s' has %zu",
             i + 1, argument->name ? " ('" : "", argument->name ? argument->name : "",
             argument->name ? "')" : "", argument->buffer ? "buffer" : "scalar",
             kg_cuda_type_names[argument->type], argument_bytes(argument), i + 1,
             opened.workload.name, bytes);
    return false;
}

/* Compares `args` with the driver's list of parameters, because a launch with too few would read beyond the array. If
 * the driver does not know the first parameter, the kernel has none, or the driver is older than CUDA 12.4. */
static bool parameters_check(struct kgate_context *context)
{
    enum { MOST = KG_CUDA_ARGS_MOST + 1 };
    size_t sizes[MOST], offset, count = 0;
    while (loaded.driver->function_parameter && count < MOST &&
           loaded.driver->function_parameter(loaded.function, count, &offset, &sizes[count]) ==
               KG_DRIVER_SUCCESS)
        count++;
    if (count && count != opened.launch.arg_count)
        return count_refuse(context, sizes, count);
    for (size_t i = 0; i < count; i++)
        if (sizes[i] != argument_bytes(&opened.launch.args[i]))
            return size_refuse(context, i, sizes[i]);
    return true;
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
    if (!parameters_check(context))
        return false;
    if (opened.launch.shared_bytes <= SHARED_WITHOUT_ASKING || !loaded.driver->function_set)
        return true;
    code = loaded.driver->function_set(loaded.function, KG_FUNCTION_DYNAMIC_SHARED_MOST,
                                       (int)opened.launch.shared_bytes);
    return code == KG_DRIVER_SUCCESS || refuse(context, "the device refuses `shared`", code);
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

/* Fills the buffers. written: only the buffers that a call writes */
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

/* Launches the kernel once. `run` cannot report an error, so kgate checks here that the device accepts the launch. */
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
