#include "transformer/device_products.h"

struct kg_factor kg_by_rows(const float *x, size_t width)
{
    return (struct kg_factor){.x = x, .stride = (unsigned)width, .depth_first = true};
}

struct kg_factor kg_by_columns(const float *x, size_t width)
{
    return (struct kg_factor){.x = x, .stride = (unsigned)width};
}

struct kg_product kg_product_of(size_t m, size_t n, size_t k, struct kg_factor a,
                                struct kg_factor b, float *c)
{
    return (struct kg_product){
        .a = a,
        .b = b,
        .c = c,
        .c_stride = (unsigned)n,
        .m = (unsigned)m,
        .n = (unsigned)n,
        .k = (unsigned)k,
        .outer = 1,
        .inner = 1,
        .scale = 1,
    };
}

struct kg_product kg_affine(size_t rows, size_t inputs, size_t outputs, const float *x,
                            const float *weight, const float *bias, float *y)
{
    struct kg_product p = kg_product_of(rows, outputs, inputs, kg_by_rows(x, inputs),
                                        kg_by_columns(weight, outputs), y);
    p.bias = bias;
    return p;
}

void kg_affine_backward(size_t rows, size_t inputs, size_t outputs, const float *x,
                        const float *weight, const float *dy, float *dx, float *dweight,
                        float *dbias, struct kg_product pair[2])
{
    pair[0] = kg_product_of(rows, inputs, outputs, kg_by_rows(dy, outputs),
                            kg_by_rows(weight, outputs), dx);
    pair[1] = kg_product_of(inputs, outputs, rows, kg_by_columns(x, inputs),
                            kg_by_columns(dy, outputs), dweight);
    pair[1].sums = dbias;
}

struct kg_heads kg_heads_of(const struct kg_slice *slice)
{
    const struct kg_model *model = slice->model;
    return (struct kg_heads){slice->sequences, model->num_heads, model->seq_len,
                             model->d_model / model->num_heads};
}

static struct kg_factor head_factor(struct kg_heads heads, const float *x, size_t width,
                                    bool depth_first)
{
    return (struct kg_factor){.x = x,
                              .stride = (unsigned)width,
                              .depth_first = depth_first,
                              .outer = heads.length * width,
                              .inner = heads.columns};
}

static struct kg_factor square_factor(struct kg_heads heads, const float *x, bool depth_first)
{
    const size_t square = heads.length * heads.length;
    return (struct kg_factor){.x = x,
                              .stride = (unsigned)heads.length,
                              .depth_first = depth_first,
                              .outer = heads.heads * square,
                              .inner = square};
}

struct kg_product kg_heads_to_square(struct kg_heads heads, const float *a, size_t a_width,
                                     const float *b, size_t b_width, float scale, float *c)
{
    const size_t square = heads.length * heads.length;
    return (struct kg_product){
        .a = head_factor(heads, a, a_width, true),
        .b = head_factor(heads, b, b_width, true),
        .c = c,
        .c_stride = (unsigned)heads.length,
        .c_outer = heads.heads * square,
        .c_inner = square,
        .m = (unsigned)heads.length,
        .n = (unsigned)heads.length,
        .k = (unsigned)heads.columns,
        .outer = (unsigned)heads.sequences,
        .inner = (unsigned)heads.heads,
        .triangle = KG_TRIANGLE_LOWER_C,
        .scale = scale,
    };
}

struct kg_product kg_square_times_heads(struct kg_heads heads, bool transposed, const float *s,
                                        const float *b, size_t b_width, float *c, size_t c_width)
{
    return (struct kg_product){
        .a = square_factor(heads, s, !transposed),
        .b = head_factor(heads, b, b_width, false),
        .c = c,
        .c_stride = (unsigned)c_width,
        .c_outer = heads.length * c_width,
        .c_inner = heads.columns,
        .m = (unsigned)heads.length,
        .n = (unsigned)heads.columns,
        .k = (unsigned)heads.length,
        .outer = (unsigned)heads.sequences,
        .inner = (unsigned)heads.heads,
        .triangle = transposed ? KG_TRIANGLE_UPPER_A : KG_TRIANGLE_LOWER_A,
        .scale = 1,
    };
}
