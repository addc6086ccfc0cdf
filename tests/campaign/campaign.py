"""Breaks kgate's commands in every way that there is, and says what came of it.

    campaign.py KGATE FOLDER_OF_TESTS [--every N] [--allocations N] [--kills N] [--allow-untried] [PART...]

Parts: calls (each system call of a command fails, one a run), memory (its allocations), kills (at random
moments), updates and gates (eight at once on one store), power (the store after each power cut that the
order of writes allows), verdicts (each system call after the verdict fails, one a run: exit status and store
stay the same). --every N tries each Nth fault (default: 1, all), --allocations N each Nth of the
allocations (default: 10); --kills N is how many gates are killed (default: 1000), at moments that --seed N
decides. Prints a table. Exit status 0 where everything was tried, and nobody crashed, hung, lost what was
stored, gave an exit status that kgate does not have, or said 0 of what was not written whole; else 1. A part
that tried nothing, as calls, power and verdicts do where strace is missing or may not trace, says so in the
table; with --allow-untried the exit status is then 77 where the rest is good."""

import argparse
import os
import shutil
import sys

from faults import calls, memory
from kills import gates, kills, updates
from power import power
from room import template_make
from verdicts import verdicts

UNTRIED = 77  # ctest's word for a test that was skipped


def options_parse(parts):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgate")
    parser.add_argument("tests")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--allocations", type=int, default=10)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--allow-untried", action="store_true")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    options = parser.parse_intermixed_args()
    if not set(options.parts) <= set(parts):
        parser.error(f"the parts are {', '.join(parts)}")
    options.tests = os.path.abspath(options.tests)
    return options


def main():
    parts = {"calls": calls, "memory": memory, "kills": kills, "updates": updates, "gates": gates, "power": power,
             "verdicts": verdicts}
    options = options_parse(parts)
    kgate = os.path.abspath(options.kgate)
    template = template_make(kgate)
    rows = [parts[name](kgate, template, options) for name in options.parts or parts]
    shutil.rmtree(template)
    print(f"{'':28} {'tried':>6} {'crashed':>8} {'hung':>5} {'lost':>5} {'wrong exit':>11}")
    for row in rows:
        print(row.line())
    untried = any(row.untried() for row in rows)
    if any(row.bad() for row in rows) or (untried and not options.allow_untried):
        sys.exit(1)
    sys.exit(UNTRIED if untried else 0)


main()
