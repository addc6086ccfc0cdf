#include "base/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/note.h"

enum { HOLDER_BYTES = 256, NAME_BYTES = 32 };

double kg_lock_seconds(void)
{
    static const double USUAL = 60;
    const char *given = getenv("KGATE_LOCK_SECONDS");
    char *end;
    const double seconds = given ? strtod(given, &end) : USUAL;
    return given && (end == given || *end || !(seconds >= 0)) ? USUAL : seconds;
}

/* The name of a process, for example "flock" of process 4711; "" if unreadable. */
static void name_read(long process, char name[NAME_BYTES])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/comm", process);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(name, NAME_BYTES, file))
        *name = '\0';
    name[strcspn(name, "\n")] = '\0';
    if (file)
        fclose(file);
}

/* The process that holds the lock, from /proc/locks (proc(5)), which lacks other machines and
 * containers. */
static void holder_find(int lock, char holder[HOLDER_BYTES])
{
    char line[256], name[NAME_BYTES];
    struct stat status;
    struct kg_text text = {0};
    long process = 0;
    unsigned long inode;
    FILE *locks = fstat(lock, &status) == 0 ? fopen("/proc/locks", "re") : NULL;
    while (locks && process <= 0 && fgets(line, sizeof line, locks))
        if (sscanf(line, "%*d: FLOCK %*s %*s %ld %*x:%*x:%lu", &process, &inode) != 2 ||
            inode != status.st_ino)
            process = 0;
    if (locks)
        fclose(locks);
    snprintf(holder, HOLDER_BYTES, "another process");
    if (process <= 0)
        return;
    name_read(process, name);
    kg_escape_terminal(&text, name, sizeof name);
    snprintf(holder, HOLDER_BYTES, "process %ld%s%.128s%s", process, *name ? " (" : "",
             kg_text_string(&text), *name ? ")" : "");
    kg_text_free(&text);
}

static void wait_note(const char *path, double seconds, const struct kg_lock_wait *wait,
                      const char *holder)
{
    struct kg_text text = {0};
    if (wait && wait->begins)
        wait->begins(wait->user);
    kg_text_printf(&text, "waiting up to %.3g s for %s, which holds the lock '", seconds, holder);
    kg_escape_terminal(&text, path, 300);
    kg_text_append(&text, "'");
    kg_note_print(&text);
    kg_text_free(&text);
}

/* Fills err unless the lock is taken. */
static bool lock_await(int lock, const char *path, double seconds, const struct kg_lock_wait *wait,
                       struct kg_error *err)
{
    static const double NOTED_AFTER = 1, PAUSE = 0.02;
    const struct timespec pause = {.tv_nsec = (long)(PAUSE * 1e9)};
    char holder[HOLDER_BYTES] = "";
    for (double waited = 0; flock(lock, LOCK_EX | LOCK_NB) != 0; waited += PAUSE) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return kg_error_set(err, KG_ERROR_SYSTEM, "cannot lock '%.300s': %s", path,
                                strerror(errno));
        if (!*holder && (waited >= NOTED_AFTER || waited >= seconds)) {
            holder_find(lock, holder);
            wait_note(path, seconds, wait, holder);
        }
        if (waited >= seconds)
            return kg_error_set(
                err, KG_ERROR_SYSTEM,
                "%s has held the lock '%.300s' for %.3g s; try again when it has finished", holder,
                path, seconds);
        nanosleep(&pause, NULL);
    }
    return true;
}

int kg_file_lock(const char *path, double seconds, const struct kg_lock_wait *wait,
                 struct kg_error *err)
{
    const int lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (lock < 0) {
        kg_error_set(err, KG_ERROR_SYSTEM, "cannot make the lock '%s': %s", path, strerror(errno));
        return -1;
    }
    if (lock_await(lock, path, seconds, wait, err))
        return lock;
    close(lock);
    return -1;
}

void kg_file_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
