#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

bool kg_error_set(struct kg_error *err, enum kg_error_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    err->kind = kind;
    err->path[0] = '\0';
    err->line = err->column = 0;
    return false;
}

bool kg_error_at(struct kg_error *err, const char *path, unsigned line, unsigned column,
                 const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    err->kind = KG_ERROR_USAGE;
    snprintf(err->path, sizeof err->path, "%s", path ? path : "");
    err->line = line;
    err->column = column;
    return false;
}

bool kg_error_wrap(struct kg_error *err, const char *format, ...)
{
    char context[512];
    va_list args;
    va_start(args, format);
    vsnprintf(context, sizeof context, format, args);
    va_end(args);
    char old[sizeof err->message];
    memcpy(old, err->message, sizeof old);
    const size_t room = sizeof err->message - strlen(context) - 3;
    snprintf(err->message, sizeof err->message, "%s: %.*s", context, (int)room, old);
    return false;
}

bool kg_error_memory(struct kg_error *err)
{
    kg_memory_out();
    return kg_error_set(err, KG_ERROR_MEMORY, "out of memory");
}
