/* clocks_lock.c: --lock-clocks. */
#include <stdlib.h>

#include "cli/cli.h"
#include "device/clock_lock.h"
#include "device/nvml.h"

static struct kg_clock_lock lock = {.pipe = -1};

/* At a usual end kgate waits until the clocks are reset. */
static void unlock(void)
{
    kg_clocks_unlock(&lock);
}

bool kg_cli_clocks_lock(const struct kg_arguments *arguments, const struct kg_prepared *prepared,
                        struct kg_error *err)
{
    const struct kg_gpu *gpu = kg_machine_gpu(&prepared->machine);
    if (!arguments->lock_clocks)
        return true;
    if (!gpu || !gpu->uuid)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--lock-clocks: this machine has no GPU that kgate can use");
    if (!kg_clocks_lock(KG_NVML_LIBRARY, gpu->uuid, &lock, err))
        return kg_error_wrap(err, "--lock-clocks");
    if (atexit(unlock) == 0)
        return true;
    unlock();
    return kg_error_set(err, KG_ERROR_SYSTEM, "--lock-clocks: no memory");
}
