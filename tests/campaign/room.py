"""A folder in which kgate runs, what it leaves there, and how one fault is judged."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from ending import end_wait

SUITE = """version: 1
suite: short
defaults: {sample_time: 0ns, trace: no, disturbance: 100%, threshold: 50%, rounds: {min: 2, max: 2}, min_time: 1ms,
           timeout: 20s, threads: 1, metrics: [time]}
workloads:
  - {name: one, command: ["true"]}
"""
# PASS, FAIL, bad usage, not measured, UNDECIDED.
EXITS = {0, 1, 2, 3, 4}
# While a kernel is loaded: what the loader and OpenBLAS do where they cannot begin is theirs.
BEFORE_MAIN = "OpenBLAS blas_thread_init"
GATE = ("gate", "-c", "s.yaml", "-b", "store", "-o", "out", "-q")
KEPT = re.compile(r"^(results|comparison|suggestions|base|head)\.json$|^report\.(md|html)$|^junit\.xml$|"
                  r"^annotations\.txt$|^(results|comparison)\.csv$|^results\.json\.journal$")
DATE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?Z?")


def strace_missing():
    """Why calls cannot be traced and made to fail; None where they can."""
    calm = ("strace", "-qq", "-o", "/dev/null", "-e", "trace=write")
    try:
        ended = [subprocess.run((*calm, *fault, "echo"), check=False, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL).returncode == 0
                 for fault in ((), ("-e", "inject=write:error=ENOSPC"))]
    except OSError:
        return "no strace"
    return None if ended == [True, False] else "strace may not trace here"


class Room:
    """A folder with a suite, a store that has a run, two results files, and what a command leaves."""

    def __init__(self, kgate, template):
        self.kgate = kgate
        self.path = tempfile.mkdtemp(prefix="kgate-campaign-")
        shutil.copytree(template, self.path, dirs_exist_ok=True)
        self.environment = dict(os.environ, XDG_CACHE_HOME=self.path + "/cache", KGATE_CAMPAIGN=self.path)

    def start(self, arguments, before=(), **environment):
        return subprocess.Popen([*before, self.kgate, *arguments], cwd=self.path, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                env={**self.environment, **environment}, start_new_session=True)

    def run(self, arguments=GATE, before=(), **environment):
        """Exit status, negative for a signal, None where it hung; and what was said."""
        return self.end(self.start(arguments, before, **environment))

    def end(self, process):
        """The same of what was started: it is waited for, and killed where it hangs."""
        said, hangs = end_wait(process, self.processes)
        if not hangs:
            return process.returncode, said
        for number in {process.pid, *self.processes()}:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        process.communicate()
        return None, hangs

    def stored_runs(self, store="store"):
        """How many runs the store has; 0 where kgate cannot read it."""
        status, said = self.run(("baseline", "show", "-b", store, "--json"))
        try:
            return len(json.loads(said)["runs"]) if status == 0 else 0
        except (ValueError, KeyError):
            return 0

    def files(self, folder):
        """Paths of the files in a folder of the room; none where it is not there."""
        return sorted(os.path.relpath(f"{at}/{name}", self.path)
                      for at, _, names in os.walk(f"{self.path}/{folder}") for name in names)

    def left_behind(self):
        """Files that no user asked for: halves of others."""
        stored = [name for name in self.files("store") if ".tmp." in name]
        return stored + [name for name in self.files("out") if not KEPT.match(os.path.basename(name))]

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

    def written(self):
        """What reports and the store say, apart from dates: {path: text}"""
        texts = {}
        for path in self.files("out") + self.files("store"):
            if not path.endswith((".lock", ".journal")) and ".tmp." not in path and "/builds/" not in path:
                with open(f"{self.path}/{path}", encoding="utf-8", errors="replace") as file:
                    texts[path] = DATE.sub("DATE", file.read())
        return texts

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


def measured_facts(texts):
    """Of what a gate has written, what is no time: two gates on one machine must agree on it."""
    facts = {}
    for path, text in texts.items():
        if not path.endswith(".json"):
            facts[path] = bool(text.strip())
            continue
        try:
            file = json.loads(text)
        except ValueError:
            facts[path] = "no JSON"
            continue
        lists = [file] + file.get("runs", [])
        facts[path] = (file.get("schema"), file.get("suite"), file.get("machine"),
                       [[(case["id"], case.get("status")) for case in one.get("cases", [])] for one in lists])
    return facts


class Row:
    """One line of the table."""

    def __init__(self, name):
        self.name, self.tried, self.crashed, self.hung, self.lost, self.wrong = name, 0, 0, 0, 0, 0
        self.felt = 0  # of those tried: after how many the command did not end as it does without a fault
        self.counts_felt = False
        self.why_not = None  # why something of the part was not tried

    def complain(self, what, complaint, said=""):
        print(f"{self.name}: {what}: {complaint}\n    {said.strip()[-300:]}", file=sys.stderr)

    def judge(self, what, ran, room, stored, wanted=EXITS, same=None):
        """Counts what came of one fault. stored: how many runs the store had; same: whether what a
        command has written that exited with 0 is what it writes without a fault."""
        status, said = ran
        self.tried += 1
        if BEFORE_MAIN in said:
            return
        if status is None:
            self.hung += 1
            self.complain(what, "hung", said)
        elif status < 0 or status >= 128:
            self.crashed += 1
            self.complain(what, f"ended by signal {-status if status < 0 else status - 128}", said)
        elif status not in wanted:
            self.wrong += 1
            self.complain(what, f"exit status {status}", said)
        elif status in (2, 3) and not said.strip():
            self.wrong += 1
            self.complain(what, f"exit status {status} without a word")
        elif status == 0 and same and not same():
            self.wrong += 1
            self.complain(what, "exit status 0, but something else was written", said)
        if room.stored_runs() < stored:
            self.lost += 1
            self.complain(what, "the store lost a run, or cannot be read", said)
        elif room.left_behind() and status is not None and status >= 0:
            self.lost += 1
            self.complain(what, f"left {', '.join(room.left_behind())}", said)

    def bad(self):
        return self.crashed + self.hung + self.lost + self.wrong

    def untried(self):
        """What of the part was not tried, and why; None where all was."""
        if self.why_not:
            return self.why_not
        if not self.tried:
            return "nothing to try"
        return "no fault was felt" if self.counts_felt and not self.felt else None

    def line(self):
        figures = f"{self.name:28} {self.tried:6} {self.crashed:8} {self.hung:5} {self.lost:5} {self.wrong:11}"
        return f"{figures}  not tried: {self.untried()}" if self.untried() else figures


def template_make(kgate):
    """A room's content: the suite, a store with one run, two results files."""
    room = Room(kgate, tempfile.mkdtemp(prefix="kgate-campaign-"))
    with open(room.path + "/s.yaml", "w", encoding="utf-8") as suite:
        suite.write(SUITE)
    for arguments in ((*GATE, "--update-missing"), ("run", "-c", "s.yaml", "-o", "r1.json", "-q"),
                      ("run", "-c", "s.yaml", "-o", "r2.json", "-q")):
        status, said = room.run(arguments)
        if status != 0:
            sys.exit(f"campaign: `kgate {' '.join(arguments)}` does not work without faults: exit {status}\n{said}")
    if room.stored_runs() != 1:
        sys.exit("campaign: the store has no run")
    shutil.rmtree(room.path + "/out")
    return room.path
