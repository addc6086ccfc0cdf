#include "base/cuda_folders.h"

#include <glob.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

struct search {
    const char *file;
    bool (*take)(const char *path, void *user);
    void *user;
};

static bool offer(const struct search *search, const char *folder, size_t length)
{
    char path[PATH_BYTES];
    const int bytes = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, search->file);
    return bytes > 0 && bytes < PATH_BYTES && access(path, R_OK) == 0 &&
           search->take(path, search->user);
}

/* Offers each folder of a list with colons; an empty element is skipped. */
static bool list_offer(const struct search *search, const char *list)
{
    while (list && *list) {
        const size_t length = strcspn(list, ":");
        if (length && offer(search, list, length))
            return true;
        list += length + (list[length] == ':');
    }
    return false;
}

/* Offers the folders of a pattern in reverse order: the last is the newest version. */
static bool pattern_offer(const struct search *search, const char *root, const char *pattern)
{
    char path[PATH_BYTES];
    glob_t found = {0};
    bool taken = false;
    const int bytes = snprintf(path, sizeof path, "%s%s", root, pattern);
    if (bytes <= 0 || bytes >= PATH_BYTES || glob(path, GLOB_ONLYDIR, NULL, &found) != 0)
        return false;
    for (size_t i = found.gl_pathc; i-- > 0 && !taken;)
        taken = offer(search, found.gl_pathv[i], strlen(found.gl_pathv[i]));
    globfree(&found);
    return taken;
}

/* Patterns below a root, if there is one. */
static bool root_offer(const struct search *search, const char *root, const char *const *patterns)
{
    bool taken = false;
    for (size_t i = 0; root && *root && patterns[i] && !taken; i++)
        taken = pattern_offer(search, root, patterns[i]);
    return taken;
}

static bool toolkits_offer(const struct search *search)
{
    static const char *const inside[] = {"/lib64", "/extras/CUPTI/lib64", "/lib", "/targets/*/lib",
                                         NULL};
    static const char *const versions[] = {"-*/lib64", "-*/extras/CUPTI/lib64", "-*/lib",
                                           "-*/targets/*/lib", NULL};
    const char *const roots[] = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (root_offer(search, roots[i], inside))
            return true;
    return root_offer(search, "/usr/local/cuda", versions);
}

/* Wheels for CUDA 13 share a folder, cu13; those for CUDA 12 have one each. */
static const char *const wheels[] = {"/lib/python3*/site-packages/nvidia/*/lib",
                                     "/lib/python3*/dist-packages/nvidia/*/lib",
                                     "/lib/python3/dist-packages/nvidia/*/lib", NULL};

/* Offers the wheels beside the program that FOLDER/python3 is a link to: one of a virtual environment. Only one link is
 * followed, because the environment's own python3 is a link to the system's. */
static bool linked_offer(const struct search *search, const char *folder, size_t length)
{
    char path[PATH_BYTES], target[PATH_BYTES];
    snprintf(path, sizeof path, "%.*s/python3", (int)length, folder);
    const ssize_t bytes = readlink(path, target, sizeof target - 1);
    if (bytes <= 0 || *target != '/')
        return false;
    target[bytes] = '\0';
    for (int up = 0; up < 2; up++) /* python3, then bin */
        if (strrchr(target, '/'))
            *strrchr(target, '/') = '\0';
    return root_offer(search, target, wheels);
}

/* Offers the wheels of every python3 in $PATH. An image may have its Python anywhere, and its $PATH
 * names the folder. */
static bool programs_offer(const struct search *search)
{
    static const char bin[] = "/bin";
    char path[PATH_BYTES];
    const char *list = getenv("PATH");
    while (list && *list) {
        const size_t length = strcspn(list, ":"), root = length - strlen(bin);
        if (length > strlen(bin) && !strncmp(list + root, bin, strlen(bin)) &&
            snprintf(path, sizeof path, "%.*s/python3", (int)length, list) < PATH_BYTES &&
            access(path, X_OK) == 0) {
            path[root] = '\0';
            if (root_offer(search, path, wheels) || linked_offer(search, list, length))
                return true;
        }
        list += length + (list[length] == ':');
    }
    return false;
}

static bool packages_offer(const struct search *search)
{
    static const char *const conda[] = {"/lib", "/targets/*/lib", NULL};
    char users[PATH_BYTES] = "";
    const char *home = getenv("HOME");
    if (home && *home)
        snprintf(users, sizeof users, "%s/.local", home);
    const char *const roots[] = {
        getenv("VIRTUAL_ENV"), getenv("CONDA_PREFIX"), users, "/usr/local", "/usr", "/opt/venv",
        "/opt/conda"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (root_offer(search, roots[i], wheels))
            return true;
    return programs_offer(search) || root_offer(search, getenv("CONDA_PREFIX"), conda);
}

bool kg_cuda_places(const char *file, bool (*take)(const char *path, void *user), void *user)
{
    const struct search search = {file, take, user};
    return list_offer(&search, getenv("KGATE_CUDA_LIBS")) || take(file, user) ||
           toolkits_offer(&search) || packages_offer(&search);
}
