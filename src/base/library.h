/* library.h: opens shared libraries at run time and finds their functions. No other code calls
 * dlopen and dlsym. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* A function that a library should have, and the place for its address. */
struct kg_symbol {
    const char *name;
    const char *older; /* its name in older versions; NULL: never renamed */
    size_t offset;     /* offset of the function pointer in the table, in bytes */
    bool optional;     /* false: the library is useless without it */
};

/* Opens a library. All its symbols are resolved now, and none is visible to other libraries.
 * path     a name for the loader's search, or a path with a slash.
 * why      on failure the loader's message, cut to why_bytes; "" if the file is missing. NULL with
 *          why_bytes 0: not wanted.
 * returns  NULL if it cannot be opened */
void *kg_library_open(const char *path, char *why, size_t why_bytes);

/* The same, but each function is resolved at its first call. OpenBLAS has 12,300 functions, and a
 * process calls few. */
void *kg_library_open_lazily(const char *path, char *why, size_t why_bytes);

/* A library that this process has loaded already, by the name of the loader's search. It stays loaded
 * until kg_library_close.
 * returns  NULL if it is not loaded */
void *kg_library_loaded(const char *name);

/* Fills the function pointers of a table.
 * library  as opened.
 * symbols  `count` of them; an optional one that the library lacks becomes NULL.
 * table    the struct with the pointers.
 * returns  NULL if the library has every required function, else the name of the first missing
 *          one */
const char *kg_library_symbols(void *library, const struct kg_symbol *symbols, size_t count,
                               void *table);

/* The exported data objects with this beginning of their names, sorted by name. `name` is the rest.
 * The objects are valid while the library is open.
 * returns  their number; at most `most` are stored */
struct kg_exported {
    const char *name;
    const void *address;
};
size_t kg_library_exported(void *library, const char *beginning, struct kg_exported *exported,
                           size_t most);

/* NULL is allowed. The caller must not use the library's functions and data afterwards. */
void kg_library_close(void *library);
