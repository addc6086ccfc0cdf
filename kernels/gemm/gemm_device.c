/* The GPU's side of gemm: its memory, and the host's copies for the check. */
#include <stdlib.h>

#include "common/common.h"
#include "common/cublas.h"
#include "common/device.h"
#include "gemm/gemm.h"

static void cublas_multiply(struct kg_gemm *gemm)
{
    kg_cublas_multiply(gemm->device.cublas,
                       gemm->type == KG_GEMM_BF16 ? KG_CUBLAS_BF16 : KG_CUBLAS_F32, gemm->m,
                       gemm->n, gemm->k, gemm->device.a, gemm->device.b, gemm->device.c);
}

/* The library loads its kernels when they are first called, which is no work for a captured graph:
 * that is done here. */
static bool cublas_prepare(struct kgate_context *context, struct kg_gemm *gemm)
{
    gemm->device.cublas = kg_cublas_open(context);
    if (!gemm->device.cublas)
        return false;
    cublas_multiply(gemm);
    return kg_cublas_good(context, gemm->device.cublas) && kg_device_good(context);
}

#ifdef KGATE_HAVE_CUDA
static bool nothing_prepare(struct kgate_context *context, struct kg_gemm *gemm)
{
    (void)context, (void)gemm;
    return true;
}
#endif

static const struct device_version {
    const char *name;
    void (*run)(struct kg_gemm *gemm);
    bool (*prepare)(struct kgate_context *context, struct kg_gemm *gemm);
} versions[] = {
#ifdef KGATE_HAVE_CUDA
    {"naive", kg_gemm_cuda_naive, nothing_prepare},
    {"tiled", kg_gemm_cuda_tiled, nothing_prepare},
    {"tensor", kg_gemm_cuda_tensor, kg_gemm_tensor_prepare},
    {"hopper", kg_gemm_cuda_hopper, kg_gemm_hopper_prepare},
#endif
    {"blas", cublas_multiply, cublas_prepare},
};

static const struct device_version *version_find(const char *name)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (!strcmp(versions[i].name, name))
            return &versions[i];
    return NULL;
}

static size_t element_bytes(const struct kg_gemm *gemm)
{
    return gemm->type == KG_GEMM_BF16 ? sizeof(uint16_t) : sizeof(float);
}

/* Makes one matrix of `count` elements from its seed, with the device's values. bf16: writes the
 * rounded values to `rounded`, and to x as floats. */
static void matrix_fill(const struct kg_gemm *gemm, float *x, uint16_t *rounded, size_t count,
                        uint64_t seed)
{
    kg_fill_floats(x, count, seed, (unsigned)gemm->threads);
    if (gemm->type != KG_GEMM_BF16)
        return;
#pragma omp parallel for num_threads(gemm->threads) schedule(static)
    for (size_t i = 0; i < count; i++) {
        const uint16_t bf16 = kg_bf16_round(x[i]);
        x[i] = kg_bf16_value(bf16);
        if (rounded)
            rounded[i] = bf16;
    }
}

static bool matrix_upload(struct kgate_context *context, const struct kg_gemm *gemm, void *device,
                          size_t count, uint64_t seed)
{
    const bool bf16 = gemm->type == KG_GEMM_BF16;
    float *x = malloc(count * sizeof *x);
    uint16_t *rounded = bf16 ? malloc(count * sizeof *rounded) : NULL;
    bool good = x && (rounded || !bf16);
    if (good) {
        matrix_fill(gemm, x, rounded, count, seed);
        good = kg_device_upload(context, device, bf16 ? (const void *)rounded : (const void *)x,
                                count * element_bytes(gemm));
    } else {
        kg_kernel_refuse(context, "no memory to make a matrix of this size");
    }
    free(x);
    free(rounded);
    return good;
}

static bool arrays_make(struct kgate_context *context, struct kg_gemm *gemm)
{
    const size_t bytes = element_bytes(gemm);
    gemm->device.a = context->allocate_device(context, gemm->m * gemm->k * bytes);
    gemm->device.b = context->allocate_device(context, gemm->k * gemm->n * bytes);
    gemm->device.c = context->allocate_device(context, gemm->m * gemm->n * sizeof(float));
    return (gemm->device.a && gemm->device.b && gemm->device.c) ||
           kg_kernel_refuse(context, "no memory on the GPU for three matrices of this size");
}

bool kg_gemm_device_set_up(struct kgate_context *context, struct kg_gemm *gemm, const char *name)
{
    const struct device_version *version = version_find(name);
    if (!version)
        return kg_device_refuse_version(context, name);
    kg_device_begin(context);
    gemm->version = version->run;
    gemm->device.stream = context->stream;
    return arrays_make(context, gemm) &&
           matrix_upload(context, gemm, gemm->device.a, gemm->m * gemm->k, gemm->seed) &&
           matrix_upload(context, gemm, gemm->device.b, gemm->k * gemm->n, gemm->seed + 1) &&
           version->prepare(context, gemm) &&
           kg_device_poison(context, gemm->device.c, gemm->m * gemm->n * sizeof(float));
}

bool kg_gemm_device_fetch(struct kgate_context *context, struct kg_gemm *gemm)
{
    const size_t c_bytes = gemm->m * gemm->n * sizeof *gemm->c;
    if (!kg_device_good(context) ||
        (gemm->device.cublas && !kg_cublas_good(context, gemm->device.cublas)))
        return false;
    gemm->a = malloc(gemm->m * gemm->k * sizeof *gemm->a);
    gemm->b = malloc(gemm->k * gemm->n * sizeof *gemm->b);
    gemm->c = malloc(c_bytes);
    if (!gemm->a || !gemm->b || !gemm->c)
        return kg_kernel_refuse(context, "no memory to check matrices of this size");
    matrix_fill(gemm, gemm->a, NULL, gemm->m * gemm->k, gemm->seed);
    matrix_fill(gemm, gemm->b, NULL, gemm->k * gemm->n, gemm->seed + 1);
    return kg_device_download(context, gemm->c, gemm->device.c, c_bytes);
}

void kg_gemm_device_forget(struct kg_gemm *gemm)
{
    free(gemm->a);
    free(gemm->b);
    free(gemm->c);
    gemm->a = gemm->b = gemm->c = NULL;
}

void kg_gemm_device_tear_down(struct kgate_context *context, struct kg_gemm *gemm)
{
    kg_cublas_close(context, gemm->device.cublas);
    context->release(context, gemm->device.maps);
    context->release_device(context, gemm->device.a);
    context->release_device(context, gemm->device.b);
    context->release_device(context, gemm->device.c);
}
