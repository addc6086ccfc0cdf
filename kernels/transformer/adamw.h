/* adamw.h: AdamW (Loshchilov and Hutter 2019, algorithm 2), the paper's constants. The rate grows
 * linearly to its value over the first KG_ADAMW_WARM_UP steps: with the full rate from the first
 * step, the wider models' loss leaps up before it falls. Every parameter p decays. Step t = 1, 2, …
 * with gradient g:
 *
 *   m = b1 m + (1 - b1) g        v = b2 v + (1 - b2) g^2;
 *   p = p - rate (m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + epsilon) + decay p).
 *
 * Written once for host and device. */
#pragma once
#include <math.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KG_ADAMW_BETA1 0.9F
#define KG_ADAMW_BETA2 0.999F
#define KG_ADAMW_EPSILON 1e-8F
#define KG_ADAMW_DECAY 0.01F
enum { KG_ADAMW_WARM_UP = 10 };

#ifdef __CUDACC__
#define KG_ADAMW_BOTH __host__ __device__
#else
#define KG_ADAMW_BOTH
#endif

/* The factors of a step, the same for all parameters. */
struct kg_adamw_scales {
    float rate;        /* of this step */
    float correction1; /* 1 / (1 - b1^t) */
    float correction2; /* 1 / (1 - b2^t) */
};

/* rate  after the warm-up
 * step  t, from 1 */
struct kg_adamw_scales kg_adamw_scales_of(double rate, size_t step);

/* One parameter's new value; its moments are changed in place. */
KG_ADAMW_BOTH static inline float kg_adamw_update(struct kg_adamw_scales scales, float parameter,
                                                  float gradient, float *moment1, float *moment2)
{
    const float m = KG_ADAMW_BETA1 * *moment1 + (1 - KG_ADAMW_BETA1) * gradient;
    const float v = KG_ADAMW_BETA2 * *moment2 + (1 - KG_ADAMW_BETA2) * gradient * gradient;
    const float direction =
        m * scales.correction1 / (sqrtf(v * scales.correction2) + KG_ADAMW_EPSILON);
    *moment1 = m;
    *moment2 = v;
    return parameter - scales.rate * (direction + KG_ADAMW_DECAY * parameter);
}

/* The parameter before the update that resulted in `parameter` and the moments: the inverse of the
 * update, in double precision. */
double kg_adamw_undo(double rate, size_t step, double parameter, double moment1, double moment2);

#ifdef __cplusplus
}
#endif
