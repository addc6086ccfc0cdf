/* Libraries and programs, of which kgate hashes the machine code. */
#include "base/code/code_hash.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char hex[17];
    kg_code_hash_file(fuzz_file(bytes, length), hex);
    return 0;
}
