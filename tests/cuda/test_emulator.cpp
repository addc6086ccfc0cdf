/* The emulator itself: each of its promises by a kernel that would show it broken. */
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "cuda/cmocka_cpp.h"

#include "device/code/launch.cuh"

static cudaStream_t stream()
{
    return kg_emulated_stream();
}

static void assert_launched()
{
    assert_string_equal(cudaGetErrorName(cudaGetLastError()), "cudaSuccess");
}

/* --- Where a thread is --------------------------------------------------------------------- */
static __global__ void positions_write(unsigned *seen, unsigned width, unsigned height)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    seen[(z * height + y) * width + x] += 1 + gridDim.x;
}

static void every_thread_of_every_block_runs_once(void **)
{
    const dim3 grid(5, 3, 2), block(7, 4, 3);
    const unsigned width = 35, height = 12;
    std::vector<unsigned> seen(width * height * 6);
    KG_LAUNCH(positions_write, grid, block, 0, stream(), seen.data(), width, height);
    assert_launched();
    for (unsigned count : seen)
        assert_int_equal(count, 6);
}

/* --- Barriers
 * ------------------------------------------------------------------------------------- */
template <bool WITH_BARRIER> static __global__ void reverse(int *x)
{
    KG_DYNAMIC_SHARED(int, shared);
    shared[threadIdx.x] = x[threadIdx.x];
    if (WITH_BARRIER)
        __syncthreads();
    x[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

static std::vector<int> reversed(void (*kernel)(int *), uint64_t seed)
{
    std::vector<int> x(96);
    for (int i = 0; i < 96; i++)
        x[i] = i;
    kg_emulated_seed(seed);
    KG_LAUNCH(kernel, 1, 96, 96 * sizeof(int), stream(), x.data());
    assert_launched();
    return x;
}

static void barrier_makes_the_order_of_threads_not_matter(void **)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const std::vector<int> x = reversed(reverse<true>, seed);
        for (int i = 0; i < 96; i++)
            assert_int_equal(x[i], 95 - i);
    }
}

static void missing_barrier_shows_as_poison_in_another_place_each_time(void **)
{
    const std::vector<int> one = reversed(reverse<false>, 1), other = reversed(reverse<false>, 2);
    int wrong = 0;
    for (int i = 0; i < 96; i++)
        if (one[i] != 95 - i) {
            assert_int_equal(one[i], -1);
            wrong++;
        }
    assert_true(wrong > 0);
    assert_true(one != other);
    assert_true(one == reversed(reverse<false>, 1));
}

static __global__ void votes_count(int *out)
{
    const int t = static_cast<int>(threadIdx.x);
    if (t >= 60) /* Threads that have ended count no more. */
        return;
    const int count = __syncthreads_count(t < 17);
    const int all = __syncthreads_and(t < 60), most = __syncthreads_and(t < 59);
    const int some = __syncthreads_or(t == 3), none = __syncthreads_or(0);
    out[t] = count + 100 * all + 1000 * most + 10000 * some + 100000 * none;
}

static void barriers_count_votes_of_those_that_have_not_ended(void **)
{
    int out[70] = {};
    KG_LAUNCH(votes_count, 1, 70, 0, stream(), out);
    assert_launched();
    for (int t = 0; t < 70; t++)
        assert_int_equal(out[t], t < 60 ? 10117 : 0);
}

/* --- Warps
 * ----------------------------------------------------------------------------------------- */
static __global__ void warp_sums(const float *x, float *by_xor, float *by_down)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[i], b = x[i];
    for (int step = warpSize / 2; step > 0; step /= 2) {
        a += __shfl_xor_sync(0xffffffffU, a, step);
        b += __shfl_down_sync(0xffffffffU, b, step);
    }
    by_xor[i] = a;
    if (i % warpSize == 0)
        by_down[i / warpSize] = b;
}

static void shuffles_reduce_a_warp(void **)
{
    enum { N = 256 };
    float x[N], by_xor[N], by_down[N / 32];
    for (int i = 0; i < N; i++)
        x[i] = static_cast<float>(i);
    KG_LAUNCH(warp_sums, 2, N / 2, 0, stream(), x, by_xor, by_down);
    assert_launched();
    for (int i = 0; i < N; i++) {
        const int first = i / 32 * 32, sum = 32 * first + 31 * 16;
        assert_int_equal(static_cast<int>(by_xor[i]), sum);
        assert_int_equal(static_cast<int>(by_down[i / 32]), sum);
    }
}

static __global__ void shuffles_of_parts(int *out)
{
    const int lane = static_cast<int>(threadIdx.x);
    out[lane] = __shfl_sync(0xffffffffU, lane, 9, 8);           /* lane 1 of each eight */
    out[32 + lane] = __shfl_up_sync(0xffffffffU, lane, 3, 8);   /* stays where there is none */
    out[64 + lane] = __shfl_down_sync(0xffffffffU, lane, 3, 8); /* likewise */
    out[96 + lane] = __shfl_xor_sync(0xffffffffU, lane, 8, 8);  /* only an earlier part */
}

static void shuffles_keep_to_their_part_of_the_warp(void **)
{
    int out[128];
    KG_LAUNCH(shuffles_of_parts, 1, 32, 0, stream(), out);
    assert_launched();
    for (int lane = 0; lane < 32; lane++) {
        assert_int_equal(out[lane], lane / 8 * 8 + 1);
        assert_int_equal(out[32 + lane], lane % 8 >= 3 ? lane - 3 : lane);
        assert_int_equal(out[64 + lane], lane % 8 < 5 ? lane + 3 : lane);
        assert_int_equal(out[96 + lane], lane / 8 % 2 ? lane - 8 : lane);
    }
}

static __global__ void ballots(unsigned *out)
{
    const unsigned lane = threadIdx.x % 32;
    if (lane % 4 == 3) /* Lanes that have ended vote for nothing. */
        return;
    out[threadIdx.x] = __ballot_sync(0x77777777U, lane < 8);
    if (lane < 4)
        out[threadIdx.x] += __any_sync(0x7U, lane == 2) && !__any_sync(0x7U, 0) &&
                                    __all_sync(0x7U, lane < 3) && !__all_sync(0x7U, lane == 0)
                                ? 1000
                                : 0;
}

static void ballots_are_of_the_lanes_in_the_mask(void **)
{
    unsigned out[64] = {};
    KG_LAUNCH(ballots, 1, 64, 0, stream(), out);
    assert_launched();
    for (unsigned i = 0; i < 64; i++) {
        const unsigned lane = i % 32;
        assert_int_equal(out[i], lane % 4 == 3 ? 0 : lane < 4 ? 0x1077 - 0x1000 + 1000 : 0x77);
    }
}

static __global__ void exchange_without_syncwarp(int *out, int with_syncwarp)
{
    __shared__ int shared[32];
    shared[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (with_syncwarp)
        __syncwarp();
    out[threadIdx.x] = shared[threadIdx.x ^ 1];
}

static void lanes_are_not_in_step_without_syncwarp(void **)
{
    int out[32], wrong = 0;
    KG_LAUNCH(exchange_without_syncwarp, 1, 32, 0, stream(), out, 1);
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], i ^ 1);
    KG_LAUNCH(exchange_without_syncwarp, 1, 32, 0, stream(), out, 0);
    for (int i = 0; i < 32; i++)
        wrong += out[i] != (i ^ 1);
    assert_true(wrong > 0);
    assert_launched();
}

static __global__ void partial_warp(int *out)
{
    int all[32];
    const int mine = 100 + static_cast<int>(threadIdx.x);
    kg_emulated_warp_exchange(&mine, sizeof mine, all);
    if (threadIdx.x == 0)
        for (int lane = 0; lane < 32; lane++)
            out[lane] = all[lane];
}

static void lanes_beyond_the_block_count_as_ended(void **)
{
    int out[32];
    KG_LAUNCH(partial_warp, 1, 20, 0, stream(), out);
    assert_launched();
    for (int lane = 0; lane < 32; lane++)
        assert_int_equal(out[lane], lane < 20 ? 100 + lane : -1);
}

/* --- Clusters ------------------------------------------------------------------------------ */
template <bool WITH_MEETING> static __global__ void rank_send(unsigned *seen)
{
    KG_DYNAMIC_SHARED(unsigned, own);
    if (threadIdx.x == 0)
        *static_cast<unsigned *>(kg_emulated_dynamic_shared_of(1 - kg_cluster_rank())) = blockIdx.x;
    if (WITH_MEETING)
        kg_cluster_meet();
    if (threadIdx.x == 0)
        seen[blockIdx.x] = own[0];
}

static unsigned wrong_count(void (*kernel)(unsigned *), uint64_t seed)
{
    unsigned seen[6], wrong = 0;
    kg_emulated_seed(seed);
    KG_LAUNCH_CLUSTERS(kernel, 2, 6, 64, sizeof(unsigned), stream(), seen);
    assert_launched();
    for (unsigned block = 0; block < 6; block++)
        wrong += seen[block] != (block ^ 1);
    return wrong;
}

static void blocks_of_a_cluster_see_each_other_once_they_met(void **)
{
    unsigned wrong = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        assert_int_equal(wrong_count(rank_send<true>, seed), 0);
        wrong += wrong_count(rank_send<false>, seed);
    }
    assert_true(wrong > 0);
}

/* --- Shared memory
 * ---------------------------------------------------------------------------------- */
static __global__ void shared_is_poison(int *wrong)
{
    __shared__ __align__(16) unsigned fixed[100];
    KG_DYNAMIC_SHARED(unsigned, dynamic);
    atomicAdd(wrong, reinterpret_cast<uintptr_t>(fixed) % 16 != 0);
    atomicAdd(wrong, reinterpret_cast<uintptr_t>(dynamic) % 128 != 0);
    for (unsigned i = threadIdx.x; i < 100; i += blockDim.x)
        atomicAdd(wrong, fixed[i] != 0xffffffffU || dynamic[i] != 0xffffffffU);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 100; i += blockDim.x)
        fixed[i] = dynamic[i] = 0;
}

static void shared_memory_is_poison_at_the_start_of_each_block(void **)
{
    int wrong = 0;
    KG_LAUNCH(shared_is_poison, 5, 32, 100 * sizeof(unsigned), stream(), &wrong);
    assert_launched();
    assert_int_equal(wrong, 0);
}

/* --- Atomics
 * ----------------------------------------------------------------------------------------- */
struct sums {
    int i, least, most;
    unsigned u, bits, exchanged, compared;
    unsigned long long wide;
    float f;
};

static __global__ void atomics(struct sums *sums)
{
    const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    atomicAdd(&sums->i, t);
    atomicAdd(&sums->u, 1);
    atomicAdd(&sums->wide, 1ULL << 33);
    atomicAdd(&sums->f, 0.5F);
    atomicMin(&sums->least, -t);
    atomicMax(&sums->most, t);
    atomicOr(&sums->bits, 1U << t % 32);
    atomicExch(&sums->exchanged, 7);
    atomicCAS(&sums->compared, 0, 5);
}

static void atomics_of_all_threads_count(void **)
{
    struct sums sums = {};
    KG_LAUNCH(atomics, 4, 64, 0, stream(), &sums);
    assert_launched();
    assert_int_equal(sums.i, 255 * 128);
    assert_int_equal(sums.u, 256);
    assert_true(sums.wide == 256ULL << 33);
    assert_true(sums.f == 128.0F);
    assert_int_equal(sums.least, -255);
    assert_int_equal(sums.most, 255);
    assert_int_equal(sums.bits, 0xffffffffU);
    assert_int_equal(sums.exchanged, 7);
    assert_int_equal(sums.compared, 5);
}

/* --- Numbers
 * ----------------------------------------------------------------------------------------- */
static void bfloat16_rounds_to_the_nearest_even(void **)
{
    static const struct {
        unsigned from, to;
    } rows[] = {{0x3f800000, 0x3f80}, {0x3f808000, 0x3f80}, {0x3f818000, 0x3f82},
                {0x3f808001, 0x3f81}, {0x7f7fffff, 0x7f80}, {0xff800000, 0xff80},
                {0x80000000, 0x8000}, {0x7f800001, 0x7fff}, {0x00000001, 0x0000}};
    for (const auto &row : rows)
        assert_int_equal(__bfloat16_as_ushort(__float2bfloat16(__uint_as_float(row.from))), row.to);
    assert_true(__bfloat162float(__ushort_as_bfloat16(0x4049)) == 3.140625F);
}

/* --- Launches that CUDA refuses
 * ------------------------------------------------------------------------ */
static __global__ void touch(int *count)
{
    atomicAdd(count, 1);
}

static void impossible_launches_are_refused(void **)
{
    static const struct {
        dim3 grid, block;
        size_t shared_bytes;
        const char *error;
    } rows[] = {
        {1, 1025, 0, "cudaErrorInvalidConfiguration"},
        {1, dim3(32, 33), 0, "cudaErrorInvalidConfiguration"},
        {1, dim3(1, 1, 65), 0, "cudaErrorInvalidConfiguration"},
        {0, 32, 0, "cudaErrorInvalidConfiguration"},
        {1, 0, 0, "cudaErrorInvalidConfiguration"},
        {dim3(1, 65536), 32, 0, "cudaErrorInvalidConfiguration"},
        {dim3(1, 1, 65536), 32, 0, "cudaErrorInvalidConfiguration"},
        {dim3(0x80000000U), 32, 0, "cudaErrorInvalidConfiguration"},
        {1, 32, (48 << 10) + 1, "cudaErrorInvalidValue"},
    };
    int count = 0;
    for (const auto &row : rows) {
        KG_LAUNCH(touch, row.grid, row.block, row.shared_bytes, stream(), &count);
        assert_string_equal(cudaGetErrorName(cudaPeekAtLastError()), row.error);
        assert_string_equal(cudaGetErrorName(cudaGetLastError()), row.error);
        assert_launched(); /* It is told once. */
    }
    KG_LAUNCH(touch, 1, 32, 0, nullptr, &count);
    assert_string_equal(cudaGetErrorName(cudaGetLastError()), "cudaErrorInvalidResourceHandle");
    assert_int_equal(count, 0);
}

static __global__ void touch_more(int *count)
{
    KG_DYNAMIC_SHARED(char, shared);
    shared[100 << 10] = 1;
    atomicAdd(count, 1);
}

static void more_shared_memory_is_to_be_asked_for(void **)
{
    int count = 0;
    assert_int_equal(cudaFuncSetAttribute(touch_more, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          (227 << 10) + 1),
                     cudaErrorInvalidValue);
    (void)cudaGetLastError();
    assert_int_equal(
        cudaFuncSetAttribute(touch_more, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10),
        cudaSuccess);
    KG_LAUNCH(touch_more, 1, 32, 227 << 10, stream(), &count);
    assert_launched();
    assert_int_equal(count, 32);
}

/* --- What ends the process
 * ------------------------------------------------------------------------------ */
static __global__ void half_waits(int *)
{
    if (threadIdx.x < 16)
        __syncthreads();
    else
        __shfl_sync(0xffffffffU, 1, 0);
}

static __global__ void not_in_the_mask(int *)
{
    __syncwarp(0x1);
}

static __global__ void other_masks(int *)
{
    __ballot_sync(threadIdx.x < 16 ? 0xffffffffU : 0xffff0001U, 1);
}

/* What a process says on its standard error while it runs `kernel` to its abort. */
static std::string last_words(void (*kernel)(int *))
{
    int ends[2], status;
    std::string words;
    char text[256];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        KG_LAUNCH(kernel, 3, 32, 0, stream(), nullptr);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], text, sizeof text)) > 0;)
        words.append(text, static_cast<size_t>(got));
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    return words;
}

static void assert_printed(const std::string &words, const char *part)
{
    if (words.find(part) == std::string::npos)
        fail_msg("\"%s\" does not say \"%s\"", words.c_str(), part);
}

static void deadlock_names_the_kernel_and_what_is_waited_for(void **)
{
    const std::string words = last_words(half_waits);
    assert_printed(words, "kernel 'kernel', block (");
    assert_printed(words, "deadlock: 0 of 32 threads have ended");
    assert_printed(words, "from thread 0 on: __syncthreads");
    assert_printed(words, "from thread 16 on: __shfl_sync (mask 0xffffffff)");
}

static void wrong_masks_end_the_process(void **)
{
    assert_printed(last_words(not_in_the_mask), "__syncwarp: the mask 0x00000001 leaves out the");
    assert_printed(last_words(other_masks), "__ballot_sync (mask 0xffffffff)");
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_of_every_block_runs_once),
        cmocka_unit_test(barrier_makes_the_order_of_threads_not_matter),
        cmocka_unit_test(missing_barrier_shows_as_poison_in_another_place_each_time),
        cmocka_unit_test(barriers_count_votes_of_those_that_have_not_ended),
        cmocka_unit_test(shuffles_reduce_a_warp),
        cmocka_unit_test(shuffles_keep_to_their_part_of_the_warp),
        cmocka_unit_test(ballots_are_of_the_lanes_in_the_mask),
        cmocka_unit_test(lanes_are_not_in_step_without_syncwarp),
        cmocka_unit_test(lanes_beyond_the_block_count_as_ended),
        cmocka_unit_test(shared_memory_is_poison_at_the_start_of_each_block),
        cmocka_unit_test(atomics_of_all_threads_count),
        cmocka_unit_test(bfloat16_rounds_to_the_nearest_even),
        cmocka_unit_test(impossible_launches_are_refused),
        cmocka_unit_test(blocks_of_a_cluster_see_each_other_once_they_met),
        cmocka_unit_test(more_shared_memory_is_to_be_asked_for),
        cmocka_unit_test(deadlock_names_the_kernel_and_what_is_waited_for),
        cmocka_unit_test(wrong_masks_end_the_process),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
