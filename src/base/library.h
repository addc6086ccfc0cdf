/* library.h: shared libraries that are opened at run time, and the functions found in them: the one
 * place that calls dlopen and dlsym. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* A function that a library should have, and where its address goes. */
struct kg_symbol {
    const char *name;
    const char *older; /* its name in versions from before it was renamed; NULL: never renamed */
    size_t offset;     /* of the function pointer in the table to fill */
    bool optional;     /* false: the library is of no use without it */
};

/* Opens a library, all of its symbols resolved now, none of them visible to other libraries.
 * path       a name, found as the loader finds it, or a path with a slash
 * why        on failure what the loader says, cut to why_bytes; "" where there is no such file.
 *            NULL with why_bytes 0 where nobody asks
 * returns    NULL where it cannot be opened */
void *kg_library_open(const char *path, char *why, size_t why_bytes);

/* The same, but a function is resolved when it is first called. OpenBLAS has 12,300, of which a process calls few. */
void *kg_library_open_lazily(const char *path, char *why, size_t why_bytes);

/* Fills the function pointers of a table.
 * library  as opened
 * symbols  `count` of them; an optional one that the library lacks becomes NULL
 * table    the struct that the offsets are of
 * returns  NULL where every needed function is there, else the name of the first that is not */
const char *kg_library_symbols(void *library, const struct kg_symbol *symbols, size_t count,
                               void *table);

/* The data objects that a library exports and whose names have this beginning, without it, sorted by
 * name. They live as long as the library is open.
 * returns  how many there are; more than `most` are not stored */
struct kg_exported {
    const char *name;
    const void *address;
};
size_t kg_library_exported(void *library, const char *beginning, struct kg_exported *exported,
                           size_t most);

/* Fine with NULL. What was found in it must not be called afterwards. */
void kg_library_close(void *library);
