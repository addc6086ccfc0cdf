/* exported.h: names of functions in a library that keeps no symbols but those that it exports, where
 * an exported name is a choice among versions for different CPUs: memcpy and cos of the C library are.
 * This process has made the same choice, so it knows where each begins. */
#pragma once
#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

struct kg_exported_function {
    uint64_t start;
    const char *name; /* constant */
};

struct kg_exported {
    struct kg_exported_function *functions;
    size_t count;
    uint64_t *starts; /* of all functions, ascending, by the table for unwinding */
    size_t start_count;
};

/* Of the file `path`, open as `elf`. Empty where this process has another file open. */
void kg_exported_open(struct kg_exported *exported, const char *path, Elf *elf);
void kg_exported_free(struct kg_exported *exported);

/* The name of the function that holds an address; NULL where it is none of these. */
const char *kg_exported_name(const struct kg_exported *exported, uint64_t address);
