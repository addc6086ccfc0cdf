#include "run/worker/worker.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#if defined __x86_64__
#include <xmmintrin.h>
#endif

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

void kg_denormals_flush(void)
{
#if defined __x86_64__
    enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x40 };
    _mm_setcsr(_mm_getcsr() | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
#endif
}

struct mapping {
    char *start, *end;
};

/* Asks for huge pages in the aligned part of a mapping. */
static void mapping_ask(const struct mapping *mapping)
{
    const size_t huge = (size_t)2 << 20;
    const size_t before = (huge - (uintptr_t)mapping->start % huge) % huge;
    const size_t bytes = (size_t)(mapping->end - mapping->start);
    if (bytes < before + huge)
        return;
    const size_t whole = (bytes - before) / huge * huge;
    madvise(mapping->start + before, whole, MADV_HUGEPAGE);
    madvise(mapping->start + before, whole, MADV_COLLAPSE);
}

/* Reads a line of /proc/self/maps. Returns whether the mapping is allocated memory. */
static bool mapping_read(const char *line, struct mapping *mapping)
{
    void *start, *end;
    char mode[5];
    unsigned long inode;
    if (sscanf(line, "%p-%p %4s %*s %*s %lu", &start, &end, mode, &inode) != 4)
        return false;
    *mapping = (struct mapping){start, end};
    return !strcmp(mode, "rw-p") && !inode && !strstr(line, "[stack]");
}

void kg_huge_pages_ask(void)
{
    enum { MAPPINGS_MOST = 1024 };
    static struct mapping mappings[MAPPINGS_MOST];
    size_t count = 0;
    char line[4352];
    FILE *file = fopen("/proc/self/maps", "re");
    /* read the whole list first, since the requests change it */
    while (file && count < MAPPINGS_MOST && fgets(line, sizeof line, file))
        count += mapping_read(line, &mappings[count]);
    if (file)
        fclose(file);
    for (size_t i = 0; i < count; i++)
        mapping_ask(&mappings[i]);
}
