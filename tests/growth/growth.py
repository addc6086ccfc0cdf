"""Instructions of each step of growth.c on suites of three sizes: the same for each further case.

    growth.py GROWTH
What a step takes however many cases there are falls out where the larger suite's further cases are
compared with the smaller's. A sort makes each further case take a little more; a look through all
cases for each, of fifty instructions and more, is over the limit."""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

SIZES = (100, 300, 900)
LIMIT = 1.10


def counted(growth):
    """{step: {cases: instructions}}, as Callgrind counts them."""
    steps = collections.defaultdict(dict)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["valgrind", "--tool=callgrind", "--quiet", f"--callgrind-out-file={folder}/out",
                        growth, *map(str, SIZES)], check=True)
        for path in pathlib.Path(folder).iterdir():
            text = path.read_text()
            name = re.search(r"Client Request: (.+): (\d+)", text)
            if name:
                steps[name[1]][int(name[2])] = int(re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1])
    return steps


def main():
    failed = []
    steps = counted(sys.argv[1])
    small, middle, large = SIZES
    for name, counts in sorted(steps.items()):
        first = (counts[middle] - counts[small]) / (middle - small)
        second = (counts[large] - counts[middle]) / (large - middle)
        print(f"{name:16} {first:9.0f} instructions for each case from {small} to {middle}, "
              f"{second:9.0f} to {large}: {second / first:5.2f}")
        if second > LIMIT * first:
            failed.append(name)
    if failed or not steps:
        sys.exit(f"grows faster than the number of cases: {', '.join(failed) or 'nothing was counted'}")


main()
