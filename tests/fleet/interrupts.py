"""Makes a CPU slower, as a profiler that somebody left running: interrupts.py CPU.

A timer of perf_event_open interrupts the CPU every 20 us. Whatever runs there gets fewer cycles, registers-only code
included, as at a lower clock. Writes the line "ready", then waits for its end. Exit status 77: the kernel refuses."""

import ctypes
import os
import struct
import signal
import sys

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
TYPE_SOFTWARE, CPU_CLOCK, SAMPLE_IP, PERIOD_NS = 1, 0, 1, 20000
SIZE = 112  # of struct perf_event_attr, as of Linux 4.1


def main():
    number = PERF_EVENT_OPEN.get(os.uname().machine)
    attributes = struct.pack("=IIQQQ", TYPE_SOFTWARE, SIZE, CPU_CLOCK, PERIOD_NS, SAMPLE_IP).ljust(SIZE, b"\0")
    libc = ctypes.CDLL(None, use_errno=True)
    if number is None or libc.syscall(number, attributes, -1, int(sys.argv[1]), -1, 0) < 0:
        print("perf_event_open:", os.strerror(ctypes.get_errno()))
        sys.exit(77)
    print("ready", flush=True)
    signal.pause()


main()
