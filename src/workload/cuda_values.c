#include "workload/cuda_values.h"

#include <math.h>
#include <string.h>

#include "util/random.h"

/* Of each type. `least` and `most` are the doubles nearest to its limits that it holds. */
static const struct type {
    size_t bytes;
    bool whole;
    double least, most;
} types[KG_CUDA_TYPE_COUNT] = {
    [KG_CUDA_I8] = {1, true, -128, 127},
    [KG_CUDA_U8] = {1, true, 0, 255},
    [KG_CUDA_I16] = {2, true, -32768, 32767},
    [KG_CUDA_U16] = {2, true, 0, 65535},
    [KG_CUDA_I32] = {4, true, -0x1p31, 0x1p31 - 1},
    [KG_CUDA_U32] = {4, true, 0, 0x1p32 - 1},
    [KG_CUDA_I64] = {8, true, -0x1p63, 0x1p63 - 1024},
    [KG_CUDA_U64] = {8, true, 0, 0x1p64 - 2048},
    [KG_CUDA_F32] = {4, false, -INFINITY, INFINITY},
    [KG_CUDA_F64] = {8, false, -INFINITY, INFINITY},
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

static bool is_signed(enum kg_cuda_type type)
{
    return types[type].least < 0;
}

/* The low bytes of a 64-bit number are the number of fewer bits: the machine is little-endian, as
 * the device is. */
void kg_cuda_value_store(enum kg_cuda_type type, double value, void *element)
{
    if (type == KG_CUDA_F64) {
        memcpy(element, &value, sizeof value);
    } else if (type == KG_CUDA_F32) {
        const float single = (float)value;
        memcpy(element, &single, sizeof single);
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

/* Splitmix64's state goes up by a constant: each element has its own. */
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
