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
                 "Numbers of 128 bits are divided by a function: stay within 64 bits where they "
                 "fit.",
                 "unsigned __int128 q = a / b;", "uint64_t q = (uint64_t)a / b;"},
                {KG_BY_CODE, "divs|divp",
                 "Multiply by the reciprocal, taken once outside of the loop (-ffast-math lets the "
                 "compiler do it).",
                 "for (...) x[i] = a[i] / scale;",
                 "inverse = 1 / scale; for (...) x[i] = a[i] * inverse;"},
                {KG_BY_CODE, "sqrt", "Compare squares, and take the root only of what is kept.",
                 "if (sqrt(dx * dx + dy * dy) < r) ...;", "if (dx * dx + dy * dy < r * r) ...;"},
                {KG_BY_CODE, "div",
                 "Use powers of two with a mask, count up and wrap by a comparison, or a narrower "
                 "type: 32 bits divide faster than 64.",
                 "slot = key % buckets;",
                 "slot = key & (buckets - 1); /* buckets is a power of two */"},
                {0}},
        .evidence = {"time_ns"},
        .when = "the loop around the hottest instruction divides there, and that "
                "takes most of its turn",
        .assumes = "without it the loop ends three to six instructions a cycle",
        .settings = "min_gain",
    },
    {
        .name = "conversion",
        .cause = KG_CAUSE_CONVERSION,
        .bound = KG_BOUND_COMPUTE,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "The hot loop converts between integers, floats and doubles.",
        .hint = "Stay in one type: write constants as `0.5f`, use `sinf`, keep sums and arrays in "
                "the type that they are used in.",
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
        .when = "a quarter or more of the arithmetic in the hottest loop are conversions",
        .assumes = "none: that depends on the vectors that one type allows",
        .settings = "min_gain",
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
        .description = "Numbers so small that the processor handles them slowly (denormals): with "
                       "these set to zero the case is faster.",
        .hint = "Set them to zero in the program (`_MM_SET_FLUSH_ZERO_MODE`, -ffast-math when "
                "linking), or add a tiny constant that keeps them away.",
        .before = "y = 0.99f * y + x; /* x is 0 for long */",
        .after = "_mm_setcsr(_mm_getcsr() | 0x8040); /* FTZ and DAZ */",
        .evidence = {"time_ns"},
        .when = "the case is faster by a tenth or more when denormals are flushed to zero, turn by "
                "turn with itself",
        .assumes = "what the experiment gained",
        .settings = "min_gain",
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
        .when = "the hottest loop has scalar floating-point arithmetic, or forty "
                "instructions or more, and no vectors and no call, is not stalled, "
                "and no chain from turn to turn takes much of it",
        .assumes = "none: that depends on how many elements a vector then holds",
        .settings = "min_gain",
    },
    {
        .name = "dependency_chain",
        .cause = KG_CAUSE_DEPENDENCY_CHAIN,
        .bound = KG_BOUND_LATENCY,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "Each turn of the hot loop needs the result of the one before, so the "
                       "processor waits for it.",
        .hint = "Work on several independent parts at once and join them at the end (four sums "
                "instead of one, -ffast-math lets the compiler do it).",
        .before = "for (...) sum += a[i];",
        .after = "for (...) { s0 += a[i]; s1 += a[i+1]; s2 += a[i+2]; s3 += a[i+3]; }",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_WHOLE_NUMBERS, NULL,
                 "Work on several independent parts at once and join them at the end; of checksums "
                 "and hashes use one that takes 8 bytes a step.",
                 "for (...) hash = hash * 31 + text[i];",
                 "for (...) { h0 = h0 * 31 + one[i]; h1 = h1 * 31 + other[i]; }"},
                {0}},
        .evidence = {"time_ns"},
        .when = "the longest chain from turn to turn of the hottest loop takes half as long again "
                "as all its instructions",
        .assumes = "four chains at once, and three to six instructions a cycle",
        .settings = "min_gain",
    },
    {
        .name = "store_forwarding",
        .cause = KG_CAUSE_STORE_FORWARDING,
        .bound = KG_BOUND_LATENCY,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "The hot loop reads at once what it has just stored, in another width: the "
                       "processor must wait until the store is done.",
        .hint = "Keep the value in a register, or store and load it in the same width (`memcpy` to "
                "a local of the full type).",
        .before = "buf[0] = a; buf[1] = b; x = *(uint32_t *)buf;",
        .after = "x = a | b << 8;",
        .evidence = {"time_ns"},
        .when = "the hottest loop loads from where it has just stored, of another "
                "width or place, and misses no data of memory; or its turn takes far "
                "longer than its instructions, it loads and stores, and no misses "
                "explain that",
        .assumes = "none: that depends on what keeps the value instead",
        .settings = "min_gain",
    },
    {
        .name = "branch_misses",
        .cause = KG_CAUSE_BRANCH_MISSES,
        .bound = KG_BOUND_LATENCY,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_AT_MOST,
        .description = "The processor guesses branches wrong.",
        .hint = "Compute both and select (`x = a < b ? a : b`, masks), sort the data first, or use "
                "a table instead of a switch.",
        .before = "if (data[i] >= 128) sum += data[i];",
        .after = "sum += data[i] & -(data[i] >= 128);",
        .evidence = {"time_ns"},
        .when =
            "a turn of the hottest loop takes far longer than its instructions, and mispredicted "
            "branches, simulated by Callgrind, at 15 cycles each, explain 40 % of that",
        .assumes = "the loop takes what its instructions need, and half as much again "
                   "at most",
        .settings = "min_gain",
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
        .hint = "Keep what is walked together in one array, in the order of the walk; use indices, "
                "wider nodes, or open addressing.",
        .before = "for (node = first; node; node = node->next) sum += node->value;",
        .after = "for (i = 0; i < n; i++) sum += values[i];",
        .evidence = {"time_ns"},
        .when = "a turn of the hottest loop takes far longer than its instructions, there are "
                "cache misses in it, and a load gives the address of a load in the next turn",
        .assumes = "none: that depends on the layout that takes its place",
        .settings = "min_gain",
    },
    {
        .name = "cache_misses",
        .cause = KG_CAUSE_CACHE_MISSES,
        .bound = KG_BOUND_LATENCY,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_AT_MOST,
        .description = "Loads miss the cache and wait for memory.",
        .hint = "Make the data smaller or sort the accesses, work on blocks that fit the cache, "
                "fetch ahead (`__builtin_prefetch`) where addresses are known early.",
        .before = "for (i = 0; i < n; i++) sum += table[index[i]];",
        .after = "sort(index, n) once; or blocks of the table that fit the cache",
        .evidence = {"time_ns"},
        .when = "a turn of the hottest loop takes far longer than its instructions, and there are "
                "cache misses in it that no chain of loads, no stride and no stream explains",
        .assumes = "none: that depends on how much of the data then fits the cache",
        .settings = "min_gain",
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
        .description = "Nearly every access touches another page, and the processor looks up where "
                       "it is: with huge pages the case is faster.",
        .hint =
            "Ask for huge pages (`madvise(p, n, MADV_HUGEPAGE)`, "
            "GLIBC_TUNABLES=glibc.malloc.hugetlb=1), or keep what is used together on fewer pages.",
        .before = "double *a = malloc(n);",
        .after = "double *a = aligned_alloc(2 << 20, n); madvise(a, n, MADV_HUGEPAGE);",
        .evidence = {"time_ns"},
        .when = "the case is faster by a tenth or more with huge pages, turn by turn "
                "with itself, and most accesses are not in the line of the one "
                "before",
        .assumes = "what the experiment gained",
        .settings = "min_gain",
    },
    {
        .name = "memory_traffic",
        .cause = KG_CAUSE_MEMORY_TRAFFIC,
        .bound = KG_BOUND_MEMORY,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description =
            "It moves data about as fast as the memory or the cache that they lie in can.",
        .hint = "Move less: join passes over the same data, use narrower types, work on blocks "
                "that stay in the cache.",
        .before = "for (...) a[i] += b[i]; for (...) a[i] *= c;",
        .after = "for (...) a[i] = (a[i] + b[i]) * c;",
        .evidence = {"time_ns", "bandwidth_share", "line_bytes"},
        .when = "a turn of the hottest loop takes far longer than its instructions, "
                "there are cache misses in it, and it moves vectors in sequence, or "
                "`bound_share` of the bandwidth; or it goes through memory in "
                "sequence, and moving its lines at the bandwidth of memory takes a "
                "quarter of the time",
        .assumes = "none: that depends on how much less is moved",
        .settings = "min_gain",
    },
};

const struct kg_rule_family kg_rules_causes_core = {rules, sizeof rules / sizeof rules[0]};
