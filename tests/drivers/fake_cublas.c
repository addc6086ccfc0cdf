/* A cuBLAS for tests, on the host's memory, with the real one's column-major contract: C = alpha
 * op(A) op(B) with op(A) m by k, of which the element (i, l) is at a[i + l * lda], or transposed at
 * a[l + i * lda]. Of beta it knows 0. It ends the test where a product is asked for without a
 * stream and, set after it, a workspace, or where those of a batch write over each other. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { SUCCESS = 0, INVALID_VALUE = 7, R_32F = 0, R_16BF = 14, COMPUTE_32F = 68, OP_T = 1 };

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
EXPORT int cublasSgemmStridedBatched(void *handle, int trans_a, int trans_b, int m, int n, int k,
                                     const float *alpha, const float *a, int lda,
                                     long long stride_a, const float *b, int ldb,
                                     long long stride_b, const float *beta, float *c, int ldc,
                                     long long stride_c, int count);
EXPORT int cublasGemmEx(void *handle, int trans_a, int trans_b, int m, int n, int k,
                        const void *alpha, const void *a, int type_a, int lda, const void *b,
                        int type_b, int ldb, const void *beta, void *c, int type_c, int ldc,
                        int compute, int algorithm);

/* How work gets onto a stream: `work` is to be called, now or later and as often as a graph with it
 * is launched, with what is now in the `bytes` at argument. */
typedef void (*launcher)(void *stream, void (*work)(const void *argument), const void *argument,
                         size_t bytes);
/* From now on; without one a product is made at once. */
EXPORT void fake_cublas_launch_by(launcher launch);

static launcher launch_by;

void fake_cublas_launch_by(launcher launch)
{
    launch_by = launch;
}

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

/* The matrices of a batch of products, `stride` elements from one's first to the next's. */
struct matrices {
    const void *x;
    int type;
    int leading;
    long long stride;
    int transposed;
};

struct products {
    struct handle handle;
    struct matrices a;
    struct matrices b;
    float *c;
    int leading_c;
    long long stride_c;
    int m;
    int n;
    int k;
    int count;
    float alpha;
};

/* The element (i, j) of op(x), of the product number `product`. */
static float element(const struct matrices *x, int product, int i, int j)
{
    const long long row = x->transposed ? j : i, column = x->transposed ? i : j;
    const long long at = product * x->stride + row + column * x->leading;
    float value;
    if (x->type == R_32F)
        return ((const float *)x->x)[at];
    const uint32_t bits = (uint32_t)((const uint16_t *)x->x)[at] << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void products_make(const void *argument)
{
    const struct products *p = argument;
    /* Its own as far as its end: a workspace that is too small shows under a sanitizer. */
    ((char *)p->handle.workspace)[p->handle.workspace_bytes - 1] = 0;
    for (int product = 0; product < p->count; product++)
        for (int j = 0; j < p->n; j++)
            for (int i = 0; i < p->m; i++) {
                float sum = 0;
                for (int l = 0; l < p->k; l++)
                    sum += element(&p->a, product, i, l) * element(&p->b, product, l, j);
                p->c[product * p->stride_c + i + (long long)j * p->leading_c] = p->alpha * sum;
            }
}

static int leading_good(const struct matrices *x, int rows, int columns)
{
    const int least = x->transposed ? columns : rows;
    return x->leading >= (least > 1 ? least : 1);
}

/* Whether no product writes where another does: one lies behind the other, or they lie side by
 * side between two columns of the first. */
static int products_apart(const struct products *p)
{
    return p->count <= 1 || p->stride_c >= (p->n - 1LL) * p->leading_c + p->m ||
           (p->stride_c >= p->m && (p->count - 1LL) * p->stride_c + p->m <= p->leading_c);
}

static int products_launch(const void *handle, const float *beta, struct products p)
{
    p.handle = *(const struct handle *)handle;
    need(p.handle.stream && p.handle.workspace, "a product without a stream and a workspace");
    if (p.m < 0 || p.n < 0 || p.k < 0 || p.count < 0 || p.a.transposed < 0 ||
        p.a.transposed > OP_T || p.b.transposed < 0 || p.b.transposed > OP_T ||
        !leading_good(&p.a, p.m, p.k) || !leading_good(&p.b, p.k, p.n) || p.leading_c < 1 ||
        p.leading_c < p.m)
        return INVALID_VALUE;
    need(*beta >= 0 && *beta <= 0, "a beta that is not 0");
    need(products_apart(&p), "products of a batch that write over each other");
    if (launch_by)
        launch_by(p.handle.stream, products_make, &p, sizeof p);
    else
        products_make(&p);
    return SUCCESS;
}

int cublasSgemm_v2(void *handle, int trans_a, int trans_b, int m, int n, int k, const float *alpha,
                   const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                   int ldc)
{
    return cublasSgemmStridedBatched(handle, trans_a, trans_b, m, n, k, alpha, a, lda, 0, b, ldb, 0,
                                     beta, c, ldc, 0, 1);
}

int cublasSgemmStridedBatched(void *handle, int trans_a, int trans_b, int m, int n, int k,
                              const float *alpha, const float *a, int lda, long long stride_a,
                              const float *b, int ldb, long long stride_b, const float *beta,
                              float *c, int ldc, long long stride_c, int count)
{
    return products_launch(handle, beta,
                           (struct products){.a = {a, R_32F, lda, stride_a, trans_a},
                                             .b = {b, R_32F, ldb, stride_b, trans_b},
                                             .c = c,
                                             .leading_c = ldc,
                                             .stride_c = stride_c,
                                             .m = m,
                                             .n = n,
                                             .k = k,
                                             .count = count,
                                             .alpha = *alpha});
}

int cublasGemmEx(void *handle, int trans_a, int trans_b, int m, int n, int k, const void *alpha,
                 const void *a, int type_a, int lda, const void *b, int type_b, int ldb,
                 const void *beta, void *c, int type_c, int ldc, int compute, int algorithm)
{
    if (type_a != R_16BF || type_b != R_16BF || type_c != R_32F || compute != COMPUTE_32F ||
        algorithm != -1)
        return INVALID_VALUE;
    return products_launch(handle, beta,
                           (struct products){.a = {a, type_a, lda, 0, trans_a},
                                             .b = {b, type_b, ldb, 0, trans_b},
                                             .c = c,
                                             .leading_c = ldc,
                                             .m = m,
                                             .n = n,
                                             .k = k,
                                             .count = 1,
                                             .alpha = *(const float *)alpha});
}
