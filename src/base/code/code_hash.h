/* code_hash.h: a hash of the bytes of an ELF file that decide how its code runs. Pure except for
 * kg_code_hash_file; thread-safe.
 *
 * Linked file (program, shared object): the ELF header, the program headers, and all bytes that they
 * load or point to, by SHA-256. Nobody can choose these bytes so that a changed program has the hash of
 * another one: a gate leaves out cases by this hash. Section headers have no influence, as for the
 * loader. Left out are only the build id and the place of the section headers, so a rebuild, debug
 * information or `strip` change nothing. Code for the GPU (nvcc's fat binary) is among the bytes.
 *
 * Object file, as the linker takes it: code, constants and initial values, with their relocations by
 * the names of the symbols, and the exported names. Left out are notes, unwind tables, names of files
 * and of local symbols, and the eight digits of a path that nvcc puts into names of unnamed
 * namespaces. Only the table of kgate's own kernels is made so (code_table.h). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kgate/plugin.h"

struct kg_code_sum {
    uint64_t hash;
    size_t code_bytes; /* machine code in it; 0 also where all is left to link-time optimisation */
};

struct kg_elf;

/* Hash of an ELF64 file in memory, linked or not.
 * device   of an object file. KGATE_DEVICE_CPU: without the code for the GPU. KGATE_DEVICE_CUDA: with
 *          that code too: the host's code decides which kernels are launched
 * returns  false if the bytes are no such file, or a broken one */
bool kg_code_sum_bytes(const void *bytes, size_t length, enum kgate_device device,
                       struct kg_code_sum *sum);

/* Hash of a linked file, for kg_code_sum_bytes.
 * returns  false if the file does not hold all bytes of its segments */
bool kg_image_sum(const struct kg_elf *elf, struct kg_code_sum *sum);

/* The hash of a file as 16 hexadecimal digits; false if the file cannot be read, is no ELF64 file or
 * holds no code. */
bool kg_code_hash_file(const char *path, char hex[17]);

/* The most that is read of a file. */
#define KG_CODE_FILE_MOST ((size_t)1 << 30)
