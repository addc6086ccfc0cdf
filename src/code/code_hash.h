/* code_hash.h: the identity of machine code: a hash of what of an ELF file decides what runs, and
 * how fast, and of nothing else. Two builds of the same source by the same compiler have the same,
 * also with other comments, in another folder, stripped or with debug information.
 *
 * Hashed are the sections that are loaded with the program and come from its source: code,
 * constants and initial values, with their relocations by the names of the symbols, so that code
 * that differs only in which function it calls differs, and the exported names. Not hashed are
 * notes (build ids), unwind tables, names of files and of local symbols, and what the linker
 * derives.
 *
 * The code for the GPU is nvcc's fat binary (.nv_fatbin, __nv_relfatbin), as it is, but for the
 * eight digits made of a file's path that nvcc puts into names of unnamed namespaces. Where such
 * names are within compressed PTX, files of other folders do have other hashes. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kgate/plugin.h"

struct kg_code_sum {
    uint64_t hash;
    size_t code_bytes; /* machine code in it; 0 also where all is left to link-time optimisation */
};

/* Of an ELF64 file in memory, linked or not.
 * device   KGATE_DEVICE_CPU: without the code for the GPU. KGATE_DEVICE_CUDA: with it, and with the
 *          rest too: the host's code decides what is launched, and how
 * returns  false where it is no such file, or a broken one */
bool kg_code_sum_bytes(const void *bytes, size_t length, enum kgate_device device,
                       struct kg_code_sum *sum);

/* The hash of a file as 16 hexadecimal digits; false where it cannot be read, is no ELF64 file or
 * holds no code. */
bool kg_code_hash_file(const char *path, enum kgate_device device, char hex[17]);

/* The most that is read of a file. */
#define KG_CODE_FILE_MOST ((size_t)1 << 30)
