#include "base/code/harness.h"

#include <string.h>
#include <sys/stat.h>

#include "base/code/code_hash.h"
#include "base/code/elf.h"
#include "base/file.h"

/* Names of options that Google Benchmark compares, each a whole string of its data. Here they form
 * one string: otherwise kgate itself would look like a benchmark. */
static const char options[] = "benchmark_min_time benchmark_repetitions benchmark_list_tests";

static bool has_string(const struct kg_text *file, const char *name, size_t length)
{
    const char *at = file->data, *end = file->data + file->length;
    while ((at = memmem(at, (size_t)(end - at), name, length)) != NULL) {
        if (at > file->data && !at[-1] && at + length < end && !at[length])
            return true;
        at++;
    }
    return false;
}

static bool has_options(const struct kg_text *file)
{
    for (const char *name = options; *name;) {
        const size_t length = strcspn(name, " ");
        if (!has_string(file, name, length))
            return false;
        name += length + (name[length] == ' ');
    }
    return true;
}

bool kg_code_is_google_benchmark(const char *path)
{
    struct kg_text file = {0};
    struct kg_error ignored;
    struct kg_elf elf;
    struct stat facts;
    const bool is = stat(path, &facts) == 0 && S_ISREG(facts.st_mode) &&
                    kg_file_read(path, KG_CODE_FILE_MOST, &file, &ignored) && file.data &&
                    kg_elf_open(file.data, file.length, &elf) && elf.linked &&
                    (kg_elf_needs(&elf, "libbenchmark.so") ||
                     kg_elf_needs(&elf, "libbenchmark_main.so") || has_options(&file));
    kg_text_free(&file);
    return is;
}
