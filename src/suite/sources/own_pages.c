#include "suite/sources/own_pages.h"

#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/random.h"

static const size_t BYTES_MOST = (size_t)64 * 1024 * 1024;

struct copying {
    size_t before; /* number of objects that keep their pages */
    size_t seen;   /* number of objects so far */
    size_t bytes;
    size_t page;
    struct kg_random random;
    int refusal; /* errno of the first failure; 0: none */
};

static int object_count(struct dl_phdr_info *object, size_t size, void *user)
{
    (void)object;
    (void)size;
    ++*(size_t *)user;
    return 0;
}

size_t kg_objects_loaded(void)
{
    size_t count = 0;
    dl_iterate_phdr(object_count, &count);
    return count;
}

/* Rewrites a byte of every page with its own value. The order is random, because the system may hand out free pages in
 * the same order to each process. The write is atomic, because another thread may write there too. AddressSanitizer's
 * red zones between an object's variables lie in these pages. */
__attribute__((no_sanitize_address)) static void pages_touch(struct copying *copying,
                                                             unsigned char *start, size_t count)
{
    size_t order[256];
    enum { ORDER_MOST = sizeof order / sizeof *order };
    for (size_t from = 0; from < count; from += ORDER_MOST) {
        const size_t left = count - from, part = left < ORDER_MOST ? left : ORDER_MOST;
        for (size_t i = 0; i < part; i++)
            order[i] = from + i;
        kg_random_shuffle(&copying->random, order, part);
        for (size_t i = 0; i < part; i++)
            __atomic_fetch_or(start + order[i] * copying->page, 0, __ATOMIC_RELAXED);
    }
}

/* Copies the pages between two addresses with the given protection. The code stays executable meanwhile, because a
 * thread of the object may be running it. */
static bool range_copy(struct copying *copying, uintptr_t from, uintptr_t to, int protection)
{
    const uintptr_t start = from & ~(uintptr_t)(copying->page - 1);
    const uintptr_t end = (to + copying->page - 1) & ~(uintptr_t)(copying->page - 1);
    /* The program headers give addresses as numbers. */
    unsigned char *pages = (unsigned char *)start; /* NOLINT(performance-no-int-to-ptr) */
    if (end <= start)
        return true;
    if (mprotect(pages, end - start, protection | PROT_WRITE) != 0)
        return false;
    pages_touch(copying, pages, (end - start) / copying->page);
    if (!(protection & PROT_WRITE))
        mprotect(pages, end - start, protection);
    return true;
}

static int protection_of(const ElfW(Phdr) * segment)
{
    return (segment->p_flags & PF_R ? PROT_READ : 0) | (segment->p_flags & PF_W ? PROT_WRITE : 0) |
           (segment->p_flags & PF_X ? PROT_EXEC : 0);
}

/* The end of the part of a writable segment that is read-only after relocation; 0: no such part. */
static uintptr_t relocated_end(const struct dl_phdr_info *object, const struct copying *copying,
                               const ElfW(Phdr) * segment)
{
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type == PT_GNU_RELRO && header->p_vaddr >= segment->p_vaddr &&
            header->p_vaddr < segment->p_vaddr + segment->p_memsz)
            return (object->dlpi_addr + header->p_vaddr + header->p_memsz) &
                   ~(uintptr_t)(copying->page - 1);
    }
    return 0;
}

static bool segment_copy(struct copying *copying, const struct dl_phdr_info *object,
                         const ElfW(Phdr) * segment)
{
    const uintptr_t start = object->dlpi_addr + segment->p_vaddr;
    const uintptr_t end = start + segment->p_filesz;
    const int protection = protection_of(segment);
    const uintptr_t split = protection & PROT_WRITE ? relocated_end(object, copying, segment) : 0;
    if (split <= start)
        return range_copy(copying, start, end, protection);
    const uintptr_t middle = split < end ? split : end;
    return range_copy(copying, start, middle, protection & ~PROT_WRITE) &&
           range_copy(copying, middle, end, protection);
}

static size_t object_bytes(const struct dl_phdr_info *object)
{
    size_t bytes = 0;
    for (size_t i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD)
            bytes += object->dlpi_phdr[i].p_filesz;
    return bytes;
}

static int object_copy(struct dl_phdr_info *object, size_t size, void *user)
{
    struct copying *copying = user;
    const size_t index = copying->seen++;
    (void)size;
    if (index < copying->before || copying->refusal || !strchr(object->dlpi_name, '/') ||
        kg_file_in_system(object->dlpi_name))
        return 0;
    copying->bytes += object_bytes(object);
    if (copying->bytes > BYTES_MOST) {
        copying->refusal = EFBIG;
        return 0;
    }
    for (size_t i = 0; i < object->dlpi_phnum && !copying->refusal; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && !segment_copy(copying, object, segment))
            copying->refusal = errno;
    }
    return 0;
}

void kg_own_pages(size_t before, char note[KG_OWN_PAGES_WORDS])
{
    struct timespec now;
    struct copying copying = {.before = before, .page = (size_t)sysconf(_SC_PAGESIZE)};
    clock_gettime(CLOCK_MONOTONIC, &now);
    copying.random.state = (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 32;
    dl_iterate_phdr(object_copy, &copying);
    *note = '\0';
    if (copying.refusal)
        snprintf(
            note, KG_OWN_PAGES_WORDS,
            "the code cannot be copied to pages of its own (%s): its place in memory may shift "
            "all rounds of a side by up to 10 %%",
            strerror(copying.refusal));
}
