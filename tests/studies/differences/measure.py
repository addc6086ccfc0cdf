#!/usr/bin/env python3
"""Measures what every change really does, without kgate: base and candidate by turns, median of the CPU time.

    measure.py --out DIR [--half HALF] [--only ID] [--runs N] [--write]

Prints base, candidate and their ratio, and fails if outputs differ that should be the same. --write puts the ratio
into the program's file as `effect`. Programs come from sources.py.
"""

import argparse
import hashlib
import os
import re
import statistics
import subprocess
import sys
import time

import changes

EFFECTS = {"regression": lambda ratio: ratio >= 1.08, "improvement": lambda ratio: ratio <= 0.92,
           "harmless": lambda ratio: 0.9 < ratio < 1.1}


def run_once(words):
    """CPU and wall time in seconds of one process, and a digest of its output."""
    begin = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    digest = hashlib.sha256(process.stdout.read()).hexdigest()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        digest = f"exit status {process.returncode}"
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begin, digest


def measure(out, change, runs):
    times, digests = {side: [] for side in changes.SIDES}, set()
    for _ in range(runs):
        for side in changes.SIDES:
            program = changes.program_path(out, change, side)
            cpu, wall, digest = run_once([program] + changes.arguments(out, change, program.with_name("written")))
            times[side].append(wall if change.get("clock") == "wall" else cpu)
            digests.add(digest)
            if digest.startswith("exit"):
                print(f"{program}: {digest}", file=sys.stderr)
    base, candidate = (statistics.median(times[side]) for side in changes.SIDES)
    return base, candidate, len(digests) == 1


def write_effect(change, ratio):
    """Puts the figure below the change's `run`, or renews it."""
    for path in (changes.HERE / "programs").glob("*.yaml"):
        before, mark, after = path.read_text().partition(f"- id: {change['id']}\n")
        if mark:
            part, rest = re.match(r"(.*?)(\n- id: .*|\Z)", after, re.S).groups()
            part = re.sub(r"\n  effect: .*", "", part.rstrip("\n")) + f"\n  effect: {ratio:.2f}"
            path.write_text(before + mark + part + (rest or "\n"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    changes.add_options(parser)
    parser.add_argument("--runs", type=int, default=5, help="runs of each side (default: 5)")
    parser.add_argument("--write", action="store_true", help="write the ratio into the program's file")
    options = parser.parse_args()
    wrong = 0
    for _, change in changes.load(options.half, options.only):
        if not all(changes.program_path(options.out, change, side).exists() for side in changes.SIDES):
            print(f"{change['id']:24} is not built")
            wrong += 1
            continue
        base, candidate, same = measure(options.out, change, options.runs)
        ratio = candidate / base
        faults = []
        if not same and change.get("same_output", True):
            faults.append("OUTPUT DIFFERS")
        if not EFFECTS[change["kind"]](ratio):
            faults.append("NO EFFECT" if change["kind"] != "harmless" else "NOT HARMLESS")
        wrong += bool(faults)
        print(f"{change['id']:24} {change['kind']:12} {base * 1e3:8.1f} ms {candidate * 1e3:8.1f} ms {ratio:7.2f} "
              + ", ".join(faults), flush=True)
        if options.write:
            write_effect(change, ratio)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
