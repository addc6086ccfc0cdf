/* mark.h: marks for a process that traces a worker. The worker makes a prctl that no kernel knows. BEGIN
 * and END enclose the workload's calls. They carry the number of calls so far, and their time, CPU
 * time and system time in ns. From PAUSE to RESUME the worker does work of its own. */
#pragma once

enum {
    KG_MARK_BEGIN = 0x6b670001,
    KG_MARK_END = 0x6b670002,
    KG_MARK_PAUSE = 0x6b670003,
    KG_MARK_RESUME = 0x6b670004,
};
