/* Libraries and programs, of which kgate hashes the machine code. */
#include "base/code/code_hash.h"
#include "base/code/elf.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct kg_elf elf;
    struct kg_code_sum sum;
    if (kg_elf_open(bytes, length, &elf) && elf.linked)
        kg_image_sum(&elf, &sum);
    return 0;
}
