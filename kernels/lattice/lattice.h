/* lattice.h: hierarchical nested-lattice quantization (Kaplan and Ordentlich 2025, arXiv
 * 2505.13164) of `batch` float vectors with Z2, D4 or E8. lattice_point.h has the nearest points
 * (Conway and Sloane 1982), ties and exactness.
 *
 *   encode   g = Q_L(x / (beta alpha^t));  for m = 0 … M-1:  b_m = (G^-1 g) mod q,  g = Q_L(g / q)
 *            with the first count t = 0 … 15 for which g ends as 0: no overload.
 *   decode   x_m = G b_m - q Q_L(G b_m / q);  x^ = beta alpha^t sum_m q^m x_m
 *
 * Decoding gives Q_L(x / (beta alpha^t)) beta alpha^t, exactly. With count 15, encoding first clips
 * every coordinate of x / (beta alpha^15) to a cube that cannot overload. So infinite x, and x
 * above some 2^15 times the range (alpha = 2), become its corner. NaN becomes +infinity. With q = 2
 * every such cube holds only the origin: vectors clipped at count 15 become 0. clipped_share
 * reports this. If alpha is near 1 and beta is small, 15 counts do not reach the input, and the
 * error is the clipping error.
 *
 * Parameters: lattice; q from 2 to 256, M layers of ceil(log2 q) bits, at most 16 bits per
 * coordinate, 8 for E8; beta, the lattice's scale; alpha above 1; batch. Input: sums of four
 * uniform numbers, near to normal, of variance 1. beta is 0.3 by default: with q^M = 16 one or two
 * vectors of a hundred overload. (A smaller beta has a smaller error, as the count acts as a gain
 * per vector, but takes several attempts per vector.) alpha is 2: outliers of 2^15 times the range
 * still find a count. alpha is the factor itself: a scale of 2^(a t) elsewhere is alpha = 2^a here.
 *
 * Each call encodes the same input. A processor learns a short input: the branches of plain cost
 * half as much in batches up to 1000 as in batches of 10^5. For comparisons with plain, use batches
 * of at least 10^4.
 *
 * Format: `codes` has one little-endian word of 1, 2, 4 or 8 bytes per vector. Coordinate i's M
 * digits begin at bit i M ceil(log2 q), the first layer's lowest. The sum of bits is rounded up to
 * such a word, so each vector is one aligned access. `counts` has 4 bits per vector, the even one
 * in the byte's lower half. D4, q = 4, M = 2: 16 + 4 bits for 128, 6.4 times less.
 *
 * items batch. bytes per vector: encode and decode 4 n, the code, and half a byte; quantize 8 n for
 * x and x^. Flops are not stated: the work is roundings and comparisons.
 *
 * Reported values, the last three from the first KG_LATTICE_SAMPLE vectors, or fewer:
 * - compression: bits of x over bits of codes and counts, without the last byte's padding;
 * - mse: mean squared error of a coordinate;
 * - overload_share: share of vectors with t > 0;
 * - clipped_share: share of vectors with t = 15 that were clipped.
 * set_up runs the version itself on these vectors. It takes the version's decoded values, or
 * decodes its codes by the reference. If the version leaves no counts (quantize except `separate`),
 * t is the reference's.
 *
 * Versions, on the CPU and on the GPU: plain, one vector after the other, or two per thread; fast.
 * On the CPU, fast runs plain if the batch is so small that plain is faster: 12 vectors of Z2, else
 * 1. lattice_quantize: plain, separate (fast encode, then fast decode, through codes in memory),
 * fused (no codes: it decodes the nearest point of the encoding's first step). Error: number of
 * vectors whose code, count or decoded value differs from the reference; tolerance 0. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "kgate/plugin.h"
#include "lattice/lattice_code.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most bits per coordinate. */
enum { KG_LATTICE_COORDINATE_BITS_MOST = 16, KG_LATTICE_COORDINATE_BITS_MOST_E8 = 8 };
/* |x / (beta alpha^t)| is clipped to this limit: far outside the reach of any code, 2^17. */
enum { KG_LATTICE_LIMIT = 1 << 18 };
enum { KG_LATTICE_SAMPLE = 16384 };

/* On the GPU the arrays are in its memory. Arrays that a workload does not need are NULL. */
struct kg_lattice {
    enum kg_lattice_kind kind;
    struct kg_lattice_plan plan;
    size_t batch;
    int threads;
    unsigned processors; /* the GPU's multiprocessors */
    float *x;            /* batch by n */
    void *codes;         /* batch words of plan.code_bytes */
    uint8_t *counts;     /* (batch + 1) / 2 */
    float *decoded;      /* batch by n */
    void (*version)(struct kg_lattice *lattice);
    void *stream;
};

/* False if a coordinate would need more bits than the lattice may have. q at least 2, layers at
 * least 1. */
bool kg_lattice_plan_make(struct kg_lattice_plan *plan, enum kg_lattice_kind kind, unsigned q,
                          unsigned layers, double beta, double alpha);

/* One vector, by the textbook: double precision, distances as sums of squares, matrices as tables,
 * and codes as whole numbers. */
unsigned kg_lattice_reference_encode(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                                     const float *x, uint64_t *code);
void kg_lattice_reference_decode(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                                 uint64_t code, unsigned count, float *x);

void kg_lattice_encode_plain(struct kg_lattice *lattice);
void kg_lattice_encode_fast(struct kg_lattice *lattice);
void kg_lattice_decode_plain(struct kg_lattice *lattice);
void kg_lattice_decode_fast(struct kg_lattice *lattice);
void kg_lattice_quantize_plain(struct kg_lattice *lattice);
void kg_lattice_quantize_separate(struct kg_lattice *lattice);
void kg_lattice_quantize_fused(struct kg_lattice *lattice);

void kg_lattice_encode_cuda_plain(struct kg_lattice *lattice);
void kg_lattice_encode_cuda_fast(struct kg_lattice *lattice);
void kg_lattice_decode_cuda_plain(struct kg_lattice *lattice);
void kg_lattice_decode_cuda_fast(struct kg_lattice *lattice);
void kg_lattice_quantize_cuda_plain(struct kg_lattice *lattice);
void kg_lattice_quantize_cuda_separate(struct kg_lattice *lattice);
void kg_lattice_quantize_cuda_fused(struct kg_lattice *lattice);

extern const struct kgate_workload kg_kernel_lattice_encode;
extern const struct kgate_workload kg_kernel_lattice_decode;
extern const struct kgate_workload kg_kernel_lattice_quantize;

#ifdef __cplusplus
}
#endif
