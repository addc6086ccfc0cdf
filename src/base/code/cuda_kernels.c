/* The names of kernels in CUDA C++, without a compiler: for errors. */
#include <string.h>

#include "base/code/gpu_kernels.h"
#include "base/code/gpu_words.h"

static bool is_attribute(const struct kg_gpu_word *word)
{
    static const char *const attributes[] = {"__launch_bounds__", "__cluster_dims__", "__maxnreg__",
                                             "__attribute__", "alignas"};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (kg_gpu_word_is(word, attributes[i]))
            return true;
    return false;
}

/* Behind the ')' of the '(' that was read. */
static void parentheses_skip(struct kg_gpu_scanner *scanner)
{
    struct kg_gpu_word word;
    size_t depth = 1;
    while (depth && kg_gpu_word_next(scanner, &word)) {
        depth += kg_gpu_word_is(&word, "(");
        depth -= kg_gpu_word_is(&word, ")");
    }
}

/* Behind __global__: the word before the '(' of the parameters; of length 0 where there is none. */
static struct kg_gpu_word name_read(struct kg_gpu_scanner *scanner)
{
    struct kg_gpu_word word, name = {0};
    while (kg_gpu_word_next(scanner, &word) && !strchr(";{}", *word.text)) {
        if (kg_gpu_word_is(&word, "(") && !is_attribute(&name))
            return name;
        if (kg_gpu_word_is(&word, "("))
            parentheses_skip(scanner);
        name = kg_gpu_word_has(*word.text) ? word : (struct kg_gpu_word){0};
    }
    return (struct kg_gpu_word){0};
}

static bool is_known(const struct kg_gpu_kernels *kernels, const struct kg_gpu_word *name)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (kg_gpu_word_is(name, kernels->names[i]))
            return true;
    return false;
}

bool kg_gpu_kernels_source(const char *text, size_t length, struct kg_arena *arena,
                           struct kg_gpu_kernels *kernels, struct kg_error *err)
{
    enum { MOST = 256 };
    struct kg_gpu_scanner scanner = kg_gpu_scanner_make(text, length);
    struct kg_gpu_word word;
    *kernels = (struct kg_gpu_kernels){.names = kg_arena_alloc(arena, MOST, sizeof(char *))};
    if (!kernels->names)
        return kg_error_memory(err);
    while (kernels->count < MOST && kg_gpu_word_next(&scanner, &word)) {
        if (!kg_gpu_word_is(&word, "__global__"))
            continue;
        word = name_read(&scanner);
        if (!word.length || is_known(kernels, &word))
            continue;
        kernels->names[kernels->count] = kg_arena_copy_bytes(arena, word.text, word.length);
        if (!kernels->names[kernels->count++])
            return kg_error_memory(err);
    }
    return true;
}
