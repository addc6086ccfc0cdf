#!/usr/bin/env python3
"""Prints a CSV file of a history: RUNS runs of 1,000 cases on machine number MACHINE, each an hour after the last.
    rows.py MACHINE RUNS"""
import datetime
import hashlib
import random
import sys

CASES = 1000
HEAD = ("run,suite,kind,started,commit,parent,branch,depth,dirty,complete,machine,host,epoch,gpus,boot,version,case,"
        "definition,metric,source,unit,value,error,deviation,rounds,flags,code")


def main() -> None:
    machine, runs = int(sys.argv[1]), int(sys.argv[2])
    draw = random.Random(machine)
    start = datetime.datetime(2026, 1, 1)
    cases = [f"many/n={i}/cpu,{i:016x},time,rounds,ns," for i in range(CASES)]
    cases = ['"' + case.replace(",", '",', 1) for case in cases]
    host = f"{machine:016x}"
    print(HEAD)
    for run in range(runs):
        commit = hashlib.sha256(f"commit {run}".encode()).hexdigest()[:40]
        digest = hashlib.sha256(f"{machine} {run}".encode()).hexdigest()
        started = (start + datetime.timedelta(hours=run)).strftime("%Y-%m-%dT%H:%M:%SZ")
        shared = (f"{digest},many,nightly,{started},{commit},,main,{run},0,1,many-8cpu-16gib-00000000,{host},00000001,,"
                  "00000001,0.1.0,")
        scale = [draw.gauss(1, 0.01) for _ in range(64)]
        sys.stdout.write("".join(
            f"{shared}{case}{(1000 + i) * scale[i % 64]!r},{scale[i % 64]!r},{2 * scale[i % 64]!r},10,0,{run // 5:016x}\n"
            for i, case in enumerate(cases)))


if __name__ == "__main__":
    main()
