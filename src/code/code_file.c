#include "code/code_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code/code_hash.h"
#include "code/elf.h"
#include "util/file.h"
#include "util/hash.h"

/* What packages install, and nobody builds a project into. */
static const char *const system_folders[] = {"/lib",       "/lib32",     "/lib64",      "/usr/lib",
                                             "/usr/lib32", "/usr/lib64", "/usr/libexec"};

static const char *const loading[] = {"dlopen", "dlmopen", NULL};
static const char *const starting[] = {
    "execv",    "execve",  "execvp",      "execvpe",      "execl",  "execle", "execlp",
    "execveat", "fexecve", "posix_spawn", "posix_spawnp", "system", "popen",  NULL};

/* By where the file really lies: a link may lead anywhere. */
static bool in_system_folder(const char *path)
{
    char real[PATH_MAX];
    if (!realpath(path, real))
        return false;
    for (size_t i = 0; i < sizeof system_folders / sizeof *system_folders; i++) {
        const size_t length = strlen(system_folders[i]);
        if (!strncmp(real, system_folders[i], length) && real[length] == '/')
            return true;
    }
    return false;
}

static void facts_take(struct kg_arena *arena, const struct kg_elf *elf, struct kg_code_file *file)
{
    const char *interpreter = kg_elf_interpreter(elf);
    file->interpreter = interpreter ? kg_arena_copy(arena, interpreter) : NULL;
    file->loads_code = kg_elf_imports(elf, loading);
    file->starts_programs = kg_elf_imports(elf, starting);
}

/* Read whole: what a project builds may be replaced meanwhile, and a mapping would then fault. */
static void code_read(struct kg_arena *arena, struct kg_code_file *file)
{
    struct kg_text text = {0};
    struct kg_code_sum sum;
    struct kg_elf elf;
    struct kg_error err;
    struct stat facts;
    const bool regular = stat(file->path, &facts) == 0 && S_ISREG(facts.st_mode);
    if (regular && kg_file_read(file->path, KG_CODE_FILE_MOST, &text, &err) && text.data &&
        kg_elf_open(text.data, text.length, &elf) && elf.linked && kg_image_sum(&elf, &sum) &&
        sum.code_bytes) {
        facts_take(arena, &elf, file);
        file->hash = kg_arena_printf(arena, "%016" PRIx64, sum.hash);
    }
    kg_text_free(&text);
}

/* The build id, in a few pages of a file of any size. Packages replace files, and do not write into
 * them. */
static void build_id_read(struct kg_arena *arena, struct kg_code_file *file)
{
    struct stat facts;
    struct kg_elf elf;
    size_t size;
    struct kg_error unread;
    const int descriptor = kg_file_open(file->path, &unread);
    const bool known = descriptor >= 0 && fstat(descriptor, &facts) == 0 &&
                       S_ISREG(facts.st_mode) && facts.st_size > 0;
    const size_t length = known ? (size_t)facts.st_size : 0;
    void *bytes = known ? mmap(NULL, length, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
    if (descriptor >= 0)
        close(descriptor);
    if (bytes == MAP_FAILED)
        return;
    const unsigned char *id =
        kg_elf_open(bytes, length, &elf) ? kg_elf_build_id(&elf, &size) : NULL;
    if (id) {
        facts_take(arena, &elf, file);
        file->hash = kg_arena_printf(arena, "%016" PRIx64, kg_hash_bytes(KG_HASH_START, id, size));
    }
    munmap(bytes, length);
}

static struct kg_code_file *known_find(const struct kg_code_files *files, const char *path)
{
    for (size_t i = files->count; i-- > 0;)
        if (!strcmp(files->files[i].path, path))
            return &files->files[i];
    return NULL;
}

const struct kg_code_file *kg_code_file_find(struct kg_code_files *files, struct kg_arena *arena,
                                             const char *path, bool library)
{
    const struct kg_code_file *known = known_find(files, path);
    if (known)
        return known;
    const char *kept = kg_arena_copy(arena, path);
    if (!kept ||
        !kg_arena_grow(arena, &files->files, files->count, &files->capacity, sizeof *files->files))
        return NULL;
    struct kg_code_file *file = &files->files[files->count++];
    *file = (struct kg_code_file){.path = kept, .system = in_system_folder(kept)};
    if (library && file->system)
        build_id_read(arena, file);
    if (!file->hash)
        code_read(arena, file);
    return file;
}
