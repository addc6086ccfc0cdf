/* Prototypes and numbers of NVIDIA's cuBLAS API, versions 12 and 13, with enums as int. */
#include "common/cublas.h"

#include <stdio.h>
#include <string.h>

#include "base/cuda_folders.h"
#include "base/library.h"
#include "common/common.h"

enum { SUCCESS = 0, OP_N = 0, OP_T = 1, DEFAULT_MATH = 0, GEMM_DEFAULT = -1, COMPUTE_32F = 68 };
enum { R_32F = 0, R_16BF = 14 };

/* NVIDIA's recommendation for Hopper (cuBLAS API, cublasSetWorkspace). Older GPUs need less. */
#define WORKSPACE_BYTES ((size_t)32 << 20)

struct calls {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    int (*set_workspace)(void *handle, void *workspace, size_t bytes);
    int (*set_math_mode)(void *handle, int mode);
    const char *(*status_string)(int status);
    int (*sgemm)(void *handle, int trans_a, int trans_b, int m, int n, int k, const float *alpha,
                 const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                 int ldc);
    int (*sgemm_strided)(void *handle, int trans_a, int trans_b, int m, int n, int k,
                         const float *alpha, const float *a, int lda, long long stride_a,
                         const float *b, int ldb, long long stride_b, const float *beta, float *c,
                         int ldc, long long stride_c, int count);
    int (*gemm_ex)(void *handle, int trans_a, int trans_b, int m, int n, int k, const void *alpha,
                   const void *a, int type_a, int lda, const void *b, int type_b, int ldb,
                   const void *beta, void *c, int type_c, int ldc, int compute, int algorithm);
};

struct kg_cublas {
    void *handle;
    void *workspace;
    int status; /* the first that was not SUCCESS */
};

#define CALL(member) offsetof(struct calls, member)
static const struct kg_symbol symbols[] = {
    {"cublasCreate_v2", NULL, CALL(create), false},
    {"cublasDestroy_v2", NULL, CALL(destroy), false},
    {"cublasSetStream_v2", NULL, CALL(set_stream), false},
    {"cublasSetWorkspace_v2", NULL, CALL(set_workspace), false},
    {"cublasSetMathMode", NULL, CALL(set_math_mode), false},
    {"cublasGetStatusString", NULL, CALL(status_string), false},
    {"cublasSgemm_v2", NULL, CALL(sgemm), false},
    {"cublasSgemmStridedBatched", NULL, CALL(sgemm_strided), false},
    {"cublasGemmEx", NULL, CALL(gemm_ex), false},
};

/* Opened once per process: the library is large, and NVIDIA does not document that it can be
 * closed. */
static struct {
    void *library;
    struct calls calls;
} loaded;

/* Opens a needed library beside cuBLAS first: in Python's packages no loader finds it. Once it is
 * open, its name is known. */
static bool library_take(const char *path, void *user)
{
    static const char needed[] = "libcublasLt";
    void **library = user;
    const char *name = strrchr(path, '/'), *version = strstr(path, ".so.");
    char beside[4096];
    if (name && version &&
        snprintf(beside, sizeof beside, "%.*s/%s%s", (int)(name - path), path, needed, version) <
            (int)sizeof beside)
        kg_library_open(beside, NULL, 0);
    *library = kg_library_open(path, NULL, 0);
    return *library != NULL;
}

static bool library_find(struct kgate_context *context)
{
    void *library = NULL;
    if (!kg_cuda_places("libcublas.so.13", library_take, &library) &&
        !kg_cuda_places("libcublas.so.12", library_take, &library)) {
        context->unavailable = true;
        return kg_kernel_refuse(
            context,
            "cuBLAS is not installed: libcublas.so.13 or .12 is neither " KG_CUDA_PLACES_WORDS);
    }
    const char *missing =
        kg_library_symbols(library, symbols, sizeof symbols / sizeof *symbols, &loaded.calls);
    if (missing) {
        kg_library_close(library);
        context->unavailable = true;
        return kg_kernel_refuse(context, "the cuBLAS found has no %s", missing);
    }
    loaded.library = library;
    return true;
}

static bool good(struct kgate_context *context, int status)
{
    return status == SUCCESS ||
           kg_kernel_refuse(context, "cuBLAS: %s", loaded.calls.status_string(status));
}

struct kg_cublas *kg_cublas_open(struct kgate_context *context)
{
    if (!loaded.library && !library_find(context))
        return NULL;
    struct kg_cublas *cublas = context->allocate(context, sizeof *cublas);
    if (cublas)
        cublas->workspace = context->allocate_device(context, WORKSPACE_BYTES);
    if (!cublas || !cublas->workspace) {
        kg_kernel_refuse(context, "no memory for cuBLAS's workspace");
        kg_cublas_close(context, cublas);
        return NULL;
    }
    const struct calls *calls = &loaded.calls;
    /* Setting the stream takes back the workspace: in this order. */
    if (!good(context, calls->create(&cublas->handle)) ||
        !good(context, calls->set_stream(cublas->handle, context->stream)) ||
        !good(context, calls->set_workspace(cublas->handle, cublas->workspace, WORKSPACE_BYTES)) ||
        !good(context, calls->set_math_mode(cublas->handle, DEFAULT_MATH))) {
        kg_cublas_close(context, cublas);
        return NULL;
    }
    return cublas;
}

void kg_cublas_close(struct kgate_context *context, struct kg_cublas *cublas)
{
    if (!cublas)
        return;
    if (cublas->handle)
        loaded.calls.destroy(cublas->handle);
    context->release_device(context, cublas->workspace);
    context->release(context, cublas);
}

static void status_keep(struct kg_cublas *cublas, int status)
{
    if (cublas->status == SUCCESS)
        cublas->status = status;
}

/* cuBLAS is column major, so it sees a row-major matrix as its transpose: the call computes C' = B'
 * A'. */
void kg_cublas_multiply(struct kg_cublas *cublas, enum kg_cublas_type type, size_t m, size_t n,
                        size_t k, const void *a, const void *b, float *c)
{
    const float one = 1, zero = 0;
    const int rows = (int)n, columns = (int)m, depth = (int)k;
    const int status = type == KG_CUBLAS_F32
                           ? loaded.calls.sgemm(cublas->handle, OP_N, OP_N, rows, columns, depth,
                                                &one, b, rows, a, depth, &zero, c, rows)
                           : loaded.calls.gemm_ex(cublas->handle, OP_N, OP_N, rows, columns, depth,
                                                  &one, b, R_16BF, rows, a, R_16BF, depth, &zero, c,
                                                  R_32F, rows, COMPUTE_32F, GEMM_DEFAULT);
    status_keep(cublas, status);
}

/* Column major, as above: cuBLAS sees B as B'. A transposed B needs OP_T. */
void kg_cublas_multiply_batch(struct kg_cublas *cublas, const struct kg_cublas_batch *batch)
{
    const struct kg_cublas_matrices *a = &batch->a, *b = &batch->b, *c = &batch->c;
    const float zero = 0;
    status_keep(cublas,
                loaded.calls.sgemm_strided(
                    cublas->handle, batch->b_transposed ? OP_T : OP_N, OP_N, (int)batch->n,
                    (int)batch->m, (int)batch->k, &batch->scale, b->first, (int)b->step,
                    (long long)b->stride, a->first, (int)a->step, (long long)a->stride, &zero,
                    c->first, (int)c->step, (long long)c->stride, (int)batch->count));
}

bool kg_cublas_good(struct kgate_context *context, struct kg_cublas *cublas)
{
    const int status = cublas->status;
    cublas->status = SUCCESS;
    return good(context, status);
}
