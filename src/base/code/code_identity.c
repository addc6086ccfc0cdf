#include "base/code/code_identity.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

const char *const kg_code_scope_names[5] = {"file", "libraries", "open", "files", NULL};

enum { PROGRAMS_KEPT = 64 };

struct kg_code_memory {
    struct known {
        struct kg_code_owner owner;
        struct kg_code_identity identity;
    } * known;
    size_t count, capacity;
    struct program {
        const char *word; /* NULL: the entry is empty */
        struct kg_code_search search;
        const char *path;
    } programs[PROGRAMS_KEPT]; /* by the hash of the word; the newest word of each hash */
    struct kg_code_files files;
    const char *self; /* the path of this kgate */
};

/* --- Libraries -------------------------------------------------------------------------------- */

/* Whether the file can bring in code that kgate cannot know beforehand. On CUDA, dlopen does not
 * count: the CUDA runtime loads the driver with it, and kgate knows the driver's version. */
static bool brings_more(const struct kg_code_file *file, enum kgate_device device)
{
    return file->has_auditors || file->starts_programs ||
           (file->loads_code && device != KGATE_DEVICE_CUDA);
}

/* Whether the library is a runtime of C, C++ or OpenMP. Besides its own files it opens only files
 * that its caller names, by functions that code_file.c lists. */
static bool is_of_language(const char *name)
{
    static const char *const names[] = {"ld-linux",   "libc.so",      "libdl.so",   "libgcc_s.so",
                                        "libgomp.so", "libm.so",      "libmvec.so", "libpthread.so",
                                        "librt.so",   "libstdc++.so", "ld-musl",    "libc.musl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i], strlen(names[i])))
            return true;
    return false;
}

/* Lowers the identity's scope if the library can bring in unknown code or files. System libraries
 * may bring in code: it is the system's. */
static void scope_widen(const struct kg_code_file *file, const char *name,
                        const struct kg_code_owner *owner, struct kg_code_identity *identity)
{
    if (!file->system && brings_more(file, owner->device))
        identity->scope = KG_CODE_OPEN_ENDED;
    else if (identity->scope == KG_CODE_WITH_LIBRARIES && !owner->own && file->opens_files &&
             !(file->system && is_of_language(name)))
        identity->scope = KG_CODE_WITH_FILES;
}

static bool libraries_add(struct kg_code_memory *memory, struct kg_arena *arena,
                          const struct kg_loaded *loaded, size_t count,
                          const struct kg_code_owner *owner, struct kg_code_identity *identity)
{
    const char **libraries = kg_arena_alloc(arena, count, sizeof *libraries);
    const char **paths = kg_arena_alloc(arena, count, sizeof *paths);
    for (size_t i = 0; i < count; i++) {
        const struct kg_code_file *file =
            kg_code_file_find(&memory->files, arena, loaded[i].path, true);
        if (!file->hash)
            return false;
        libraries[i] = kg_arena_printf(arena, "%s %s", loaded[i].name, file->hash);
        paths[i] = loaded[i].path;
        scope_widen(file, loaded[i].name, owner, identity);
    }
    identity->libraries = libraries;
    identity->library_paths = paths;
    identity->library_count = count;
    return true;
}

/* Path of the loader: a program names its own, and kgate's loader loads plugins. NULL if the loader
 * is neither the system's nor kgate's: its answer proves nothing. */
static const char *interpreter_of(struct kg_code_memory *memory, struct kg_arena *arena,
                                  const struct kg_code_owner *owner,
                                  const struct kg_code_file *file)
{
    const struct kg_code_file *kgate =
        memory->self ? kg_code_file_find(&memory->files, arena, memory->self, false) : NULL;
    const char *known = kgate ? kgate->interpreter : NULL;
    const char *own = owner->program ? file->interpreter : known;
    return own && *own == '/' && (kg_file_in_system(own) || (known && !strcmp(own, known))) ? own
                                                                                            : NULL;
}

/* An auditor (rtld-audit(7)) may load other libraries than the loader lists. */
static bool has_auditor(void)
{
    const char *auditors = getenv("LD_AUDIT");
    return auditors && *auditors;
}

/* The libraries that the loader loads with a file. The kernel gives a program's real path to the
 * loader, which replaces $ORIGIN with its folder. */
static bool libraries_list(struct kg_arena *arena, const struct kg_code_owner *owner,
                           const char *interpreter, const char *path, struct kg_loaded **loaded,
                           size_t *count)
{
    char real[PATH_MAX];
    const char *file = owner->program ? realpath(path, real) : path;
    return file && kg_loader_list(arena, interpreter, file, owner->directory, loaded, count);
}

/* Finds the libraries. If there is no known loader, the scope stays KG_CODE_FILE_ALONE: kgate
 * cannot see the code that a static program loads or starts. */
static void libraries_find(struct kg_code_memory *memory, struct kg_arena *arena,
                           const struct kg_code_owner *owner, struct kg_code_identity *identity)
{
    const struct kg_code_file *found = kg_code_file_find(&memory->files, arena, owner->file, false);
    struct kg_loaded *loaded;
    size_t count;
    if (!found->hash)
        return;
    const struct kg_code_file file = *found; /* the next search may move *found */
    const char *interpreter = interpreter_of(memory, arena, owner, &file);
    if (!interpreter)
        return;
    const bool open = has_auditor() || (!owner->own && brings_more(&file, owner->device));
    struct kg_code_identity with = *identity;
    with.scope = open                              ? KG_CODE_OPEN_ENDED
                 : !owner->own && file.opens_files ? KG_CODE_WITH_FILES
                                                   : KG_CODE_WITH_LIBRARIES;
    if (libraries_list(arena, owner, interpreter, file.path, &loaded, &count) &&
        libraries_add(memory, arena, loaded, count, owner, &with))
        *identity = with;
}

/* --- Identities ------------------------------------------------------------------------------- */

static bool owner_same(const struct kg_code_owner *a, const struct kg_code_owner *b)
{
    return a->device == b->device && a->program == b->program && a->own == b->own &&
           kg_string_same(a->file, b->file) && kg_string_same(a->directory, b->directory);
}

struct kg_code_memory *kg_code_memory_make(struct kg_arena *arena)
{
    char self[PATH_MAX];
    struct kg_code_memory *memory = kg_arena_alloc(arena, 1, sizeof *memory);
    if (realpath("/proc/self/exe", self))
        memory->self = kg_arena_copy(arena, self);
    return memory;
}

struct kg_code_identity kg_code_identify(struct kg_code_memory *memory, struct kg_arena *arena,
                                         struct kg_code_owner owner)
{
    const struct kg_code_identity unknown = {0};
    if (!memory)
        return unknown;
    for (size_t i = memory->count; i-- > 0;)
        if (owner_same(&memory->known[i].owner, &owner))
            return memory->known[i].identity;
    kg_arena_grow(arena, &memory->known, memory->count, &memory->capacity, sizeof *memory->known);
    struct known *known = &memory->known[memory->count++];
    const struct kg_code_file *file = kg_code_file_find(&memory->files, arena, owner.file, false);
    *known = (struct known){owner, {.hash = file ? file->hash : NULL}};
    if (known->identity.hash)
        libraries_find(memory, arena, &owner, &known->identity);
    return known->identity;
}

size_t kg_code_library_name(const char *library)
{
    const char *space = strrchr(library, ' ');
    return space ? (size_t)(space - library) : strlen(library);
}

static bool libraries_same(const struct kg_code_identity *a, const struct kg_code_identity *b)
{
    bool same = a->library_count == b->library_count;
    for (size_t i = 0; i < a->library_count && same; i++)
        same = !strcmp(a->libraries[i], b->libraries[i]);
    return same;
}

enum kg_code_match kg_code_match(const struct kg_code_identity *a, const struct kg_code_identity *b)
{
    if (!a->hash || !b->hash)
        return KG_CODE_UNKNOWN;
    if (strcmp(a->hash, b->hash) != 0)
        return KG_CODE_OTHER;
    if (a->scope == KG_CODE_FILE_ALONE || b->scope == KG_CODE_FILE_ALONE)
        return KG_CODE_SAME_FILE;
    if (!libraries_same(a, b))
        return KG_CODE_OTHER_LIBRARIES;
    if (a->scope == KG_CODE_OPEN_ENDED || b->scope == KG_CODE_OPEN_ENDED)
        return KG_CODE_SAME_OPEN;
    return a->scope == KG_CODE_WITH_FILES || b->scope == KG_CODE_WITH_FILES ? KG_CODE_SAME_READING
                                                                            : KG_CODE_SAME;
}

bool kg_code_is_same(enum kg_code_match match)
{
    return match == KG_CODE_SAME || match == KG_CODE_SAME_READING;
}

/* --- Programs --------------------------------------------------------------------------------- */

const char *kg_code_beside(struct kg_arena *arena, const char *directory, const char *path)
{
    if (!path)
        return directory;
    return directory && *path != '/' ? kg_arena_printf(arena, "%s/%s", directory, path)
                                     : kg_arena_copy(arena, path);
}

/* execvp skips a folder with the program's name. */
static bool is_program(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

/* An empty element of PATH, as after a last colon, is the command's own folder. */
static const char *path_search(struct kg_arena *arena, const char *word,
                               struct kg_code_search search)
{
    static const char WITHOUT[] = "/bin:/usr/bin"; /* as execvp, if there is no PATH */
    const char *own = search.path ? search.path : getenv("PATH");
    const char *directory = kg_code_beside(arena, search.worker, search.directory);
    for (const char *folders = own ? own : WITHOUT;; folders++) {
        const size_t length = strcspn(folders, ":");
        const char *path = length ? kg_arena_printf(arena, "%.*s/%s", (int)length, folders, word)
                                  : kg_arena_printf(arena, "./%s", word);
        path = path ? kg_code_beside(arena, directory, path) : NULL;
        if (path && is_program(path))
            return path;
        folders += length;
        if (!*folders)
            return NULL;
    }
}

bool kg_code_search_same(const struct kg_code_search *a, const struct kg_code_search *b)
{
    return kg_string_same(a->worker, b->worker) && kg_string_same(a->directory, b->directory) &&
           kg_string_same(a->path, b->path);
}

const char *kg_code_program(struct kg_code_memory *memory, struct kg_arena *arena, const char *word,
                            struct kg_code_search search)
{
    if (strchr(word, '/'))
        return kg_code_beside(arena, search.worker, word);
    if (!memory)
        return path_search(arena, word, search);
    struct program *program =
        &memory->programs[kg_hash_string(KG_HASH_START, word) % PROGRAMS_KEPT];
    if (!kg_string_same(program->word, word) || !kg_code_search_same(&program->search, &search))
        *program = (struct program){word, search, path_search(arena, word, search)};
    return program->path;
}
