/* open.h: the timer, for the programs that have no use of CUDA's runtime library. */
#pragma once
#include "expect.h"
#include "run/timing/gpu_hold.h"
#include "run/timing/gpu_timer.h"

/* Opens the timer. False: the program must exit with *status, which is 0 without a driver or
 * GPU. */
static inline bool timer_open(struct kg_gpu_timer *timer, int *status)
{
    struct kg_driver driver;
    struct kg_error err = {0};
    char why[256];
    if (!kg_driver_open(KG_DRIVER_LIBRARY, &driver, why, sizeof why)) {
        const bool nothing_here = !driver.library || strstr(why, "CUDA_ERROR_NO_DEVICE");
        printf("%s: %s\n", nothing_here ? "skipped" : "FAIL  the driver is opened", why);
        *status = nothing_here ? EXIT_SUCCESS : EXIT_FAILURE;
        return false;
    }
    *status = EXIT_FAILURE;
    if (kg_gpu_timer_open(NULL, timer, &err))
        return true;
    printf("FAIL  the timer is opened: %s\n", err.message);
    return false;
}
