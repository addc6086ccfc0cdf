/* attention.cuh: addresses of a head for the GPU's versions of attention. Extents are below 2^31,
 * offsets may be above. */
#pragma once
#include <cmath>

#include "attention/attention.h"
#include "common/common.h"
#include "device/code/launch.cuh"
#include "gemm/gemm.h"
#include "kgate/profiler.h"

struct kg_attention_shape {
    int seq_len;
    int num_heads;
    int heads; /* of all sequences, counted through */
    int d_model;
    int d_head;
    bool causal;
    float scale; /* of scores */
};

static inline struct kg_attention_shape kg_attention_shape_of(const struct kg_attention *attention)
{
    return {(int)attention->seq_len,
            (int)attention->num_heads,
            (int)(attention->batch * attention->num_heads),
            (int)attention->d_model,
            (int)attention->d_head,
            attention->causal,
            1.0F / sqrtf((float)attention->d_head)};
}

/* The first query element of a head. Its keys begin d_model elements later, its values 2 d_model
 * later. Tokens are 3 d_model elements apart. */
template <class T>
static __device__ __forceinline__ T *kg_head_qkv(const struct kg_attention_shape &shape, T *qkv,
                                                 int head)
{
    return qkv +
           (size_t)(head / shape.num_heads) * (size_t)shape.seq_len * 3 * (size_t)shape.d_model +
           (size_t)(head % shape.num_heads * shape.d_head);
}

/* The first element of a head in H. Tokens are d_model elements apart. */
template <class T>
static __device__ __forceinline__ T *kg_head_h(const struct kg_attention_shape &shape, T *h,
                                               int head)
{
    return h + (size_t)(head / shape.num_heads) * (size_t)shape.seq_len * (size_t)shape.d_model +
           (size_t)(head % shape.num_heads * shape.d_head);
}

/* The head's matrix of seq_len by seq_len. */
template <class T>
static __device__ __forceinline__ T *kg_head_scores(const struct kg_attention_shape &shape, T *s,
                                                    int head)
{
    return s + (size_t)head * (size_t)shape.seq_len * (size_t)shape.seq_len;
}

/* A projection, the output's or that of Q, K and V, for a version of kernels/gemm. */
static inline struct kg_gemm kg_attention_projection(const struct kg_attention *attention,
                                                     bool output)
{
    const struct kg_attention_arrays *arrays = &attention->device.arrays;
    struct kg_gemm gemm = {};
    gemm.m = kg_attention_tokens(attention);
    gemm.k = attention->d_model;
    gemm.n = output ? attention->d_model : 3 * attention->d_model;
    gemm.device.a = output ? arrays->h : arrays->x;
    gemm.device.b = output ? arrays->w_out : arrays->w_qkv;
    gemm.device.c = output ? arrays->y : arrays->qkv;
    gemm.device.stream = attention->device.stream;
    return gemm;
}

/* The fast softmax (attention_fused.cu) of all rows of s into p, which may be s. If causal, it does
 * not read s behind the diagonal. There it writes 0 up to the next multiple of `zeros` columns. */
void kg_attention_softmax_launch(const struct kg_attention *attention, const float *s, float *p,
                                 int zeros);

/* Bytes that a scope reads and writes. */
static inline uint64_t kg_attention_scope_bytes(const struct kg_attention *attention,
                                                unsigned arrays)
{
    uint64_t bytes = 0;
    for (int array = 0; array < KG_ATTENTION_ARRAYS; array++)
        if (arrays >> array & 1)
            bytes += kg_attention_stored_bytes(attention, (enum kg_attention_array)array);
    return bytes;
}
#define KG_ATTENTION_BYTES(attention, part)                                                        \
    kg_attention_scope_bytes((attention),                                                          \
                             kg_attention_inputs(part) | 1U << kg_attention_output(part))
#define KG_ATTENTION_QKV_TO_H(attention)                                                           \
    kg_attention_scope_bytes((attention), 1U << KG_ATTENTION_QKV | 1U << KG_ATTENTION_H)

/* Runs a version with one kernel for scores, weights and weighted sums: three steps, each in its
 * scope.
 * project  Q, K and V from X; if `output`, Y from H */
static inline void kg_attention_in_three(struct kg_attention *attention,
                                         void (*project)(const struct kg_attention *, bool output),
                                         void (*attend)(const struct kg_attention *))
{
    {
        KGATE_SCOPE_CUDA("qkv_projection", attention->device.stream,
                         KG_ATTENTION_BYTES(attention, KG_ATTENTION_QKV_PROJECTION));
        project(attention, false);
    }
    {
        KGATE_SCOPE_CUDA("scores_softmax_weighted_sum", attention->device.stream,
                         KG_ATTENTION_QKV_TO_H(attention));
        attend(attention);
    }
    KGATE_SCOPE_CUDA("output_projection", attention->device.stream,
                     KG_ATTENTION_BYTES(attention, KG_ATTENTION_OUTPUT_PROJECTION));
    project(attention, true);
}

/* Allows `kernel` `bytes` of shared memory per block. For set_up: false with context->message, and
 * context->unavailable if the device has less. */
template <class Kernel>
static bool kg_attention_allow(struct kgate_context *context, Kernel *kernel, size_t bytes,
                               const char *version)
{
    int device = 0, most = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (status == cudaSuccess && bytes > (size_t)most) {
        context->unavailable = true;
        return kg_kernel_refuse(context,
                                "version '%s' needs a GPU with %zu KiB of shared memory for a "
                                "block with heads of this width",
                                version, (bytes + 1023) / 1024);
    }
    if (status == cudaSuccess)
        status =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    return status == cudaSuccess ||
           kg_kernel_refuse(context, "CUDA: %s", cudaGetErrorString(status));
}
