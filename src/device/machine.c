#include "device/machine.h"

#include <ctype.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "device/cuda.h"
#include "util/hash.h"

enum { GPUS_MOST = 64 };

#define GPU(member, field_kind) KG_FIELD(struct kg_gpu, member, field_kind)
static const struct kg_field gpu_fields[] = {
    GPU(name, KG_FIELD_STRING),
    GPU(uuid, KG_FIELD_STRING),
    GPU(compute_capability, KG_FIELD_STRING),
    GPU(memory_bytes, KG_FIELD_COUNT),
};
static const struct kg_record gpu_record = KG_RECORD_OF(struct kg_gpu, gpu_fields);

#define FACT(member)                                                                               \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_STRING, .optional = true,                                \
        .offset = offsetof(struct kg_machine, member)                                              \
    }
static const struct kg_field machine_fields[] = {
    KG_FIELD(struct kg_machine, fingerprint, KG_FIELD_STRING),
    KG_FIELD(struct kg_machine, cpu_model, KG_FIELD_STRING),
    KG_FIELD(struct kg_machine, cpu_count, KG_FIELD_COUNT),
    KG_FIELD(struct kg_machine, memory_bytes, KG_FIELD_COUNT),
    {.name = "gpus",
     .kind = KG_FIELD_RECORDS,
     .offset = offsetof(struct kg_machine, gpus),
     .count_offset = offsetof(struct kg_machine, gpu_count),
     .record = &gpu_record},
    FACT(kernel),
    FACT(governor),
    FACT(hypervisor),
    FACT(compiler),
    FACT(build_type),
    FACT(cuda_driver),
    FACT(cuda_missing),
};
const struct kg_record kg_machine_record = KG_RECORD_OF(struct kg_machine, machine_fields);

/* The value of the first line "key<white space>: value" in a file of /proc; false where none. */
static bool proc_value(const char *path, const char *key, char *value, size_t bytes)
{
    char line[1024];
    bool found = false;
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0)
            continue;
        const char *text = colon + 1 + strspn(colon + 1, " \t");
        snprintf(value, bytes, "%.*s", (int)strcspn(text, "\n"), text);
        found = true;
    }
    if (file)
        fclose(file);
    return found;
}

/* The first line of a small file; false where it is not there. */
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

static uint64_t cpu_count(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint64_t)CPU_COUNT(&set) : 1;
}

static uint64_t memory_bytes(void)
{
    struct sysinfo info;
    if (sysinfo(&info) != 0)
        return 0;
    const uint64_t gib = UINT64_C(1) << 30;
    return ((uint64_t)info.totalram * info.mem_unit + gib / 2) / gib * gib;
}

static void cpu_model(char *model, size_t bytes)
{
    if (proc_value("/proc/cpuinfo", "model name", model, bytes))
        return;
    struct utsname name;
    snprintf(model, bytes, "%s", uname(&name) == 0 ? name.machine : "unknown");
}

/* Lower-case letters and digits of `text`, other runs as one dash; marketing's marks left out. */
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

static const char *fingerprint_make(struct kg_arena *arena, const struct kg_machine *machine)
{
    char slug[64] = "";
    uint64_t hash = kg_hash_string(KG_HASH_START, machine->cpu_model);
    hash = kg_hash_bytes(hash, &machine->cpu_count, sizeof machine->cpu_count);
    hash = kg_hash_bytes(hash, &machine->memory_bytes, sizeof machine->memory_bytes);
    for (size_t i = 0; i < machine->gpu_count; i++)
        hash = kg_hash_string(hash, machine->gpus[i].name);
    slug_append(slug, 40, machine->cpu_model);
    const uint64_t gib = machine->memory_bytes >> 30;
    if (machine->gpu_count)
        return kg_arena_printf(arena, "%s-%" PRIu64 "cpu-%" PRIu64 "gib-%zugpu-%08" PRIx32, slug,
                               machine->cpu_count, gib, machine->gpu_count,
                               (uint32_t)(hash ^ hash >> 32));
    return kg_arena_printf(arena, "%s-%" PRIu64 "cpu-%" PRIu64 "gib-%08" PRIx32, slug,
                           machine->cpu_count, gib, (uint32_t)(hash ^ hash >> 32));
}

static bool gpus_read(struct kg_arena *arena, struct kg_machine *machine)
{
    struct kg_cuda_device devices[GPUS_MOST];
    char why[160] = "";
    int driver = 0;
    const size_t count = kg_cuda_devices(devices, GPUS_MOST, &driver, why, sizeof why);
    machine->gpus = kg_arena_alloc(arena, count, sizeof *machine->gpus);
    if (!machine->gpus)
        return false;
    machine->gpu_count = count;
    for (size_t i = 0; i < count; i++) {
        struct kg_gpu *gpu = &machine->gpus[i];
        gpu->name = kg_arena_copy(arena, devices[i].name);
        gpu->uuid = kg_arena_copy(arena, devices[i].uuid);
        gpu->compute_capability =
            kg_arena_printf(arena, "%d.%d", devices[i].major, devices[i].minor);
        gpu->memory_bytes = devices[i].memory_bytes;
        if (!gpu->name || !gpu->uuid || !gpu->compute_capability)
            return false;
    }
    if (driver) {
        machine->cuda_driver = kg_arena_printf(arena, "%d.%d", driver / 1000, driver % 1000 / 10);
        if (!machine->cuda_driver)
            return false;
    }
    if (!count) {
        machine->cuda_missing = kg_arena_copy(arena, why);
        if (!machine->cuda_missing)
            return false;
    }
    return true;
}

/* DMI names the machine's maker; the flag `hypervisor` alone only says that there is one. */
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

bool kg_machine_read(struct kg_arena *arena, struct kg_machine *machine, struct kg_error *err)
{
    char text[256];
    struct utsname name;
    *machine = (struct kg_machine){.cpu_count = cpu_count(), .memory_bytes = memory_bytes()};
    cpu_model(text, sizeof text);
    machine->cpu_model = kg_arena_copy(arena, text);
    machine->compiler = KGATE_COMPILER;
    machine->build_type = KGATE_BUILD_TYPE;
    if (!machine->cpu_model || !gpus_read(arena, machine))
        return kg_error_memory(err);
    machine->fingerprint = fingerprint_make(arena, machine);
    if (uname(&name) == 0)
        machine->kernel = kg_arena_printf(arena, "%s %s", name.sysname, name.release);
    if (first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", text, sizeof text))
        machine->governor = kg_arena_copy(arena, text);
    if (hypervisor_name(text, sizeof text))
        machine->hypervisor = kg_arena_copy(arena, text);
    return machine->fingerprint ? true : kg_error_memory(err);
}

/* A copy that remembers failure, so that many can be asked about once. */
static const char *copy(struct kg_arena *arena, const char *string, bool *good)
{
    const char *copied = string ? kg_arena_copy(arena, string) : NULL;
    *good = *good && (copied || !string);
    return copied;
}

bool kg_machine_copy(struct kg_arena *arena, const struct kg_machine *machine,
                     struct kg_machine *into)
{
    bool good = true;
    *into = (struct kg_machine){
        .fingerprint = copy(arena, machine->fingerprint, &good),
        .cpu_model = copy(arena, machine->cpu_model, &good),
        .cpu_count = machine->cpu_count,
        .memory_bytes = machine->memory_bytes,
        .gpus = kg_arena_alloc(arena, machine->gpu_count, sizeof *into->gpus),
        .gpu_count = machine->gpu_count,
        .kernel = copy(arena, machine->kernel, &good),
        .governor = copy(arena, machine->governor, &good),
        .hypervisor = copy(arena, machine->hypervisor, &good),
        .compiler = copy(arena, machine->compiler, &good),
        .build_type = copy(arena, machine->build_type, &good),
        .cuda_driver = copy(arena, machine->cuda_driver, &good),
        .cuda_missing = copy(arena, machine->cuda_missing, &good),
    };
    for (size_t i = 0; into->gpus && i < machine->gpu_count; i++)
        into->gpus[i] = (struct kg_gpu){
            .name = copy(arena, machine->gpus[i].name, &good),
            .uuid = copy(arena, machine->gpus[i].uuid, &good),
            .compute_capability = copy(arena, machine->gpus[i].compute_capability, &good),
            .memory_bytes = machine->gpus[i].memory_bytes,
        };
    return good && into->gpus;
}
