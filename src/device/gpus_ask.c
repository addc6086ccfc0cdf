/* Runs in a process of its own: driver_process.h. */
#include "device/gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/driver.h"
#include "device/driver_process.h"
#include "device/nvml.h"
#include "device/sysfs.h"

enum { CODE_MISMATCH = 803, CODE_COMPATIBILITY = 804, CODE_NOT_READY = 802, CODE_LOST = 719 };

/* Remedies for a driver that does not start. */
static const struct {
    int code;
    const char *remedy;
} remedies[] = {
    {CODE_NOT_READY, "on a machine with NVSwitch, nvidia-fabricmanager must run"},
    {CODE_MISMATCH, "the versions of its library and its kernel module differ. After an update: "
                    "reboot. In a container: let the container toolkit provide the library"},
    {CODE_COMPATIBILITY, "the installed CUDA compatibility package does not support this GPU: "
                         "remove it, or update the driver"},
};

/* Reasons why a device is not usable, for codes with too little in the driver's own words. */
static const struct {
    int code;
    const char *words;
} troubles[] = {
    {KG_DRIVER_OUT_OF_MEMORY, "its memory is full: other processes use it (nvidia-smi lists them)"},
    {KG_DRIVER_DEVICE_UNAVAILABLE, "busy or unavailable: nvidia-smi lists its users"},
    {CODE_LOST, "it no longer answers; dmesg may have the reason (Xid)"},
};

static void printable(char *text)
{
    for (; *text; text++)
        *text = *text < ' ' || *text > '~' ? '?' : *text;
}

/* -1 if the driver does not tell. */
static int attribute(const struct kg_driver *driver, int device, int which)
{
    int value = -1;
    return driver->device_attribute(&value, which, device) == KG_DRIVER_SUCCESS ? value : -1;
}

/* A clock or a size of 0 means that the driver does not know. */
static int64_t positive(int value, int64_t unit)
{
    return value > 0 ? value * unit : -1;
}

static void uuid_format(const unsigned char *b, bool mig, char *text, size_t bytes)
{
    snprintf(text, bytes, "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             mig ? "MIG" : "GPU", b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10],
             b[11], b[12], b[13], b[14], b[15]);
}

/* Reads one device. Returns 0, or the code of the first failed call that every device must
 * support. */
static int device_read(const struct kg_driver *driver, int ordinal, struct kg_gpu_facts *facts)
{
    int device = 0;
    size_t memory = 0;
    unsigned char uuid[16] = {0};
    int code = driver->device_get(&device, ordinal);
    if (!code)
        code = driver->device_name(facts->name, sizeof facts->name, device);
    if (!code)
        code = driver->device_uuid(uuid, device);
    if (!code)
        code = driver->device_memory(&memory, device);
    if (code)
        return code;
    printable(facts->name);
    facts->mig = strstr(facts->name, "MIG") != NULL;
    uuid_format(uuid, facts->mig, facts->uuid, sizeof facts->uuid);
    if (driver->device_bus_id(facts->pci_bus_id, sizeof facts->pci_bus_id, device))
        facts->pci_bus_id[0] = '\0';
    printable(facts->pci_bus_id);
    facts->memory_bytes = memory;
    facts->major = attribute(driver, device, KG_ATTRIBUTE_CAPABILITY_MAJOR);
    facts->minor = attribute(driver, device, KG_ATTRIBUTE_CAPABILITY_MINOR);
    facts->multiprocessors = attribute(driver, device, KG_ATTRIBUTE_MULTIPROCESSORS);
    facts->memory_bus_bits = attribute(driver, device, KG_ATTRIBUTE_MEMORY_BUS_BITS);
    facts->ecc = attribute(driver, device, KG_ATTRIBUTE_ECC);
    facts->integrated = attribute(driver, device, KG_ATTRIBUTE_INTEGRATED);
    facts->compute_mode =
        (enum kg_compute_mode)attribute(driver, device, KG_ATTRIBUTE_COMPUTE_MODE);
    facts->sm_clock_hz = positive(attribute(driver, device, KG_ATTRIBUTE_CLOCK_KHZ), 1000);
    facts->memory_clock_hz =
        positive(attribute(driver, device, KG_ATTRIBUTE_MEMORY_CLOCK_KHZ), 1000);
    facts->l2_bytes = positive(attribute(driver, device, KG_ATTRIBUTE_L2_BYTES), 1);
    return 0;
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 …": the first word that
 * begins with a digit. */
static void driver_version_read(const struct kg_gpus_query *query, char *version, size_t bytes)
{
    char line[KG_TREE_LINE];
    char *rest = NULL;
    struct kg_nvml nvml;
    char why[160];
    if (kg_tree_line(query->root, line, "/proc/driver/nvidia/version") == 0)
        for (char *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
            if (*word >= '0' && *word <= '9' && strchr(word, '.')) {
                snprintf(version, bytes, "%s", word);
                return;
            }
    if (kg_nvml_open(query->nvml, &nvml, why, sizeof why) != KG_NVML_GOOD)
        return;
    kg_nvml_driver_version(&nvml, version, bytes);
    printable(version);
    kg_nvml_close(&nvml);
}

/* Why CUDA sees no device although the driver starts: a phrase, or "". */
static const char *absence(const struct kg_gpus_query *query)
{
    static char words[160];
    struct kg_nvml nvml;
    struct kg_nvml_device device;
    const char *visible = getenv("CUDA_VISIBLE_DEVICES"), *found = "";
    if (visible) {
        snprintf(words, sizeof words, "; CUDA_VISIBLE_DEVICES is '%.60s'", visible);
        printable(words);
        return words;
    }
    if (kg_nvml_open(query->nvml, &nvml, words, sizeof words) != KG_NVML_GOOD)
        return "";
    for (size_t i = 0; i < nvml.device_count; i++) {
        const bool there = kg_nvml_device_read(&nvml, i, &device);
        if (there && device.mig == 1)
            found = "; MIG is enabled, but the GPU has no instance: create one with nvidia-smi mig "
                    "-cgi PROFILE -C";
        else if (!there && device.lost)
            found = "; a GPU has fallen off the bus: reboot, and see dmesg (Xid 79)";
    }
    kg_nvml_close(&nvml);
    return found;
}

static bool driver_start(const struct kg_gpus_query *query, struct kg_driver *driver,
                         struct kg_gpus *gpus)
{
    char words[256];
    if (kg_driver_open(query->library, driver, words, sizeof words)) {
        gpus->cuda_version = driver->version;
        driver_version_read(query, gpus->nvidia_driver, sizeof gpus->nvidia_driver);
        return true;
    }
    printable(words);
    const int code = kg_driver_initialise(driver);
    const char *remedy = NULL;
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (remedies[i].code == code)
            remedy = remedies[i].remedy;
    if (driver->library) {
        gpus->cuda_version = driver->version;
        driver_version_read(query, gpus->nvidia_driver, sizeof gpus->nvidia_driver);
    }
    if (code == KG_DRIVER_NO_DEVICE)
        snprintf(gpus->why, sizeof gpus->why, "the NVIDIA driver reports none%s", absence(query));
    else
        snprintf(gpus->why, sizeof gpus->why, "%s%s%s", words, remedy ? "; " : "",
                 remedy ? remedy : "");
    return false;
}

static void devices_read(const struct kg_gpus_query *query, const struct kg_driver *driver,
                         struct kg_gpus *gpus)
{
    char words[256];
    int count = 0;
    int code = driver->device_count(&count);
    /* a device that does not answer ends the list: numbers must stay CUDA's */
    for (int i = 0; !code && i < count && gpus->count < KG_GPUS_MOST; i++) {
        code = device_read(driver, i, &gpus->devices[gpus->count]);
        gpus->count += !code;
    }
    if (gpus->count)
        return;
    kg_driver_words(driver, code, words, sizeof words);
    printable(words);
    if (code)
        snprintf(gpus->why, sizeof gpus->why, "the device does not answer: %s", words);
    else
        snprintf(gpus->why, sizeof gpus->why, "the NVIDIA driver reports none%s", absence(query));
}

/* Makes a context and a byte of memory, as a measurement does. */
static int device_try(const struct kg_driver *driver, int ordinal)
{
    int device = 0;
    void *context = NULL;
    uint64_t address = 0;
    int code = driver->device_get(&device, ordinal);
    if (!code)
        code = driver->context_retain(&context, device);
    if (code)
        return code;
    code = driver->context_use(context);
    if (!code)
        code = driver->memory_allocate(&address, 1);
    if (!code)
        code = driver->context_synchronize();
    if (address)
        driver->memory_free(address);
    driver->context_use(NULL);
    driver->context_release(device);
    return code;
}

/* "" if the device is usable. */
static void problem_find(const struct kg_driver *driver, const struct kg_gpus *gpus, size_t chosen,
                         char *problem, size_t bytes)
{
    const enum kg_compute_mode mode = gpus->devices[chosen].compute_mode;
    if (mode == KG_COMPUTE_MODE_PROHIBITED) {
        snprintf(problem, bytes,
                 "its compute mode prohibits computing: allow it with sudo nvidia-smi -c DEFAULT");
        return;
    }
    const int code = device_try(driver, (int)chosen);
    if (!code)
        return;
    if (code == KG_DRIVER_DEVICE_UNAVAILABLE && mode == KG_COMPUTE_MODE_EXCLUSIVE) {
        snprintf(problem, bytes,
                 "busy: its compute mode is exclusive, and another process uses it (nvidia-smi "
                 "lists it)");
        return;
    }
    kg_driver_words(driver, code, problem, bytes);
    printable(problem);
    for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++)
        if (troubles[i].code == code)
            snprintf(problem, bytes, "%s", troubles[i].words);
}

void kg_gpus_ask(const void *argument, int pipe)
{
    static struct kg_gpus gpus; /* too large for a stack */
    const struct kg_gpus_query *query = argument;
    char problem[sizeof gpus.problem] = "";
    struct kg_driver driver;
    struct kg_error err;
    size_t chosen = 0;
    if (driver_start(query, &driver, &gpus))
        devices_read(query, &driver, &gpus);
    kg_apart_answer(pipe, &gpus, sizeof gpus);
    if (gpus.count && kg_gpus_choose(&gpus, query->device, &chosen, &err))
        problem_find(&driver, &gpus, chosen, problem, sizeof problem);
    kg_apart_answer(pipe, problem, sizeof problem);
}
