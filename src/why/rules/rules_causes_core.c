/* rules_causes_core.c: causes in how a core executes a loop: slow instructions, dependent
 * results, and memory. causes.c weighs them. Each suggestion names its place. */
#include "why/rules/rule_parts.h"

static const struct kg_rule rules[] = {
    {
        .name = "division",
        .cause = KG_CAUSE_DIVISION,
        .bound = KG_BOUND_COMPUTE,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description =
            "The hot loop divides, takes remainders or square roots: one takes 10 to 40 cycles.",
        .hint = "Multiply by the reciprocal, use powers of two with a mask, or count up and wrap "
                "by a comparison.",
        .before = "slot = key % buckets; x[i] = a[i] / scale;",
        .after = "slot = key & (buckets - 1); inverse = 1 / scale; x[i] = a[i] * inverse;",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_FUNCTION, "udivti3|umodti3|divti3",
                 "Division of 128-bit numbers calls a function: use 64 bits if the values fit.",
                 "unsigned __int128 q = a / b;", "uint64_t q = (uint64_t)a / b;"},
                {KG_BY_CODE, "divs|divp",
                 "Multiply by the reciprocal, taken once outside of the loop (-ffast-math lets the "
                 "compiler do it).",
                 "for (...) x[i] = a[i] / scale;",
                 "inverse = 1 / scale; for (...) x[i] = a[i] * inverse;"},
                {KG_BY_CODE, "sqrt",
                 "Compare squares, and take the root only of values that you "
                 "keep.",
                 "if (sqrt(dx * dx + dy * dy) < r) ...;", "if (dx * dx + dy * dy < r * r) ...;"},
                {KG_BY_CODE, "div",
                 "Use powers of two with a mask, count up and wrap by a comparison, or a narrower "
                 "type: 32 bits divide faster than 64.",
                 "slot = key % buckets;",
                 "slot = key & (buckets - 1); /* buckets is a power of two */"},
                {0}},
        .evidence = {"time_ns"},
        .when = "the loop around the hottest instruction divides there; the division takes most of "
                "an iteration",
        .assumes = "three to six instructions per cycle without it",
    },
    {
        .name = "conversion",
        .cause = KG_CAUSE_CONVERSION,
        .bound = KG_BOUND_COMPUTE,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "The hot loop converts between integers, floats and doubles.",
        .hint = "Stay in one type: write constants as `0.5f`, use `sinf`, and keep sums and arrays "
                "in the type of their use.",
        .before = "float y = x[i] * 0.5; /* to double and back */",
        .after = "float y = x[i] * 0.5f;",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_CODE, "cvtss2sd|cvtsd2ss|cvtps2pd|cvtpd2ps", NULL, NULL, NULL},
                {KG_BY_CODE, "cvt",
                 "Stay in whole numbers within the loop, and convert once at its end.",
                 "for (...) sum += 0.25 * pixel[i]; /* each to double */",
                 "for (...) total += pixel[i]; sum = 0.25 * total;"},
                {0}},
        .evidence = {"time_ns"},
        .when = "a quarter of the arithmetic instructions in the hottest loop are conversions",
        .assumes = "none",
    },
    {
        .name = "denormals",
        .cause = KG_CAUSE_DENORMALS,
        .bound = KG_BOUND_COMPUTE,
        .experiment = "flush_denormals",
        .experiment_words = "denormals set to zero",
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "The processor handles very small numbers (denormals) slowly: with "
                       "denormals set to zero the case is faster.",
        .hint = "Set denormals to zero in the program (`_MM_SET_FLUSH_ZERO_MODE`, -ffast-math when "
                "linking). Or add a tiny constant that keeps values out of their range.",
        .before = "y = 0.99f * y + x; /* x is 0 for long */",
        .after = "_mm_setcsr(_mm_getcsr() | 0x8040); /* FTZ and DAZ */",
        .evidence = {"time_ns"},
        .when = "in paired rounds, a tenth faster with denormals flushed to zero",
        .assumes = "the measured gain",
    },
    {
        .name = "scalar_loop",
        .cause = KG_CAUSE_SCALAR_LOOP,
        .bound = KG_BOUND_COMPUTE,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "The hot loop computes one number at a time.",
        .hint = "Let the compiler use vectors: `restrict` on pointers, no early exit, no call and "
                "no branch inside, -O3 and -march of the target.",
        .before = "void f(float *a, const float *b, int n)",
        .after = "void f(float *restrict a, const float *restrict b, size_t n)",
        .evidence = {"time_ns"},
        .when =
            "the hottest loop has scalar floating-point arithmetic, or forty instructions; it has "
            "no vectors and no call, is not stalled, and no dependency chain takes much of it",
        .assumes = "none",
    },
    {
        .name = "dependency_chain",
        .cause = KG_CAUSE_DEPENDENCY_CHAIN,
        .bound = KG_BOUND_LATENCY,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "Each iteration of the hot loop needs the result of the one before, so the "
                       "processor waits for it.",
        .hint = "Work on several independent parts at once and combine them at the end (four sums "
                "instead of one; -ffast-math lets the compiler do it).",
        .before = "for (...) sum += a[i];",
        .after = "for (...) { s0 += a[i]; s1 += a[i+1]; s2 += a[i+2]; s3 += a[i+3]; }",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_WHOLE_NUMBERS, NULL,
                 "Work on several independent parts at once and combine them at the end. Use a "
                 "checksum or hash that takes 8 bytes per step.",
                 "for (...) hash = hash * 31 + text[i];",
                 "for (...) { h0 = h0 * 31 + one[i]; h1 = h1 * 31 + other[i]; }"},
                {0}},
        .evidence = {"time_ns"},
        .when = "the longest dependency chain across iterations of the hottest loop takes 1.5 "
                "times as long as all its instructions",
        .assumes = "four chains at once, three to six instructions per cycle",
    },
    {
        .name = "store_forwarding",
        .cause = KG_CAUSE_STORE_FORWARDING,
        .bound = KG_BOUND_LATENCY,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "The hot loop loads a value just after it stored it in another width: the "
                       "processor must wait until the store is done.",
        .hint = "Keep the value in a register, or store and load it in the same width (`memcpy` to "
                "a local of the full type).",
        .before = "buf[0] = a; buf[1] = b; x = *(uint32_t *)buf;",
        .after = "x = a | b << 8;",
        .evidence = {"time_ns"},
        .when = "the hottest loop loads from the place of a recent store, in another width or "
                "offset, without misses from memory; or it is stalled, loads and stores, and "
                "misses do not explain the time",
        .assumes = "none",
    },
    {
        .name = "branch_misses",
        .cause = KG_CAUSE_BRANCH_MISSES,
        .bound = KG_BOUND_LATENCY,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_AT_MOST,
        .description = "The processor mispredicts branches.",
        .hint = "Compute both results and select (`x = a < b ? a : b`, masks), sort the data "
                "first, or use a table instead of a switch.",
        .before = "if (data[i] >= 128) sum += data[i];",
        .after = "sum += data[i] & -(data[i] >= 128);",
        .evidence = {"time_ns"},
        .when = "the hottest loop is stalled; mispredicted branches (simulated by Callgrind, 15 "
                "cycles each) explain 40 % of the excess",
        .assumes = "1 to 1.5 times the time of the instructions",
    },
    {
        .name = "pointer_chasing",
        .cause = KG_CAUSE_POINTER_CHASING,
        .bound = KG_BOUND_LATENCY,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_AT_MOST,
        .description = "Each load gives the address of the next, and misses the cache: nothing can "
                       "be fetched ahead.",
        .hint = "Store data that are visited together in one array, in the order of the visits; "
                "use indices, wider nodes, or open addressing.",
        .before = "for (node = first; node; node = node->next) sum += node->value;",
        .after = "for (i = 0; i < n; i++) sum += values[i];",
        .evidence = {"time_ns"},
        .when = "the hottest loop is stalled and misses the cache; a load gives the address of a "
                "load in the next iteration",
        .assumes = "none",
    },
    {
        .name = "cache_misses",
        .cause = KG_CAUSE_CACHE_MISSES,
        .bound = KG_BOUND_LATENCY,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_AT_MOST,
        .description = "Loads miss the cache and wait for memory.",
        .hint = "Make the data smaller or sort the accesses, and work on blocks that fit the "
                "cache. Prefetch (`__builtin_prefetch`) if addresses are known early.",
        .before = "for (i = 0; i < n; i++) sum += table[index[i]];",
        .after = "sort(index, n) once; or blocks of the table that fit the cache",
        .evidence = {"time_ns"},
        .when = "the hottest loop is stalled; no chain of loads, stride or stream explains its "
                "cache misses",
        .assumes = "none",
    },
    {
        .name = "page_walks",
        .cause = KG_CAUSE_PAGE_WALKS,
        .bound = KG_BOUND_LATENCY,
        .experiment = "huge_pages",
        .experiment_words = "huge pages",
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "Nearly every access touches another page, and the processor must look up "
                       "its address: with huge pages the case is faster.",
        .hint =
            "Ask for huge pages (`madvise(p, n, MADV_HUGEPAGE)`, "
            "GLIBC_TUNABLES=glibc.malloc.hugetlb=1), or keep data that are used together on fewer "
            "pages.",
        .before = "double *a = malloc(n);",
        .after = "double *a = aligned_alloc(2 << 20, n); madvise(a, n, MADV_HUGEPAGE);",
        .evidence = {"time_ns"},
        .when = "in paired rounds, a tenth faster with huge pages; most accesses are not in the "
                "line of the one before",
        .assumes = "the measured gain",
    },
    {
        .name = "memory_traffic",
        .cause = KG_CAUSE_MEMORY_TRAFFIC,
        .bound = KG_BOUND_MEMORY,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "It moves data about as fast as their memory or cache allows.",
        .hint = "Move less: join passes over the same data, use narrower types, work on blocks "
                "that stay in the cache.",
        .before = "for (...) a[i] += b[i]; for (...) a[i] *= c;",
        .after = "for (...) a[i] = (a[i] + b[i]) * c;",
        .evidence = {"time_ns", "bandwidth_share", "line_bytes"},
        .when = "the hottest loop is stalled and misses the cache; it moves vectors in sequence, "
                "or `bound_share` of the bandwidth; or it goes through memory in sequence, and its "
                "lines at memory's bandwidth take a quarter of the time",
        .assumes = "none",
    },
};

const struct kg_rule_family kg_rules_causes_core = {rules, sizeof rules / sizeof rules[0]};
