/* bench.cpp: the program that the reader of docs/adapters.md has already. SLOWER copies twice. */
#include <benchmark/benchmark.h>
#include <cstring>
#include <vector>

static void BM_copy(benchmark::State &state)
{
    std::vector<char> from(state.range(0), 1), to(state.range(0));
    for (auto _ : state) {
        std::memcpy(to.data(), from.data(), from.size());
        benchmark::DoNotOptimize(to.data());
        benchmark::ClobberMemory();
#ifdef SLOWER
        std::memcpy(to.data(), from.data(), from.size());
        benchmark::ClobberMemory();
#endif
    }
    state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_copy)->Arg(4096)->Arg(262144);
BENCHMARK_MAIN();
