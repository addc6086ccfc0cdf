#include "device/machine.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "base/cpu/vectors.h"
#include "base/hash.h"

#define STRUCT kg_gpu
static const struct kg_field gpu_fields[] = {
    KG_FIELD(name, STRING, "model of the device"),
    KG_FIELD(uuid, STRING, "UUID, such as GPU-…"),
    KG_FIELD(compute_capability, STRING, "compute capability, such as 9.0"),
    KG_FIELD(memory_bytes, COUNT, "size of the device memory, bytes"),
    KG_FIELD(multiprocessors, COUNT, "number of multiprocessors; 0: not known", KG_OPTIONAL),
    KG_FIELD(sm_clock_hz, REAL, "highest clock of the multiprocessors by CUDA, Hz", KG_OPTIONAL,
             KG_ABOVE_0),
    KG_FIELD(memory_clock_hz, REAL, "highest memory clock by CUDA, Hz", KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(memory_bus_bits, COUNT, "width of the memory bus, bits; 0: not known", KG_OPTIONAL),
    KG_FIELD(l2_bytes, COUNT, "size of the L2 cache, bytes; 0: not known", KG_OPTIONAL),
    KG_FIELD(pci_bus_id, STRING, "PCI bus id, such as 0000:01:00.0", KG_OPTIONAL),
    KG_FIELD(ecc, STRING, "error correction of the device memory", KG_OPTIONAL,
             KG_WORDS("on", "off")),
    KG_FIELD(mig, STRING, "on: a MIG instance of a GPU; off: a whole GPU", KG_OPTIONAL,
             KG_WORDS("on", "off")),
    KG_FIELD(compute_mode, STRING, "compute mode: processes that may use the device", KG_OPTIONAL,
             KG_WORDS("default", "prohibited", "exclusive")),
    KG_FIELD(integrated, BOOL, "whether the device shares the CPU's memory", KG_OPTIONAL),
    KG_FIELD(problem, STRING, "chosen device only: reason why it cannot be used", KG_OPTIONAL),
};
const struct kg_record kg_gpu_record = KG_RECORD_OF(gpu_fields, "One CUDA device.");
#undef STRUCT

#define STRUCT kg_machine
static const struct kg_field machine_fields[] = {
    KG_FIELD(fingerprint, STRING, "name of the machine's kind, and of its baseline file",
             KG_NOT_EMPTY),
    KG_FIELD(cpu_model, STRING, "model name by the kernel"),
    KG_FIELD(cpu_count, COUNT, "number of CPUs that kgate may use"),
    KG_FIELD(memory_bytes, COUNT, "size of the memory to the nearest GiB, bytes"),
    KG_LIST(gpus, gpu_count, RECORDS, "CUDA devices", KG_OF(kg_gpu_record)),
    KG_FIELD(gpu_chosen, SIZE, "index in `gpus` of the device for CUDA cases", KG_OPTIONAL),
    KG_FIELD(host, STRING, "hash of the machine's id", KG_OPTIONAL),
    KG_FIELD(boot, STRING, "hash of the id that the machine got at its start", KG_OPTIONAL),
    KG_FIELD(epoch, STRING, "hash of kernel, microcode, driver, governor and clock limit",
             KG_OPTIONAL),
    KG_FIELD(kernel, STRING, "operating system", KG_OPTIONAL),
    KG_FIELD(microcode, STRING, "version of the CPU's microcode", KG_OPTIONAL),
    KG_FIELD(clock_limit_hz, COUNT, "highest clock that the governor may choose, Hz; 0: not known",
             KG_OPTIONAL),
    KG_FIELD(governor, STRING, "CPU frequency governor", KG_OPTIONAL),
    KG_FIELD(hypervisor, STRING, "hypervisor of this virtual machine", KG_OPTIONAL),
    KG_FIELD(vectors, STRING, "widest vectors that kernels may use: AVX-512 or AVX2", KG_OPTIONAL),
    KG_FIELD(compiler, STRING, "compiler that built kgate", KG_OPTIONAL),
    KG_FIELD(build_type, STRING, "build type of kgate", KG_OPTIONAL),
    KG_FIELD(nvidia_driver, STRING, "version of the NVIDIA driver", KG_OPTIONAL),
    KG_FIELD(cuda_driver, STRING, "CUDA version of the driver", KG_OPTIONAL),
    KG_FIELD(cuda_toolkit, STRING, "CUDA version that kgate was built with", KG_OPTIONAL),
    KG_FIELD(cuda_missing, STRING, "reason for no CUDA device", KG_OPTIONAL),
    KG_FIELD(cuda_code_missing, STRING,
             "reason why kgate's own device code cannot run on the chosen device", KG_OPTIONAL),
};
const struct kg_record kg_machine_record = KG_RECORD_OF(
    machine_fields, "The machine. The fingerprint decides which results kgate may compare.");
#undef STRUCT

enum lookup { FOUND, ABSENT, UNREADABLE };

/* The value of the first line "key<white space>: value" in a file of /proc. If UNREADABLE: errno
 * has the reason, or is 0 for an empty file. */
static enum lookup proc_value(const char *path, const char *key, char *value, size_t bytes)
{
    char line[1024];
    bool found = false, any = false;
    errno = 0;
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        any = true;
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0)
            continue;
        const char *text = colon + 1 + strspn(colon + 1, " \t");
        snprintf(value, bytes, "%.*s", (int)strcspn(text, "\n"), text);
        found = true;
    }
    const int code = errno;
    const bool read = any && !ferror(file);
    if (file)
        fclose(file);
    errno = code;
    return found ? FOUND : read ? ABSENT : UNREADABLE;
}

/* The first line of a small file; false if there is none. */
static bool first_line(const char *path, char *value, size_t bytes)
{
    FILE *file = fopen(path, "re");
    const bool read = file && fgets(value, (int)bytes, file);
    if (read)
        value[strcspn(value, "\n")] = '\0';
    if (file)
        fclose(file);
    return read;
}

static bool unknown(const char *what, struct kg_error *err)
{
    return kg_error_set(err, KG_ERROR_SYSTEM, "cannot identify this machine: %s: %s", what,
                        errno ? strerror(errno) : "it is empty");
}

static bool cpu_count_read(uint64_t *count, struct kg_error *err)
{
    cpu_set_t sets[16]; /* of 1024 CPUs each: the kernel refuses a set smaller than its own */
    if (sched_getaffinity(0, sizeof sets, sets) != 0)
        return unknown("its CPUs", err);
    *count = (uint64_t)CPU_COUNT_S(sizeof sets, sets);
    return true;
}

static bool memory_read(uint64_t *bytes, struct kg_error *err)
{
    struct sysinfo info;
    const uint64_t gib = UINT64_C(1) << 30;
    if (sysinfo(&info) != 0)
        return unknown("its memory", err);
    *bytes = ((uint64_t)info.totalram * info.mem_unit + gib / 2) / gib * gib;
    return true;
}

/* Some processors have no such line: then the architecture is the model. */
static bool cpu_model_read(char *model, size_t bytes, struct kg_error *err)
{
    struct utsname name;
    const enum lookup lookup = proc_value("/proc/cpuinfo", "model name", model, bytes);
    if (lookup == FOUND)
        return true;
    if (lookup == UNREADABLE || uname(&name) != 0)
        return unknown("/proc/cpuinfo", err);
    snprintf(model, bytes, "%s", name.machine);
    return true;
}

static const char *vectors_name(void)
{
#if defined(__x86_64__)
    return kg_avx512() ? "AVX-512" : __builtin_cpu_supports("avx2") ? "AVX2" : NULL;
#else
    return NULL;
#endif
}

/* Appends lower-case letters and digits of `text`, and one dash for other runs. Parentheses, such
 * as "(R)", are left out. */
static void slug_append(char *slug, size_t bytes, const char *text)
{
    size_t length = strlen(slug);
    while (*text && length + 2 < bytes) {
        if (*text == '(') {
            const char *end = strchr(text, ')');
            text = end ? end + 1 : text + 1;
        } else if (isalnum((unsigned char)*text)) {
            slug[length++] = (char)tolower((unsigned char)*text++);
        } else {
            if (length && slug[length - 1] != '-')
                slug[length++] = '-';
            text++;
        }
    }
    while (length && slug[length - 1] == '-')
        length--;
    slug[length] = '\0';
}

const char *kg_machine_fingerprint(struct kg_arena *arena, const struct kg_machine *machine)
{
    char slug[64] = "";
    uint64_t hash = kg_hash_string(KG_HASH_START, machine->cpu_model);
    hash = kg_hash_bytes(hash, &machine->cpu_count, sizeof machine->cpu_count);
    hash = kg_hash_bytes(hash, &machine->memory_bytes, sizeof machine->memory_bytes);
    for (size_t i = 0; i < machine->gpu_count; i++)
        hash = kg_hash_string(hash, machine->gpus[i].name);
    for (size_t i = 1; i < machine->gpu_count; i++)
        if (strcmp(machine->gpus[i].name, machine->gpus[0].name) != 0) {
            hash = kg_hash_string(hash, machine->gpus[machine->gpu_chosen].name);
            break;
        }
    slug_append(slug, 40, machine->cpu_model);
    const uint64_t gib = machine->memory_bytes >> 30;
    if (machine->gpu_count)
        return kg_arena_printf(arena, "%s-%" PRIu64 "cpu-%" PRIu64 "gib-%zugpu-%08" PRIx32, slug,
                               machine->cpu_count, gib, machine->gpu_count,
                               (uint32_t)(hash ^ hash >> 32));
    return kg_arena_printf(arena, "%s-%" PRIu64 "cpu-%" PRIu64 "gib-%08" PRIx32, slug,
                           machine->cpu_count, gib, (uint32_t)(hash ^ hash >> 32));
}

bool kg_fingerprint_check(const char *what, const char *fingerprint, struct kg_error *err)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    enum { MOST = 200 };
    const size_t length = fingerprint ? strlen(fingerprint) : 0;
    if (length && length <= MOST && strspn(fingerprint, allowed) == length)
        return true;
    return kg_error_set(
        err, KG_ERROR_USAGE,
        "%s: expected a fingerprint of lower-case letters, digits and dashes, found '%.60s'", what,
        length ? fingerprint : "");
}

/* DMI names the machine's maker; the flag `hypervisor` only shows that a hypervisor exists. */
static const char *hypervisor_name(char *buffer, size_t bytes)
{
    char flags[8192];
    if (first_line("/sys/hypervisor/type", buffer, bytes))
        return buffer;
    FILE *file = fopen("/proc/cpuinfo", "re");
    bool virtual_machine = false;
    while (file && !virtual_machine && fgets(flags, sizeof flags, file))
        virtual_machine = !strncmp(flags, "flags", 5) && strstr(flags, " hypervisor");
    if (file)
        fclose(file);
    if (!virtual_machine)
        return NULL;
    if (!first_line("/sys/class/dmi/id/sys_vendor", buffer, bytes) || !buffer[0])
        snprintf(buffer, bytes, "virtual machine");
    return buffer;
}

bool kg_machine_read(struct kg_arena *arena, const char *device, struct kg_machine *machine,
                     struct kg_error *err)
{
    char text[256];
    struct utsname name;
    *machine = (struct kg_machine){0};
    if (!cpu_count_read(&machine->cpu_count, err) || !memory_read(&machine->memory_bytes, err) ||
        !cpu_model_read(text, sizeof text, err))
        return false;
    machine->cpu_model = kg_arena_copy(arena, text);
    machine->compiler = KGATE_COMPILER;
    machine->build_type = KGATE_BUILD_TYPE;
#ifdef KGATE_CUDA_TOOLKIT
    machine->cuda_toolkit = KGATE_CUDA_TOOLKIT;
#endif
    if (!kg_machine_gpus_read(arena, device, machine, err))
        return false;
    machine->fingerprint = kg_machine_fingerprint(arena, machine);
    if (uname(&name) == 0)
        machine->kernel = kg_arena_printf(arena, "%s %s", name.sysname, name.release);
    if (first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", text, sizeof text))
        machine->governor = kg_arena_copy(arena, text);
    machine->vectors = vectors_name();
    if (hypervisor_name(text, sizeof text))
        machine->hypervisor = kg_arena_copy(arena, text);
    kg_machine_identify(arena, "", machine);
    return true;
}

void kg_machine_copy(struct kg_arena *arena, const struct kg_machine *machine,
                     struct kg_machine *into)
{
    *into = (struct kg_machine){
        .fingerprint = kg_arena_keep(arena, machine->fingerprint),
        .cpu_model = kg_arena_keep(arena, machine->cpu_model),
        .cpu_count = machine->cpu_count,
        .memory_bytes = machine->memory_bytes,
        .gpus = kg_arena_alloc(arena, machine->gpu_count, sizeof *into->gpus),
        .gpu_count = machine->gpu_count,
        .gpu_chosen = machine->gpu_chosen,
        .host = kg_arena_keep(arena, machine->host),
        .boot = kg_arena_keep(arena, machine->boot),
        .epoch = kg_arena_keep(arena, machine->epoch),
        .kernel = kg_arena_keep(arena, machine->kernel),
        .microcode = kg_arena_keep(arena, machine->microcode),
        .clock_limit_hz = machine->clock_limit_hz,
        .governor = kg_arena_keep(arena, machine->governor),
        .hypervisor = kg_arena_keep(arena, machine->hypervisor),
        .vectors = kg_arena_keep(arena, machine->vectors),
        .compiler = kg_arena_keep(arena, machine->compiler),
        .build_type = kg_arena_keep(arena, machine->build_type),
        .nvidia_driver = kg_arena_keep(arena, machine->nvidia_driver),
        .cuda_driver = kg_arena_keep(arena, machine->cuda_driver),
        .cuda_toolkit = kg_arena_keep(arena, machine->cuda_toolkit),
        .cuda_missing = kg_arena_keep(arena, machine->cuda_missing),
        .cuda_code_missing = kg_arena_keep(arena, machine->cuda_code_missing),
    };
    for (size_t i = 0; i < machine->gpu_count; i++)
        kg_gpu_copy(arena, &machine->gpus[i], &into->gpus[i]);
}
