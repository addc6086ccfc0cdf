#include "why/rules/rule_parts.h"

/* What the time of a case goes to, as causes.c found it. Each names the place by itself. */
static const struct kg_rule rules[] = {
    {
        .name = "allocation",
        .is_cause = true,
        .cause = KG_CAUSE_ALLOCATION,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "The allocator takes that much of a call.",
        .hint = "Allocate once and reuse: a buffer that lives outside the loop, an arena, or an "
                "array in place of one object after the other.",
        .before = "for (...) { char *s = malloc(n); use(s); free(s); }",
        .after = "char *s = malloc(most); for (...) use(s); free(s);",
        .evidence = {"time_ns"},
        .when = "malloc, free, realloc or new, and what they call, are on a tenth of the stacks or "
                "more",
        .assumes = "it goes away, but for a tenth of it; no figure where that is not "
                   "told within 1.5 times",
        .settings = "min_gain",
    },
    {
        .name = "copying",
        .is_cause = true,
        .cause = KG_CAUSE_COPYING,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "Copying or clearing memory takes that much of a call.",
        .hint = "Hand over a pointer instead of a copy, let buffers grow by doubling, and clear "
                "only what is read before it is written.",
        .before = "list = realloc(list, (n + 1) * sizeof *list); struct big b = a[i];",
        .after = "if (n == room) list = realloc(list, (room *= 2) * sizeof *list); const struct "
                 "big *b = &a[i];",
        .evidence = {"time_ns"},
        .when = "memcpy, memmove, memset or strcpy are on a tenth of the stacks or more",
        .assumes = "it goes away, but for a tenth of it, perhaps with the function that "
                   "copies; no figure where that is not told within 1.5 times",
        .settings = "min_gain",
    },
    {
        .name = "formatting",
        .is_cause = true,
        .cause = KG_CAUSE_FORMATTING,
        .type = KG_TYPE_CACHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "Turning numbers into text, or text into numbers, by the C library takes "
                       "that much of a call.",
        .hint = "Format once and keep the text, write digits by a loop of your own, or store and "
                "exchange the numbers in binary; each printf reads its format anew.",
        .before = "for (...) n += snprintf(out + n, room, \"%d,\", a[i]);",
        .after = "for (...) n += digits_write(out + n, a[i]);",
        .evidence = {"time_ns"},
        .when = "the families of printf, scanf, strtod and strftime are on a tenth of the stacks "
                "or more",
        .assumes = "it goes away, but for a fifth of it; no figure where that is not "
                   "told within 1.5 times",
        .settings = "min_gain",
    },
    {
        .name = "string_scanning",
        .is_cause = true,
        .cause = KG_CAUSE_STRING_SCANNING,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "Looking through strings takes that much of a call.",
        .hint =
            "Keep the length, or where the last search ended, in place of looking for it again.",
        .before = "for (i = 0; i < strlen(s); i++) ...; strcat(s, word);",
        .after = "size_t n = strlen(s); for (i = 0; i < n; i++) ...; end = stpcpy(end, word);",
        .evidence = {"time_ns"},
        .when = "strlen, strcmp, strchr, strstr, strcat and their like are on a tenth of the "
                "stacks or more",
        .assumes = "it goes away, but for a tenth of it, perhaps with the function that "
                   "looks; no figure where that is not told within 1.5 times",
        .settings = "min_gain",
    },
    {
        .name = "linear_search",
        .is_cause = true,
        .cause = KG_CAUSE_LINEAR_SEARCH,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "Entries are compared one by one until the right one is found.",
        .hint = "Use a hash table, or keep the entries sorted and halve (`bsearch`).",
        .before = "for (i = 0; i < n; i++) if (!strcmp(a[i].name, name)) return &a[i];",
        .after = "return hash_find(&table, name);",
        .evidence = {"time_ns"},
        .when = "strcmp or memcmp take a tenth of the samples or more, and Callgrind counts eight "
                "or more of them in one call of the function that calls them; or, at most, the "
                "hottest loop only loads, compares and branches",
        .assumes = "none: that depends on what finds the entry instead",
        .settings = "min_gain",
    },
    {
        .name = "repeated_work",
        .is_cause = true,
        .cause = KG_CAUSE_REPEATED_WORK,
        .type = KG_TYPE_CACHING,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description =
            "A function is called again and again in a call, and does as much each time.",
        .hint = "Where its arguments repeat, keep what it gave; take what does not change out of "
                "the loop.",
        .before = "for (...) { make_table(t); use(t, a[i]); }",
        .after = "make_table(t); for (...) use(t, a[i]);",
        .evidence = {"time_ns"},
        .when =
            "a function of the workload is called eight times a call or more, with 200 "
            "instructions or more each time, takes most of the time, nothing else was found, and a "
            "call executes more instructions than the flops or bytes that the workload tells of "
            "want, does not bring in each line once, and has not many items for each call of that "
            "function",
        .assumes = "one of the calls is left",
        .settings = "min_gain",
    },
    {
        .name = "quadratic_loop",
        .is_cause = true,
        .cause = KG_CAUSE_QUADRATIC_LOOP,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "The hottest loop turns about as often as there are pairs of the {items} "
                       "items of a call: time grows with the square of their number, unless all "
                       "pairs have to be looked at.",
        .hint = "Sort first (`qsort`, a merge, a heap), keep what is looked for in a hash table, "
                "or go through both lists at once.",
        .before = "for (i = 1; i < n; i++) for (j = i; j && a[j - 1] > a[j]; j--) swap(a, j);",
        .after = "qsort(a, n, sizeof *a, by_key);",
        .evidence = {"time_ns", "items", "bytes"},
        .when = "the hottest loop takes half of the time or more, has whole numbers alone, no "
                "vectors and no calls, nothing else is to be said of it, and it turns a sixteenth "
                "of the square of the items of a call or more, of 256 or more (or of its bytes by "
                "four), by Callgrind's counts",
        .assumes = "none: that depends on what takes its place",
        .settings = "min_gain",
    },
    {
        .name = "call_overhead",
        .is_cause = true,
        .cause = KG_CAUSE_CALL_OVERHEAD,
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "The time goes to very many calls that each do little.",
        .hint = "Put the function where the compiler can inline it (a header, `static inline`, "
                "-flto), or let one call do many elements; a comparison that `qsort` calls can "
                "become a sort of your own type.",
        .before = "qsort(a, n, sizeof *a, by_pointer_to_function);",
        .after = "sort_ints(a, n); /* the comparison is inlined */",
        .evidence = {"time_ns"},
        .when = "qsort and its like, or a hot loop of few instructions with a call in it, take a "
                "tenth of the samples or more",
        .assumes = "none: that depends on what the compiler makes of the inlined code",
        .settings = "min_gain",
    },
    {
        .name = "math_library",
        .is_cause = true,
        .cause = KG_CAUSE_MATH_LIBRARY,
        .type = KG_TYPE_CACHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_AT_MOST,
        .description = "Functions of the mathematics library take that much of a call.",
        .hint = "Take what does not change out of the loop, use the float versions (`sinf`), a "
                "recurrence or a table, or let the compiler use vectors of them (-ffast-math, "
                "libmvec).",
        .before = "for (i = 0; i < n; i++) w[i] = 0.5 - 0.5 * cos(2 * M_PI * i / n);",
        .after = "window_make(w, n) once; for (i = 0; i < n; i++) x[i] *= w[i];",
        .evidence = {"time_ns"},
        .when =
            "sin, cos, exp, log, pow and their like are on a tenth of the stacks or more; what the "
            "loop that calls them takes besides is theirs, too",
        .assumes = "it goes away, but for three tenths of it; no figure where that is "
                   "not told within 1.5 times",
        .settings = "min_gain",
    },
    {
        .name = "division",
        .is_cause = true,
        .cause = KG_CAUSE_DIVISION,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description =
            "The hot loop divides, takes remainders or square roots: one takes 10 to 40 cycles.",
        .hint = "Multiply by the reciprocal, use powers of two with a mask, or count up and wrap "
                "by a comparison.",
        .before = "slot = key % buckets; x[i] = a[i] / scale;",
        .after = "slot = key & (buckets - 1); inverse = 1 / scale; x[i] = a[i] * inverse;",
        .evidence = {"time_ns"},
        .when = "the loop around the hottest instruction divides there, and that "
                "takes most of its turn",
        .assumes = "without it the loop ends three to six instructions a cycle",
        .settings = "min_gain",
    },
    {
        .name = "conversion",
        .is_cause = true,
        .cause = KG_CAUSE_CONVERSION,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "The hot loop converts between integers, floats and doubles.",
        .hint = "Stay in one type: write constants as `0.5f`, use `sinf`, keep sums and arrays in "
                "the type that they are used in.",
        .before = "float y = x[i] * 0.5; /* to double and back */",
        .after = "float y = x[i] * 0.5f;",
        .evidence = {"time_ns"},
        .when = "a quarter or more of the arithmetic in the hottest loop are conversions",
        .assumes = "none: that depends on the vectors that one type allows",
        .settings = "min_gain",
    },
    {
        .name = "denormals",
        .is_cause = true,
        .cause = KG_CAUSE_DENORMALS,
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
        .is_cause = true,
        .cause = KG_CAUSE_SCALAR_LOOP,
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
        .is_cause = true,
        .cause = KG_CAUSE_DEPENDENCY_CHAIN,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "Each turn of the hot loop needs the result of the one before, so the "
                       "processor waits for it.",
        .hint = "Work on several independent parts at once and join them at the end (four sums "
                "instead of one, -ffast-math lets the compiler do it).",
        .before = "for (...) sum += a[i];",
        .after = "for (...) { s0 += a[i]; s1 += a[i+1]; s2 += a[i+2]; s3 += a[i+3]; }",
        .evidence = {"time_ns"},
        .when = "the longest chain from turn to turn of the hottest loop takes half as long again "
                "as all its instructions",
        .assumes = "four chains at once, and three to six instructions a cycle",
        .settings = "min_gain",
    },
    {
        .name = "store_forwarding",
        .is_cause = true,
        .cause = KG_CAUSE_STORE_FORWARDING,
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
        .is_cause = true,
        .cause = KG_CAUSE_BRANCH_MISSES,
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
        .is_cause = true,
        .cause = KG_CAUSE_POINTER_CHASING,
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
        .is_cause = true,
        .cause = KG_CAUSE_CACHE_MISSES,
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
        .is_cause = true,
        .cause = KG_CAUSE_PAGE_WALKS,
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
        .is_cause = true,
        .cause = KG_CAUSE_MEMORY_TRAFFIC,
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

const struct kg_rule_family kg_rules_causes = {rules, sizeof rules / sizeof rules[0]};
