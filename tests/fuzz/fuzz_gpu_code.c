/* Code for GPUs, of which kgate reads what kernels there are, and what they take. */
#include <stdlib.h>
#include <string.h>

#include "base/code/gpu_kernels.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct kg_arena arena = {0};
    struct kg_gpu_kernels kernels;
    struct kg_error err;
    char *text = malloc(length + 1);
    if (!text)
        return 0;
    memcpy(text, bytes, length);
    kg_gpu_kernels_ptx(text, length, "f", &arena, &kernels, &err);
    kg_gpu_kernels_source(text, length, &arena, &kernels, &err);
    kg_gpu_kernels_cubin(text, length, "f", &arena, &kernels, &err);
    kg_gpu_fatbin_check(text, length, &err);
    free(text);
    kg_arena_free(&arena);
    return 0;
}
