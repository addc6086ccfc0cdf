/* code_table.h: the hashes of the code of the built-in kernels, made when kgate is built, from the
 * object files. A kernel's code is the object that defines it, and those that its references lead
 * to: its versions, its reference, and what of kernels/common it uses. Libraries are not in it.
 *
 * On the CPU objects of .cu files are not entered, and on the GPU not those of NAME_cpu.c, which
 * hold the versions for the CPU. So a change of a version for one device is none for the other. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "kgate/plugin.h"

/* The table: KG_CODE_TABLE_MARK, then lines "KERNEL CPU CUDA" with hashes of 16 digits, or "-"
 * where there is none. In the program it is kg_code_table, in a section of its own, so that another
 * kgate can read it from the file. */
#define KG_CODE_TABLE_MARK "kgate.code.v1\n"
#define KG_CODE_TABLE_SECTION "kgate_code"
extern const char kg_code_table[];

/* An object file. */
struct kg_code_object {
    const char *name; /* of its source: "softmax_cpu.c" */
    const void *bytes;
    size_t length;
};

/* Appends the table for the kernels that the objects define as kg_kernel_NAME, in order of name. An
 * object that is no ELF file, as link-time optimisation may leave it, makes a table of no kernels.
 * false: memory is out */
bool kg_code_table_make(const struct kg_code_object *objects, size_t count, struct kg_text *table);

/* The hash of a kernel in a table of `length` bytes, which may be anything; false where it has
 * none. */
bool kg_code_table_find(const char *table, size_t length, const char *kernel,
                        enum kgate_device device, char hex[17]);
