/* code_identity.h: the code of a case: a hash of its file, and the shared libraries that the loader
 * adds. Within their scope, equal identities mean equal code. elf.h reads the files; harness.h
 * recognises a program's benchmark library. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "kgate/plugin.h"

/* The code that kgate examined. */
enum kg_code_scope {
    KG_CODE_FILE_ALONE,     /* the file; its libraries are unknown */
    KG_CODE_WITH_LIBRARIES, /* the file and all libraries loaded at its start */
    /* file and libraries; but the code can load other code, or start programs */
    KG_CODE_OPEN_ENDED,
    /* file and libraries; but the code can open files, which kgate did not examine */
    KG_CODE_WITH_FILES,
};
extern const char *const kg_code_scope_names[5];

struct kg_code_identity {
    const char *hash; /* 16 hexadecimal digits; NULL: unknown */
    enum kg_code_scope scope;
    const char **libraries; /* "NAME HASH", sorted */
    size_t library_count;
    const char **library_paths; /* paths of the libraries, in the same order; NULL: unknown */
};

/* Result of comparing two identities. */
enum kg_code_match {
    KG_CODE_UNKNOWN, /* a side has no hash */
    KG_CODE_OTHER,
    KG_CODE_OTHER_LIBRARIES, /* same code, other libraries */
    KG_CODE_SAME_FILE,       /* same file; the libraries are unknown */
    /* same code and libraries; but the code can load or start unexamined code */
    KG_CODE_SAME_OPEN,
    KG_CODE_SAME_READING, /* same code and libraries; but the code can open unexamined files */
    KG_CODE_SAME,
};
enum kg_code_match kg_code_match(const struct kg_code_identity *a,
                                 const struct kg_code_identity *b);

/* Whether code and libraries are the same and can bring no other code. */
bool kg_code_is_same(enum kg_code_match match);

/* Length of a library's name at the beginning of its text "NAME HASH". */
size_t kg_code_library_name(const char *library);

/* The file that holds a case's code. */
struct kg_code_owner {
    const char *file;      /* a plugin or a program */
    const char *directory; /* working folder of the process; NULL: kgate's */
    /* kgate starts the file as a program; false: kgate loads it as a plugin */
    bool program;
    bool own; /* a plugin of kgate's own, whose code brings nothing unknown */
    enum kgate_device device;
};

/* Identities that were found before. Cases of one workload follow each other, alternating between
 * devices. Without this memory, kgate would read the same files for each of ten thousand cases,
 * longer than it measures. */
struct kg_code_memory;

/* An empty memory in `arena`. */
struct kg_code_memory *kg_code_memory_make(struct kg_arena *arena);

/* The identity, in `arena`. Its hash is NULL if `memory` is NULL or the file is missing. It is also
 * NULL if the file is no linked ELF64 file, such as a script, or holds no code.
 * memory  from the same arena in each call; strings of owners must live as long as the memory */
struct kg_code_identity kg_code_identify(struct kg_code_memory *memory, struct kg_arena *arena,
                                         struct kg_code_owner owner);

/* The places where a worker looks for the program of its command. */
struct kg_code_search {
    const char *worker;    /* folder of the worker; NULL: kgate's */
    const char *directory; /* folder of the command, relative to the worker's; NULL: the worker's */
    const char *path;      /* the command's PATH; NULL: kgate's */
};

bool kg_code_search_same(const struct kg_code_search *a, const struct kg_code_search *b);

/* Path of the program that execvp starts for a command's first word, in `arena`. NULL if there is
 * none. If the word has a slash, the path is relative to the worker's folder. Otherwise the first
 * match on PATH counts; relative folders on PATH begin at the command's folder.
 * memory  keeps the answers, from the same arena; strings of the search must live as long. NULL:
 *         keeps nothing */
const char *kg_code_program(struct kg_code_memory *memory, struct kg_arena *arena, const char *word,
                            struct kg_code_search search);

/* `path` relative to `directory`, in `arena`. If one is NULL: the other; NULL if both are. */
const char *kg_code_beside(struct kg_arena *arena, const char *directory, const char *path);

/* code_file.c: the statements of an ELF file about the code that runs with it. Each file is read
 * once, since ten thousand cases share mostly the same few libraries. Not thread-safe. */

struct kg_code_file {
    const char *path;
    const char *hash;        /* 16 hexadecimal digits; NULL: unknown */
    const char *interpreter; /* path of its dynamic loader; NULL: none */
    bool system;             /* in a library folder of the operating system */
    bool has_auditors;       /* it names libraries that change the loader's choice: DT_AUDIT */
    bool loads_code;         /* it can load code while it runs: dlopen */
    bool starts_programs;    /* it can start programs: exec, posix_spawn, system, popen */
    bool opens_files;        /* it can open files, sockets or shared memory by name */
};

/* Zero-initialise. */
struct kg_code_files {
    struct kg_code_file *files;
    size_t count, capacity;
};

/* The statements of a file. The hash is NULL if the file cannot be read, is no ELF64 file or holds
 * no code. The pointer is valid until the next call.
 * arena    the same in each call
 * library  true: for a file in a system folder, the build id gives the hash, within microseconds
 *          for any size. Without a build id, and for other files, the code gives the hash
 *          (code_hash.h) */
const struct kg_code_file *kg_code_file_find(struct kg_code_files *files, struct kg_arena *arena,
                                             const char *path, bool library);

/* loader.c: the shared libraries that the dynamic loader loads with a file, according to the
 * loader. It alone knows its search: RPATH, RUNPATH, $ORIGIN, LD_LIBRARY_PATH, LD_PRELOAD, its
 * cache, its default folders, variants by processor. It lists libraries without running any of
 * their code. */

struct kg_loaded {
    const char *name; /* name in the file's request, without folders: "libm.so.6" */
    const char *path;
};

/* The libraries of a program or shared object, sorted by name, in an array in `arena`. The list
 * includes libraries of libraries, and the loader.
 * interpreter  the loader's path.
 * file         an absolute path if there is a directory.
 * directory    working folder of the process; NULL: kgate's.
 * returns      false if the loader gives no answer, does not find a library, or finds one by a
 *              relative path */
bool kg_loader_list(struct kg_arena *arena, const char *interpreter, const char *file,
                    const char *directory, struct kg_loaded **loaded, size_t *count);
