/* The hash of a program or shared object: every byte of the file that can reach the memory of the
 * process. Changed constants in a note, between two segments or in a section without flags are
 * loaded too, so they count. */
#include <stdlib.h>
#include <unistd.h>

#include "base/code/code_hash.h"
#include "base/code/elf.h"
#include "base/sha256.h"

/* Bytes of the file, `end` excluded. */
struct range {
    uint64_t from, end;
};

enum { SEGMENTS_MOST = 128, HIDDEN = 3 };

struct image {
    const struct kg_elf *elf;
    struct range ranges[SEGMENTS_MOST + 2]; /* hashed */
    size_t count;
    struct range hidden[HIDDEN]; /* not hashed */
    uint64_t page;
    size_t code_bytes;
    struct kg_sha256 sum;
};

static int range_order(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static bool range_add(struct image *image, uint64_t from, uint64_t size)
{
    if (from > image->elf->length || size > image->elf->length - from)
        return false;
    image->ranges[image->count++] = (struct range){from, from + size};
    return true;
}

/* The kernel maps whole pages, with the bytes before and after a segment. After a segment that ends
 * in zeroed memory, kernel and loader overwrite these bytes. */
static void range_widen(const struct image *image, const Elf64_Phdr *segment, struct range *range)
{
    const bool zeroed = segment->p_flags & PF_W && segment->p_memsz > segment->p_filesz;
    range->from -= range->from % image->page;
    if (!zeroed && range->end % image->page)
        range->end += image->page - range->end % image->page;
    if (range->end > image->elf->length)
        range->end = image->elf->length;
}

static bool segments_collect(struct image *image)
{
    const struct kg_elf *elf = image->elf;
    if (!range_add(image, 0, sizeof(Elf64_Ehdr)) ||
        !range_add(image, elf->segments_at, elf->segment_count * sizeof(Elf64_Phdr)))
        return false;
    for (size_t i = 0; i < elf->segment_count; i++) {
        const Elf64_Phdr segment = kg_elf_segment(elf, i);
        if (!range_add(image, segment.p_offset, segment.p_filesz))
            return false;
        if (segment.p_type == PT_LOAD)
            range_widen(image, &segment, &image->ranges[image->count - 1]);
        if (segment.p_type == PT_LOAD && segment.p_flags & PF_X)
            image->code_bytes += segment.p_filesz;
    }
    qsort(image->ranges, image->count, sizeof *image->ranges, range_order);
    return true;
}

/* The build id differs if debug information differs. The header has the place of the section
 * headers, which moves with debug information; neither the kernel nor the loader reads it. */
static void hidden_find(struct image *image)
{
    size_t size = 0;
    const unsigned char *id = kg_elf_build_id(image->elf, &size);
    const uint64_t at = id ? (uint64_t)(id - image->elf->bytes) : 0;
    image->hidden[0] = (struct range){offsetof(Elf64_Ehdr, e_shoff),
                                      offsetof(Elf64_Ehdr, e_shoff) + sizeof(Elf64_Off)};
    image->hidden[1] = (struct range){offsetof(Elf64_Ehdr, e_shnum), sizeof(Elf64_Ehdr)};
    image->hidden[2] = (struct range){at, at + size};
    qsort(image->hidden, HIDDEN, sizeof *image->hidden, range_order);
}

/* Bytes from `from` to `end`, except the hidden ones; their place counts too. */
static void bytes_add(struct image *image, uint64_t from, uint64_t end)
{
    const struct range place = {from, end};
    kg_sha256_add(&image->sum, &place, sizeof place);
    for (size_t i = 0; i < HIDDEN; i++) {
        const struct range hidden = image->hidden[i];
        if (hidden.end <= from || hidden.from >= end)
            continue;
        if (hidden.from > from)
            kg_sha256_add(&image->sum, image->elf->bytes + from, hidden.from - from);
        from = hidden.end < end ? hidden.end : end;
    }
    kg_sha256_add(&image->sum, image->elf->bytes + from, end - from);
}

/* Counts each byte once, however many segments contain it: the ranges are in order. */
static void ranges_add(struct image *image)
{
    for (size_t i = 0; i < image->count;) {
        struct range whole = image->ranges[i++];
        for (; i < image->count && image->ranges[i].from <= whole.end; i++)
            if (image->ranges[i].end > whole.end)
                whole.end = image->ranges[i].end;
        bytes_add(image, whole.from, whole.end);
    }
}

bool kg_image_sum(const struct kg_elf *elf, struct kg_code_sum *sum)
{
    const long page = sysconf(_SC_PAGESIZE);
    struct image image = {.elf = elf, .page = page > 0 ? (uint64_t)page : 4096};
    char hex[KG_SHA256_DIGITS + 1];
    kg_sha256_start(&image.sum);
    if (elf->segment_count > SEGMENTS_MOST || !segments_collect(&image))
        return false;
    hidden_find(&image);
    ranges_add(&image);
    kg_sha256_end(&image.sum, hex);
    hex[16] = '\0';
    *sum = (struct kg_code_sum){strtoull(hex, NULL, 16), image.code_bytes};
    return true;
}
