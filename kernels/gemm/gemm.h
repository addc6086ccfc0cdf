/* gemm.h: C = A B, row major: A m by k, B k by n, C m by n. C is float. A and B are of `type`: f32
 * or bf16, the bfloat16 of tensor cores. bf16 values are random floats, rounded once to nearest,
 * ties to even, when they are made.
 *
 * flops 2 m n k, items m n. bytes s (m k + k n) + 4 m n, with s = 4, or 2 for bf16.
 *
 * Versions on the CPU, f32 only:
 * - naive: three loops;
 * - blocked: packed panels and a register tile, all threads;
 * - blas: OpenBLAS's sgemm.
 *
 * Versions on the GPU:
 * - naive: one thread per element, f32;
 * - tiled: shared memory and a register tile, f32;
 * - tensor: tensor cores, bf16, from compute capability 8.0. Much slower if k or n is not a
 *   multiple of 8;
 * - hopper: wgmma and TMA of compute capability 9.0. If k or n is not a multiple of 8, it runs
 *   `tensor`;
 * - blas: NVIDIA's cuBLAS, opened at run time, both types, with its default mathematics. f32 stays
 *   in float (no TF32), bf16 accumulates in float.
 *
 * Check: KG_GEMM_ROWS random rows, element by element against double precision, with the error |c -
 * reference| / sum_l |a_il b_lj|. And the whole product by Freivalds' method (1979): C r against A
 * (B r) for a random vector r. Each run draws rows and r again, after C is made. Both comparisons
 * take the rounded A and B. r has random signs, and sizes uniform from 1/2 to 3/2. So an error e of
 * one element of C changes C r by at least t with probability 1 - t / e. Other errors in the row do
 * not matter.
 *
 * C r adds the errors of a row of C with random signs. So the sum grows like the root of the sum of
 * their squares. The error of C r is relative to sum_l |a_il| sqrt(sum_j (b_lj r_j)^2), an upper
 * bound of this root. At 1024^3 one wrong element is visible: a typical one is 1 / sqrt(k n) of
 * this size, seventy times the tolerance. 2000 comparisons there, each with another A and r, missed
 * 18 elements set to 0, 77 exchanges of two elements, and 2 rows of zeros. At 256^3 the numbers
 * were 2, 14 and 1.
 *
 * Tolerance: a sum of k products is within gamma_k = k u / (1 - k u) of sum |a b| in any order
 * (Higham 2002, 3.5). Typical errors grow like sqrt(k). An element has the tolerance 8 sqrt(k) u,
 * or gamma_k if it is less. C r has 8 sqrt(k) u: gamma_k is no bound for a row's errors with random
 * signs. bf16: products are exact in float. But tensor cores add the products of a block of four or
 * more, aligned to the largest, and truncate (Fasi, Higham, Mikaitis and Pranesh 2021). Their u is
 * 2^-23 instead of 2^-24. A block has its running sum as one more term, (1 + 1/4) k in all. The
 * analysis of block sums is by Blanchard, Higham, Lopez, Mary and Pranesh (2020). */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "common/bf16.h"
#include "kgate/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KG_GEMM_ROWS = 32 };
/* Random draws of a check. */
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

/* Floats of kg_gemm_blocked's packing buffers. */
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
/* kg_gemm_tensor_prepare for kg_gemm_cuda_hopper. a, b and c must exist: it makes device.maps for
 * their addresses, by context->allocate. context->unavailable except on 9.0. */
bool kg_gemm_hopper_prepare(struct kgate_context *context, struct kg_gemm *gemm);

/* The GPU's part of set_up, check and tear_down: `gemm` has its extents, type and seed. */
bool kg_gemm_device_set_up(struct kgate_context *context, struct kg_gemm *gemm,
                           const char *version);
/* fetch makes a, b and c on the host: A and B again from the seed, C from the device. forget frees
 * them, also after a fetch that failed half way. */
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
