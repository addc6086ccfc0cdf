"""kgate killed at random moments, and many at once on one store."""

import os
import random
import signal
import time

from faults import tried_all
from room import GATE, Room, Row

AT_ONCE = 8


def kills(kgate, template, options):
    row = Row("killed at random moments")
    row.counts_felt = True
    chance = random.Random(options.seed)
    recording = (*GATE, "--update-missing")

    def attempt(room, delay):
        gate = room.start(recording)
        time.sleep(delay)
        gate.kill()
        gate.communicate()
        row.felt += gate.returncode == -signal.SIGKILL
        alive = room.processes()
        for _ in range(1200):
            if not alive:
                break
            time.sleep(0.05)
            alive = room.processes()
        for number in alive:
            os.kill(number, signal.SIGKILL)
        row.judge(f"killed after {delay:.3f} s", room.run(recording), room, 1, {0, 1, 4})
        if alive:
            row.lost += 1
            row.complain(f"killed after {delay:.3f} s", f"{len(alive)} processes lived on")

    tried_all([chance.uniform(0, 0.6) for _ in range(options.kills)], kgate, template, attempt)
    return row


def all_at_once(row, room, turn, commands, wanted):
    """Starts the commands together and judges each, when all have ended."""
    started = [room.start(arguments) for arguments in commands]
    for i, ran in enumerate([room.end(process) for process in started]):
        row.judge(f"turn {turn}, number {i}", ran, room, 1, wanted)


def updates(kgate, template, options):
    row = Row("eight updates at once")
    for turn in range(max(1, 20 // options.every)):
        room = Room(kgate, template)
        for i in range(AT_ONCE):
            room.run(("run", "-c", "s.yaml", "-o", f"r{i}.json", "-q"))
        all_at_once(row, room, turn, [("baseline", "update", f"r{i}.json", "-b", "store", "-q", "--keep", "20")
                                      for i in range(AT_ONCE)], {0})
        if room.stored_runs() != AT_ONCE + 1:
            row.lost += 1
            row.complain(f"turn {turn}", f"{room.stored_runs()} of {AT_ONCE + 1} runs are stored")
        room.remove()
    return row


def gates(kgate, template, options):
    """Each gate has another case, which the store does not have yet, and folders of its own for reports."""
    row = Row("eight gates at once")
    for turn in range(max(1, 20 // options.every)):
        room = Room(kgate, template)
        for i in range(AT_ONCE):
            with open(f"{room.path}/s.yaml", encoding="utf-8") as suite, \
                    open(f"{room.path}/s{i}.yaml", "w", encoding="utf-8") as other:
                other.write(suite.read().replace("suite: short", f"suite: short{i}"))
        all_at_once(row, room, turn, [("gate", "-c", f"s{i}.yaml", "-b", "store", "-o", f"out{i}", "-q",
                                       "--update-missing") for i in range(AT_ONCE)], {0})
        if room.stored_runs() != AT_ONCE + 1:
            row.lost += 1
            row.complain(f"turn {turn}", f"{room.stored_runs()} of {AT_ONCE + 1} suites are stored")
        room.remove()
    return row
