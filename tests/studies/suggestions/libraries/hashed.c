/* xxHash: XXH3 compiled for any processor (XXH_VECTOR=XXH_SCALAR), and as it comes, with SSE2. */
#include "../developed/workload.h"

enum { BLOCK = 64 << 10 };

uint64_t plain_XXH3_64bits(const void *data, size_t length);
uint64_t vector_XXH3_64bits(const void *data, size_t length);

struct work {
    unsigned char block[BLOCK];
    uint64_t hash;
};

static void run_bad(void *state)
{
    struct work *work = state;
    work->hash = plain_XXH3_64bits(work->block, BLOCK);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->hash = vector_XXH3_64bits(work->block, BLOCK);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < BLOCK; i++)
        work->block[i] = (unsigned char)workload_random(&sequence);
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, plain_XXH3_64bits(work->block, BLOCK) != work->hash ||
                                     vector_XXH3_64bits(work->block, BLOCK) != work->hash);
}

PAIR(hashed, "Hashes a block.");
