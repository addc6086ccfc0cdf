#include "suite/sources/cuda_source.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"

enum { NAMES_MOST = 8, NAME_SHOWN = 100, SIZES_MOST = 16 };

static bool refuse(struct kg_source_opening *opening, enum kg_opening_place place, size_t arg,
                   struct kg_text *message, struct kg_error *err)
{
    opening->place = place;
    opening->arg = arg;
    if (message->failed)
        kg_error_memory(err);
    else
        kg_error_set(err, KG_ERROR_USAGE, "%s", kg_text_string(message));
    kg_text_free(message);
    return false;
}

/* --- The kernel -------------------------------------------------------------------------------- */

/* How near a name is to what was looked for: C++ puts types around it. Most of all first. */
enum nearness { NEAREST, AROUND, ANY, NEARNESSES };

static enum nearness nearness_of(const char *name, const char *entry, const char *nearest)
{
    return name == nearest ? NEAREST : strstr(name, entry) ? AROUND : ANY;
}

static void names_append(struct kg_text *message, const struct kg_gpu_kernels *kernels,
                         const char *entry)
{
    const char *nearest = kg_nearest(entry, kernels->names, kernels->count);
    size_t shown = 0;
    for (int pass = NEAREST; pass < NEARNESSES; pass++)
        for (size_t i = 0; i < kernels->count && shown < NAMES_MOST; i++)
            if (nearness_of(kernels->names[i], entry, nearest) == (enum nearness)pass)
                kg_text_printf(message, "%s'%.*s'", shown++ ? ", " : "", NAME_SHOWN,
                               kernels->names[i]);
    if (shown < kernels->count)
        kg_text_printf(message, " and %zu more", kernels->count - shown);
}

bool kg_cuda_entry_missing(const struct kg_gpu_kernels *kernels, const char *what,
                           const char *entry, struct kg_source_opening *opening,
                           struct kg_error *err)
{
    struct kg_text message = {0};
    kg_text_printf(&message, "%s", what);
    if (kernels->count) {
        kg_text_printf(&message, ": write one of its kernels as `entry`: ");
        names_append(&message, kernels, entry);
    } else {
        kg_text_printf(&message, ", and no other one");
    }
    return refuse(opening, KG_OPENING_ENTRY, 0, &message, err);
}

bool kg_cuda_entry_find(const struct kg_gpu_kernels *kernels, const char *file, const char *entry,
                        struct kg_source_opening *opening, struct kg_error *err)
{
    char what[512];
    snprintf(what, sizeof what, "'%.300s' has no kernel '%.*s'", file, NAME_SHOWN, entry);
    return kernels->found || kg_cuda_entry_missing(kernels, what, entry, opening, err);
}

/* --- Its parameters ---------------------------------------------------------------------------- */

static size_t argument_bytes(const struct kg_cuda_argument *argument)
{
    return argument->buffer ? sizeof(void *) : kg_cuda_type_bytes(argument->type);
}

static void sizes_append(struct kg_text *message, const struct kg_gpu_kernels *kernels)
{
    const size_t count = kernels->parameter_count;
    for (size_t i = 0; i < count && i < SIZES_MOST; i++) {
        kg_text_printf(message, i ? ", " : " of ");
        if (kernels->parameter_bytes[i])
            kg_text_printf(message, "%zu", kernels->parameter_bytes[i]);
        else
            kg_text_printf(message, "?");
    }
    if (count)
        kg_text_printf(message, "%s bytes", count > SIZES_MOST ? ", …" : "");
}

static bool count_refuse(const struct kg_gpu_kernels *kernels, const char *entry,
                         const struct kg_cuda_launch *launch, struct kg_source_opening *opening,
                         struct kg_error *err)
{
    struct kg_text message = {0};
    kg_text_printf(&message, "'%.*s' takes %zu parameter%s", NAME_SHOWN, entry,
                   kernels->parameter_count, kernels->parameter_count == 1 ? "" : "s");
    sizes_append(&message, kernels);
    kg_text_printf(&message, ", but `args` has %zu: give one for each parameter, in their order",
                   launch->arg_count);
    return refuse(opening, KG_OPENING_ARGS, 0, &message, err);
}

static bool size_refuse(size_t i, size_t bytes, const char *entry,
                        const struct kg_cuda_launch *launch, struct kg_source_opening *opening,
                        struct kg_error *err)
{
    const struct kg_cuda_argument *argument = &launch->args[i];
    const size_t given = argument_bytes(argument);
    struct kg_text message = {0};
    kg_text_printf(&message, "argument %zu", i + 1);
    if (argument->name)
        kg_text_printf(&message, " ('%.*s')", NAME_SHOWN, argument->name);
    kg_text_printf(&message, " is %s of %s, %zu byte%s, but parameter %zu of '%.*s' has %zu: ",
                   argument->buffer ? "a buffer" : "a scalar", kg_cuda_type_names[argument->type],
                   given, given == 1 ? "" : "s", i + 1, NAME_SHOWN, entry, bytes);
    if (bytes == sizeof(void *))
        kg_text_printf(&message, "write a buffer, or a scalar of 8 bytes");
    else if (bytes == 1 || bytes == 2 || bytes == 4)
        kg_text_printf(&message, "write a scalar of %zu byte%s", bytes, bytes == 1 ? "" : "s");
    else
        kg_text_printf(&message, "`args` has no such type; call it from a plugin");
    return refuse(opening, KG_OPENING_ARGS, i + 1, &message, err);
}

bool kg_cuda_arguments_check(const struct kg_gpu_kernels *kernels, const char *entry,
                             const struct kg_cuda_launch *launch, struct kg_source_opening *opening,
                             struct kg_error *err)
{
    if (!kernels->found || !kernels->parameters_known)
        return true;
    if (kernels->parameter_count != launch->arg_count)
        return count_refuse(kernels, entry, launch, opening, err);
    for (size_t i = 0; i < launch->arg_count; i++) {
        const size_t bytes = kernels->parameter_bytes[i];
        if (bytes && bytes != argument_bytes(&launch->args[i]))
            return size_refuse(i, bytes, entry, launch, opening, err);
    }
    return true;
}
