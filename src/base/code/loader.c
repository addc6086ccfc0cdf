#include "base/code/code_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"

/* The loader's standard output goes to the pipe, its errors nowhere. */
static bool actions_make(posix_spawn_file_actions_t *actions, const int ends[2],
                         const char *directory)
{
    return posix_spawn_file_actions_adddup2(actions, ends[1], STDOUT_FILENO) == 0 &&
           posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) ==
               0 &&
           (!directory || posix_spawn_file_actions_addchdir_np(actions, directory) == 0);
}

static bool start(const char *interpreter, const char *file, const char *directory,
                  const int ends[2], pid_t *pid)
{
    char *arguments[] = {(char *)interpreter, (char *)"--list", (char *)file, NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    const bool started = actions_make(&actions, ends, directory) &&
                         posix_spawn(pid, interpreter, &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

/* Reads everything until the other end is closed. */
static bool drain(int end, struct kg_text *text)
{
    char bytes[4096];
    ssize_t got;
    while ((got = read(end, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            kg_text_append_bytes(text, bytes, (size_t)got);
    return got == 0;
}

static bool ended_well(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool ask(const char *interpreter, const char *file, const char *directory,
                struct kg_text *answer)
{
    int ends[2];
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    const bool started = start(interpreter, file, directory, ends, &pid);
    close(ends[1]);
    const bool whole = started && drain(ends[0], answer);
    close(ends[0]);
    return started && ended_well(pid) && whole;
}

/* Whether the kernel maps this library itself (its vDSO): the library is no file. */
static bool is_of_kernel(const char *name)
{
#if defined __powerpc64__ || defined __s390x__
    return !strcmp(name, "linux-vdso64.so.1");
#else
    return !strcmp(name, "linux-vdso.so.1");
#endif
}

/* "libm.so.6 => /lib/libm.so.6 (0x7f…)", or only a path if the file names the library by its path.
 * Without libraries the loader prints "statically linked". A relative path depends on the loader's
 * working folder, so the library counts as unknown. */
static bool line_read(struct kg_arena *arena, char *line, struct kg_loaded *loaded, bool *is_file)
{
    static const char FOUND[] = " => ", MISSING[] = " => not found", NONE[] = "statically linked";
    char *address = strrchr(line, '('), *found = strstr(line, FOUND);
    *is_file = false;
    if (strstr(line, MISSING))
        return false;
    if (!*line || (!address && !strcmp(line, NONE)))
        return true;
    if (address && address > line && address[-1] == ' ')
        address[-1] = '\0';
    const char *path = found ? found + strlen(FOUND) : line;
    if (*path != '/')
        return !found && is_of_kernel(line);
    if (found)
        *found = '\0';
    const char *slash = strrchr(line, '/');
    loaded->name = kg_arena_copy(arena, slash ? slash + 1 : line);
    loaded->path = kg_arena_copy(arena, path);
    *is_file = true;
    return true;
}

static int compare_loaded(const void *a, const void *b)
{
    const struct kg_loaded *x = a, *y = b;
    const int by_name = strcmp(x->name, y->name);
    return by_name ? by_name : strcmp(x->path, y->path);
}

static bool answer_read(struct kg_arena *arena, char *answer, struct kg_loaded **loaded,
                        size_t *count)
{
    size_t capacity = 0;
    *loaded = NULL;
    *count = 0;
    for (char *rest = answer, *line; (line = strsep(&rest, "\n"));) {
        bool is_file;
        line += strspn(line, "\t ");
        kg_arena_grow(arena, loaded, *count, &capacity, sizeof **loaded);
        if (!line_read(arena, line, &(*loaded)[*count], &is_file))
            return false;
        *count += is_file;
    }
    if (*count)
        qsort(*loaded, *count, sizeof **loaded, compare_loaded);
    return true;
}

bool kg_loader_list(struct kg_arena *arena, const char *interpreter, const char *file,
                    const char *directory, struct kg_loaded **loaded, size_t *count)
{
    struct kg_text answer = {0};
    /* the loader searches its own folders for a name without a slash */
    const char *path = strchr(file, '/') ? file : kg_arena_printf(arena, "./%s", file);
    const bool good = path && ask(interpreter, path, directory, &answer) && answer.length &&
                      answer_read(arena, answer.data, loaded, count);
    kg_text_free(&answer);
    return good;
}
