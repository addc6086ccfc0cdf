#include "judge/baseline_store_check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ENDING[] = ".json";
enum { SHOWN_MOST = 6 };

bool kg_store_check(const char *directory, struct kg_error *err)
{
    struct stat status;
    if (stat(directory, &status) != 0 || S_ISDIR(status.st_mode))
        return true;
    const char *slash = strrchr(directory, '/');
    return kg_error_set(err, KG_ERROR_USAGE,
                        "'%.300s' is not a folder. A baseline is a file in a folder, named by the "
                        "machine's fingerprint; did you mean `-b %.*s`?",
                        directory, slash > directory ? (int)(slash - directory) : 1,
                        slash > directory ? directory : ".");
}

/* Shortens a path to its nearest existing folder; "." if the path has none. */
static void nearest_folder(char *path)
{
    struct stat status;
    while (stat(path, &status) != 0) {
        char *slash = strrchr(path, '/');
        if (!slash) {
            path[0] = '.', path[1] = '\0';
            return;
        }
        slash[slash == path] = '\0';
    }
}

bool kg_store_writable(const char *directory, struct kg_error *err)
{
    enum { NAME_MOST = 32 };
    char path[PATH_MAX];
    if (!kg_store_check(directory, err))
        return false;
    if (snprintf(path, sizeof path - NAME_MOST, "%s", directory) >= PATH_MAX - NAME_MOST)
        return kg_error_set(err, KG_ERROR_USAGE, "the path '%.100s…' is too long", directory);
    nearest_folder(path);
    snprintf(path + strlen(path), NAME_MOST, "/.kgate-%ld", (long)getpid());
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot record baselines in '%.300s': %s",
                            directory, strerror(errno));
    close(file);
    unlink(path);
    return true;
}

int kg_store_entry(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), ending = sizeof ENDING - 1;
    return entry->d_name[0] != '.' && length > ending &&
           !strcmp(entry->d_name + length - ending, ENDING) &&
           !kg_stored_prior_named(entry->d_name);
}

/* Appends ", NAME". Before the first name: the opening bracket and its words. */
static void name_append(struct kg_text *text, const char *opening, size_t shown, const char *name,
                        size_t length)
{
    if (shown < SHOWN_MOST)
        kg_text_printf(text, "%s%.*s", shown ? ", " : opening, (int)length, name);
    else if (shown == SHOWN_MOST)
        kg_text_append(text, ", …");
}

static size_t machines_append(const char *directory, struct kg_text *text)
{
    struct dirent **entries;
    size_t shown = 0;
    const int count = scandir(directory, &entries, kg_store_entry, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        name_append(text, " (found there: ", shown++, name, strlen(name) - (sizeof ENDING - 1));
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return shown;
}

static bool suite_is_shown(const struct kg_baseline *baseline, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (!strcmp(baseline->runs[i].suite, baseline->runs[index].suite))
            return true;
    return false;
}

static size_t suites_append(const struct kg_baseline *baseline, struct kg_text *text)
{
    size_t shown = 0;
    for (size_t i = 0; i < baseline->run_count; i++)
        if (!suite_is_shown(baseline, i))
            name_append(text, " (its suites there: ", shown++, baseline->runs[i].suite,
                        strlen(baseline->runs[i].suite));
    return shown;
}

void kg_store_missing(struct kg_arena *arena, const char *directory, const char *fingerprint,
                      const char *suite, const struct kg_baseline *baseline, const char **missing)
{
    struct kg_text text = {0};
    struct stat status;
    *missing = NULL;
    for (size_t i = 0; i < baseline->run_count; i++)
        if (!strcmp(baseline->runs[i].suite, suite))
            return;
    kg_text_printf(&text, "no baseline of suite '%s' for %s in '%s'", suite, fingerprint,
                   directory);
    const size_t shown =
        baseline->run_count ? suites_append(baseline, &text) : machines_append(directory, &text);
    if (shown)
        kg_text_append(&text, ")");
    else
        kg_text_append(&text, stat(directory, &status) != 0 ? ", which does not exist"
                                                            : ", which has none");
    *missing = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
}
