/* Which pages of a crawl were seen already: links are looked up by the number of their page. */
#include "workload.h"

enum { PAGES = 4 << 20, LINKS = 100000 };

struct page {
    uint32_t seen;
    uint32_t depth;
    uint64_t address;
};

struct work {
    struct page pages[PAGES];
    uint8_t seen[PAGES / 8]; /* the same, a bit for each */
    uint32_t links[LINKS];
    uint32_t fresh;
    uint32_t expected;
};

static uint32_t fresh_in_pages(const struct page *pages, const uint32_t *links, size_t count)
{
    uint32_t fresh = 0;
    for (size_t i = 0; i < count; i++)
        fresh += !pages[links[i]].seen;
    return fresh;
}

static uint32_t fresh_in_bits(const uint8_t *seen, const uint32_t *links, size_t count)
{
    uint32_t fresh = 0;
    for (size_t i = 0; i < count; i++)
        fresh += !(seen[links[i] >> 3] >> (links[i] & 7) & 1);
    return fresh;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->fresh = fresh_in_pages(work->pages, work->links, LINKS);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->fresh = fresh_in_bits(work->seen, work->links, LINKS);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < PAGES; i++) {
        const uint64_t number = workload_random(&sequence);
        work->pages[i] = (struct page){.seen = number & 1, .address = number};
        work->seen[i / 8] |= (uint8_t)((number & 1) << (i % 8));
    }
    for (size_t i = 0; i < LINKS; i++) {
        work->links[i] = (uint32_t)(workload_random(&sequence) % PAGES);
        work->expected += !work->pages[work->links[i]].seen;
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->fresh != work->expected);
}

PAIR(crawled, "Counts the links to pages that were not seen yet.");
