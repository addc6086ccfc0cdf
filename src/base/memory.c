#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/terminal.h"

static const char *last_line; /* NULL: the process goes on */
static int last_status;
static void (*last_deed)(void);

void kg_memory_end_process(int status, const char *line)
{
    last_status = status;
    last_line = line;
}

bool kg_memory_before_end(void (*deed)(void))
{
    last_deed = last_line ? deed : NULL;
    return last_line;
}

void *kg_memory_out(void)
{
    static atomic_flag ends = ATOMIC_FLAG_INIT; /* the first thread ends the process */
    if (!last_line)
        return NULL;
    while (atomic_flag_test_and_set(&ends))
        pause();
    const char *const parts[] = {kg_terminal_line_clear(), last_line, "\n"};
    enum { PARTS = sizeof parts / sizeof *parts };
    struct iovec line[PARTS];
    for (size_t i = 0; i < PARTS; i++)
        line[i] = (struct iovec){(void *)parts[i], strlen(parts[i])};
    (void)!writev(STDERR_FILENO, line, PARTS);
    if (last_deed)
        last_deed();
    _exit(last_status);
}

void *kg_alloc(size_t count, size_t size)
{
    void *memory = count && size ? calloc(count, size) : malloc(1);
    return memory ? memory : kg_memory_out();
}

void *kg_realloc(void *memory, size_t bytes)
{
    void *moved = realloc(memory, bytes ? bytes : 1);
    return moved ? moved : kg_memory_out();
}

char *kg_strdup(const char *string)
{
    const size_t bytes = strlen(string) + 1;
    char *copy = kg_alloc(bytes, 1);
    return copy ? memcpy(copy, string, bytes) : NULL;
}
