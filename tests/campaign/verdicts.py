"""Each system call after the verdict fails once: no exit status changes, and the store is the same.

The verdict is on the disk when comparison.json has its name. What follows is the store, then advice:
profiles, suggestions, reports, kept builds, what is printed. Only a fault in the store's own change, or in
standard output, may end with exit status 3."""

import json
import os
import re
import shutil

from faults import CALLS, tried_all
from room import DATE, Room, Row, strace_missing

SUITE = """version: 1
suite: short
reports: [markdown, junit, csv, github]
defaults: {sample_time: %s, trace: %s, disturbance: 100%%, rounds: {min: 5, max: 5}, min_time: 1ms, timeout: 20s,
           threads: 1, metrics: [time]}
workloads:
"""
COMMANDS = """  - {name: one, command: ["./program"]}
  - {name: two, command: ["true"], threshold: 1000%}
"""
KERNEL = """  - {name: one, kernel: copy, params: {bytes: 16KiB}}
"""
# Calls that cannot fail, or that the kernel answers with no such error: glibc ends a program by futex's.
NEVER = {"brk", "futex", "exit", "exit_group", "rt_sigreturn", "restart_syscall", "getpid", "gettid", "getuid", "geteuid", "umask",
         "rt_sigaction", "rt_sigprocmask", "sigaltstack", "clock_gettime", "uname"}
VERDICT = re.compile(r'^rename\("[^"]*/comparison\.json\.tmp')
STORE = re.compile(r'^(openat|rename|unlink|mkdir|newfstatat|readlink|access)\(.*"[^"]*\bstore[/"]')
FOLDER_SYNCED = 4  # calls after a rename: the folder is opened, synced and closed
TRIES = 6
RUNS = 3


def shape(value):
    """JSON without figures and dates, and without what profiles tell."""
    if isinstance(value, dict):
        return {name: shape(one) for name, one in value.items() if name not in ("traits", "trait_names")}
    if isinstance(value, list):
        return "figures" if any(isinstance(one, (int, float)) for one in value) else [shape(one) for one in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return 0
    return DATE.sub("DATE", value) if isinstance(value, str) else value


def json_read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def scale(path, factor):
    """Multiplies the times of results, or of a baseline."""
    file = json_read(path)
    for case in file.get("cases", []):
        case["rounds"]["median_ns"] = [factor * one for one in case["rounds"]["median_ns"]]
        case["rounds"]["mean_ns"] = [factor * one for one in case["rounds"]["mean_ns"]]
    for case in (case for run in file.get("runs", []) for case in run["cases"]):
        for series in case["series"]:
            if series["name"] == "time":
                series["values"] = [factor * one for one in series["values"]]
    with open(path, "w", encoding="utf-8") as output:
        json.dump(file, output)


class Command:
    """A command, what it needs, and its outcome without a fault."""

    def __init__(self, name, arguments, suite, kgate, template, factor=1, sparse=1):
        self.name, self.arguments, self.sparse, self.kgate = name, arguments, sparse, kgate
        self.room = Room(kgate, template)
        self.prepare(suite, factor)
        room = self.start()
        ran, self.lines = self.trace(room, ())
        self.outcome = self.outcome_of(room, ran)
        room.remove()

    def prepare(self, suite, factor):
        """One case is stored, at `factor` times its time; another is not."""
        room = self.room
        shutil.rmtree(room.path + "/store")
        with open(room.path + "/s.yaml", "w", encoding="utf-8") as file:
            file.write(suite)
        for folder, seconds in ((".", "0.02"), ("fast", "0.02"), ("slow", "0.06")):
            os.makedirs(f"{room.path}/{folder}", exist_ok=True)
            with open(f"{room.path}/{folder}/program", "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nsleep {seconds}\n")
            os.chmod(f"{room.path}/{folder}/program", 0o755)
        for arguments in (("gate", "-c", "s.yaml", "-b", "store", "-o", "first", "--update-missing", "-q",
                           "--filter", "*one*", "--keep-builds", "0"), ("run", "-c", "s.yaml", "-o", "r1.json", "-q")):
            status, said = room.run(arguments)
            if status != 0:
                raise SystemExit(f"campaign: {self.name}: {arguments} ends with {status}\n{said}")
        stored = [name for name in os.listdir(room.path + "/store") if name.endswith(".json")][0]
        scale(f"{room.path}/store/{stored}", factor)
        shutil.copy(room.path + "/r1.json", room.path + "/r2.json")
        scale(room.path + "/r2.json", 3)
        for name in room.files("cache"):
            if "looked" in name:  # each run profiles anew
                os.remove(f"{room.path}/{name}")

    def start(self):
        return Room(self.kgate, self.room.path)

    def trace(self, room, fault):
        """Exit status with words, and the calls of the main process."""
        ran = room.run(self.arguments, ("strace", "-qq", "-s", "300", "-o", "calls", *fault))
        with open(room.path + "/calls", encoding="utf-8", errors="replace") as calls:
            return ran, calls.read().splitlines()

    def outcome_of(self, room, ran):
        """Exit status, verdict, and the store's shape."""
        comparison = json_read(room.path + "/out/comparison.json") or {}
        changes = sorted((case["id"], case["change"]) for case in comparison.get("cases", []))
        store = {name: shape(json_read(f"{room.path}/{name}")) for name in room.files("store")
                 if name.endswith(".json") and "/builds/" not in name}
        return ran[0], comparison.get("verdict"), changes, store


def call_of(line):
    return line.partition("(")[0]


def verdict_at(lines):
    """The index of the call after which comparison.json has its name; None before."""
    return next((i for i, line in enumerate(lines) if VERDICT.match(line)), None)


def in_own_write(lines, at, verdict):
    """Whether a fault hit the comparison's own write, the store's change, or standard output."""
    store = [i for i, line in enumerate(lines) if i > verdict and STORE.match(line)]
    return (at <= verdict + FOLDER_SYNCED or lines[at].startswith("write(1,") or
            bool(store) and store[0] - FOLDER_SYNCED <= at <= store[-1] + FOLDER_SYNCED)


def faults_of(command):
    """(call, which one after the verdict) of a run without a fault"""
    counts = {}
    verdict = verdict_at(command.lines)
    for line in command.lines[verdict + 1:]:
        name = call_of(line)
        if name.isidentifier() and name not in NEVER:
            counts[name] = counts.get(name, 0) + 1
    return [(command, name, i) for name, count in sorted(counts.items()) for i in range(1, count + 1)]


def attempt_at(command, name, position):
    """A run whose `position`th call of that name after the verdict fails, or None: it has no such call.
    How many there are before the verdict differs from run to run, so the number is corrected."""
    before = sum(call_of(line) == name for line in command.lines[:verdict_at(command.lines)])
    for _ in range(TRIES):
        room = command.start()
        fault = ("-e", f"inject={name}:error={CALLS.get(name, 'EIO')}:when={before + position}")
        ran, lines = command.trace(room, fault)
        at = next((i for i, line in enumerate(lines) if line.endswith("(INJECTED)")), None)
        verdict = verdict_at(lines)
        if at is not None and verdict is not None and at > verdict:
            return room, ran, lines, at, verdict
        room.remove()
        before = sum(call_of(line) == name for line in lines[:verdict])
    return None


def commands(kgate, template):
    gate = ("gate", "-c", "s.yaml", "-b", "store", "-o", "out", "-q")
    short, profiled = SUITE % ("0ns", "no") + COMMANDS, SUITE % ("5ms", "yes") + KERNEL
    return [Command("gate", (*gate, "--update-missing"), short, kgate, template, 100),
            Command("gate, slower", gate, short, kgate, template, 0.01),
            Command("gate, profiled", gate, profiled, kgate, template, 100, sparse=40),
            Command("ab", ("ab", "-c", "s.yaml", "--base", "fast", "--head", "slow", "-o", "out", "-q"), short, kgate,
                    template),
            Command("compare -o", ("compare", "r1.json", "r2.json", "-o", "out", "-q"), short, kgate, template)]


def verdicts(kgate, template, options):
    row = Row("calls after the verdict")
    row.counts_felt, row.why_not = True, strace_missing()
    if row.why_not:
        return row
    own = []
    all_commands = commands(kgate, template)
    faults = [fault for command in all_commands for fault in faults_of(command)[:: options.every * command.sparse]]

    def attempt(_, fault):
        """A verdict that noise changed is another one in another run; one that the fault changed is not."""
        command, name, position = fault
        what = f"{command.name}: {name} number {position} after the verdict"
        for again in range(RUNS):
            found = attempt_at(command, name, position)
            if not found:
                return
            room, ran, lines, at, verdict = found
            outcome = command.outcome_of(room, ran)
            is_own = ran[0] == 3 and outcome[1:3] == command.outcome[1:3] and in_own_write(lines, at, verdict)
            if outcome == command.outcome or is_own or again == RUNS - 1:
                break
            room.remove()
        row.felt += bool(ran[1].strip())
        row.judge(what, ran, room, 1)
        if is_own:
            own.append(what)
        elif outcome != command.outcome:
            row.wrong += 1
            row.complain(what, f"{outcome[:3]} instead of {command.outcome[:3]}" +
                         ("" if outcome[3] == command.outcome[3] else ", and another store"),
                         lines[at] + "\n" + ran[1])
        room.remove()

    tried_all(faults, kgate, template, attempt)
    for command in all_commands:
        command.room.remove()
    print(f"{row.name}: {len(own)} of {row.tried} were the comparison's, the store's or standard output's own: "
          "exit status 3, with the verdict")
    return row
