/* gemm.h: C = A B, row major: A m by k, B k by n, C m by n. C is float; A and B are of `type`: f32,
 * or bf16, bfloat16, what tensor cores take: random floats rounded to it once, to nearest and ties
 * to even, when they are made.
 *
 * flops 2 m n k, bytes s (m k + k n) + 4 m n with s = 4, of bf16 2, items m n.
 *
 * Versions on the CPU, f32 only: naive, three loops; blocked, packed panels and a register tile,
 * all threads; blas, OpenBLAS's sgemm. On the GPU: naive, a thread an element, f32; tiled, shared
 * memory and a register tile, f32; tensor, tensor cores, bf16, from compute capability 8.0, much
 * slower where k or n is not a multiple of 8; hopper, the same by what only compute capability 9.0
 * has, and `tensor` where k or n is not a multiple of 8; blas, NVIDIA's cuBLAS, opened at run time,
 * both types, with its default mathematics: f32 in float throughout (no TF32), bf16 accumulated in
 * float.
 *
 * Check: KG_GEMM_ROWS rows, chosen at random, element by element against double precision, with the
 * error |c - reference| / sum_l |a_il b_lj|; and the whole product by Freivalds' method (1979): for
 * a random vector r, C r against A (B r). Rows and vector are drawn anew in each run, after C was
 * made; both take the rounded A and B. r has random signs, and sizes uniform from 1/2 to 3/2: an
 * element of C that is off by e deviates C r by at least t with probability 1 - t / e, whatever
 * else of its row is wrong. The errors of a row of C come in C r with random signs, so that they
 * grow like the root of their squares' sum: theirs is relative to sum_l |a_il| sqrt(sum_j (b_lj
 * r_j)^2), which is no less than that root of the sizes above. One wrong element shows at 1024^3: a
 * typical one is 1 / sqrt(k n) of that, seventy times the tolerance. Of 2000 comparisons there,
 * each of another A and r, 18 missed an element that was set to 0, 77 two that were exchanged, 2 a
 * row of zeros; at 256^3 it was 2, 14 and 1.
 *
 * Tolerance: a sum of k products is within gamma_k = k u / (1 - k u) of sum |a b| in any order
 * (Higham 2002, 3.5); its square root's growth is typical, and 8 sqrt(k) u or the bound itself,
 * where that is less, is asked of an element. Of C r it is 8 sqrt(k) u: what roundings of any sign
 * make of a row is no bound of one element's kind. Of bf16, products are exact in float, but tensor
 * cores add the products of a block of four and more, aligned to the largest, and cut off what is
 * below its last place (Fasi, Higham, Mikaitis and Pranesh 2021): their u is 2^-23 in place of
 * 2^-24, and a block has its running sum as one more term, (1 + 1/4) k in all (the analysis of
 * block sums of Blanchard, Higham, Lopez, Mary and Pranesh 2020). */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "common/bf16.h"
#include "kgate/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KG_GEMM_ROWS = 32 };
/* What a check draws. */
enum { KG_GEMM_SAMPLE, KG_GEMM_PROJECTION };
enum kg_gemm_type { KG_GEMM_F32, KG_GEMM_BF16 };

struct kg_cublas;

/* The GPU's part: memory of the device. */
struct kg_gemm_device {
    void *a; /* of `type` */
    void *b;
    float *c;
    void *stream;
    struct kg_cublas *cublas; /* blas */
    int stages;               /* tensor: how many tiles its shared memory holds */
    unsigned processors;      /* tensor, hopper: the device's multiprocessors */
    bool c_bf16; /* tensor, hopper: C is rounded to bfloat16 too, for a product after it */
    void *maps;  /* hopper: descriptors of a and b; of the host */
};

struct kg_gemm {
    float *a; /* on the GPU, all three are there during the check only */
    float *b;
    float *c;
    float *packed_a; /* blocked: one block for each thread */
    float *packed_b;
    size_t m;
    size_t n;
    size_t k;
    int threads;
    uint64_t seed;
    void (*version)(struct kg_gemm *gemm);
    enum kg_gemm_type type;
    struct kg_gemm_device device;
};

void kg_gemm_naive(struct kg_gemm *gemm);
void kg_gemm_blocked(struct kg_gemm *gemm);
void kg_gemm_blas(struct kg_gemm *gemm);

/* Sizes in floats of what kg_gemm_blocked packs into. */
size_t kg_gemm_packed_a_floats(const struct kg_gemm *gemm);
size_t kg_gemm_packed_b_floats(const struct kg_gemm *gemm);

/* Launches on gemm->device.stream; not without CUDA. */
void kg_gemm_cuda_naive(struct kg_gemm *gemm);
void kg_gemm_cuda_tiled(struct kg_gemm *gemm);
void kg_gemm_cuda_tensor(struct kg_gemm *gemm);
void kg_gemm_cuda_hopper(struct kg_gemm *gemm);

/* Before the first kg_gemm_cuda_tensor with this device.c_bf16: sets device.stages by the shared
 * memory that the current device has for a block. False with context->message, and
 * context->unavailable on devices before compute capability 8.0. */
bool kg_gemm_tensor_prepare(struct kgate_context *context, struct kg_gemm *gemm);
/* The same for kg_gemm_cuda_hopper, of a, b and c where they are: makes device.maps, of
 * context->allocate; context->unavailable but on 9.0. */
bool kg_gemm_hopper_prepare(struct kgate_context *context, struct kg_gemm *gemm);

/* The GPU's part of set_up, check and tear_down: `gemm` has its extents, type and seed. */
bool kg_gemm_device_set_up(struct kgate_context *context, struct kg_gemm *gemm,
                           const char *version);
/* Makes a, b and c on the host, A and B again from the seed, C from the device, or gives them back
 * (also of a call that failed half way). */
bool kg_gemm_device_fetch(struct kgate_context *context, struct kg_gemm *gemm);
void kg_gemm_device_forget(struct kg_gemm *gemm);
void kg_gemm_device_tear_down(struct kgate_context *context, struct kg_gemm *gemm);

/* Row i of the product in double precision, and of the sums of absolute products; n of each. */
void kg_gemm_reference_row(const struct kg_gemm *gemm, size_t i, double *row, double *size);

/* Freivalds' check: the largest error of C r, as above. x holds 2 k + 2 n doubles of scratch. */
double kg_gemm_freivalds(const struct kg_gemm *gemm, double *x);

extern const struct kgate_workload kg_kernel_gemm;

#ifdef __cplusplus
}
#endif
