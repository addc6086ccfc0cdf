"""Breaks a short gate in every way that there is, and says what came of it.

    campaign.py KGATE FOLDER_OF_TESTS [--every N] [--kills N] [PART...]

Parts: calls (each system call of a gate fails, one a gate), memory (each allocation), kills (at random
moments), together (eight at once on one store). --every N tries each Nth fault (default: 1, all);
--kills N is how many gates are killed (default: 1000). Prints a table; exit status 0 where nobody
crashed, hung, lost what was stored, or gave an exit status that kgate does not have."""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

SUITE = """version: 1
suite: short
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, threshold: 50%, rounds: {min: 2, max: 2}, min_time: 1ms,
           timeout: 20s, threads: 1, metrics: [time]}
workloads:
  - {name: one, command: ["true"]}
"""

# What a failing call of the kernel says. Those of the loader, before kgate begins, are not kgate's.
CALLS = {
    "openat": "EMFILE", "read": "EIO", "write": "ENOSPC", "fsync": "EIO", "rename": "ENOSPC", "mkdir": "EACCES",
    "fchmod": "EPERM", "unlink": "EACCES", "mmap": "ENOMEM", "clone": "EAGAIN", "clone3": "EAGAIN",
    "pipe2": "EMFILE", "socketpair": "EMFILE", "memfd_create": "EMFILE", "pidfd_open": "EMFILE", "flock": "ENOLCK",
    "wait4": "ECHILD", "ppoll": "ENOMEM", "poll": "ENOMEM", "kill": "EPERM", "newfstatat": "EACCES",
    "readlink": "EACCES", "lseek": "EIO", "sched_getaffinity": "EINVAL",
}
# PASS, FAIL, bad usage, not measured, UNDECIDED.
EXITS = {0, 1, 2, 3, 4}
# Before main: what the loader and OpenBLAS do where they cannot begin is theirs.
LOADER = 127
BEFORE_MAIN = "OpenBLAS blas_thread_init"
LIMIT = 120
KEPT = re.compile(r"^(results|comparison|suggestions)\.json$|^report\.md$|^results\.json\.journal$")


class Room:
    """A folder with a suite, a store that has a run, and what a gate leaves."""

    def __init__(self, kgate, template):
        self.kgate = kgate
        self.path = tempfile.mkdtemp(prefix="kgate-campaign-")
        shutil.copytree(template, self.path, dirs_exist_ok=True)
        self.environment = dict(os.environ, XDG_CACHE_HOME=self.path + "/cache", KGATE_CAMPAIGN=self.path)

    def run(self, before=(), arguments=("gate", "-c", "s.yaml", "-b", "store", "-o", "out", "-q"), **environment):
        """Exit status, negative for a signal, None where it hung; and what was said."""
        process = subprocess.Popen([*before, self.kgate, *arguments], cwd=self.path, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                   env={**self.environment, **environment}, start_new_session=True)
        try:
            said, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, ""
        return process.returncode, said

    def stored_runs(self):
        """How many runs the store has; 0 where kgate cannot read it."""
        status, said = self.run(arguments=("baseline", "show", "-b", "store", "--json"))
        try:
            return len(json.loads(said)["runs"]) if status == 0 else 0
        except (ValueError, KeyError):
            return 0

    def left_behind(self):
        """Files that no user asked for: halves of others."""
        stored = [name for name in os.listdir(self.path + "/store") if ".tmp" in name]
        out = os.listdir(self.path + "/out") if os.path.isdir(self.path + "/out") else []
        return stored + [name for name in out if not KEPT.match(name)]

    def processes(self):
        """Processes of this room that are still there."""
        mark = ("KGATE_CAMPAIGN=" + self.path).encode()
        found = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/environ", "rb") as environ:
                    if mark in environ.read():
                        found.append(int(number))
            except OSError:
                pass
        return found

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


class Row:
    """One line of the table."""

    def __init__(self, name):
        self.name, self.tried, self.crashed, self.hung, self.lost, self.wrong = name, 0, 0, 0, 0, 0

    def judge(self, what, status, said, room, stored, wanted=EXITS):
        """Counts what came of one fault; `stored` is how many runs the store had."""
        self.tried += 1
        complaint = None
        if BEFORE_MAIN in said:
            return
        if status is None:
            self.hung, complaint = self.hung + 1, "hung"
        elif status < 0 or status >= 128:
            self.crashed, complaint = self.crashed + 1, f"ended by signal {-status if status < 0 else status - 128}"
        elif status not in wanted:
            self.wrong, complaint = self.wrong + 1, f"exit status {status}"
        elif status in (2, 3) and not said.strip():
            self.wrong, complaint = self.wrong + 1, f"exit status {status} without a word"
        if room.stored_runs() < stored:
            self.lost, complaint = self.lost + 1, "the store lost a run, or cannot be read"
        elif room.left_behind() and status is not None and status >= 0:
            self.lost, complaint = self.lost + 1, f"left {', '.join(room.left_behind())}"
        if complaint:
            print(f"{self.name}: {what}: {complaint}\n    {said.strip()[-300:]}", file=sys.stderr)

    def bad(self):
        return self.crashed + self.hung + self.lost + self.wrong


def template_make(kgate):
    """A room's content: the suite, and a store with one run."""
    room = Room(kgate, tempfile.mkdtemp(prefix="kgate-campaign-"))
    with open(room.path + "/s.yaml", "w", encoding="utf-8") as suite:
        suite.write(SUITE)
    status, said = room.run(arguments=("gate", "-c", "s.yaml", "-b", "store", "-o", "out", "-q", "--update-missing"))
    if status != 0 or room.stored_runs() != 1:
        sys.exit(f"campaign: the gate does not work without faults: exit {status}\n{said}")
    shutil.rmtree(room.path + "/out")
    return room.path


def tried_all(row, faults, kgate, template, attempt):
    """Tries each fault in a room of its own, as many at a time as there are CPUs."""

    def one(fault):
        room = Room(kgate, template)
        try:
            attempt(row, room, fault)
        finally:
            room.remove()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, faults))


def calls_count(kgate, template):
    """How often a gate makes each of the calls: {name: count}; nothing where they cannot be traced."""
    room = Room(kgate, template)
    if not shutil.which("strace"):
        return {}
    room.run(before=("strace", "-qq", "-c", "-S", "calls", "-U", "name,calls", "-o", "counts"))
    counts = {}
    if not os.path.exists(room.path + "/counts"):
        return {}
    with open(room.path + "/counts", encoding="utf-8") as lines:
        for words in map(str.split, lines):
            if len(words) == 2 and words[1].isdigit():
                counts[words[0]] = int(words[1])
    room.remove()
    return counts


def calls(kgate, template, options):
    row = Row("system calls that fail")
    counts = calls_count(kgate, template)
    if not counts:
        print(f"{row.name}: not tried: strace is missing, or may not trace here", file=sys.stderr)
    faults = [(name, error, i) for name, error in CALLS.items() for i in range(1, counts.get(name, 0) + 1)]

    def attempt(row, room, fault):
        name, error, i = fault
        fault = ("strace", "-qq", "-o", "/dev/null", "-e", f"trace={name}",
                 "-e", f"inject={name}:error={error}:when={i}")
        status, said = room.run(before=fault)
        if status not in EXITS and status == room.run(before=fault, arguments=("--version",))[0]:
            row.tried += 1  # the loader's, before main
            return
        row.judge(f"{name} number {i}", status, said, room, 1, EXITS | {LOADER})

    tried_all(row, faults[:: options.every], kgate, template, attempt)
    return row


def memory(kgate, template, options):
    row = Row("allocations that fail")
    preload = os.path.join(options.tests, "libfail_allocation.so")
    room = Room(kgate, template)
    room.run(LD_PRELOAD=preload, KGATE_FAIL_ALLOCATION="0", KGATE_COUNT_ALLOCATIONS=room.path + "/count")
    with open(room.path + "/count", encoding="utf-8") as count:
        total = int(count.read())
    room.remove()

    def attempt(row, room, i):
        status, said = room.run(LD_PRELOAD=preload, KGATE_FAIL_ALLOCATION=str(i))
        row.judge(f"allocation {i} of {total}", status, said, room, 1)

    tried_all(row, range(1, total + 1)[:: 10 * options.every], kgate, template, attempt)
    return row


def kills(kgate, template, options):
    row = Row("killed at random moments")
    chance = random.Random(1)

    def attempt(row, room, delay):
        gate = subprocess.Popen([kgate, "gate", "-c", "s.yaml", "-b", "store", "-o", "out", "-q", "--update-missing"],
                                cwd=room.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                env=room.environment, start_new_session=True)
        time.sleep(delay)
        gate.kill()
        gate.wait()
        for _ in range(100):
            if not room.processes():
                break
            time.sleep(0.05)
        alive = room.processes()
        for number in alive:
            os.kill(number, signal.SIGKILL)
        status, said = room.run(arguments=("gate", "-c", "s.yaml", "-b", "store", "-o", "out", "-q",
                                           "--update-missing"))
        row.judge(f"killed after {delay:.3f} s", status, said, room, 1, {0, 1, 4})
        if alive:
            row.lost += 1
            print(f"{row.name}: after {delay:.3f} s: {len(alive)} processes lived on", file=sys.stderr)

    tried_all(row, [chance.uniform(0, 0.6) for _ in range(options.kills)], kgate, template, attempt)
    return row


def together(kgate, template, options):
    row = Row("eight at once on one store")
    for turn in range(max(1, 20 // options.every)):
        room = Room(kgate, template)
        for i in range(8):
            room.run(arguments=("run", "-c", "s.yaml", "-o", f"r{i}.json", "-q"))
        updates = [subprocess.Popen([kgate, "baseline", "update", f"r{i}.json", "-b", "store", "-q", "--keep", "20"], cwd=room.path,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=room.environment, text=True)
                   for i in range(8)]
        said = [update.communicate(timeout=LIMIT)[1] for update in updates]
        for i, update in enumerate(updates):
            row.judge(f"turn {turn}, update {i}", update.returncode, said[i], room, 1, {0})
        if room.stored_runs() != 9:
            row.lost += 1
            print(f"{row.name}: {room.stored_runs()} of 9 runs are stored", file=sys.stderr)
        room.remove()
    return row


def main():
    parts = {"calls": calls, "memory": memory, "kills": kills, "together": together}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgate")
    parser.add_argument("tests")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    options = parser.parse_intermixed_args()
    if not set(options.parts) <= set(parts):
        parser.error(f"the parts are {', '.join(parts)}")
    kgate = os.path.abspath(options.kgate)
    options.tests = os.path.abspath(options.tests)
    template = template_make(kgate)
    rows = [parts[name](kgate, template, options) for name in options.parts or parts]
    shutil.rmtree(template)
    print(f"{'':28} {'tried':>6} {'crashed':>8} {'hung':>5} {'lost':>5} {'wrong exit':>11}")
    for row in rows:
        print(f"{row.name:28} {row.tried:6} {row.crashed:8} {row.hung:5} {row.lost:5} {row.wrong:11}")
    sys.exit(any(row.bad() for row in rows))


main()
