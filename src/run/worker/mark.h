/* mark.h: how a worker tells who traces it that calls of the workload begin, and have ended: by a prctl
 * that no kernel knows. With these two it says the calls so far, and their time, CPU time and system
 * time in ns; between the other two it does something of its own. */
#pragma once

enum {
    KG_MARK_BEGIN = 0x6b670001,
    KG_MARK_END = 0x6b670002,
    KG_MARK_PAUSE = 0x6b670003,
    KG_MARK_RESUME = 0x6b670004,
};
