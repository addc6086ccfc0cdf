/* machine_identity.c: the host, its boot and its epoch. Machines of one fingerprint are of one kind; these facts tell
 * them apart. kgate stores hashes: the manual of /etc/machine-id asks that the id itself does not leave the machine. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "base/units.h"
#include "device/machine.h"
#include "device/sysfs.h"

enum { HOST_DIGITS = 16, BOOT_DIGITS = 8, EPOCH_DIGITS = 8 };

/* Returns digits of a hash of `count` texts. A NULL differs from an empty text. */
static const char *hash_make(struct kg_arena *arena, const char *const *texts, size_t count,
                             int digits)
{
    static const char salt[] = "kgate";
    char hex[KG_SHA256_DIGITS + 1];
    struct kg_sha256 sum;
    kg_sha256_start(&sum);
    kg_sha256_add(&sum, salt, sizeof salt - 1);
    for (size_t i = 0; i < count; i++) {
        const char *text = texts[i] ? texts[i] : "\n";
        kg_sha256_add(&sum, text, strlen(text) + (count > 1));
    }
    kg_sha256_end(&sum, hex);
    return kg_arena_printf(arena, "%.*s", digits, hex);
}

/* Images of containers have an empty machine-id, or this word. */
static bool is_id(const char *line)
{
    return *line && strcmp(line, "uninitialized") != 0;
}

/* The hash of the machine's id; without one, of its name. */
static const char *host_find(struct kg_arena *arena, const char *root)
{
    char line[KG_TREE_LINE], name[256];
    const char *id = line;
    if (kg_tree_line(root, line, "/etc/machine-id") == 0 && is_id(line))
        return hash_make(arena, &id, 1, HOST_DIGITS);
    id = name;
    if (gethostname(name, sizeof name) != 0)
        return NULL;
    name[sizeof name - 1] = '\0';
    return hash_make(arena, &id, 1, HOST_DIGITS);
}

void kg_machine_identify(struct kg_arena *arena, const char *root, struct kg_machine *machine)
{
    char line[KG_TREE_LINE], limit[24];
    const char *text = line;
    uint64_t khz;
    machine->host = host_find(arena, root);
    if (kg_tree_line(root, line, "/proc/sys/kernel/random/boot_id") == 0)
        machine->boot = hash_make(arena, &text, 1, BOOT_DIGITS);
    if (kg_tree_value(root, "/proc/cpuinfo", "microcode", line) == 0)
        machine->microcode = kg_arena_copy(arena, line);
    if (kg_tree_line(root, line, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq") == 0 &&
        kg_count_parse(line, &khz) && khz < UINT64_MAX / 1000)
        machine->clock_limit_hz = khz * 1000;
    snprintf(limit, sizeof limit, "%llu", (unsigned long long)machine->clock_limit_hz);
    const char *const facts[] = {machine->kernel, machine->microcode, machine->nvidia_driver,
                                 machine->governor, limit};
    machine->epoch = hash_make(arena, facts, sizeof facts / sizeof *facts, EPOCH_DIGITS);
}
