#include "device/gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "device/driver_process.h"

/* The answer in the order of arrival: the facts, then the problem. */
struct answer {
    struct kg_gpus gpus;
    char problem[sizeof((struct kg_gpus *)NULL)->problem];
};

/* Ends every string within its array, whatever the driver has written over the answer. */
static void strings_end(struct answer *answer)
{
    struct kg_gpus *gpus = &answer->gpus;
    gpus->nvidia_driver[sizeof gpus->nvidia_driver - 1] = '\0';
    gpus->why[sizeof gpus->why - 1] = '\0';
    answer->problem[sizeof answer->problem - 1] = '\0';
    if (gpus->count > KG_GPUS_MOST)
        gpus->count = 0;
    for (size_t i = 0; i < gpus->count; i++) {
        gpus->devices[i].name[sizeof gpus->devices[i].name - 1] = '\0';
        gpus->devices[i].uuid[sizeof gpus->devices[i].uuid - 1] = '\0';
        gpus->devices[i].pci_bus_id[sizeof gpus->devices[i].pci_bus_id - 1] = '\0';
    }
}

static void ask(const struct kg_gpus_query *query, struct answer *answer)
{
    char ending[256];
    const struct kg_apart apart = {
        .work = kg_gpus_ask, .argument = query, .timeout_ms = query->timeout_ms};
    *answer = (struct answer){0};
    const size_t length = kg_apart_run(&apart, answer, sizeof *answer, ending, sizeof ending);
    if (length < sizeof answer->gpus) {
        answer->gpus = (struct kg_gpus){0};
        snprintf(answer->gpus.why, sizeof answer->gpus.why, "%s", ending);
    }
    if (length < sizeof *answer)
        snprintf(answer->problem, sizeof answer->problem, "%s", ending);
    strings_end(answer);
}

bool kg_gpus_read(const struct kg_gpus_query *query, struct kg_gpus *gpus, struct kg_error *err)
{
    *gpus = (struct kg_gpus){0};
    if (!kg_gpus_choose(gpus, query->device, &gpus->chosen, err)) /* no device's name at all */
        return false;
    struct answer *answer = kg_alloc(1, sizeof *answer);
    ask(query, answer);
    *gpus = answer->gpus;
    if (gpus->count)
        memcpy(gpus->problem, answer->problem, sizeof gpus->problem);
    free(answer);
    return kg_gpus_choose(gpus, query->device, &gpus->chosen, err);
}

static bool unknown(const struct kg_gpus *gpus, const char *device, const char *what,
                    struct kg_error *err)
{
    struct kg_text there = {0};
    for (size_t i = 0; i < gpus->count; i++)
        kg_text_printf(&there, "%s cuda:%zu is %s (%s)", i ? "," : "", i, gpus->devices[i].name,
                       gpus->devices[i].uuid);
    kg_error_set(err, KG_ERROR_USAGE, "--device is '%.80s', but %s;%s", device, what,
                 kg_text_string(&there));
    kg_text_free(&there);
    return false;
}

static bool choose_by_uuid(const struct kg_gpus *gpus, const char *device, const char *uuid,
                           size_t *chosen, struct kg_error *err)
{
    size_t matches = 0;
    for (size_t i = 0; i < gpus->count; i++)
        if (!strncasecmp(gpus->devices[i].uuid, uuid, strlen(uuid)) && !matches++)
            *chosen = i;
    if (matches == 1 || !gpus->count)
        return true;
    return unknown(gpus, device,
                   matches ? "several devices have a UUID with this beginning"
                           : "no device has a UUID with this beginning",
                   err);
}

bool kg_gpus_choose(const struct kg_gpus *gpus, const char *device, size_t *chosen,
                    struct kg_error *err)
{
    uint64_t number = 0;
    *chosen = 0;
    if (!device || !strcmp(device, "cuda"))
        return true;
    const char *which = !strncmp(device, "cuda:", 5) ? device + 5 : "";
    if (!strncasecmp(which, "GPU-", 4) || !strncasecmp(which, "MIG-", 4))
        return choose_by_uuid(gpus, device, which, chosen, err);
    if (!kg_count_parse(which, &number))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--device is '%.80s', but must be cuda, cuda:NUMBER or cuda:UUID, such "
                            "as cuda:1 or cuda:GPU-8f2c; `kgate doctor` lists the devices",
                            device);
    if (gpus->count && number >= gpus->count)
        return unknown(gpus, device, "no device has this number", err);
    *chosen = gpus->count ? (size_t)number : 0;
    return true;
}
