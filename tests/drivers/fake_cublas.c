/* A cuBLAS for tests, on the host's memory, with the real one's column-major contract: C = A B with
 * A m by k, the element (i, l) at a[i + l * lda]. It ends the test where a product is asked for
 * without a stream and, set after it, a workspace. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { SUCCESS = 0, INVALID_VALUE = 7, R_32F = 0, R_16BF = 14, COMPUTE_32F = 68 };

struct handle {
    void *stream;
    void *workspace;
    size_t workspace_bytes;
};

static void need(int kept, const char *rule)
{
    if (kept)
        return;
    fprintf(stderr, "fake cuBLAS: %s\n", rule);
    abort();
}

/* The prototypes, for the compiler; the real header may not be there. */
EXPORT int cublasCreate_v2(void **handle);
EXPORT int cublasDestroy_v2(void *handle);
EXPORT int cublasSetStream_v2(void *handle, void *stream);
EXPORT int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes);
EXPORT int cublasSetMathMode(void *handle, int mode);
EXPORT const char *cublasGetStatusString(int status);
EXPORT int cublasSgemm_v2(void *handle, int trans_a, int trans_b, int m, int n, int k,
                          const float *alpha, const float *a, int lda, const float *b, int ldb,
                          const float *beta, float *c, int ldc);
EXPORT int cublasGemmEx(void *handle, int trans_a, int trans_b, int m, int n, int k,
                        const void *alpha, const void *a, int type_a, int lda, const void *b,
                        int type_b, int ldb, const void *beta, void *c, int type_c, int ldc,
                        int compute, int algorithm);

int cublasCreate_v2(void **handle)
{
    *handle = calloc(1, sizeof(struct handle));
    return SUCCESS;
}

int cublasDestroy_v2(void *handle)
{
    free(handle);
    return SUCCESS;
}

/* As the real one: back to the library's own workspace. */
int cublasSetStream_v2(void *handle, void *stream)
{
    *(struct handle *)handle = (struct handle){.stream = stream};
    return SUCCESS;
}

int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes)
{
    struct handle *own = handle;
    need((uintptr_t)workspace % 256 == 0, "a workspace not aligned to 256");
    own->workspace = workspace;
    own->workspace_bytes = bytes;
    return SUCCESS;
}

int cublasSetMathMode(void *handle, int mode)
{
    (void)handle;
    return mode == 0 ? SUCCESS : INVALID_VALUE;
}

const char *cublasGetStatusString(int status)
{
    return status == SUCCESS ? "success" : "an unsupported value or parameter";
}

static float element(const void *x, int type, size_t i)
{
    float value;
    if (type == R_32F)
        return ((const float *)x)[i];
    const uint32_t bits = (uint32_t)((const uint16_t *)x)[i] << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

struct matrix {
    const void *x;
    int type;
    int leading;
};

static int multiply(const struct handle *handle, int m, int n, int k, struct matrix a,
                    struct matrix b, float *c, int ldc)
{
    need(handle->stream && handle->workspace, "a product without a stream and a workspace");
    if (a.leading < m || b.leading < k || ldc < m)
        return INVALID_VALUE;
    /* Its own: a workspace that is too small shows under a sanitizer. */
    memset(handle->workspace, 0, handle->workspace_bytes);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            float sum = 0;
            for (int l = 0; l < k; l++)
                sum += element(a.x, a.type, (size_t)i + (size_t)l * (size_t)a.leading) *
                       element(b.x, b.type, (size_t)l + (size_t)j * (size_t)b.leading);
            c[(size_t)i + (size_t)j * (size_t)ldc] = sum;
        }
    return SUCCESS;
}

int cublasSgemm_v2(void *handle, int trans_a, int trans_b, int m, int n, int k, const float *alpha,
                   const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                   int ldc)
{
    const float one = 1, zero = 0;
    if (trans_a || trans_b || memcmp(alpha, &one, sizeof one) || memcmp(beta, &zero, sizeof zero))
        return INVALID_VALUE;
    return multiply(handle, m, n, k, (struct matrix){a, R_32F, lda}, (struct matrix){b, R_32F, ldb},
                    c, ldc);
}

int cublasGemmEx(void *handle, int trans_a, int trans_b, int m, int n, int k, const void *alpha,
                 const void *a, int type_a, int lda, const void *b, int type_b, int ldb,
                 const void *beta, void *c, int type_c, int ldc, int compute, int algorithm)
{
    const float one = 1, zero = 0;
    if (trans_a || trans_b || memcmp(alpha, &one, sizeof one) || memcmp(beta, &zero, sizeof zero) ||
        type_a != R_16BF || type_b != R_16BF || type_c != R_32F || compute != COMPUTE_32F ||
        algorithm != -1)
        return INVALID_VALUE;
    return multiply(handle, m, n, k, (struct matrix){a, type_a, lda},
                    (struct matrix){b, type_b, ldb}, c, ldc);
}
