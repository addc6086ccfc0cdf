/* code_hash.h: a hash of the bytes of an ELF file that decide how its code runs. Pure; thread-safe.
 *
 * It covers a linked file (program, shared object): the ELF header, the program headers, and all
 * bytes that they load or point to, by SHA-256. Nobody can choose these bytes so that a changed
 * program has another program's hash: a gate leaves out cases by this hash. Section headers have no
 * influence, as for the loader. The hash leaves out only the build id and the place of the section
 * headers. So a rebuild, debug information or `strip` change nothing. Code for the GPU (nvcc's fat
 * binary) is among the bytes. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kg_code_sum {
    uint64_t hash;
    size_t code_bytes; /* machine code in it */
};

struct kg_elf;

/* Hash of a linked file.
 * returns  false if the file does not hold all bytes of its segments */
bool kg_image_sum(const struct kg_elf *elf, struct kg_code_sum *sum);

/* Most bytes that kgate reads from a file. */
#define KG_CODE_FILE_MOST ((size_t)1 << 30)
