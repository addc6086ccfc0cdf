"""Tells a process that hangs from one that a busy or paused machine keeps from ending.

Time on a clock does not tell them apart: a machine that stands still for an hour ages every process on it.
So a process is looked at, once a second of this program's own time, and hangs where for many looks in a row
nothing of it runs, wants to run or waits for a disk, or where it has had the processor for minutes."""

import os
import subprocess
from typing import NamedTuple

LOOKS = 45  # in a row: more seconds than kgate itself waits for, the time-out of a short suite
SPINS = 120  # seconds of the processor: what ends takes less than one
NEVER = 1800  # looks altogether
# Of threads that run, are ready to, or wait for a disk.
AT_WORK = frozenset("RD")


class Look(NamedTuple):
    """What a group of processes is at: the names, states and places of all threads."""

    threads: tuple
    seconds: float  # of the processor that they have had, with their children that have ended

    def is_calm(self):
        return not any(state in AT_WORK for _, _, state, _ in self.threads)

    def words(self):
        asleep = ", ".join(f"{name} ({number}) {state} in {place}" for number, name, state, place in self.threads)
        return f"{self.seconds:.1f} s of the processor; {asleep or 'no process is left'}"


def text_read(path):
    """What the file says; nothing where it cannot be read, as that of a process that has just ended."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def threads_of(number):
    try:
        return os.listdir(f"/proc/{number}/task")
    except OSError:
        return []


def look(numbers):
    """The processes of these numbers, now."""
    threads, ticks = [], 0
    for number in sorted(numbers):
        whole = text_read(f"/proc/{number}/stat")
        if whole:
            ticks += sum(map(int, whole.rsplit(")", 1)[1].split()[11:15]))
        for thread in threads_of(number):
            name, _, rest = text_read(f"/proc/{number}/task/{thread}/stat").partition("(")[2].rpartition(")")
            if rest:
                place = text_read(f"/proc/{number}/task/{thread}/wchan")
                threads.append((thread, name, rest.split()[0], place or "?"))
    return Look(tuple(threads), ticks / os.sysconf("SC_CLK_TCK"))


def end_wait(process, numbers, looks=LOOKS, spins=SPINS):
    """What a process has said, and None, once it has ended; what it had, and why it never will.

    numbers  gives the numbers of the process and of all that it started"""
    before, calm = None, 0
    for _ in range(NEVER):
        try:
            return process.communicate(timeout=1)[0], None
        except subprocess.TimeoutExpired:
            now = look({process.pid, *numbers()})
        calm = calm + 1 if now == before and now.is_calm() else 0
        before = now
        if calm >= looks or now.seconds > spins:
            break
    return "", before.words()
