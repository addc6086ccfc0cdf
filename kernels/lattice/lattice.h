/* lattice.h: hierarchical nested-lattice quantization (Kaplan and Ordentlich 2025, arXiv
 * 2505.13164) of `batch` float vectors with Z2, D4 or E8. lattice_point.h has the nearest points
 * (Conway and Sloane 1982), ties and exactness.
 *
 *   encode   g = Q_L(x / (beta alpha^t));  for m = 0 … M-1:  b_m = (G^-1 g) mod q,  g = Q_L(g / q)
 *            with the first count t = 0 … 15 for which g ends as 0: no overload.
 *   decode   x_m = G b_m - q Q_L(G b_m / q);  x^ = beta alpha^t sum_m q^m x_m
 *
 * Decoding gives Q_L(x / (beta alpha^t)) beta alpha^t, exactly. With count 15 every coordinate of
 * x / (beta alpha^15) is first clipped to a cube that cannot overload, so infinite x, and what is
 * above some 2^15 times the range (alpha = 2), come out as its corner; NaN is taken for +infinity.
 * With q = 2 no such cube holds more than the origin, for any of the lattices: what count 15 clips
 * becomes 0. clipped_share tells of it: with an alpha near to 1, and a small beta, 15 counts do not
 * reach the input, and the error is that of clipping.
 *
 * Parameters: lattice; q from 2 to 256, M layers of ceil(log2 q) bits: 16 bits a coordinate at the
 * most, E8 8; beta, the lattice's scale; alpha above 1; batch. Input: sums of four uniform numbers,
 * near to normal, of variance 1. For it beta is 0.3 by default: with q^M = 16 one or two vectors of
 * a hundred overload. (A smaller one has a smaller error, as the count becomes a gain of each
 * vector, but takes several attempts a vector.) alpha is 2: outliers of 2^15 times the range still
 * find a count. It is the factor itself: where others scale by 2^(alpha t), ours is 2 to theirs.
 *
 * The same input is encoded in each call. A processor learns it where it is short: the branches of
 * plain, which nothing else predicts, cost half as much in batches up to 1000 as in those of 10^5.
 * What plain is to be compared with takes batches of 10^4 at least.
 *
 * Format: `codes`, one little-endian word of 1, 2, 4 or 8 bytes for each vector: coordinate i's M
 * digits from bit i M ceil(log2 q), the first layer's lowest. The bits' sum is rounded up to such a
 * word, so that each is one aligned access. `counts`, 4 bits for each vector, the even one in the
 * byte's lower half. D4, q = 4, M = 2: 16 + 4 bits for 128, 6.4 times less.
 *
 * items batch. bytes: encode and decode 4 n + the code + a half, each; quantize 8 n: x and x^.
 * No flops are stated: it is roundings and comparisons.
 * Reported: compression, bits of x over bits of codes and counts, without the last byte's padding;
 * mse, the mean squared error of a coordinate; overload_share, of vectors with t > 0;
 * clipped_share, of vectors with t = 15 that were clipped. The latter three are of what the version
 * itself makes of the first KG_LATTICE_SAMPLE vectors, or fewer, in set_up: of what it decodes, or
 * of its codes as the reference decodes them. Where it leaves no counts (quantize but `separate`),
 * t is the reference's.
 *
 * Versions, on the CPU and on the GPU: plain, one vector after the other, or two a thread; fast
 * (on the CPU plain for so few vectors that it is faster: 12 of Z2, else 1).
 * lattice_quantize: plain, separate (fast encode, then fast decode, through codes in memory), fused
 * (no codes: what decodes is the nearest point that encoding began with).
 * Error: vectors whose code, count or decoded value is not the reference's; tolerance 0. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "kgate/plugin.h"
#include "lattice/lattice_code.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Coordinates have at most so many bits. */
enum { KG_LATTICE_COORDINATE_BITS_MOST = 16, KG_LATTICE_COORDINATE_BITS_MOST_E8 = 8 };
/* |x / (beta alpha^t)| is clipped to this: far outside what any code reaches, which is 2^17. */
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

/* False where a coordinate would take more bits than the lattice may have. q at least 2, layers at
 * least 1. */
bool kg_lattice_plan_make(struct kg_lattice_plan *plan, enum kg_lattice_kind kind, unsigned q,
                          unsigned layers, double beta, double alpha);

/* One vector, by the textbook: double precision, distances as sums of squares, matrices as
 * tables, whole numbers where the codes are. */
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
