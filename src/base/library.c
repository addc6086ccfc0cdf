#include "base/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Whether the library itself is missing. The loader's message begins with the name of the missing
 * file. If that is another file, this library exists and lacks a library that it needs. */
static bool is_absent(const char *path, const char *message)
{
    const size_t length = strlen(path);
    return !message || (!strncmp(message, path, length) && message[length] == ':' &&
                        strstr(message, "No such file"));
}

static void *library_open(const char *path, int how, char *why, size_t why_bytes)
{
    void *library = dlopen(path, how | RTLD_LOCAL);
    if (library || !why_bytes)
        return library;
    const char *message = dlerror();
    snprintf(why, why_bytes, "%s", is_absent(path, message) ? "" : message);
    return NULL;
}

void *kg_library_open(const char *path, char *why, size_t why_bytes)
{
    return library_open(path, RTLD_NOW, why, why_bytes);
}

void *kg_library_open_lazily(const char *path, char *why, size_t why_bytes)
{
    return library_open(path, RTLD_LAZY, why, why_bytes);
}

void *kg_library_loaded(const char *name)
{
    return library_open(name, RTLD_LAZY | RTLD_NOLOAD, NULL, 0);
}

const char *kg_library_symbols(void *library, const struct kg_symbol *symbols, size_t count,
                               void *table)
{
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address && symbols[i].older)
            address = dlsym(library, symbols[i].older);
        if (!address && !symbols[i].optional)
            return symbols[i].name;
        /* C has no cast from a data pointer to a function pointer; POSIX gives them one size. */
        memcpy((char *)table + symbols[i].offset, &address, sizeof address);
    }
    return NULL;
}

void kg_library_close(void *library)
{
    if (library)
        dlclose(library);
}
