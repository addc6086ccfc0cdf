/* Kernels that each have one fault, and kernels that each have one known instruction: what
 * test_figures.py expects figures.py to find. Never run. */
#include <cuda_bf16.h>
#include <stdint.h>

/* --- Faults ----------------------------------------------------------------------------------- */

/* An array indexed by what only the thread knows lies in local memory. */
extern "C" __global__ void fault_local(float *x, int i)
{
    float copy[64];
    for (int k = 0; k < 64; k++)
        copy[k] = x[k];
    x[0] = copy[i];
    copy[i] = 2;
    x[1] = copy[i + 1];
}

/* 80 values at once, and registers for a third of them. */
extern "C" __global__ void __launch_bounds__(1024, 2) fault_spill(float *x)
{
    float value[80];
#pragma unroll
    for (int k = 0; k < 80; k++)
        value[k] = x[k * threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 80; k++) {
        x[k * 7] = value[k];
        value[k * 13 % 80] += value[k] * value[(k + 5) % 80];
    }
#pragma unroll
    for (int k = 0; k < 80; k++)
        x[k * threadIdx.x + 1] = value[k];
}

/* A division is a subroutine where operands are unusual. */
extern "C" __global__ void fault_call(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] / x[i + n];
}

extern "C" __global__ void fault_shared(float *x)
{
    __shared__ float own[512];
    own[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = own[511 - threadIdx.x];
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
static __device__ __forceinline__ void wgmma_small(float sum[4], uint64_t a, uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, "
        "1, 0, 0;\n"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "l"(a), "l"(b));
}

/* Sums that are changed while products are added to them: each product is waited for. */
extern "C" __global__ void fault_serialised(float *x, uint64_t a, uint64_t b, int n)
{
    float sum[4] = {};
    for (int i = 0; i < n; i++) {
        asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
        wgmma_small(sum, a, b);
        sum[0] += 1;
        wgmma_small(sum, a + 2, b + 2);
        asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;\n" ::: "memory");
    x[threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}

/* --- Instructions ----------------------------------------------------------------------------- */
extern "C" __global__ void has_HGMMA(float *x, uint64_t a, uint64_t b)
{
    float sum[4] = {};
    asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
    wgmma_small(sum, a, b);
    asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;\n" ::: "memory");
    x[threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}

extern "C" __global__ void has_HGMMA_RS(float *x, uint32_t a, uint64_t b)
{
    float sum[4] = {};
    asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, "
        "%5, 1, 1, 1, 0;\n"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;\n" ::: "memory");
    x[threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}

extern "C" __global__ void has_UTMALDG(const void *map)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];\n" ::"r"(1024),
                 "l"(map), "r"(0), "r"(0), "r"(0)
                 : "memory");
}
#endif

extern "C" __global__ void has_HMMA(float *x, uint32_t a, uint32_t b)
{
    float c[4] = {};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                 "{%4, %4, %4, %4}, {%5, %5}, {%0, %1, %2, %3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a), "r"(b));
    x[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

extern "C" __global__ void has_LDSM(uint32_t *x, uint32_t address)
{
    uint32_t word[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(address));
    x[threadIdx.x] = word[0] + word[1] + word[2] + word[3];
}

extern "C" __global__ void has_LDGSTS(const float *x, uint32_t address)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(address), "l"(x) : "memory");
}

/* Kinds of half rate and of an eighth of the rate. */
extern "C" __global__ void has_FMNMX(float *x, float y)
{
    x[threadIdx.x] = fmaxf(x[threadIdx.x], y);
}

extern "C" __global__ void has_FSEL(float *x, float y)
{
    const float first = x[threadIdx.x] + y, second = x[threadIdx.x] * y;
    x[threadIdx.x] = y > 0 ? first : second;
    x[threadIdx.x + 32] = first;
    x[threadIdx.x + 64] = second;
}

extern "C" __global__ void has_FSETP(float *x, float y)
{
    if (x[threadIdx.x] > y)
        x[threadIdx.x] = 1;
}

extern "C" __global__ void has_ISETP(int *x, int y)
{
    if (x[threadIdx.x] > y)
        x[threadIdx.x] = 1;
}

extern "C" __global__ void has_IADD3(int *x, int y)
{
    x[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x + 1] + y;
}

extern "C" __global__ void has_LOP3(unsigned *x, unsigned y)
{
    x[threadIdx.x] = (x[threadIdx.x] & x[threadIdx.x + 1]) ^ y;
}

extern "C" __global__ void has_SHF(unsigned *x, unsigned y)
{
    x[threadIdx.x] = x[threadIdx.x] >> y;
}

extern "C" __global__ void has_PRMT(unsigned *x, unsigned y)
{
    x[threadIdx.x] = __byte_perm(x[threadIdx.x], y, 0x3614);
}

extern "C" __global__ void has_FRND(float *x)
{
    x[threadIdx.x] = rintf(x[threadIdx.x]);
}

extern "C" __global__ void has_POPC(unsigned *x)
{
    x[threadIdx.x] = static_cast<unsigned>(__popc(x[threadIdx.x]));
}

extern "C" __global__ void has_FLO(unsigned *x)
{
    x[threadIdx.x] = static_cast<unsigned>(__clz(x[threadIdx.x]));
}

extern "C" __global__ void has_MUFU(float *x)
{
    asm volatile("ex2.approx.ftz.f32 %0, %0;\n" : "+f"(*x));
}

extern "C" __global__ void has_BAR(void)
{
    __syncthreads();
}

extern "C" __global__ void has_LDG(const volatile float *x)
{
    (void)*x;
}

extern "C" __global__ void has_STG(volatile float *x)
{
    *x = 1;
}
