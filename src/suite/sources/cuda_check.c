#include "suite/sources/cuda_source.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"

/* A thread fills or checks PART elements at a time. */
enum { CHUNK_BYTES = 4 * 1024 * 1024, PART = 16 * 1024, PARTS_MOST = CHUNK_BYTES / PART };

/* --- Threads ------------------------------------------------------------------------------------ */

enum { THREADS_MOST = 16 };

/* The parts of a thread: every `step`-th from `first` on. */
struct share {
    size_t first, step, count;
    void (*run)(void *user, size_t part);
    void *user;
};

static void *share_run(void *of)
{
    const struct share *share = of;
    for (size_t part = share->first; part < share->count; part += share->step)
        share->run(share->user, part);
    return NULL;
}

static size_t threads_for(size_t count)
{
    cpu_set_t set;
    const int cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    const size_t most = cpus < THREADS_MOST ? (size_t)cpus : THREADS_MOST;
    return count < most ? count : most;
}

/* Calls `run` once for each part from 0 to count - 1, by one thread per CPU of this process, the
 * calling thread included. If no thread can be started, the calling thread does all parts. */
static void parts_run(size_t count, void (*run)(void *user, size_t part), void *user)
{
    pthread_t threads[THREADS_MOST];
    struct share shares[THREADS_MOST];
    bool started[THREADS_MOST] = {false};
    const size_t step = threads_for(count);
    for (size_t i = 0; i < step; i++) {
        shares[i] = (struct share){i, step, count, run, user};
        started[i] = i > 0 && pthread_create(&threads[i], NULL, share_run, &shares[i]) == 0;
    }
    for (size_t i = 0; i < step; i++)
        if (!started[i])
            share_run(&shares[i]);
    for (size_t i = 0; i < step; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
}

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

static size_t part_count(const struct piece *piece)
{
    return (piece->count + PART - 1) / PART;
}

static size_t part_end(const struct piece *piece, size_t part)
{
    const size_t end = (part + 1) * PART;
    return end < piece->count ? end : piece->count;
}

static void part_fill(void *of, size_t part)
{
    const struct piece *piece = of;
    const struct kg_cuda_fill *fill = &piece->argument->fill;
    const size_t first = part * PART, size = kg_cuda_type_bytes(fill->type);
    kg_cuda_fill_write(fill, piece->first + first, part_end(piece, part) - first,
                       piece->bytes + first * size);
}

int kg_cuda_buffer_fill(const struct kg_cuda_device *device,
                        const struct kg_cuda_argument *argument, uint64_t address)
{
    struct piece piece = piece_begin(argument);
    int code = piece.bytes ? KG_DRIVER_SUCCESS : KG_DRIVER_OUT_OF_MEMORY;
    while (code == KG_DRIVER_SUCCESS && piece_next(&piece)) {
        parts_run(part_count(&piece), part_fill, &piece);
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

/* Keeps the larger ratio of error to tolerance; of two equal ones the first. */
static void error_keep(struct kgate_check *found, double error, double tolerance)
{
    if (error > 0 && (found->error == 0 || error / tolerance > found->error / found->tolerance))
        *found = (struct kgate_check){.error = error, .tolerance = tolerance};
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

/* A piece of a buffer, and the result of each part. */
struct comparing {
    const struct checking *checking;
    const struct piece *piece;
    size_t number; /* of the argument */
    const char *file;
    struct result {
        struct kgate_check found;
        bool wrong;
        size_t at; /* the first wrong element, within the piece */
    } results[PARTS_MOST];
};

static double element_value(const struct piece *piece, size_t i)
{
    const enum kg_cuda_type type = piece->argument->type;
    return kg_cuda_value_load(type, piece->bytes + i * kg_cuda_type_bytes(type));
}

/* Stops at the first wrong element. */
static void part_check(void *of, size_t part)
{
    struct comparing *comparing = of;
    const struct piece *piece = comparing->piece;
    const struct kg_cuda_argument *argument = piece->argument;
    struct result *result = &comparing->results[part];
    *result = (struct result){.wrong = false};
    for (size_t i = part * PART; i < part_end(piece, part); i++) {
        const double value = element_value(piece, i);
        const double expected = expected_value(comparing->checking, comparing->number,
                                               comparing->file, piece->first + i);
        if (value == expected || (isnan(value) && isnan(expected)))
            continue;
        const double error = fabs(value - expected) / fmax(1, fabs(expected));
        if (!argument->out || !(error <= argument->tolerance)) {
            result->wrong = true;
            result->at = i;
            return;
        }
        error_keep(&result->found, error, argument->tolerance);
    }
}

/* Joins the parts in their order: the result does not depend on the threads. */
static bool piece_check(struct checking *checking, struct comparing *comparing)
{
    const struct piece *piece = comparing->piece;
    parts_run(part_count(piece), part_check, comparing);
    for (size_t part = 0; part < part_count(piece); part++) {
        const struct result *result = &comparing->results[part];
        error_keep(&checking->found, result->found.error, result->found.tolerance);
        if (result->wrong)
            return element_wrong(checking, piece->argument, piece->first + result->at,
                                 element_value(piece, result->at),
                                 expected_value(checking, comparing->number, comparing->file,
                                                piece->first + result->at));
    }
    return true;
}

static bool buffer_check(struct checking *checking, size_t number, uint64_t address,
                         const char *file)
{
    struct piece piece = piece_begin(&checking->launch->args[number]);
    struct comparing comparing = {
        .checking = checking, .piece = &piece, .number = number, .file = file};
    bool good = true;
    while (good && piece_next(&piece)) {
        const int code = piece_copy(checking->device, &piece, address, false);
        if (code != KG_DRIVER_SUCCESS)
            kg_driver_words(checking->device->driver, code, checking->message,
                            checking->message_bytes);
        good = code == KG_DRIVER_SUCCESS && piece_check(checking, &comparing);
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
