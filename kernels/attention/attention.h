/* attention.h: multi-head self-attention, float, row major. Each of `batch` sequences has seq_len
 * tokens of d_model elements. The elements form num_heads heads of d_head = d_model / num_heads:
 *
 *   qkv_projection     [Q K V] = X W_qkv                 tokens by 3 d_model;
 *   scores             S = Q K^T / sqrt(d_head)          seq_len by seq_len, for each head;
 *   softmax            P_ij = exp(S_ij) / sum_l exp(S_il);
 *   weighted_sum       H = P V                           tokens by d_model, heads side by side;
 *   output_projection  Y = H W_out                       tokens by d_model.
 *
 * Columns h d_head to (h + 1) d_head of each third of [Q K V] are head h. Causal: S_ij is
 * -infinity, and so P_ij 0, if j > i: no token sees a later one.
 *
 * Each of the five is a workload of its own (`attention_scores`, …). Its input is the output of the
 * component before. The workload `attention` runs all five.
 *
 * items batch * seq_len. T is the number of tokens, N = seq_len. pairs = batch num_heads N^2; if
 * causal, batch num_heads N (N + 1) / 2.
 * flops per component, in order: 2 T d_model 3 d_model, (2 d_head + 1) pairs, 4 pairs, 2 d_head
 * pairs, 2 T d_model^2. An exponential counts as one. The whole has the sum of these terms.
 * bytes of inputs and output; the whole counts only X, both W and Y. Matrices of scores count their
 * pairs as input, and all elements as output.
 *
 * Versions of the components: plain, as the formula; fast, tiled and vectorised, all threads.
 * Products also have blas: OpenBLAS, or on the GPU cuBLAS, opened at run time. The whole has
 * levels:
 *
 * - plain, 0: component after component; S and P in memory, batch num_heads N^2 floats each.
 * - fused, 1: fast products that also apply scale and mask, without a pass for either. Softmax runs
 *   in place: one matrix of scores is enough.
 * - efficient, 2: online softmax. The sum is corrected whenever the maximum grows (Milakov and
 *   Gimelshein 2018; Rabe and Staats 2021): memory O(N).
 * - flash, 3: online softmax of tiles of queries against tiles of keys. The tiles stay in the
 *   cache, or in a multiprocessor's shared memory and registers (Dao, Fu, Ermon, Rudra and Re
 *   2022).
 * - hopper: flash on GPUs of compute capability 9.0, by wgmma and TMA (Shah, Bikshandi, Zhang,
 *   Thakkar, Ramani and Dao 2024).
 * - blas: products by OpenBLAS, one head's N^2 scores at a time. On the GPU by cuBLAS, all heads at
 *   once, with the single matrix of scores and the softmax of fused.
 *
 * Check: a version must write every element of the result (each is NaN before). The check compares
 * rows with double precision. It takes all rows if that needs a fraction of a second. Otherwise it
 * takes as many rows as fit, at least KG_ATTENTION_CHECKED; of the whole, from
 * KG_ATTENTION_SEQUENCES sequences. The rows come from equal parts of all rows, and half of them
 * lie at the edges of tiles (attention_rows.c).
 *
 * The error of an element is in units of its expected rounding error. The reference adds up this
 * expectation stage by stage, as squares if errors are independent (Higham and Mary 2019). u is the
 * rounding error of sums (float: 2^-24). v is the rounding error of factors (2^-9 if a version
 * rounds factors to bfloat16, otherwise u). |.| is the root of the sum of squares:
 *
 * - a sum s of n products a_l b_l: u sqrt(n) (|a b|^2 + s^2)^(1/2), as each partial sum is rounded.
 *   Partial sums drift towards s, which grows with n if the products have a mean, and fluctuate by
 *   |a b|. Rounding of both factors and of the products adds 2 v |a b|;
 * - a score: the error of its sum and the propagated error of K, over sqrt(d_head). Scaling and
 *   exponential add u (s^2 + (2 + max - s)^2)^(1/2): the absolute error of a score is the relative
 *   error of its exponential. The exponential's own error is 2 u, at most 5 u;
 * - a sum of N exponentials: u sqrt(N), relative, as all terms are positive. The sum divides all
 *   weights of a row, so they and H share its error;
 * - an exponential with relative error e_j: the sum has this error too. So H changes by e_j P_j
 *   (V_j - H). The model takes the two parts as independent;
 * - Q_i: its error, including v |Q_i| for its own rounding, changes all scores of the row at once.
 *   It does not average out, since K and V come from the same X. So the reference shifts each
 *   element of Q_i up or down at random, in four draws. It adds up sum_j e_j P_j (V_j - H) with
 *   signs.
 *
 * The error of the CPU's exponential is at most 5 u (softmax_exp.h). About 2 u either way may
 * correlate with the score, like Q's error. This needs no term: u sqrt(N) |P V| is never below u
 * times the mean size of V. The correction for a new maximum needs no term either: it is a few u of
 * the earlier sum.
 *
 * On the GPU, flash and hopper use bfloat16 for tensor cores; the other levels use float. X and
 * both W are rounded when they are made, and the reference uses the rounded values. Q, K, V and H
 * are rounded once, when their sums are written. P is rounded when it becomes a factor, by v of its
 * size for any maximum. The sum of exponentials adds unrounded terms. So the 2 v above covers each
 * product. The remaining errors are thousands of times smaller. They are 2^-23 instead of u for
 * tensor cores, which truncate (Fasi, Higham, Mikaitis and Pranesh 2021), and 2^-22 for the
 * instruction for powers of two. The speed of the CUDA versions is unmeasured.
 *
 * So blas is in float there, to compare with all levels except flash and hopper. A bfloat16 blas
 * would write its scores to memory between two products. In bfloat16, they would be rounded once
 * more: another calculation with another tolerance. In float, they would need the weights beside
 * them. The projections of flash and hopper compare with gemm's blas in bfloat16.
 *
 * The tolerance is 6 units for every size. Roundings are uniform, and partial sums are mostly
 * smaller than assumed, so a unit is two to three standard deviations. A million Gaussian errors
 * reach 5 standard deviations. If few keys have all the weight, a row's elements err together, in
 * bfloat16 by up to 3 units. An error in a head or a tile is as large as the result: thousands of
 * units in float, hundreds in bfloat16. A mask with an off-by-one error changes half of the first
 * row's value.
 *
 * If the check does not take all rows of a sequence, it compares the whole a second time, in float
 * only. It compares all rows, or as many as 2^32 multiply-adds allow, by their product with a
 * random vector (attention_projection.h). The error of a row is relative to the root of the sum of
 * squares of its terms. The limit is KG_ATTENTION_PROJECTED sqrt(seq_len). In 45 runs of all CPU
 * versions, with seq_len 256 to 4096, with and without a mask, rounding reached at most 0.044 of
 * the limit. If one head of four was missing in one row of 2048, the error was at least 9 times the
 * limit. This held in each of 100 comparisons with other rows and vectors. 64 rows drawn from 2048
 * contain this row in 3 of 100 draws. In bfloat16, rounding errors and a missing head are too
 * similar in size. There only the rows that each run draws again decide. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "common/device.h"
#include "kgate/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limit of the error of Y r of a row, relative to the root of the sum of its terms' squares
 * (attention_projection.h). The check multiplies it with sqrt(seq_len). */
#define KG_ATTENTION_PROJECTED 0x1p-17

enum { KG_ATTENTION_CHECKED = 64, KG_ATTENTION_SEQUENCES = 2, KG_ATTENTION_TOLERANCE = 6 };

/* The five components in order, and the whole. */
enum kg_attention_part {
    KG_ATTENTION_QKV_PROJECTION,
    KG_ATTENTION_SCORES,
    KG_ATTENTION_SOFTMAX,
    KG_ATTENTION_WEIGHTED_SUM,
    KG_ATTENTION_OUTPUT_PROJECTION,
    KG_ATTENTION_WHOLE,
    KG_ATTENTION_PARTS
};

/* Indices of the parameter `version`: of a component, and of the whole. */
enum { KG_ATTENTION_PLAIN, KG_ATTENTION_FAST, KG_ATTENTION_COMPONENT_BLAS };
enum {
    /* KG_ATTENTION_PLAIN */
    KG_ATTENTION_FUSED = 1,
    KG_ATTENTION_EFFICIENT,
    KG_ATTENTION_FLASH,
    KG_ATTENTION_HOPPER,
    KG_ATTENTION_BLAS,
    KG_ATTENTION_VERSIONS
};

/* The type of a version's factors. With bfloat16, kgate rounds X and both W when it makes them. The
 * version rounds Q, K, V, P and H. */
enum kg_attention_type { KG_ATTENTION_F32, KG_ATTENTION_BF16 };

/* The arrays of the formula. A version has the arrays that it needs; the others are NULL. */
enum kg_attention_array {
    KG_ATTENTION_X,     /* tokens by d_model */
    KG_ATTENTION_W_QKV, /* d_model by 3 d_model */
    KG_ATTENTION_QKV,   /* tokens by 3 d_model */
    KG_ATTENTION_S,     /* batch by num_heads by seq_len by seq_len */
    KG_ATTENTION_P,     /* batch by num_heads by seq_len by seq_len */
    KG_ATTENTION_H,     /* tokens by d_model */
    KG_ATTENTION_W_OUT, /* d_model by d_model */
    KG_ATTENTION_Y,     /* tokens by d_model */
    KG_ATTENTION_ARRAYS
};
struct kg_attention_arrays {
    float *x;
    float *w_qkv;
    float *qkv;
    float *s;
    float *p;
    float *h;
    float *w_out;
    float *y;
};

struct kg_cublas;

/* The GPU's part: memory of the device. With type bf16 all arrays except Y hold bfloat16s, two
 * bytes each, despite their pointers' type. */
struct kg_attention_device {
    struct kg_attention_arrays arrays;
    void *stream;
    int stages;               /* flash: of the projections, as gemm.h has it */
    unsigned processors;      /* flash, hopper: the device's multiprocessors */
    struct kg_cublas *cublas; /* blas */
    void *heads_map;          /* hopper: Q, K and V as TMA sees them; of the host, and so are */
    void *projection_maps[2]; /* gemm's of the projections, the last one the output's */
};

struct kg_attention {
    struct kg_attention_arrays arrays; /* on the GPU there during the check only */
    float *packed_a;                   /* of the blocked products of kernels/gemm */
    float *packed_b;
    float *keys; /* packed: attention_tile.h */
    float *values;
    float *tiles; /* flash: tile_floats for each thread; blas: the scores of one head */
    size_t tile_floats;
    size_t batch;
    size_t seq_len;
    size_t d_model;
    size_t num_heads;
    size_t d_head;
    bool causal;
    int threads;
    uint64_t seed;
    uint64_t draws; /* comparisons so far: each has rows of its own */
    enum kg_attention_part part;
    enum kg_attention_type type;
    void (*version)(struct kg_attention *attention);
    struct kg_attention_device device;
};

static inline size_t kg_attention_tokens(const struct kg_attention *attention)
{
    return attention->batch * attention->seq_len;
}

/* --- Both devices ---------------------------------------------------------------------------- */

/* The name of version `version` of a part. */
const char *kg_attention_version_name(enum kg_attention_part part, int64_t version);

/* Bits 1 << enum kg_attention_array of a part's inputs, and the one array that it makes. */
unsigned kg_attention_inputs(enum kg_attention_part part);
enum kg_attention_array kg_attention_output(enum kg_attention_part part);

/* An array's place among `arrays`, and how many floats it has. */
float **kg_attention_array(struct kg_attention_arrays *arrays, enum kg_attention_array array);
size_t kg_attention_floats(const struct kg_attention *attention, enum kg_attention_array array);
/* An array's bytes in the version's type. An element of type bf16 has two bytes, except in Y. */
size_t kg_attention_stored_bytes(const struct kg_attention *attention,
                                 enum kg_attention_array array);

/* An array's size in bytes; 0 if it exceeds KG_ARRAY_BYTES_MOST. For `describe`. */
uint64_t kg_attention_bytes(const struct kg_attention *attention, enum kg_attention_array array);

/* Makes an input of the part from the seed. X, Q, K, V and both W are uniform. The scale of W gives
 * scores a standard deviation of 16 / 9. S is uniform in [-8, 8) with the mask. Rows of P add up to
 * about 1, with zeros behind the mask. With type bf16 the values are rounded. */
void kg_attention_fill(const struct kg_attention *attention, enum kg_attention_array array,
                       float *x);

/* --- The CPU's versions ---------------------------------------------------------------------- */

/* Components (attention_plain.c, attention_fast.c, attention_blas.c), and the whole. */
#define KG_ATTENTION_COMPONENT(name)                                                               \
    void kg_attention_##name##_plain(struct kg_attention *attention);                              \
    void kg_attention_##name##_fast(struct kg_attention *attention);
KG_ATTENTION_COMPONENT(qkv_projection)
KG_ATTENTION_COMPONENT(scores)
KG_ATTENTION_COMPONENT(softmax)
KG_ATTENTION_COMPONENT(weighted_sum)
KG_ATTENTION_COMPONENT(output_projection)
void kg_attention_qkv_projection_blas(struct kg_attention *attention);
void kg_attention_scores_blas(struct kg_attention *attention);
void kg_attention_weighted_sum_blas(struct kg_attention *attention);
void kg_attention_output_projection_blas(struct kg_attention *attention);

void kg_attention_plain(struct kg_attention *attention);
void kg_attention_fused(struct kg_attention *attention);
void kg_attention_efficient(struct kg_attention *attention);
void kg_attention_flash(struct kg_attention *attention);
void kg_attention_blas(struct kg_attention *attention);

/* --- The GPU's (attention_device.c and the .cu files) ---------------------------------------- */

/* Launches on attention->device.stream, on attention->device.arrays; not without CUDA. */
#define KG_ATTENTION_CUDA_COMPONENT(name)                                                          \
    void kg_attention_cuda_##name##_plain(struct kg_attention *attention);                         \
    void kg_attention_cuda_##name##_fast(struct kg_attention *attention);
KG_ATTENTION_CUDA_COMPONENT(qkv_projection)
KG_ATTENTION_CUDA_COMPONENT(scores)
KG_ATTENTION_CUDA_COMPONENT(softmax)
KG_ATTENTION_CUDA_COMPONENT(weighted_sum)
KG_ATTENTION_CUDA_COMPONENT(output_projection)
void kg_attention_cuda_plain(struct kg_attention *attention);
void kg_attention_cuda_fused(struct kg_attention *attention);
void kg_attention_cuda_efficient(struct kg_attention *attention);
void kg_attention_cuda_flash(struct kg_attention *attention);
void kg_attention_cuda_hopper(struct kg_attention *attention);
void kg_attention_cuda_qkv_projection_blas(struct kg_attention *attention);
void kg_attention_cuda_scores_blas(struct kg_attention *attention);
void kg_attention_cuda_weighted_sum_blas(struct kg_attention *attention);
void kg_attention_cuda_output_projection_blas(struct kg_attention *attention);
void kg_attention_cuda_blas(struct kg_attention *attention);

/* Call these before the first call of the versions. They return false with context->message and
 * context->unavailable if the device lacks a feature, or the version does not take heads of this
 * width. flash and hopper take multiples of 8 up to 128, efficient all up to 256. */
bool kg_attention_efficient_prepare(struct kgate_context *context, struct kg_attention *attention);
bool kg_attention_flash_prepare(struct kgate_context *context, struct kg_attention *attention);
bool kg_attention_hopper_prepare(struct kgate_context *context, struct kg_attention *attention);
/* Makes attention->device's maps for hopper, once its arrays are there: false with
 * context->message. kg_attention_device_tear_down releases them. */
bool kg_attention_hopper_map(struct kgate_context *context, struct kg_attention *attention);
/* Makes attention->device.cublas for the version blas; kg_attention_device_tear_down closes it. */
bool kg_attention_cublas_open(struct kgate_context *context, struct kg_attention *attention);
/* Runs the part's products once, outside of all scopes. Call it after its arrays exist. */
void kg_attention_cublas_load(struct kg_attention *attention);

/* Whether the GPU has this version of a part, and the type of its factors. Pure: for `describe`. */
bool kg_attention_device_has(enum kg_attention_part part, int64_t version,
                             enum kg_attention_type *type);
/* The arrays that a version keeps between its inputs and its output, bits 1 << enum
 * kg_attention_array. */
unsigned kg_attention_device_own(enum kg_attention_part part, int64_t version);

/* The GPU's part of set_up, check and tear_down: `attention` has its extents, part, type and seed.
 * False with context->message. */
bool kg_attention_device_set_up(struct kgate_context *context, struct kg_attention *attention,
                                int64_t version);
/* fetch makes the part's inputs (again from the seed) and copies its result from the device, in
 * attention->arrays. forget frees these arrays, also after a fetch that failed half way. */
bool kg_attention_device_fetch(struct kgate_context *context, struct kg_attention *attention);
void kg_attention_device_forget(struct kg_attention *attention);
void kg_attention_device_tear_down(struct kgate_context *context, struct kg_attention *attention);

/* --- The check ------------------------------------------------------------------------------- */

/* The largest error of the part's result, in the units above, against double precision. False if
 * memory is missing. */
bool kg_attention_error(const struct kg_attention *attention, double *error);

extern const struct kgate_workload kg_kernel_attention_qkv_projection;
extern const struct kgate_workload kg_kernel_attention_scores;
extern const struct kgate_workload kg_kernel_attention_softmax;
extern const struct kgate_workload kg_kernel_attention_weighted_sum;
extern const struct kgate_workload kg_kernel_attention_output_projection;
extern const struct kgate_workload kg_kernel_attention;

#ifdef __cplusplus
}
#endif
