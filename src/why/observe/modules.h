/* modules.h: files of machine code, and what their symbols and debug information say of an address.
 * An address is looked up once. One thread. */
#pragma once
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/hot_code.h"

/* exported_symbols.c: names of functions in a library that keeps no symbols but those that it exports, where
 * an exported name is a choice among versions for different CPUs: memcpy and cos of the C library are.
 * This process has made the same choice, so it knows where each begins. */

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

/* An address in a file of machine code, in one word: its upper bits are the number of the module. */
typedef uint64_t kg_code_address;
enum { KG_MODULE_SHIFT = 48, KG_MODULES_MOST = 4096 };
static const uint64_t KG_CODE_OFFSET_MASK = (UINT64_C(1) << KG_MODULE_SHIFT) - 1;

/* The name of the code by which a file calls what others export. */
#define KG_CALL_TABLE "@plt"

/* What an address means: its function and those that it was inlined into, the innermost first. */
struct kg_code_places {
    struct kg_place *of;
    size_t count; /* at least 1 */
};

/* The path, and the name, of code that is in no file: a compiler made it as the program ran. */
#define KG_MODULE_NO_FILE "[made at run time]"

struct kg_modules;

/* arena  owns the strings of places */
struct kg_modules *kg_modules_open(struct kg_arena *arena);
void kg_modules_close(struct kg_modules *modules);

/* The number of the module of that file, a new one where it was not asked for before;
 * KG_MODULES_MOST where there is no room. */
size_t kg_module_number(struct kg_modules *modules, const char *path);
const char *kg_module_path(const struct kg_modules *modules, size_t number);

/* producer.c: the compiler of a file of machine code and its options, as most of its compilation units name
 * them in their debug information. In `arena`; NULL if there are none. */
const char *kg_producer_read(struct kg_arena *arena, const char *path);

/* machine_file.c: what a file of machine code consists of. Fills code_bytes, asserts and libraries; strings in
 * `arena`. Nothing is filled if the file cannot be read. */
void kg_machine_file_read(struct kg_arena *arena, const char *path, struct kg_sampled *sampled);

/* Whether a file of that name is one of the libraries that come with the compiler and the system, whose
 * functions have the same names everywhere. */
bool kg_module_in_system(const char *name);

/* What is at an address. In a library of the system only the function is named, as it is called:
 * `memcpy`, whichever version of it the machine has.
 * places  lives as long as `modules` */
void kg_code_places(struct kg_modules *modules, kg_code_address address,
                    struct kg_code_places *places);
