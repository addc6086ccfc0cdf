/* machine_gpus.h: the part of a machine's facts that is about its GPUs. Internal to machine.h. */
#pragma once
#include "device/machine.h"

/* Fills what the driver says of the GPUs, or why it says nothing.
 * device  as kg_machine_read has it
 * err     KG_ERROR_USAGE of a device that is not there */
bool kg_machine_gpus_read(struct kg_arena *arena, const char *device, struct kg_machine *machine,
                          struct kg_error *err);

/* false where memory is out. */
bool kg_gpu_copy(struct kg_arena *arena, const struct kg_gpu *gpu, struct kg_gpu *into);
