/* modules.h: files of machine code, and their symbols and debug information for an address. Each
 * address is looked up once. For one thread. */
#pragma once
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/hot_code.h"

/* exported_symbols.c: names of functions in a stripped library. Some exported names are a choice
 * among versions for different CPUs, such as memcpy and cos of the C library. This process has
 * made the same choice, so it knows the start of each. */

struct kg_exported_function {
    uint64_t start;
    const char *name; /* constant */
};

struct kg_exported {
    struct kg_exported_function *functions;
    size_t count;
    uint64_t *starts; /* start addresses of all functions, ascending, by the unwind table */
    size_t start_count;
};

/* For the file `path`, open as `elf`. Empty if this process uses another file. */
void kg_exported_open(struct kg_exported *exported, const char *path, Elf *elf);
void kg_exported_free(struct kg_exported *exported);

/* The name of the function around an address; NULL: it is not one of these. */
const char *kg_exported_name(const struct kg_exported *exported, uint64_t address);

/* An address in a file of machine code, in one word: the upper bits are the number of the
 * module. */
typedef uint64_t kg_code_address;
enum { KG_MODULE_SHIFT = 48, KG_MODULES_MOST = 4096 };
static const uint64_t KG_CODE_OFFSET_MASK = (UINT64_C(1) << KG_MODULE_SHIFT) - 1;

/* The function name for entries of a procedure linkage table, by which a file calls other files. */
#define KG_CALL_TABLE "@plt"

/* The places of an address: its function and the functions that it was inlined into, innermost
 * first. */
struct kg_code_places {
    struct kg_place *of;
    size_t count; /* at least 1 */
};

/* The path and the name of code in no file, which a compiler made at run time. */
#define KG_MODULE_NO_FILE "[made at run time]"

struct kg_modules;

/* arena  owns the strings of places */
struct kg_modules *kg_modules_open(struct kg_arena *arena);
void kg_modules_close(struct kg_modules *modules);

/* The number of the file's module; a new number for a new path. KG_MODULES_MOST: there is no
 * room. */
size_t kg_module_number(struct kg_modules *modules, const char *path);
const char *kg_module_path(const struct kg_modules *modules, size_t number);

/* Whether the file is installed on the machine. Unnamed functions of installed libraries mean
 * nothing to their users. In an own program without symbols they matter. */
bool kg_module_is_installed(const struct kg_modules *modules, size_t number);

/* The file's name without its folder, as in struct kg_place. */
const char *kg_module_file(const char *path);

/* Finds installed debug information only: a callback of libdwfl (Dwfl_Callbacks.find_debuginfo). */
int kg_debug_find(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                  const char *file, const char *link, GElf_Word crc, char **found);

/* producer.c: the compiler of a file of machine code and its options, by most of its compilation
 * units. In `arena`; NULL: there is no debug information. */
const char *kg_producer_read(struct kg_arena *arena, const char *path);

/* machine_file.c: the contents of a file of machine code. Fills code_bytes, asserts and
 * libraries; strings in `arena`. Fills nothing if the file cannot be read. */
void kg_machine_file_read(struct kg_arena *arena, const char *path, struct kg_sampled *sampled);

/* Whether the file name belongs to a library of the compiler or the system. Functions of these
 * libraries have the same names everywhere. */
bool kg_module_in_system(const char *name);

/* The places of an address. In a library of the system, only the function is named, by its
 * public name: `memcpy` for each version of it.
 * places  lives as long as `modules` */
void kg_code_places(struct kg_modules *modules, kg_code_address address,
                    struct kg_code_places *places);
