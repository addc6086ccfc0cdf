#include "suite/sources/cuda_launch.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/random.h"

/* The types. `least` and `most` are the outermost doubles that the type can represent. */
static const struct type {
    size_t bytes;
    bool whole;
    double least, most;
    double epsilon;   /* of a float: distance from 1 to the next number */
    int short_digits; /* of a float without a type in C: bits of the fraction; else 0 */
} types[KG_CUDA_TYPE_COUNT] = {
    [KG_CUDA_I8] = {1, true, -128, 127, 0, 0},
    [KG_CUDA_U8] = {1, true, 0, 255, 0, 0},
    [KG_CUDA_I16] = {2, true, -32768, 32767, 0, 0},
    [KG_CUDA_U16] = {2, true, 0, 65535, 0, 0},
    [KG_CUDA_I32] = {4, true, -0x1p31, 0x1p31 - 1, 0, 0},
    [KG_CUDA_U32] = {4, true, 0, 0x1p32 - 1, 0, 0},
    [KG_CUDA_I64] = {8, true, -0x1p63, 0x1p63 - 1024, 0, 0},
    [KG_CUDA_U64] = {8, true, 0, 0x1p64 - 2048, 0, 0},
    [KG_CUDA_F16] = {2, false, -INFINITY, INFINITY, 0x1p-10, 10},
    [KG_CUDA_BF16] = {2, false, -INFINITY, INFINITY, 0x1p-7, 7},
    [KG_CUDA_F32] = {4, false, -INFINITY, INFINITY, FLT_EPSILON, 0},
    [KG_CUDA_F64] = {8, false, -INFINITY, INFINITY, DBL_EPSILON, 0},
};

size_t kg_cuda_type_bytes(enum kg_cuda_type type)
{
    return types[type].bytes;
}

bool kg_cuda_type_whole(enum kg_cuda_type type)
{
    return types[type].whole;
}

bool kg_cuda_value_fits(enum kg_cuda_type type, double value)
{
    return !types[type].whole ||
           (value >= types[type].least && value <= types[type].most && value == trunc(value));
}

double kg_cuda_type_tolerance(enum kg_cuda_type type)
{
    static const double ROUNDINGS = 8;
    return ROUNDINGS * types[type].epsilon / 2;
}

static bool is_signed(enum kg_cuda_type type)
{
    return types[type].least < 0;
}

/* --- Floats of 16 bits as in IEEE 754: sign, exponent, a fraction of `digits` bits ----------------- */

enum { SHORT_BITS = 16, DOUBLE_DIGITS = 52 };

/* The bits of infinity: every bit of the exponent set, no fraction. With a fraction: NaN. */
static uint16_t short_infinity(int digits)
{
    return (uint16_t)((1U << (SHORT_BITS - 1)) - (1U << digits));
}

/* The exponent of the smallest normal number and of subnormal numbers. */
static int short_exponent_least(int digits)
{
    return 2 - (1 << (SHORT_BITS - 2 - digits));
}

/* A quiet NaN with the first bits of the value. */
static uint16_t short_nan(double value, int digits)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t fraction = (uint16_t)(bits >> (DOUBLE_DIGITS - digits) & ((1U << digits) - 1));
    return (uint16_t)(short_infinity(digits) | 1U << (digits - 1) | fraction);
}

/* Converts to a 16-bit float. rint rounds the number in units of its last place, ties to even. A carry out of the
 * fraction increases the exponent; beyond the largest number the result is infinity. */
static uint16_t short_of(double value, int digits)
{
    const uint16_t sign = signbit(value) ? 1U << (SHORT_BITS - 1) : 0;
    const double size = fabs(value);
    if (isnan(value))
        return (uint16_t)(sign | short_nan(value, digits));
    if (isinf(value))
        return (uint16_t)(sign | short_infinity(digits));
    const int least = short_exponent_least(digits);
    const int exponent = size < ldexp(1, least) ? least : ilogb(size);
    const double units = rint(ldexp(size, digits - exponent));
    const double bits = ldexp(exponent - least, digits) + units;
    return (uint16_t)(sign | (uint16_t)fmin(bits, short_infinity(digits)));
}

static double short_value(uint16_t element, int digits)
{
    const uint16_t bits = element & ((1U << (SHORT_BITS - 1)) - 1);
    const uint16_t infinity = short_infinity(digits);
    double value;
    if (bits > infinity) {
        const uint64_t fraction = (uint64_t)(bits - infinity) | UINT64_C(1) << (digits - 1);
        const uint64_t nan = UINT64_C(0x7ff) << DOUBLE_DIGITS | fraction
                                                                    << (DOUBLE_DIGITS - digits);
        memcpy(&value, &nan, sizeof value);
    } else if (bits == infinity) {
        value = INFINITY;
    } else {
        const int place = bits >> digits, shift = place ? place - 1 : 0;
        value = ldexp(bits - (shift << digits), short_exponent_least(digits) - digits + shift);
    }
    return copysign(value, element == bits ? 1 : -1);
}

/* --- Elements ---------------------------------------------------------------------------------- */

/* The low bytes of a 64-bit number are the narrower number, because machine and device are little-endian. */
void kg_cuda_value_store(enum kg_cuda_type type, double value, void *element)
{
    if (type == KG_CUDA_F64) {
        memcpy(element, &value, sizeof value);
    } else if (type == KG_CUDA_F32) {
        const float single = (float)value;
        memcpy(element, &single, sizeof single);
    } else if (types[type].short_digits) {
        const uint16_t half = short_of(value, types[type].short_digits);
        memcpy(element, &half, sizeof half);
    } else {
        const double held =
            isnan(value) ? 0 : fmin(fmax(value, types[type].least), types[type].most);
        const uint64_t whole = is_signed(type) ? (uint64_t)(int64_t)held : (uint64_t)held;
        memcpy(element, &whole, types[type].bytes);
    }
}

double kg_cuda_value_load(enum kg_cuda_type type, const void *element)
{
    const size_t bytes = types[type].bytes;
    uint64_t whole = 0;
    double value;
    float single;
    if (type == KG_CUDA_F64) {
        memcpy(&value, element, sizeof value);
        return value;
    }
    if (type == KG_CUDA_F32) {
        memcpy(&single, element, sizeof single);
        return (double)single;
    }
    memcpy(&whole, element, bytes);
    if (types[type].short_digits)
        return short_value((uint16_t)whole, types[type].short_digits);
    if (!is_signed(type))
        return (double)whole;
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (double)(int64_t)((whole ^ sign) - sign);
}

bool kg_cuda_fill_make(struct kg_arena *arena, const struct kg_cuda_arg *arg, size_t number,
                       uint64_t seed, struct kg_cuda_fill *fill, struct kg_error *err)
{
    static const struct {
        const char *word, *formula;
    } words[] = {{"zero", "0"}, {"iota", "i"}};
    struct kg_random random = {seed + number};
    const char *text = arg->fill;
    *fill = (struct kg_cuda_fill){
        .type = arg->type, .blank = !text && arg->out, .seed = kg_random_next(&random)};
    if (!text || !strcmp(text, "random"))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(text, words[i].word))
            text = words[i].formula;
    fill->formula = kg_formula_parse(arena, text, NULL, 0, true, err);
    return fill->formula != NULL;
}

/* The state of Splitmix64 increases by a constant, so each element has its own state. */
static double random_value(const struct kg_cuda_fill *fill, size_t i)
{
    static const double WHOLE_MOST = 0x1p31 - 1;
    struct kg_random random = {fill->seed + (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15)};
    if (!types[fill->type].whole)
        return kg_random_between(&random, -1, 1);
    return floor(kg_random_unit(&random) * (fmin(types[fill->type].most, WHOLE_MOST) + 1));
}

static void element_write(const struct kg_cuda_fill *fill, size_t i, void *element)
{
    if (fill->blank)
        memset(element, 0xff, types[fill->type].bytes);
    else
        kg_cuda_value_store(fill->type,
                            fill->formula ? kg_formula_value(fill->formula, (double)i, NULL)
                                          : random_value(fill, i),
                            element);
}

void kg_cuda_fill_write(const struct kg_cuda_fill *fill, size_t first, size_t count, void *elements)
{
    char *element = elements;
    for (size_t i = 0; i < count; i++, element += types[fill->type].bytes)
        element_write(fill, first + i, element);
}

double kg_cuda_fill_value(const struct kg_cuda_fill *fill, size_t i)
{
    char element[8];
    element_write(fill, i, element);
    return kg_cuda_value_load(fill->type, element);
}
