#!/usr/bin/env python3
"""Asks kgate why every candidate became slower, and judges its first sentence.

    run.py --kgate PATH --out DIR --by ab|gate [--half HALF] [--only ID] [--load N] [--set KEY=VALUE]

ab:    `kgate ab OLD NEW` of two commands.
gate:  a suite with one command; three runs of the base build are stored, then the candidate takes its path.
--load N keeps N processes busy meanwhile. Programs come from sources.py, below the same DIR.
Prints a table and the totals of each half. DIR/results-BY.jsonl has one line per change.
"""

import argparse
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

import changes
import judge

STORED_RUNS = 3
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"  # ends with its parent


class Load:
    """Busy processes that end with the block, each by its id."""

    def __init__(self, count):
        self.count, self.processes = count, []

    def __enter__(self):
        self.processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(self.count)]

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def kgate(options, log, *words):
    """Runs kgate; its output goes to the log."""
    log.write(shlex.join(map(str, words)) + "\n")
    log.flush()
    return subprocess.run([options.kgate, *map(str, words)], stdout=log, stderr=log, cwd=options.work).returncode


def set_words(options):
    return [word for pair in options.set for word in ("--set", pair)]


def by_ab(options, change, log, reports):
    commands = []
    for side in changes.SIDES:
        program = changes.program_path(options.out, change, side)
        commands.append(shlex.join([str(program)] + changes.arguments(options.out, change, program.with_name("written"))))
    return kgate(options, log, "ab", *commands, "-o", reports, *set_words(options))


def by_gate(options, change, log, reports):
    """The candidate stands where the base was, as after a rebuild. kgate keeps a copy of the base build."""
    program = options.work / "program"
    baseline = options.work / "baseline"
    suite = options.work / "suite.yaml"
    words = [str(program)] + changes.arguments(options.out, change, options.work / "written")
    words = [word.replace("{", "{{").replace("}", "}}") for word in words]  # braces are parameters in a suite
    suite.write_text(json.dumps({"version": 1, "workloads": [{"name": change["id"], "command": words}]}) + "\n")
    shutil.rmtree(baseline, ignore_errors=True)
    install(changes.program_path(options.out, change, "base"), program)
    recorded = kgate(options, log, "baseline", "record", "-c", suite, "-b", baseline, "--runs", STORED_RUNS, *set_words(options))
    if recorded:
        return recorded
    install(changes.program_path(options.out, change, "candidate"), program)
    return kgate(options, log, "gate", "-c", suite, "-b", baseline, "-o", reports, *set_words(options))


def install(source, target):
    """A new file at the old path: the running program is never written to."""
    new = target.with_suffix(".new")
    shutil.copy2(source, new)
    os.replace(new, target)


def read_json(path):
    return json.loads(path.read_text()) if path.exists() else {}


def ask(options, change):
    folder = options.out.resolve() / change["id"]
    options.work = folder / options.by
    options.work.mkdir(parents=True, exist_ok=True)
    reports = options.work / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    begin = time.monotonic()
    with open(options.work / "log", "w") as log:
        status = (by_ab if options.by == "ab" else by_gate)(options, change, log, reports)
    cases = read_json(reports / "comparison.json").get("cases", [])
    verdict = cases[0]["change"] if cases else f"exit status {status}"
    entry = judge.first_entry(read_json(reports / "suggestions.json"), cases[0]["id"] if cases else None)
    return judge.judge(change, verdict, entry) | {"seconds": round(time.monotonic() - begin, 1), "entry": entry}


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    changes.add_options(parser)
    parser.add_argument("--kgate", type=lambda text: pathlib.Path(text).resolve(), required=True, help="the kgate to ask")
    parser.add_argument("--by", choices=("ab", "gate"), required=True, help="the command that is asked")
    parser.add_argument("--load", type=int, default=0, metavar="N", help="busy processes meanwhile (default: 0)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="passed on to kgate; repeatable")
    return parser.parse_args()


def main():
    options = parse_options()
    found = {}
    with Load(options.load), open(options.out / f"results-{options.by}.jsonl", "a") as raw:
        for program, change in changes.load(options.half, options.only):
            if not changes.program_path(options.out, change, "candidate").exists():
                print(f"{change['id']} is not built", file=sys.stderr)
                continue
            result = ask(options, change) | {"half": program["half"], "by": options.by, "load": options.load}
            raw.write(json.dumps(result) + "\n")
            raw.flush()
            print(f"{change['id']}: {result['verdict']}, {result.get('sentence') or result['accused']}", file=sys.stderr, flush=True)
            found.setdefault(program["half"], []).append(result)
    for half, results in found.items():
        print(f"\n## {half}, by {options.by}, {options.load} busy processes\n\n{judge.table(results)}\n")
        for name, figure in judge.totals(results):
            print(f"- {name}: {figure}")


if __name__ == "__main__":
    main()
