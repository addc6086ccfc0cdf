/* Gives the bytes of files, or of all files of folders, to a harness: without libFuzzer, with every
 * compiler.
 *     fuzz_replay HARNESS [--broken] FILE_OR_FOLDER...
 * --broken: also each file cut off at every byte, and with every third byte replaced. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "fuzz.h"

#define HARNESS(name) int fuzz_##name(const uint8_t *bytes, size_t length);
#include "harnesses.def"
#undef HARNESS

static bool broken;

static const struct {
    const char *name;
    int (*run)(const uint8_t *bytes, size_t length);
} harnesses[] = {
#define HARNESS(name) {#name, fuzz_##name},
#include "harnesses.def"
#undef HARNESS
};

/* Gives harness `h` the bytes cut off, and with single ones replaced; returns how many inputs that
 * were. */
static size_t broken_replay(size_t h, uint8_t *bytes, size_t length)
{
    static const uint8_t others[] = {0, '9', '"', 0xff};
    size_t count = 0;
    for (size_t cut = 0; cut < length; cut++, count++)
        harnesses[h].run(bytes, cut);
    for (size_t i = 0; i < length; i += 3) {
        const uint8_t kept = bytes[i];
        for (size_t k = 0; k < sizeof others; k++, count++) {
            bytes[i] = others[k];
            harnesses[h].run(bytes, length);
        }
        bytes[i] = kept;
    }
    return count;
}

/* How many inputs were given to harness `h`. */
static size_t file_replay(size_t h, const char *path)
{
    struct kg_text text = {0};
    struct kg_error err = {0};
    if (!kg_file_read(path, (size_t)1 << 30, &text, &err))
        fuzz_fail(path, err.message);
    size_t count = 1;
    harnesses[h].run((const uint8_t *)kg_text_string(&text), text.length);
    if (broken)
        count += broken_replay(h, (uint8_t *)text.data, text.length);
    kg_text_free(&text);
    return count;
}

static size_t folder_replay(size_t h, const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        fuzz_fail(path, "cannot be read");
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char inside[4096];
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        struct stat status;
        if (!stat(inside, &status) && S_ISREG(status.st_mode))
            count += file_replay(h, inside);
    }
    closedir(folder);
    return count;
}

static size_t harness_find(const char *name)
{
    for (size_t h = 0; h < sizeof harnesses / sizeof *harnesses; h++)
        if (name && !strcmp(harnesses[h].name, name))
            return h;
    fuzz_fail(name ? name : "no name", "is no harness");
}

int main(int argc, char **argv)
{
    const size_t h = harness_find(argc > 1 ? argv[1] : NULL);
    size_t count = 0;
    for (int i = 2; i < argc; i++) {
        struct stat status;
        if (!strcmp(argv[i], "--broken")) {
            broken = true;
            continue;
        }
        if (stat(argv[i], &status))
            fuzz_fail(argv[i], "is not there");
        count += S_ISDIR(status.st_mode) ? folder_replay(h, argv[i]) : file_replay(h, argv[i]);
    }
    printf("%zu inputs, nothing found\n", count);
    return count ? EXIT_SUCCESS : EXIT_FAILURE;
}
