/* Judges NVML's readings of each GPU. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "why/doctor/doctor.h"

enum { HOT_C = 80, NEAR_SLOWDOWN_C = 5 };

static void persistence_judge(const struct kg_nvml_device *device, const char *topic,
                              struct kg_findings *findings)
{
    if (device->persistence == 0)
        kg_finding_add(findings, KG_FINDING_WARNING, topic, "sudo nvidia-smi -pm 1",
                       "persistence mode is off: the driver and the clocks start again for each "
                       "process");
    else if (device->persistence == 1)
        kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL, "persistence mode is on");
}

static void clocks_judge(const struct kg_nvml_device *device, const char *topic,
                         struct kg_findings *findings)
{
    const int now = device->sm_mhz, most = device->sm_most_mhz;
    const int asked = device->sm_application_mhz;
    if (now < 0 || most <= 0)
        return;
    if (asked > 0 && asked < most)
        kg_finding_add(findings, KG_FINDING_NOTE, topic,
                       "state it with the results; reset: nvidia-smi -rac",
                       "application clock %d MHz (maximum %d); now %d", asked, most, now);
    else
        kg_finding_add(findings, KG_FINDING_NOTE, topic,
                       "lock a clock that it can sustain: sudo nvidia-smi -lgc MHZ; unlock: "
                       "nvidia-smi -rgc",
                       "SM clock %d MHz now (maximum %d); unless locked, it changes with power and "
                       "temperature",
                       now, most);
}

static void throttle_judge(const struct kg_nvml_device *device, const char *topic,
                           struct kg_findings *findings)
{
    char by[192];
    if (device->throttle < 0)
        return;
    kg_nvml_throttle_words(device->throttle, by, sizeof by);
    if (kg_nvml_throttled(device->throttle))
        kg_finding_add(findings, KG_FINDING_WARNING, topic,
                       "let it cool, fix its cooling or power supply, or lock lower clocks: sudo "
                       "nvidia-smi -lgc MHZ",
                       "throttled now by %s", by);
    else
        kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL, "not throttled now");
}

static void temperature_judge(const struct kg_nvml_device *device, const char *topic,
                              struct kg_findings *findings)
{
    const int slowdown = device->slowdown_c;
    const int most = slowdown > 0 ? slowdown - NEAR_SLOWDOWN_C : HOT_C;
    char limit[48] = "";
    if (device->temperature_c < 0)
        return;
    if (slowdown > 0)
        snprintf(limit, sizeof limit, ", throttles at %d", slowdown);
    const bool hot = device->temperature_c >= most;
    kg_finding_add(findings, hot ? KG_FINDING_WARNING : KG_FINDING_GOOD, topic,
                   hot ? "let it cool before measuring; fix its cooling" : NULL, "%d C%s",
                   device->temperature_c, limit);
}

static void neighbours_judge(const struct kg_nvml_device *device, const char *topic,
                             struct kg_findings *findings)
{
    const int others = device->compute_processes, busy = device->utilization_percent;
    char use[48] = "";
    if (others < 0 && busy < 0)
        return;
    if (busy >= 0)
        snprintf(use, sizeof use, "%d %% busy", busy);
    if (others > 0 || busy > 0)
        kg_finding_add(findings, others > 0 ? KG_FINDING_WARNING : KG_FINDING_NOTE, topic,
                       "find the process: nvidia-smi; stop it, or choose another device with "
                       "--device",
                       "%d compute process%s%s%s", others > 0 ? others : 0, others == 1 ? "" : "es",
                       busy >= 0 ? ", " : "", use);
    else
        kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL, "no other compute process");
}

static void device_judge(const struct kg_nvml_device *device, size_t index,
                         struct kg_findings *findings)
{
    char name[sizeof device->name];
    const char *topic = kg_finding_text(findings, "GPU %zu", index);
    snprintf(name, sizeof name, "%s", device->name);
    for (char *c = name; *c; c++)
        *c = *c < ' ' || *c > '~' ? '?' : *c;
    /* NVML numbers GPUs differently from CUDA; the UUID identifies CUDA's device */
    kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL, "%s%s%s", name,
                   *device->uuid ? ", " : "", device->uuid);
    persistence_judge(device, topic, findings);
    clocks_judge(device, topic, findings);
    throttle_judge(device, topic, findings);
    temperature_judge(device, topic, findings);
    neighbours_judge(device, topic, findings);
}

static bool driver_loaded(const char *root)
{
    char path[1024];
    const int length = snprintf(path, sizeof path, "%s/proc/driver/nvidia/version", root);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

void kg_doctor_gpus(const char *root, const struct kg_nvml_gpus *gpus, struct kg_findings *findings)
{
    if (gpus->status == KG_NVML_FAILED)
        kg_finding_add(findings, KG_FINDING_WARNING, "GPU",
                       "after a driver update reload the driver: reboot, or rmmod and modprobe",
                       "NVML: %s", gpus->why);
    else if (gpus->status == KG_NVML_MISSING && driver_loaded(root))
        kg_finding_add(findings, KG_FINDING_NOTE, "GPU",
                       "start the container with NVIDIA_DRIVER_CAPABILITIES=compute,utility",
                       "a driver is loaded, but " KG_NVML_LIBRARY " is missing");
    else if (!gpus->count)
        kg_finding_add(findings, KG_FINDING_NOTE, "GPU", NULL, "no GPU");
    for (size_t i = 0; i < gpus->count; i++)
        device_judge(&gpus->devices[i], i, findings);
}
