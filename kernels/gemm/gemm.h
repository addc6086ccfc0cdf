/* gemm.h: C = A B for float matrices, row major: A m by k, B k by n, C m by n.
 *
 * flops 2 m n k, bytes 4 (m k + k n + m n), items m n.
 * Versions: naive, three loops; blocked, packed panels and a register tile, all threads; blas,
 * OpenBLAS's sgemm.
 * Check: KG_GEMM_ROWS rows, chosen at random, element by element against double precision, with the
 * error |c - reference| / sum_l |a_il b_lj|; and the whole product by Freivalds' method (1979): for
 * a random vector r of +-1, C r against A (B r), with the error relative to |A| (|B| 1), so that
 * one wrong element anywhere shows however many there are. Tolerance: a sum of k products is within
 * gamma_k = k u / (1 - k u) of sum |a b| in any order (Higham 2002, 3.5); its square root's growth
 * is typical, and 8 sqrt(k) u or the bound itself, where that is less, is asked of both. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "kgate/plugin.h"

enum { KG_GEMM_ROWS = 32 };

struct kg_gemm {
    float *a;
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
};

void kg_gemm_naive(struct kg_gemm *gemm);
void kg_gemm_blocked(struct kg_gemm *gemm);
void kg_gemm_blas(struct kg_gemm *gemm);

/* Sizes in floats of what kg_gemm_blocked packs into. */
size_t kg_gemm_packed_a_floats(const struct kg_gemm *gemm);
size_t kg_gemm_packed_b_floats(const struct kg_gemm *gemm);

/* Row i of the product in double precision, and of the sums of absolute products; n of each. */
void kg_gemm_reference_row(const struct kg_gemm *gemm, size_t i, double *row, double *size);

/* Freivalds' check: the largest error of C r, as above. x holds 2 k + 2 n doubles of scratch. */
double kg_gemm_freivalds(const struct kg_gemm *gemm, double *x);

extern const struct kgate_workload kg_kernel_gemm;
