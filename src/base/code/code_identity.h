/* code_identity.h: which code a case runs: its own as a hash, and the shared libraries that are
 * loaded with it. Equal, as far as it was looked at: equal code. elf.h looks into the files,
 * harness.h says which benchmark library a program has. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "kgate/plugin.h"

/* How far the code was looked at. */
enum kg_code_scope {
    KG_CODE_FILE_ALONE,     /* the file itself: its libraries are not known */
    KG_CODE_WITH_LIBRARIES, /* and all libraries that are loaded as it starts */
    KG_CODE_OPEN_ENDED,     /* and these; but it can load other code, or start programs */
    KG_CODE_WITH_FILES,     /* and these; but it can open files, which were not looked at */
};
extern const char *const kg_code_scope_names[5];

struct kg_code_identity {
    const char *hash; /* 16 hexadecimal digits; NULL where it is not to be had */
    enum kg_code_scope scope;
    const char **libraries; /* "NAME HASH", sorted */
    size_t library_count;
    const char **library_paths; /* where they were found, in the same order; NULL: not known */
};

/* Two identities side by side. */
enum kg_code_match {
    KG_CODE_UNKNOWN, /* a side has no hash */
    KG_CODE_OTHER,
    KG_CODE_OTHER_LIBRARIES, /* the code is the same, and libraries are not */
    KG_CODE_SAME_FILE,       /* the file is; of its libraries nothing is known */
    KG_CODE_SAME_OPEN,       /* both are; but it can load or start what nobody looked at */
    KG_CODE_SAME_READING,    /* likewise; but it can open files that nobody looked at */
    KG_CODE_SAME,
};
enum kg_code_match kg_code_match(const struct kg_code_identity *a,
                                 const struct kg_code_identity *b);

/* Whether code and libraries are the same and can bring no other code. */
bool kg_code_is_same(enum kg_code_match match);

/* Length of a library's name, which begins its text. */
size_t kg_code_library_name(const char *library);

/* Whose code. */
struct kg_code_owner {
    const char *file;      /* a plugin or a program */
    const char *directory; /* where it runs; NULL: here */
    bool program;          /* it is started, not loaded by kgate */
    bool own;              /* a plugin of kgate's own, whose code brings nothing unknown */
    enum kgate_device device;
};

/* What was found before: cases of one workload follow each other, in turns of devices, and reading
 * files again for each of ten thousand would take longer than measuring them. Zero-initialise. */
struct kg_code_memory;

/* An empty memory in `arena`. */
struct kg_code_memory *kg_code_memory_make(struct kg_arena *arena);

/* The identity, in `arena`. Without a hash where that is not to be had: a file that is not there or
 * no ELF64 file, as a script, a kgate from before it had hashes, or memory that is out.
 * memory   the same arena with each call; strings of owners must live as long as it is used */
struct kg_code_identity kg_code_identify(struct kg_code_memory *memory, struct kg_arena *arena,
                                         struct kg_code_owner owner);

/* Where a worker looks for the program of its command. */
struct kg_code_search {
    const char *worker;    /* folder of the worker; NULL: here */
    const char *directory; /* folder of the command, from the worker's on; NULL: the worker's */
    const char *path;      /* the command's PATH; NULL: kgate's */
};

bool kg_code_search_same(const struct kg_code_search *a, const struct kg_code_search *b);

/* The file that a command's first word starts, in `arena`, as execvp finds it: with a slash from
 * the worker's folder on, else the first on PATH, whose relative folders begin at the command's.
 * NULL if there is none.
 * memory  keeps the answers, and is of the same arena; strings of the search must live as long;
 *         NULL: none */
const char *kg_code_program(struct kg_code_memory *memory, struct kg_arena *arena, const char *word,
                            struct kg_code_search search);

/* `path` from `directory` on, in `arena`; either may be NULL. NULL if both are. */
const char *kg_code_beside(struct kg_arena *arena, const char *directory, const char *path);

/* code_file.c: what an ELF file says of the code that runs with it. Each file is read once: the
 * libraries of ten thousand cases are mostly the same few. Not thread-safe. */

struct kg_code_file {
    const char *path;
    const char *hash;        /* 16 hexadecimal digits; NULL where there is none */
    const char *interpreter; /* path of its dynamic loader; NULL without one */
    bool system;             /* in a folder of the operating system's */
    bool has_auditors;       /* it names libraries that decide what the loader loads: DT_AUDIT */
    bool loads_code;         /* it can load code while it runs: dlopen */
    bool starts_programs;    /* it can start programs: exec, posix_spawn, system, popen */
    bool opens_files;        /* it can open files, sockets or shared memory by name */
};

/* Zero-initialise. */
struct kg_code_files {
    struct kg_code_file *files;
    size_t count, capacity;
};

/* What is known of a file; without a hash where it cannot be read, is no ELF64 file or holds no
 * code. The pointer is good until the next call.
 * arena    the same with each call
 * library  a file in a system folder is known by its build id where it has one, which takes
 *          microseconds however large it is; else by its code (code_hash.h) */
const struct kg_code_file *kg_code_file_find(struct kg_code_files *files, struct kg_arena *arena,
                                             const char *path, bool library);

/* loader.c: which shared libraries are loaded with a file, by what the dynamic loader itself says:
 * it alone knows its search (RPATH, RUNPATH, $ORIGIN, LD_LIBRARY_PATH, LD_PRELOAD, its cache, its
 * default folders, variants by processor). It lists them without running any of their code. */

struct kg_loaded {
    const char *name; /* as the file asks for it, without folders: "libm.so.6" */
    const char *path;
};

/* The libraries of a program or shared object, those of libraries and the loader itself included,
 * in an array in `arena`, sorted by name.
 * interpreter  the loader's path
 * file         an absolute path if there is a directory
 * directory    folder in which the process will run; NULL: here
 * returns      false if the loader gives no answer, does not find a library, or finds one by a
 *              relative path */
bool kg_loader_list(struct kg_arena *arena, const char *interpreter, const char *file,
                    const char *directory, struct kg_loaded **loaded, size_t *count);
