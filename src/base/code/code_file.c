#include "base/code/code_identity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/code/code_hash.h"
#include "base/code/elf.h"
#include "base/file.h"
#include "base/hash.h"

static const char *const loading[] = {"dlopen", "dlmopen", "dlsym", "dlvsym", "iconv_open", NULL};
static const char *const starting[] = {
    "execv",         "execve",  "execvp",      "execvpe",      "execl",  "execle", "execlp",
    "execveat",      "fexecve", "posix_spawn", "posix_spawnp", "system", "popen",  "_IO_popen",
    "_IO_proc_open", "wordexp", NULL};

/* Functions that open, create or examine files, sockets and other resources by name. Code that
 * calls one may depend on more than its own bytes. */
static const char *const opening[] = {"open",
                                      "open64",
                                      "openat",
                                      "openat64",
                                      "__open",
                                      "__open64",
                                      "__open_2",
                                      "__open64_2",
                                      "__openat_2",
                                      "__openat64_2",
                                      "creat",
                                      "creat64",
                                      "fopen",
                                      "fopen64",
                                      "freopen",
                                      "freopen64",
                                      "opendir",
                                      "scandir",
                                      "scandir64",
                                      "glob",
                                      "glob64",
                                      "ftw",
                                      "ftw64",
                                      "nftw",
                                      "nftw64",
                                      "fts_open",
                                      "fts64_open",
                                      "scandirat",
                                      "scandirat64",
                                      "chdir",
                                      "fchdir",
                                      "getcwd",
                                      "__getcwd_chk",
                                      "getwd",
                                      "get_current_dir_name",
                                      "canonicalize_file_name",
                                      "catopen",
                                      "bindtextdomain",
                                      "statfs",
                                      "statfs64",
                                      "statvfs",
                                      "statvfs64",
                                      "eaccess",
                                      "__fxstatat",
                                      "__fxstatat64",
                                      "stat",
                                      "stat64",
                                      "lstat",
                                      "lstat64",
                                      "fstatat",
                                      "fstatat64",
                                      "statx",
                                      "__xstat",
                                      "__xstat64",
                                      "__lxstat",
                                      "__lxstat64",
                                      "access",
                                      "faccessat",
                                      "euidaccess",
                                      "readlink",
                                      "readlinkat",
                                      "realpath",
                                      "__realpath_chk",
                                      "socket",
                                      "connect",
                                      "shm_open",
                                      "msgget",
                                      "semget",
                                      "shmget",
                                      "shmat",
                                      "mq_open",
                                      "sem_open",
                                      "setmntent",
                                      "utmpname",
                                      "utmpxname",
                                      "setutent",
                                      "setutxent",
                                      "getutent",
                                      "getutxent",
                                      "getutid",
                                      "getutxid",
                                      "getutline",
                                      "getutxline",
                                      "_IO_fopen",
                                      "_IO_file_fopen",
                                      "_IO_file_open",
                                      "getxattr",
                                      "lgetxattr",
                                      "fgetxattr",
                                      "listxattr",
                                      "llistxattr",
                                      "flistxattr",
                                      "setxattr",
                                      "lsetxattr",
                                      "removexattr",
                                      "lremovexattr",
                                      "inotify_add_watch",
                                      "fanotify_mark",
                                      "rename",
                                      "renameat",
                                      "renameat2",
                                      "link",
                                      "linkat",
                                      "unlink",
                                      "unlinkat",
                                      "remove",
                                      "symlink",
                                      "symlinkat",
                                      "mkdir",
                                      "mkdirat",
                                      "rmdir",
                                      "mkfifo",
                                      "mkfifoat",
                                      "mknod",
                                      "mknodat",
                                      "chmod",
                                      "fchmodat",
                                      "lchmod",
                                      "chown",
                                      "lchown",
                                      "fchownat",
                                      "utime",
                                      "utimes",
                                      "lutimes",
                                      "futimesat",
                                      "utimensat",
                                      "truncate",
                                      "truncate64",
                                      "pathconf",
                                      "open_by_handle_at",
                                      "name_to_handle_at",
                                      "open_tree",
                                      "mount",
                                      "umount",
                                      "umount2",
                                      "getpwnam",
                                      "getpwuid",
                                      "getgrnam",
                                      "getgrgid",
                                      "getaddrinfo",
                                      "gethostbyname",
                                      "setpwent",
                                      "getpwent",
                                      "setgrent",
                                      "getgrent",
                                      "getservbyname",
                                      "getprotobyname",
                                      "mkstemp",
                                      "mkstemp64",
                                      "mkostemp",
                                      "mkostemp64",
                                      "mkdtemp",
                                      "tmpfile",
                                      "tmpfile64",
                                      "__readlink_chk",
                                      "__readlinkat_chk",
                                      "getspnam",
                                      "syscall",
                                      "_ZNSt13basic_filebuf*",
                                      "_ZNSt14basic_ifstream*",
                                      "_ZNSt13basic_fstream*",
                                      "_ZNSt10filesystem*",
                                      "_gfortran_st_open",
                                      NULL};

static void facts_take(struct kg_arena *arena, const struct kg_elf *elf, struct kg_code_file *file)
{
    const char *interpreter = kg_elf_interpreter(elf);
    file->interpreter = interpreter ? kg_arena_copy(arena, interpreter) : NULL;
    file->has_auditors = kg_elf_has_auditors(elf);
    file->loads_code = kg_elf_imports(elf, loading);
    file->starts_programs = kg_elf_imports(elf, starting);
    file->opens_files = kg_elf_imports(elf, opening);
}

/* Reads the file instead of mapping it: a build may overwrite the file meanwhile, and a mapping
 * would then fault. */
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

/* The hash of the build id, which needs a few pages of a file of any size. A mapping is safe here:
 * packages replace files and do not write into them. */
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
    kg_arena_grow(arena, &files->files, files->count, &files->capacity, sizeof *files->files);
    struct kg_code_file *file = &files->files[files->count++];
    *file = (struct kg_code_file){.path = kept, .system = kg_file_in_system(kept)};
    if (library && file->system)
        build_id_read(arena, file);
    if (!file->hash)
        code_read(arena, file);
    return file;
}
