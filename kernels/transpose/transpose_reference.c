#include "transpose/transpose.h"

size_t kg_transpose_reference(const struct kg_transpose *transpose, size_t i, size_t j)
{
    return j * transpose->rows + i;
}
