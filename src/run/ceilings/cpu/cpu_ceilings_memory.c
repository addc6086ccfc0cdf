/* The bandwidth of caches and memory: loops over arrays that fit into one level. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "run/ceilings/cpu/cpu_ceilings_parts.h"

enum { PIECE_WORDS = 32 * 1024, PARTS = 3 };
static const double MIB = 1 << 20;

/* A thread's own data: three parts of equal length. Each word is its index, except in the last part,
 * which is written. The struct has a cache line of its own, since threads count in it. */
struct set {
    _Alignas(128) uint32_t *words;
    size_t bytes;   /* mapped */
    size_t part;    /* words in use, of each part */
    size_t at;      /* index of the next word */
    size_t covered; /* words of the last part that were written */
};

enum mode { READ, COPY, ADD, MODES };

struct streaming {
    const struct kg_cpu_code *code;
    struct set *sets;
    size_t bytes; /* of each set, to be mapped */
    size_t part;  /* words */
    enum mode mode;
    bool past_caches;
    bool shared;    /* several cores share the level */
    size_t length;  /* words of an array, after which a thread begins again */
    size_t piece;   /* words per call of a loop */
    uint32_t times; /* repetitions of a piece */
    size_t pieces;  /* pieces per turn */
};

/* --- Work of one thread --- */

static bool map(void *state, int thread)
{
    const struct streaming *streaming = state;
    struct set *set = &streaming->sets[thread];
    void *memory =
        mmap(NULL, streaming->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *set = (struct set){.words = memory == MAP_FAILED ? NULL : memory, .bytes = streaming->bytes};
    return true;
}

static bool fill(void *state, int thread)
{
    const struct streaming *streaming = state;
    struct set *set = &streaming->sets[thread];
    set->part = streaming->part;
    for (size_t i = 0; i < PARTS * set->part; i++)
        set->words[i] = (uint32_t)i;
    return true;
}

/* The sum of words that equal their index, modulo 2^32. */
static uint32_t sum_of(size_t first, size_t count)
{
    const uint64_t pairs = count % 2 ? (count - 1) / 2 * count : count / 2 * (count - 1);
    return (uint32_t)(first * count + pairs);
}

static bool read_piece(const struct kg_cpu_code *code, const struct set *set, size_t count,
                       uint32_t times)
{
    return code->read(set->words + set->at, count, times) == sum_of(set->at, count) * times;
}

static void write_piece(const struct streaming *streaming, const struct set *set, size_t count,
                        uint32_t times)
{
    const struct kg_cpu_code *code = streaming->code;
    const uint32_t *a = set->words + set->at, *b = a + set->part;
    uint32_t *to = set->words + 2 * set->part + set->at;
    if (streaming->mode == ADD)
        (streaming->past_caches ? code->stream_add : code->add)(to, a, b, count, times);
    else
        (streaming->past_caches ? code->stream_copy : code->copy)(to, a, count, times);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool turn(void *state, int thread)
{
    const struct streaming *streaming = state;
    struct set *set = &streaming->sets[thread];
    const size_t piece = streaming->piece;
    bool right = true;
    for (size_t i = 0; i < streaming->pieces; i++) {
        if (streaming->mode == READ)
            right = read_piece(streaming->code, set, piece, streaming->times) && right;
        else
            write_piece(streaming, set, piece, streaming->times);
        set->at = set->at + piece < streaming->length ? set->at + piece : 0;
        set->covered = smaller(set->covered + piece, streaming->length);
    }
    return right;
}

/* Checks the written words. Of a long array it checks only a few thousand. */
static bool verify(void *state, int thread)
{
    enum { SOME = 4096 };
    const struct streaming *streaming = state;
    const struct set *set = &streaming->sets[thread];
    const uint32_t *written = set->words + 2 * set->part;
    const size_t step = set->covered / SOME + 1;
    if (streaming->mode == READ)
        return true;
    for (size_t i = 0; i < set->covered; i += step)
        if (written[i] != (uint32_t)(streaming->mode == ADD ? 2 * i + set->part : i))
            return false;
    return set->covered > 0;
}

/* --- Sizes --- */

/* Bytes of a cache per thread. A single thread has a whole cache. */
static double share(const struct kg_cpu_measuring *measuring, enum kg_cache_level level,
                    int threads)
{
    const struct kg_cpu_cache *cache = &measuring->caches.levels[level];
    return threads == 1 ? cache->bytes : cache->bytes * cache->count / threads;
}

/* Half of the share. More of the last level, if half would be little larger than the level before. */
static double cached_bytes(const struct kg_cpu_measuring *measuring, enum kg_cache_level level,
                           int threads)
{
    static const double FAR_BEYOND = 1.5;
    const double half = share(measuring, level, threads) / 2;
    const double before = level == KG_LEVEL_L3 ? share(measuring, KG_LEVEL_L2, threads) : NAN;
    return half < FAR_BEYOND * before ? half + before : half;
}

/* Size of a thread's arrays for memory: four times its share of the last level, and at least 64 MiB in
 * all threads. At most an eighth of the free memory. NaN if that is less than twice the last level. */
static double memory_bytes(const struct kg_cpu_measuring *measuring, int threads)
{
    double last = 0;
    for (int level = KG_LEVEL_L1; level < KG_LEVEL_MEMORY; level++)
        last = fmax(last, share(measuring, (enum kg_cache_level)level, threads));
    const double most = measuring->free_bytes / 8 / threads;
    const double bytes = fmin(fmax(4 * last, 64 * MIB / threads), most);
    return bytes >= 2 * last && bytes >= MIB ? bytes : NAN;
}

/* Words of a part: whole pieces, or whole blocks of the loops. */
static size_t part_words(double bytes)
{
    const size_t words = (size_t)(bytes / PARTS / sizeof(uint32_t));
    const size_t unit = words >= PIECE_WORDS ? PIECE_WORDS : KG_CPU_BLOCK_WORDS;
    return words / unit * unit;
}

/* --- Levels --- */

static const struct {
    size_t ceiling;    /* offset */
    size_t turn_words; /* microseconds' worth */
} levels[KG_LEVEL_COUNT] = {
    [KG_LEVEL_L1] = {offsetof(struct kg_cpu_ceiling, l1_bytes_per_s), 512 * 1024},
    [KG_LEVEL_L2] = {offsetof(struct kg_cpu_ceiling, l2_bytes_per_s), 256 * 1024},
    [KG_LEVEL_L3] = {offsetof(struct kg_cpu_ceiling, l3_bytes_per_s), 128 * 1024},
    [KG_LEVEL_MEMORY] = {offsetof(struct kg_cpu_ceiling, memory_bytes_per_s), 64 * 1024},
};

/* In a turn a short array is read many times; of a long one the next pieces are read. */
static void turn_plan(struct streaming *streaming, size_t turn_words)
{
    const bool is_short = streaming->part <= PIECE_WORDS;
    streaming->length = streaming->part * (streaming->mode == READ ? PARTS : 1);
    streaming->piece = is_short ? streaming->length : PIECE_WORDS;
    const size_t fit = turn_words / streaming->piece > 0 ? turn_words / streaming->piece : 1;
    streaming->times = is_short ? (uint32_t)fit : 1;
    streaming->pieces = is_short ? 1 : fit;
}

static bool mode_measure(struct streaming *streaming, int threads, double *rate,
                         struct kg_error *err)
{
    const double arrays = streaming->mode + 1; /* that are read or written */
    const double words = (double)(streaming->piece * streaming->times * streaming->pieces);
    for (int thread = 0; thread < threads; thread++)
        streaming->sets[thread].at = streaming->sets[thread].covered = 0;
    const struct kg_cpu_task task = {.work = turn,
                                     .state = streaming,
                                     .amount = words * arrays * sizeof(uint32_t),
                                     .shared = streaming->shared};
    return kg_cpu_team_rate(threads, &task, rate, err) &&
           kg_cpu_team_do(threads, verify, streaming, err);
}

/* The read mode comes first: it checks the indices, and later modes overwrite the last part. */
static bool level_measure(struct streaming *streaming, enum kg_cache_level level, double bytes,
                          int threads, struct kg_cpu_ceiling *ceiling, struct kg_error *err)
{
    double *rate = (double *)((char *)ceiling + levels[level].ceiling);
    streaming->part = part_words(bytes);
    streaming->past_caches = level == KG_LEVEL_MEMORY;
    streaming->shared = level >= KG_LEVEL_L3;
    if (!streaming->part)
        return true;
    if (!kg_cpu_team_do(threads, fill, streaming, err))
        return false;
    for (int mode = READ; mode < MODES; mode++) {
        streaming->mode = (enum mode)mode;
        turn_plan(streaming, levels[level].turn_words);
        if (!mode_measure(streaming, threads, rate, err))
            return false;
    }
    return true;
}

/* The last level, at several sizes, from twice the level before up to half of its own. The best
 * size counts. The host gives a virtual machine a part of the last level that the kernel does not know;
 * larger arrays come from memory. */
static bool last_level_measure(const struct kg_cpu_measuring *measuring,
                               struct streaming *streaming, double most, int threads,
                               struct kg_cpu_ceiling *ceiling, struct kg_error *err)
{
    double bytes = 2 * share(measuring, KG_LEVEL_L2, threads);
    while (bytes < most) {
        if (!level_measure(streaming, KG_LEVEL_L3, bytes, threads, ceiling, err))
            return false;
        bytes *= 4;
    }
    return level_measure(streaming, KG_LEVEL_L3, most, threads, ceiling, err);
}

/* The caches from small to large, then memory; also its latency if no other thread uses it. The last
 * level is at least as fast as memory. */
static bool levels_measure(struct kg_cpu_measuring *measuring, struct streaming *streaming,
                           double memory, int threads, struct kg_error *err)
{
    struct kg_cpu_ceilings *ceilings = measuring->ceilings;
    struct kg_cpu_ceiling *ceiling = threads == 1 ? &ceilings->one : &ceilings->all;
    for (int i = KG_LEVEL_L1; i < KG_LEVEL_COUNT; i++) {
        const enum kg_cache_level level = (enum kg_cache_level)i;
        const double bytes =
            level == KG_LEVEL_MEMORY ? memory : cached_bytes(measuring, level, threads);
        if (bytes <= (double)streaming->bytes &&
            !(level == KG_LEVEL_L3
                  ? last_level_measure(measuring, streaming, bytes, threads, ceiling, err)
                  : level_measure(streaming, level, bytes, threads, ceiling, err)))
            return false;
    }
    if (ceiling->l3_bytes_per_s > 0)
        ceiling->l3_bytes_per_s = fmax(ceiling->l3_bytes_per_s, ceiling->memory_bytes_per_s);
    if (threads == 1 && !isnan(memory))
        ceilings->memory_latency_ns =
            fmin(ceilings->memory_latency_ns,
                 kg_cpu_latency_ns(measuring->code, streaming->sets[0].words, streaming->bytes));
    return true;
}

static bool all_mapped(const struct streaming *streaming, int threads, struct kg_error *err)
{
    for (int thread = 0; thread < threads; thread++)
        if (!streaming->sets[thread].words)
            return kg_error_memory(err);
    return true;
}

bool kg_cpu_memory(struct kg_cpu_measuring *measuring, int threads, struct kg_error *err)
{
    const double memory = memory_bytes(measuring, threads);
    double bytes = isnan(memory) ? 0 : memory;
    for (int level = KG_LEVEL_L1; level < KG_LEVEL_MEMORY; level++)
        bytes = fmax(bytes, cached_bytes(measuring, (enum kg_cache_level)level, threads));
    if (bytes * threads > measuring->free_bytes / 2)
        return kg_error_set(err, KG_ERROR_MEASURE, "too little memory is free");
    struct streaming streaming = {.code = measuring->code, .bytes = (size_t)bytes + 1};
    streaming.sets = aligned_alloc(_Alignof(struct set), (size_t)threads * sizeof *streaming.sets);
    if (!streaming.sets)
        return kg_error_memory(err);
    memset(streaming.sets, 0, (size_t)threads * sizeof *streaming.sets);
    const bool good = kg_cpu_team_do(threads, map, &streaming, err) &&
                      all_mapped(&streaming, threads, err) &&
                      levels_measure(measuring, &streaming, memory, threads, err);
    for (int thread = 0; thread < threads; thread++)
        if (streaming.sets[thread].words)
            munmap(streaming.sets[thread].words, streaming.sets[thread].bytes);
    free(streaming.sets);
    if (good && isnan(memory))
        return kg_error_set(err, KG_ERROR_MEASURE,
                            "too little memory is free to measure its bandwidth");
    return good;
}
