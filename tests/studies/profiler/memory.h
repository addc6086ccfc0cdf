/* memory.h: the process's peak resident memory so far. */
#pragma once

/* In KiB (VmHWM); -1 if the system does not report it. */
long memory_most_kib(void);
