#include "suite/sources/cuda_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"

enum { CHUNK_BYTES = 4 * 1024 * 1024 };

/* --- Transfer of a buffer in pieces ------------------------------------------------------------- */

/* A part of a buffer in the host's memory. */
struct piece {
    const struct kg_cuda_argument *argument;
    size_t first, count; /* elements */
    char *bytes;
};

static struct piece piece_begin(const struct kg_cuda_argument *argument)
{
    return (struct piece){.argument = argument, .bytes = kg_alloc(1, CHUNK_BYTES)};
}

/* Steps to the next piece; false at the end. */
static bool piece_next(struct piece *piece)
{
    const size_t most = CHUNK_BYTES / kg_cuda_type_bytes(piece->argument->type);
    piece->first += piece->count;
    const size_t left = piece->argument->count - piece->first;
    piece->count = left < most ? left : most;
    return piece->count > 0;
}

static int piece_copy(const struct kg_cuda_device *device, struct piece *piece, uint64_t address,
                      bool to_device)
{
    const size_t size = kg_cuda_type_bytes(piece->argument->type);
    const uint64_t at = address + piece->first * size;
    const int code = to_device
                         ? device->driver->copy_to_device_async(at, piece->bytes,
                                                                piece->count * size, device->stream)
                         : device->driver->copy_to_host_async(piece->bytes, at, piece->count * size,
                                                              device->stream);
    return code == KG_DRIVER_SUCCESS ? device->driver->stream_synchronize(device->stream) : code;
}

int kg_cuda_buffer_fill(const struct kg_cuda_device *device,
                        const struct kg_cuda_argument *argument, uint64_t address)
{
    struct piece piece = piece_begin(argument);
    int code = piece.bytes ? KG_DRIVER_SUCCESS : KG_DRIVER_OUT_OF_MEMORY;
    while (code == KG_DRIVER_SUCCESS && piece_next(&piece)) {
        kg_cuda_fill_write(&argument->fill, piece.first, piece.count, piece.bytes);
        code = piece_copy(device, &piece, address, true);
    }
    free(piece.bytes);
    return code;
}

/* --- Expected values --------------------------------------------------------------------------- */

struct checking {
    const struct kg_cuda_device *device;
    const struct kg_cuda_launch *launch;
    struct kgate_check found; /* the largest ratio of error to tolerance so far */
    char *message;
    size_t message_bytes;
};

static const char *name_of(const struct kg_cuda_argument *argument)
{
    return argument->name ? argument->name : "an argument without a name";
}

static bool element_wrong(const struct checking *checking, const struct kg_cuda_argument *argument,
                          size_t i, double value, double expected)
{
    const bool input = !argument->out;
    snprintf(checking->message, checking->message_bytes,
             "%.60s[%zu] is %.9g, but %s %.9g: the tolerance is %.3g%s", name_of(argument), i,
             value, input ? "was" : "must be", expected, input ? 0 : argument->tolerance,
             input ? " (the kernel changed it, and it is not `out`)" : "");
    return false;
}

static bool element_check(struct checking *checking, const struct kg_cuda_argument *argument,
                          size_t i, double value, double expected)
{
    if (value == expected || (isnan(value) && isnan(expected)))
        return true;
    const double error = fabs(value - expected) / fmax(1, fabs(expected));
    if (!argument->out || !(error <= argument->tolerance))
        return element_wrong(checking, argument, i, value, expected);
    const struct kgate_check *found = &checking->found;
    if (error > 0 &&
        (found->error == 0 || error / argument->tolerance > found->error / found->tolerance))
        checking->found = (struct kgate_check){.error = error, .tolerance = argument->tolerance};
    return true;
}

/* The expected value of an element.
 * file  the expected elements; NULL: the formula, or the fill of an input */
static double expected_value(const struct checking *checking, size_t number, const char *file,
                             size_t i)
{
    const struct kg_cuda_argument *argument = &checking->launch->args[number];
    if (file)
        return kg_cuda_value_load(argument->type, file + i * kg_cuda_type_bytes(argument->type));
    return argument->expect ? kg_cuda_expected(checking->launch, number, i)
                            : kg_cuda_fill_value(&argument->fill, i);
}

static bool buffer_check(struct checking *checking, size_t number, uint64_t address,
                         const char *file)
{
    const struct kg_cuda_argument *argument = &checking->launch->args[number];
    const size_t size = kg_cuda_type_bytes(argument->type);
    struct piece piece = piece_begin(argument);
    bool good = true;
    while (good && piece_next(&piece)) {
        const int code = piece_copy(checking->device, &piece, address, false);
        good = code == KG_DRIVER_SUCCESS;
        if (!good)
            kg_driver_words(checking->device->driver, code, checking->message,
                            checking->message_bytes);
        for (size_t i = 0; i < piece.count && good; i++)
            good = element_check(checking, argument, piece.first + i,
                                 kg_cuda_value_load(argument->type, piece.bytes + i * size),
                                 expected_value(checking, number, file, piece.first + i));
    }
    free(piece.bytes);
    return good;
}

/* Compares a buffer with its file of expected elements. The file must have as many bytes as the buffer. */
static bool file_check(struct checking *checking, size_t number, uint64_t address)
{
    const struct kg_cuda_argument *argument = &checking->launch->args[number];
    const size_t bytes = argument->count * kg_cuda_type_bytes(argument->type);
    struct kg_text file = {0};
    struct kg_error err;
    bool good = kg_file_read(argument->expect_file, bytes + 1, &file, &err);
    if (!good)
        snprintf(checking->message, checking->message_bytes, "%.240s", err.message);
    else if (file.length != bytes) {
        good = false;
        snprintf(checking->message, checking->message_bytes,
                 "'%.100s' has %s bytes than the %zu of '%.60s'", argument->expect_file,
                 file.length < bytes ? "fewer" : "more", bytes, name_of(argument));
    }
    good = good && buffer_check(checking, number, address, kg_text_string(&file));
    kg_text_free(&file);
    return good;
}

/* The tolerance of the first buffer with expected values; 0 if there is none. */
static double tolerance_first(const struct kg_cuda_launch *launch)
{
    for (size_t i = 0; i < launch->arg_count; i++)
        if (launch->args[i].expect || launch->args[i].expect_file)
            return launch->args[i].tolerance;
    return 0;
}

bool kg_cuda_check(const struct kg_cuda_device *device, const struct kg_cuda_launch *launch,
                   const uint64_t *addresses, struct kgate_check *found, char *message,
                   size_t message_bytes)
{
    struct checking checking = {
        .device = device, .launch = launch, .message = message, .message_bytes = message_bytes};
    bool good = true;
    checking.found.tolerance = tolerance_first(launch);
    for (size_t i = 0; i < launch->arg_count && good; i++) {
        const struct kg_cuda_argument *argument = &launch->args[i];
        if (argument->expect_file)
            good = file_check(&checking, i, addresses[i]);
        else if (argument->buffer && (argument->expect || !argument->out))
            good = buffer_check(&checking, i, addresses[i], NULL);
    }
    *found = checking.found;
    return good;
}
