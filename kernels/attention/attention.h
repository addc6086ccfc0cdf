/* attention.h: multi-head self-attention, float, row major: for each of `batch` sequences of
 * seq_len tokens of d_model elements, cut into num_heads heads of d_head = d_model / num_heads:
 *
 *   qkv_projection     [Q K V] = X W_qkv                 tokens by 3 d_model
 *   scores             S = Q K^T / sqrt(d_head)          seq_len by seq_len, for each head
 *   softmax            P_ij = exp(S_ij) / sum_l exp(S_il)
 *   weighted_sum       H = P V                           tokens by d_model, heads side by side
 *   output_projection  Y = H W_out                       tokens by d_model
 *
 * Columns h d_head to (h + 1) d_head of each third of [Q K V] are head h. Causal: S_ij is
 * -infinity, and so P_ij 0, where j > i: no token sees a later one.
 *
 * Each of the five is a workload of its own (`attention_scores`, …), whose input is what the one
 * before would give it, and all together are one, `attention`.
 *
 * items batch * seq_len. With T tokens and N = seq_len, and pairs = batch num_heads N^2, of causal
 * batch num_heads N (N + 1) / 2: flops 2 T d_model 3 d_model, (2 d_head + 1) pairs, 4 pairs (the
 * exponential counted as one), 2 d_head pairs, 2 T d_model^2; of the whole, their sum. bytes: what
 * goes in and what comes out, of the whole only X, both W and Y; of the matrices of scores that go
 * in only the pairs, and all of those that come out.
 *
 * Versions of the components: plain, as the formula; fast, tiled and vectorised, all threads; blas,
 * where it is a product, by OpenBLAS, on the GPU by cuBLAS, opened at run time. Of the whole, by
 * level:
 *
 * - plain, 0: component after component; S and P in memory, batch num_heads N^2 floats each.
 * - fused, 1: fast products; the scale in what they read, the mask as a tile is stored, softmax in
 *   place: one such matrix.
 * - efficient, 2: a row's softmax as it goes along its keys, the sum corrected whenever the maximum
 *   grows (Milakov and Gimelshein 2018; Rabe and Staats 2021): memory O(N).
 * - flash, 3: the same for tiles of queries against tiles of keys, which stay in the cache, or in a
 *   multiprocessor's shared memory and registers (Dao, Fu, Ermon, Rudra and Re 2022).
 * - hopper: the same on GPUs of compute capability 9.0, by wgmma and TMA (Shah, Bikshandi, Zhang,
 *   Thakkar, Ramani and Dao 2024).
 * - blas: products by OpenBLAS, one head's N^2 scores at a time; on the GPU by cuBLAS, all heads at
 *   once, with one matrix of scores as fused has it, and its softmax.
 *
 * Check: every element of the result must be written (it is NaN before), and rows are compared with
 * double precision: all where that takes a fraction of a second, else as many as it allows, at
 * least KG_ATTENTION_CHECKED, of the whole from KG_ATTENTION_SEQUENCES sequences; from equal parts
 * of the rows, and half of them at the edges of tiles (attention_rows.c). The error of an element
 * is in units of what rounding is expected to leave there, which the reference adds up as it goes
 * along, stage by stage, as squares where errors are independent (Higham and Mary 2019). With u
 * what one rounding of a sum is off by (float's 2^-24), v the same of what is multiplied (float's,
 * or 2^-9 where a version rounds that to bfloat16), and |.| the root of the sum of squares:
 *
 * - a sum s of n products a_l b_l: u sqrt(n) (|a b|^2 + s^2)^(1/2), since each partial sum is
 *   rounded, and they go towards s, which grows with n where the products have a mean, and by |a b|
 *   to and fro; and 2 v |a b| for the rounding of both factors and of the products;
 * - a score: that, and the error of K carried along, over sqrt(d_head), and
 *   u (s^2 + (2 + max - s)^2)^(1/2) for scaling and exponential, of which a score's absolute error
 *   is the relative one, and which is off by 2 u of its own, largest 5;
 * - a sum of N exponentials: u sqrt(N), relative, as all terms are positive. All weights of a row
 *   are divided by it: they share its error, and so does H;
 * - an exponential off by e_j, relative: the sum has it too, so H is off by e_j P_j (V_j - H), of
 *   which the two parts are taken as independent;
 * - what Q_i is off by, v |Q_i| of its own rounding included, is in all scores of the row at once,
 *   and does not average out, since K and V come from the same X: each of its elements is taken up
 *   or down at random, four times, and sum_j e_j P_j (V_j - H) is added up as it is.
 *
 * The CPU's exponential is off by at most 5 u (softmax_exp.h), of which some 2 either way may go
 * with the score as Q's error does; but u sqrt(N) |P V| is never below u times the mean size of V,
 * so that needs no term of its own. Nor does the correction when a maximum grows, a few u of what
 * was summed before.
 *
 * On the GPU all levels are in float but flash and hopper, which take bfloat16 for tensor cores.
 * There X and both W are rounded when they are made, and the reference has those; Q, K, V and H are
 * rounded once, when their sums are written, and P when it becomes a factor, by v of its size
 * whatever maximum it is relative to; the sum of exponentials takes them unrounded. So each product
 * has the 2 v above, and nothing is to be added: the rest is thousands of times less, 2^-23 in
 * place of u for tensor cores, which cut off (Fasi, Higham, Mikaitis and Pranesh 2021), and 2^-22
 * for the instruction that makes powers of two. The speed of the CUDA versions is unmeasured.
 *
 * So blas is in float there, beside all levels but these two, and none is in bfloat16: its scores
 * would lie in memory between two products, as bfloat16 and so rounded once more, another
 * calculation with another tolerance, or as floats, with the weights beside them. Of flash and
 * hopper, gemm's blas in bfloat16 is what the projections stand beside.
 *
 * The tolerance is 6 such units, whatever the size: roundings are uniform and partial sums mostly
 * smaller than taken here, so that a unit is two to three standard deviations, of which a million
 * Gaussian errors reach 5; where few keys have all the weight, a row's elements are off together,
 * in bfloat16 by up to 3 units. What a head or a tile gets wrong is as large as the result,
 * thousands of units in float, hundreds in bfloat16; a mask that is off by one shows in the first
 * row, half of which it is.
 *
 * Where not all rows of a sequence are compared so, those of the whole are compared a second time,
 * where it is in float: all of them, or as many as 2^32 multiply-adds allow, by their product with
 * a random vector (attention_projection.h). Of a row that is relative to the root of the sum of
 * squares of the terms it is made of, and KG_ATTENTION_PROJECTED sqrt(seq_len) of that is allowed.
 * In 45 runs, of all versions of the CPU, seq_len 256 to 4096, with and without a mask, rounding
 * left at most 0.044 of it. One head of four missing in one row of 2048 was found in each of 100
 * comparisons, of other rows and vectors, by 9 times what is allowed or more; 64 rows drawn of 2048
 * have that row among them in 3 of 100. In bfloat16 what rounding leaves and what one head is are
 * too near for that: the rows that are drawn anew in each run decide alone. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "common/device.h"
#include "kgate/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a row of Y r may be off by, of the root of its terms' squares (attention_projection.h),
 * times the root of seq_len. */
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

/* What a version multiplies: floats, or bfloat16: X and both W are then rounded to it when they are
 * made, and Q, K, V, P and H by the version. */
enum kg_attention_type { KG_ATTENTION_F32, KG_ATTENTION_BF16 };

/* The arrays, as the formula has them. A version has those that it needs, the others are NULL. */
enum kg_attention_array {
    KG_ATTENTION_X,     /* tokens by d_model */
    KG_ATTENTION_W_QKV, /* d_model by 3 d_model */
    KG_ATTENTION_QKV,   /* tokens by 3 d_model */
    KG_ATTENTION_S,     /* batch by num_heads by seq_len by seq_len */
    KG_ATTENTION_P,     /* likewise */
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

/* The GPU's part: memory of the device. Of type bf16 all arrays but Y hold bfloat16s, two bytes
 * each, whatever the pointers say. */
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

/* --- What both devices share ----------------------------------------------------------------- */

/* The name of version `version` of a part. */
const char *kg_attention_version_name(enum kg_attention_part part, int64_t version);

/* Bits 1 << enum kg_attention_array of what a part is given, and the one array that it makes. */
unsigned kg_attention_inputs(enum kg_attention_part part);
enum kg_attention_array kg_attention_output(enum kg_attention_part part);

/* An array's place among `arrays`, and how many floats it has. */
float **kg_attention_array(struct kg_attention_arrays *arrays, enum kg_attention_array array);
size_t kg_attention_floats(const struct kg_attention *attention, enum kg_attention_array array);
/* Its bytes as the version has it: of type bf16 two an element, but for Y. */
size_t kg_attention_stored_bytes(const struct kg_attention *attention,
                                 enum kg_attention_array array);

/* Its size in bytes; 0 where that is above KG_ARRAY_BYTES_MOST. For `describe`. */
uint64_t kg_attention_bytes(const struct kg_attention *attention, enum kg_attention_array array);

/* Makes an input of the part from the seed: X, Q, K and V uniform, both W uniform and so scaled
 * that the scores' standard deviation is 16 / 9; S uniform in [-8, 8) with the mask; P with rows
 * that add up to about 1, zeros behind the mask. Of type bf16 the values are rounded to it. */
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

/* Before the first call of these: false with context->message, and context->unavailable where the
 * device does not have what they need, or they do not take heads of this width. flash and hopper
 * take multiples of 8 up to 128, efficient all up to 256. */
bool kg_attention_efficient_prepare(struct kgate_context *context, struct kg_attention *attention);
bool kg_attention_flash_prepare(struct kgate_context *context, struct kg_attention *attention);
bool kg_attention_hopper_prepare(struct kgate_context *context, struct kg_attention *attention);
/* Makes attention->device's maps for hopper, once its arrays are there: false with
 * context->message. kg_attention_device_tear_down releases them. */
bool kg_attention_hopper_map(struct kgate_context *context, struct kg_attention *attention);
/* Makes attention->device.cublas, for those of blas; kg_attention_device_tear_down closes it. */
bool kg_attention_cublas_open(struct kgate_context *context, struct kg_attention *attention);
/* The part's products, outside of all scopes, once its arrays are there. */
void kg_attention_cublas_load(struct kg_attention *attention);

/* Whether the GPU has this version of a part, and what it multiplies. Pure: for `describe`. */
bool kg_attention_device_has(enum kg_attention_part part, int64_t version,
                             enum kg_attention_type *type);
/* The arrays between its inputs and its output that it keeps, bits 1 << enum kg_attention_array. */
unsigned kg_attention_device_own(enum kg_attention_part part, int64_t version);

/* The GPU's part of set_up, check and tear_down: `attention` has its extents, part, type and seed.
 * False with context->message. */
bool kg_attention_device_set_up(struct kgate_context *context, struct kg_attention *attention,
                                int64_t version);
/* Makes the part's inputs (again from the seed) and its result, copied from the device, in
 * attention->arrays, or gives them back (also of a call that failed half way). */
bool kg_attention_device_fetch(struct kgate_context *context, struct kg_attention *attention);
void kg_attention_device_forget(struct kg_attention *attention);
void kg_attention_device_tear_down(struct kgate_context *context, struct kg_attention *attention);

/* --- The check ------------------------------------------------------------------------------- */

/* The largest error of the part's result, in the units above, against double precision. False where
 * there is no memory for it. */
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
