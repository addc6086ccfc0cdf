#include "suite/sources/cuda_launch.h"

#include <math.h>

#include "base/units.h"

static const double GRID_MOST = 0x1p31 - 1, BLOCK_MOST = 1024, SHARED_MOST = 0x1p31 - 1;
static const double COUNT_MOST = 0x1p40;

/* Evaluates the text to a whole number from `least` to `most`. */
static bool whole_take(const char *what, const char *text, double least, double most,
                       double *number, struct kg_error *err)
{
    if (!kg_formula_number(text, number, err))
        return kg_error_wrap(err, "%s", what);
    if (*number >= least && *number <= most && *number == trunc(*number))
        return true;
    if (isfinite(*number) && *number != trunc(*number))
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "%s is %.15g, but must be whole: write ceil(%.100s) for the next larger "
            "number",
            what, *number, text);
    return kg_error_set(err, KG_ERROR_USAGE, "%s is %.15g, but must be from %.15g to %.15g", what,
                        *number, least, most);
}

static bool dimensions_take(const char *what, const char *const *texts, size_t count, double most,
                            unsigned dimensions[3], struct kg_error *err)
{
    double number;
    for (size_t i = 0; i < 3; i++) {
        dimensions[i] = 1;
        if (i >= count)
            continue;
        if (!whole_take(what, texts[i], 1, most, &number, err))
            return false;
        dimensions[i] = (unsigned)number;
    }
    return true;
}

/* Reads the size of the shared memory: "48KiB", or a formula in bytes. */
static bool shared_take(const char *text, unsigned *bytes, struct kg_error *err)
{
    uint64_t size;
    double number = 0;
    if (text && kg_size_parse(text, &size))
        number = (double)size;
    else if (text && !whole_take("'shared'", text, 0, SHARED_MOST, &number, err))
        return false;
    *bytes = (unsigned)fmin(number, SHARED_MOST);
    return true;
}

/* Reads a number of at least 0. Without a text: 0. */
static bool amount_take(const char *what, const char *text, double *number, struct kg_error *err)
{
    *number = 0;
    if (!text)
        return true;
    if (!kg_formula_number(text, number, err))
        return kg_error_wrap(err, "%s", what);
    return (isfinite(*number) && *number >= 0) ||
           kg_error_set(err, KG_ERROR_USAGE, "%s is %g, but must be a number from 0", what,
                        *number);
}

static bool scalar_take(const struct kg_cuda_arg *arg, struct kg_cuda_argument *argument,
                        struct kg_error *err)
{
    double number;
    if (!kg_formula_number(arg->value, &number, err))
        return kg_error_wrap(err, "a scalar");
    if (!kg_cuda_value_fits(arg->type, number))
        return kg_error_set(err, KG_ERROR_USAGE, "%.15g is no value of the type %s", number,
                            kg_cuda_type_names[arg->type]);
    kg_cuda_value_store(arg->type, number, &argument->scalar);
    argument->value = kg_cuda_value_load(arg->type, &argument->scalar);
    return true;
}

static bool buffer_take(struct kg_arena *arena, const struct kg_cuda_arg *arg, size_t number,
                        uint64_t seed, struct kg_cuda_argument *argument, struct kg_error *err)
{
    double count;
    argument->buffer = true;
    if (!whole_take("'count'", arg->count, 1, COUNT_MOST, &count, err))
        return false;
    argument->count = (size_t)count;
    return kg_cuda_fill_make(arena, arg, number, seed, &argument->fill, err) ||
           kg_error_wrap(err, "'fill'");
}

static bool args_take(struct kg_arena *arena, const struct kg_cuda_call *call, uint64_t seed,
                      double tolerance, struct kg_cuda_launch *launch, struct kg_mark *at,
                      struct kg_error *err)
{
    for (size_t i = 0; i < call->arg_count; i++) {
        const struct kg_cuda_arg *arg = &call->args[i];
        struct kg_cuda_argument *argument = &launch->args[i];
        *argument = (struct kg_cuda_argument){
            .type = arg->type,
            .out = arg->out,
            .tolerance = call->tolerance ? tolerance : kg_cuda_type_tolerance(arg->type),
            .expect_file = arg->expect_file,
            .name = arg->name};
        *at = arg->mark;
        if (!(arg->value ? scalar_take(arg, argument, err)
                         : buffer_take(arena, arg, i, seed, argument, err)))
            return false;
    }
    return true;
}

/* Formulas of expected results may use all arguments, so they are parsed after the arguments. */
static bool expects_take(struct kg_arena *arena, const struct kg_cuda_call *call,
                         struct kg_cuda_launch *launch, struct kg_mark *at, struct kg_error *err)
{
    struct kg_formula_name names[KG_CUDA_ARGS_MOST];
    for (size_t i = 0; i < launch->arg_count; i++)
        names[i] = (struct kg_formula_name){launch->args[i].name, launch->args[i].buffer};
    for (size_t i = 0; i < call->arg_count; i++) {
        const struct kg_cuda_arg *arg = &call->args[i];
        struct kg_cuda_argument *argument = &launch->args[i];
        *at = arg->mark;
        if (arg->expect && !(argument->expect = kg_formula_parse(arena, arg->expect, names,
                                                                 launch->arg_count, true, err)))
            return kg_error_wrap(err, "'expect' of '%s'", arg->name);
        if (!arg->expect_file)
            continue;
        argument->expect_file = kg_cuda_expect_path(arena, call, arg);
    }
    return true;
}

static bool block_check(const struct kg_cuda_launch *launch, struct kg_error *err)
{
    const double threads =
        (double)launch->block[0] * (double)launch->block[1] * (double)launch->block[2];
    return threads <= BLOCK_MOST ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "'block' has %.0f threads, but no device takes more than %.0f", threads,
                        BLOCK_MOST);
}

bool kg_cuda_launch_make(struct kg_arena *arena, const struct kg_cuda_call *call, uint64_t seed,
                         struct kg_cuda_launch *launch, struct kg_mark *at, struct kg_error *err)
{
    double tolerance;
    *launch = (struct kg_cuda_launch){.arg_count = call->arg_count};
    if (call->arg_count > KG_CUDA_ARGS_MOST)
        return kg_error_set(err, KG_ERROR_USAGE, "more than %d arguments", KG_CUDA_ARGS_MOST);
    launch->args = kg_arena_alloc(arena, call->arg_count, sizeof *launch->args);
    *at = call->grid_mark;
    if (!dimensions_take("'grid'", call->grid, call->grid_count, GRID_MOST, launch->grid, err))
        return false;
    *at = call->block_mark;
    if (!dimensions_take("'block'", call->block, call->block_count, BLOCK_MOST, launch->block,
                         err) ||
        !block_check(launch, err))
        return false;
    *at = call->shared_mark;
    if (!shared_take(call->shared, &launch->shared_bytes, err))
        return false;
    *at = call->tolerance_mark;
    if (!amount_take("'tolerance'", call->tolerance, &tolerance, err))
        return false;
    *at = call->work_mark;
    return amount_take("'items'", call->items, &launch->items, err) &&
           amount_take("'bytes'", call->bytes, &launch->bytes, err) &&
           amount_take("'flops'", call->flops, &launch->flops, err) &&
           args_take(arena, call, seed, tolerance, launch, at, err) &&
           expects_take(arena, call, launch, at, err);
}

/* The value of an argument's element before the call. */
static double value_before(void *owner, size_t name, double index)
{
    const struct kg_cuda_launch *launch = owner;
    const struct kg_cuda_argument *argument = &launch->args[name];
    if (!argument->buffer)
        return argument->value;
    if (!(index >= 0 && index < (double)argument->count) || index != trunc(index))
        return NAN;
    return kg_cuda_fill_value(&argument->fill, (size_t)index);
}

double kg_cuda_expected(const struct kg_cuda_launch *launch, size_t number, size_t i)
{
    const struct kg_formula_values values = {value_before, (void *)launch};
    return kg_formula_value(launch->args[number].expect, (double)i, &values);
}

bool kg_cuda_expects(const struct kg_cuda_launch *launch)
{
    for (size_t i = 0; i < launch->arg_count; i++)
        if (launch->args[i].expect || launch->args[i].expect_file)
            return true;
    return false;
}
