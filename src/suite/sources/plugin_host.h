/* plugin_host.h: kgate's side of the workload interface: the context with its counting allocators. One at
 * a time in a process; not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/driver.h"
#include "kgate/plugin.h"

enum { KG_REPORTS_MOST = 32, KG_REPORT_NAME_MOST = 100 };

/* A figure that the workload reported. */
struct kg_report_entry {
    char name[KG_REPORT_NAME_MOST + 1];
    double value;
};

struct kg_host {
    struct kgate_context context; /* handed to the workload; its `host` is this struct */
    uint64_t allocated_bytes;     /* now */
    uint64_t allocated_peak_bytes;
    uint64_t allocations;           /* so far: where in its page the next one begins */
    struct kg_host_memory *first;   /* what is allocated now, to be freed at the end */
    const struct kg_driver *driver; /* on the GPU; else NULL */
    uint64_t limit_bytes;           /* of device memory; 0: none */
    bool limit_met;                 /* it refused an allocation */
    uint64_t device_bytes;          /* now */
    uint64_t device_peak_bytes;
    struct kg_device_memory *device_memory;
    size_t device_memory_count;
    size_t device_memory_capacity;
    struct kg_report_entry reports[KG_REPORTS_MOST];
    size_t report_count;
};

/* Takes a report; more than there is room for are ignored. */
void kg_host_report(struct kg_host *host, const char *name, double value);

/* Fills in everything but the values. `host` must not move afterwards. */
void kg_host_start(struct kg_host *host, const struct kgate_value *values, enum kgate_device device,
                   unsigned threads, uint64_t seed);

/* Lets the workload use the GPU whose context is current. The driver must live as long.
 * limit_bytes  the most device memory that it is given; 0: as much as there is */
void kg_host_use_device(struct kg_host *host, const struct kg_driver *driver, void *stream,
                        uint64_t limit_bytes);

/* Frees whatever the workload did not. */
void kg_host_end(struct kg_host *host);
