#include "why/observe/modules.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

/* Functions of glibc with several versions, or with several names: fflush is _IO_fflush, too. */
static const char *const names[] = {
    "memcpy",  "memmove", "mempcpy",  "memset",    "memcmp",     "bcmp",        "memchr",
    "memrchr", "strlen",  "strnlen",  "strcmp",    "strncmp",    "strcpy",      "strncpy",
    "stpcpy",  "stpncpy", "strcat",   "strncat",   "strchr",     "strchrnul",   "strrchr",
    "strstr",  "strspn",  "strcspn",  "strpbrk",   "strcasecmp", "strncasecmp", "rawmemchr",
    "wcslen",  "wcscmp",  "wmemset",  "sin",       "cos",        "tan",         "sincos",
    "sinf",    "cosf",    "sincosf",  "exp",       "expf",       "exp2f",       "log",
    "logf",    "log2",    "log2f",    "pow",       "powf",       "atan",        "atan2",
    "asin",    "acos",    "floor",    "floorf",    "ceil",       "ceilf",       "rint",
    "rintf",   "trunc",   "truncf",   "nearbyint", "fma",        "fmaf",        "gettimeofday",
    "time",    "fclose",  "fdopen",   "fflush",    "fgets",      "fopen",       "fprintf",
    "fputs",   "fread",   "fseek",    "ftell",     "fwrite",     "getc",        "getline",
    "popen",   "printf",  "putc",     "puts",      "rewind",     "setvbuf",     "sprintf",
    "sscanf",  "ungetc",  "vfprintf", "vsprintf"};

static void functions_find(struct kg_exported *exported, const char *path)
{
    enum { COUNT = sizeof names / sizeof *names };
    exported->functions = kg_alloc(COUNT, sizeof *exported->functions);
    for (size_t i = 0; i < COUNT; i++) {
        Dl_info info;
        void *function = dlsym(RTLD_DEFAULT, names[i]);
        if (function && dladdr(function, &info) && info.dli_fname &&
            kg_file_same(info.dli_fname, path))
            exported->functions[exported->count++] = (struct kg_exported_function){
                .start = (uint64_t)((uintptr_t)function - (uintptr_t)info.dli_fbase),
                .name = names[i]};
    }
}

static Elf_Data *section_find(Elf *elf, const char *name, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    size_t names_at;
    if (elf_getshdrstrndx(elf, &names_at) != 0)
        return NULL;
    while ((section = elf_nextscn(elf, section))) {
        const char *found =
            gelf_getshdr(section, header) ? elf_strptr(elf, names_at, header->sh_name) : NULL;
        if (found && !strcmp(found, name))
            return elf_rawdata(section, NULL);
    }
    return NULL;
}

/* Reads the binary search table that linkers write into .eh_frame_hdr: pairs of offsets from the
 * section's address, four bytes each, sorted by the first. */
static void starts_read(struct kg_exported *exported, Elf *elf)
{
    enum { HEAD = 12, RELATIVE_4 = 0x3b, COUNT_4 = 0x03, FRAMES_4 = 0x1b };
    GElf_Shdr header;
    const Elf_Data *data = section_find(elf, ".eh_frame_hdr", &header);
    const unsigned char *bytes = data ? data->d_buf : NULL;
    uint32_t count;
    if (!bytes || data->d_size < HEAD || bytes[1] != FRAMES_4 || bytes[2] != COUNT_4 ||
        bytes[3] != RELATIVE_4)
        return;
    memcpy(&count, bytes + 8, sizeof count);
    if (count > (data->d_size - HEAD) / 8)
        return;
    exported->starts = kg_alloc(count ? count : 1, sizeof *exported->starts);
    for (size_t i = 0; i < count; i++) {
        int32_t offset;
        memcpy(&offset, bytes + HEAD + i * 8, sizeof offset);
        exported->starts[exported->start_count++] = header.sh_addr + (uint64_t)(int64_t)offset;
    }
}

void kg_exported_open(struct kg_exported *exported, const char *path, Elf *elf)
{
    *exported = (struct kg_exported){0};
    functions_find(exported, path);
    if (exported->count)
        starts_read(exported, elf);
}

void kg_exported_free(struct kg_exported *exported)
{
    free(exported->functions);
    free(exported->starts);
    *exported = (struct kg_exported){0};
}

const char *kg_exported_name(const struct kg_exported *exported, uint64_t address)
{
    size_t low = 0, high = exported->start_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (exported->starts[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = 0; low && i < exported->count; i++)
        if (exported->functions[i].start == exported->starts[low - 1])
            return exported->functions[i].name;
    return NULL;
}
