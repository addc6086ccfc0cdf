/* memory.h: the most memory that the process has had resident so far. */
#pragma once

/* In KiB (VmHWM); -1 where the system does not say. */
long memory_most_kib(void);
