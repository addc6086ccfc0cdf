"""One fault in each run of a command: a system call that fails, an allocation that finds no memory."""

import os
import re
from concurrent.futures import ThreadPoolExecutor

from room import DATE, EXITS, GATE, Room, Row, measured_facts, strace_missing

# What a failing call of the kernel says. Those of the loader, before kgate begins, are not kgate's.
CALLS = {
    "openat": "EMFILE", "read": "EIO", "write": "ENOSPC", "fsync": "EIO", "rename": "ENOSPC", "mkdir": "EACCES",
    "fchmod": "EPERM", "unlink": "EACCES", "mmap": "ENOMEM", "clone": "EAGAIN", "clone3": "EAGAIN",
    "pipe2": "EMFILE", "socketpair": "EMFILE", "memfd_create": "EMFILE", "pidfd_open": "EMFILE", "flock": "ENOLCK",
    "wait4": "ECHILD", "ppoll": "ENOMEM", "poll": "ENOMEM", "kill": "EPERM", "newfstatat": "EACCES",
    "readlink": "EACCES", "lseek": "EIO", "sched_getaffinity": "EINVAL",
}
LOADER = 127
# What a command does besides, and says where it cannot.
LEFT_OUT = re.compile(r"^builds are not kept: .*\n", re.M)
# Advice that failed: a profile, suggestions, a report. The verdict and the store are as without it.
ADVICE = re.compile(r"^kgate: note: (no |\S+ lacks )", re.M)


class Command:
    """A command that is broken, and what it writes where nothing is."""

    def __init__(self, arguments, measures, kgate, template):
        self.arguments, self.measures = arguments, measures
        room = Room(kgate, template)
        self.whole = self.outcome(room, room.run(arguments))
        self.verdict = self.verdict_of(room)
        room.remove()

    def same(self, room, ran):
        """Whether the command wrote what it writes without a fault, but for advice that it says it lacks."""
        return self.outcome(room, ran) == self.whole or (
            bool(ADVICE.search(ran[1])) and self.verdict_of(room) == self.verdict)

    @staticmethod
    def verdict_of(room):
        """The verdict, and what is stored."""
        written = room.written()
        stored = measured_facts({path: text for path, text in written.items() if path.startswith("store/")})
        return re.findall(r'"verdict": "\w+"', written.get("out/comparison.json", "")), stored

    def outcome(self, room, ran):
        """What the command said and wrote, apart from times and dates."""
        if self.measures:
            return measured_facts(room.written())
        return DATE.sub("DATE", LEFT_OUT.sub("", ran[1])), room.written()

    def name(self):
        return " ".join(word for word in self.arguments[:2] if not word.startswith("-"))


def commands(kgate, template):
    return [Command(arguments, measures, kgate, template) for arguments, measures in (
        ((*GATE, "--update-missing"), True),
        (("compare", "r1.json", "r2.json", "-o", "out", "-q"), False),
        (("baseline", "update", "r2.json", "-b", "store"), False),
        (("report", "r1.json", "--format", "json"), False))]


def tried_all(faults, kgate, template, attempt):
    """Tries each fault in a room of its own, as many at a time as there are CPUs."""

    def one(fault):
        room = Room(kgate, template)
        try:
            attempt(room, fault)
        finally:
            room.remove()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, faults))


def calls_count(command, kgate, template):
    """How often the command makes each of the calls: {name: count}"""
    room = Room(kgate, template)
    room.run(command.arguments, ("strace", "-qq", "-c", "-S", "calls", "-U", "name,calls", "-o", "counts"))
    counts = {}
    if os.path.exists(room.path + "/counts"):
        with open(room.path + "/counts", encoding="utf-8") as lines:
            for words in map(str.split, lines):
                if len(words) == 2 and words[1].isdigit():
                    counts[words[0]] = int(words[1])
    room.remove()
    return counts


def calls(kgate, template, options):
    row = Row("system calls that fail")
    row.counts_felt, row.why_not = True, strace_missing()
    if row.why_not:
        return row
    faults = []
    for command in commands(kgate, template):
        counts = calls_count(command, kgate, template)
        if not counts:
            row.why_not = f"calls of `{command.name()}`: none were counted"
        faults += [(command, name, error, i) for name, error in CALLS.items()
                   for i in range(1, counts.get(name, 0) + 1)]

    def attempt(room, fault):
        command, name, error, i = fault
        fault = ("strace", "-qq", "-o", "/dev/null", "-e", f"trace={name}",
                 "-e", f"inject={name}:error={error}:when={i}")
        ran = room.run(command.arguments, fault)
        row.felt += ran[0] != 0
        if ran[0] not in EXITS and ran[0] == room.run(("--version",), fault)[0]:
            row.tried += 1  # the loader's, before main
            return
        row.judge(f"{command.name()}: {name} number {i}", ran, room, 1, EXITS | {LOADER},
                  lambda: command.same(room, ran))

    tried_all(faults[:: options.every], kgate, template, attempt)
    return row


def allocations_count(path):
    try:
        with open(path, encoding="utf-8") as count:
            return int(count.read())
    except (OSError, ValueError):
        return 0


def memory(kgate, template, options):
    row = Row("allocations that fail")
    row.counts_felt = True
    preload = os.path.join(options.tests, "libfail_allocation.so")
    faults = []
    for command in commands(kgate, template):
        room = Room(kgate, template)
        room.run(command.arguments, LD_PRELOAD=preload, KGATE_FAIL_ALLOCATION="0",
                 KGATE_COUNT_ALLOCATIONS=room.path + "/count")
        counted = allocations_count(room.path + "/count")
        if not counted:
            row.why_not = f"allocations of `{command.name()}`: none were counted"
        faults += [(command, i) for i in range(1, counted + 1)]
        room.remove()

    def attempt(room, fault):
        command, i = fault
        ran = room.run(command.arguments, LD_PRELOAD=preload, KGATE_FAIL_ALLOCATION=str(i))
        row.felt += ran[0] != 0
        row.judge(f"{command.name()}: allocation {i}", ran, room, 1,
                  same=lambda: command.same(room, ran))

    tried_all(faults[:: options.allocations * options.every], kgate, template, attempt)
    return row
