/* loader.h: which shared libraries are loaded with a file, by what the dynamic loader itself says:
 * it alone knows its search (RPATH, RUNPATH, $ORIGIN, LD_LIBRARY_PATH, LD_PRELOAD, its cache, its
 * default folders, variants by processor). It lists them without running any of their code. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct kg_loaded {
    const char *name; /* as the file asks for it, without folders: "libm.so.6" */
    const char *path;
};

/* The libraries of a program or shared object, those of libraries and the loader itself included,
 * in an array in `arena`, sorted by name.
 * interpreter  the loader's path
 * file         an absolute path if there is a directory
 * directory    folder in which the process will run; NULL: here
 * returns      false if the loader gives no answer, does not find a library, or finds one by a
 *              relative path */
bool kg_loader_list(struct kg_arena *arena, const char *interpreter, const char *file,
                    const char *directory, struct kg_loaded **loaded, size_t *count);
