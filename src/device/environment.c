#include "device/environment.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define STRUCT kg_environment
static const struct kg_field environment_fields[] = {
    KG_FIELD(known, BOOL, "whether kgate read the variables"),
    KG_LIST(variables, count, PAIRS, "values by name; a hash replaces a value that may be private",
            KG_OPTIONAL),
};
const struct kg_record kg_environment_record = KG_RECORD_OF(
    environment_fields, "Variables of the caller's environment that change how programs run.");
#undef STRUCT

enum shown {
    VALUE, /* a number, a word from a short list, a locale */
    HASH   /* paths and options, which may hold names, folders and passwords */
};

/* A name with * at its end names a family: all settings of one library, without secrets. The
 * table names other variables one by one: NVIDIA_API_KEY is a secret, and ssh passes on any LC_
 * variable. */
static const struct row {
    const char *name;
    enum shown shown;
} rows[] = {
    {"LANG", VALUE},
    {"LANGUAGE", VALUE},
    {"LC_ALL", VALUE},
    {"LC_ADDRESS", VALUE},
    {"LC_COLLATE", VALUE},
    {"LC_CTYPE", VALUE},
    {"LC_IDENTIFICATION", VALUE},
    {"LC_MEASUREMENT", VALUE},
    {"LC_MESSAGES", VALUE},
    {"LC_MONETARY", VALUE},
    {"LC_NAME", VALUE},
    {"LC_NUMERIC", VALUE},
    {"LC_PAPER", VALUE},
    {"LC_TELEPHONE", VALUE},
    {"LC_TIME", VALUE},
    /* libc and the loader */
    {"GLIBC_TUNABLES", VALUE},
    {"MALLOC_*", VALUE},
    {"LD_AUDIT", HASH},
    {"LD_BIND_NOW", VALUE},
    {"LD_BIND_NOT", VALUE},
    {"LD_LIBRARY_PATH", HASH},
    {"LD_PRELOAD", HASH},
    /* threads and linear algebra */
    {"OMP_*", VALUE},
    {"GOMP_*", VALUE},
    {"KMP_*", VALUE},
    {"BLIS_*", VALUE},
    {"MKL_*", VALUE},
    {"OPENBLAS_*", VALUE},
    {"GOTO_NUM_THREADS", VALUE},
    {"NUMEXPR_NUM_THREADS", VALUE},
    {"RAYON_NUM_THREADS", VALUE},
    {"TOKIO_WORKER_THREADS", VALUE},
    {"UV_THREADPOOL_SIZE", VALUE},
    /* CUDA */
    {"CUBLAS_WORKSPACE_CONFIG", VALUE},
    {"CUDA_AUTO_BOOST", VALUE},
    {"CUDA_CACHE_DISABLE", VALUE},
    {"CUDA_CACHE_MAXSIZE", VALUE},
    {"CUDA_DEVICE_MAX_CONNECTIONS", VALUE},
    {"CUDA_DEVICE_ORDER", VALUE},
    {"CUDA_DISABLE_PTX_JIT", VALUE},
    {"CUDA_FORCE_PTX_JIT", VALUE},
    {"CUDA_LAUNCH_BLOCKING", VALUE},
    {"CUDA_MANAGED_FORCE_DEVICE_ALLOC", VALUE},
    {"CUDA_MODULE_LOADING", VALUE},
    {"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", VALUE},
    {"CUDA_VISIBLE_DEVICES", VALUE},
    {"NVIDIA_DRIVER_CAPABILITIES", VALUE},
    {"NVIDIA_TF32_OVERRIDE", VALUE},
    {"NVIDIA_VISIBLE_DEVICES", VALUE},
    /* runtimes of languages */
    {"GODEBUG", VALUE},
    {"GOGC", VALUE},
    {"GOMAXPROCS", VALUE},
    {"GOMEMLIMIT", VALUE},
    {"JAVA_TOOL_OPTIONS", HASH},
    {"JDK_JAVA_OPTIONS", HASH},
    {"_JAVA_OPTIONS", HASH},
    {"NODE_OPTIONS", HASH},
    {"PYTHONDONTWRITEBYTECODE", VALUE},
    {"PYTHONHASHSEED", VALUE},
    {"PYTHONMALLOC", VALUE},
    {"PYTHONOPTIMIZE", VALUE},
    {"PYTHONUNBUFFERED", VALUE},
    {"PYTHONUTF8", VALUE},
    {"PERL5OPT", HASH},
    {"RUBYOPT", HASH},
};
enum { NAME_MOST = 64, VALUE_MOST = 80, VALUE_BEGINNING = 40, VARIABLES_MOST = 128 };

static bool row_fits(const struct row *row, const char *name, size_t length)
{
    const size_t fixed = strcspn(row->name, "*");
    return row->name[fixed] ? length > fixed && !strncmp(name, row->name, fixed)
                            : length == fixed && !strncmp(name, row->name, fixed);
}

/* The row for a name of that length; NULL if there is none. */
static const struct row *row_find(const char *name, size_t length)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    if (length > NAME_MOST || strspn(name, allowed) < length)
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (row_fits(&rows[i], name, length))
            return &rows[i];
    return NULL;
}

bool kg_environment_has(const char *name)
{
    return row_find(name, strlen(name)) != NULL;
}

bool kg_environment_of_locale(const char *name)
{
    return !strcmp(name, "LANG") || !strncmp(name, "LC_", 3);
}

/* Whether the value is printable, without characters that make a path or end a quotation. */
static bool is_open(const char *value)
{
    for (const char *at = value; *at; at++)
        if (*at < ' ' || *at > '~' || strchr("/\\'\"`", *at))
            return false;
    return true;
}

/* The value's form in a file. 32 bits of hash tell values apart, but do not reveal a long one. */
static const char *value_keep(struct kg_arena *arena, enum shown shown, const char *value)
{
    const uint64_t hash = kg_hash_string(KG_HASH_START, value);
    const bool open = shown == VALUE && is_open(value);
    if (open && strlen(value) <= VALUE_MOST)
        return kg_arena_copy(arena, value);
    return kg_arena_printf(arena, "%.*s%s" KG_ENVIRONMENT_HASH "%08" PRIx32,
                           open ? VALUE_BEGINNING : 0, value, open ? "... " : "",
                           (uint32_t)(hash ^ hash >> 32));
}

static int compare_names(const void *a, const void *b)
{
    const struct kg_pair *x = a, *y = b;
    return strcmp(x->name, y->name);
}

void kg_environment_read(struct kg_arena *arena, char *const *strings,
                         struct kg_environment *environment)
{
    *environment = (struct kg_environment){.known = true};
    environment->variables = kg_arena_alloc(arena, VARIABLES_MOST, sizeof(struct kg_pair));
    for (size_t i = 0; strings[i] && environment->count < VARIABLES_MOST; i++) {
        const size_t length = strcspn(strings[i], "=");
        const struct row *row = row_find(strings[i], length);
        if (!row || !strings[i][length] || !strings[i][length + 1])
            continue;
        struct kg_pair *pair = &environment->variables[environment->count++];
        pair->name = kg_arena_printf(arena, "%.*s", (int)length, strings[i]);
        pair->value = value_keep(arena, row->shown, strings[i] + length + 1);
    }
    qsort(environment->variables, environment->count, sizeof *environment->variables,
          compare_names);
}
