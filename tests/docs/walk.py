"""Runs the commands of the README and of docs/ as a reader would, page by page.

    walk.py CHECKOUT PREFIX [PAGE...]

CHECKOUT is a clone in which kgate is built as preset release; files are made in it. PREFIX is the folder
that kgate is installed into, in place of ~/.local. Each block of a page is run in one shell, so that what
it sets holds for the next; a block whose last command exits otherwise than expected ends its page. Exit
status 1 where a page ended so, has no block, did not come to its last one, or where the table below names
a block that is not there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

LIMIT = 900
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.M | re.S)

# What a page is run with: `in` the checkout, or a folder with a suite; `before`, what its reader has
# already; `blocks`, by a piece of their text: why they are not run, or the exit statuses that are right.
QUICK = ("rounds: {min: 2, max: 4}, min_time: 2ms, disturbance: 100%%, sample_time: 0ns, trace: no, threads: 1")
SUITE = ("printf 'version: 1\\nsuite: page\\ndefaults: {" + QUICK + "}\\nworkloads:\\n  - {name: copy, kernel: copy, "
         "params: {bytes: 16KiB}, matrix: {version: [plain, fast]}}\\n' >suite.yaml; cp suite.yaml kgate.yaml")
VERDICT = {0, 4}
# Whether the commands work is asked, not whether the machine is quiet: no round waits too much for a CPU.
CALM = ("kgate() { case $1 in run | gate | ab) command kgate \"$@\" --set disturbance=100% ;; "
        "*) command kgate \"$@\" ;; esac; }")
PAGES = {
    "README.md": {
        "in": "checkout",
        "blocks": {
            "ci/gate.sh": "ci/fresh.sh runs both before",
            "kgate init": "a repository of one's own; tests/cli/readme.bats runs it",
            "kgate ab 'gzip": {0, 1, 4},
        },
    },
    "CONTRIBUTING.md": {"in": "checkout", "blocks": {"ci/test.sh": "ci/fresh.sh runs it before"}},
    "docs/begin.md": {
        # rounds are taken as they are: what changes is several times the threshold
        "before": "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; "
                  "kgate() { case $1 in gate | ab) command kgate \"$@\" --set disturbance=100% ;; *) command kgate \"$@\" ;; esac; }",
        "blocks": {
            "--update-missing": VERDICT,
            "exits 1": {1, 4},
            "--base ../before": {1, 4},
        },
    },
    "docs/adapters.md": {
        "before": "g++ -O2 -DSLOWER \"$CHECKOUT/tests/docs/bench.cpp\" -o bench -lbenchmark -lpthread; "
                  "g++ -O2 \"$CHECKOUT/tests/docs/bench.cpp\" -o bench-base -lbenchmark -lpthread",
        # which verdict it is depends on how busy the machine is
        "blocks": {"--base ./bench-base": {1, 4}, "kgate compare": {0, 1, 4}},
    },
    "docs/baselines.md": {"before": SUITE, "blocks": {}},
    "docs/history.md": {"before": SUITE, "blocks": {"postgresql": "tests/cli/history.bats has a server",
                                                      "--format prior": "needs two runs; tests/cli/prior.bats has them"}},
    "docs/accepting.md": {
        # a gate that has something to accept
        "before": "printf '#!/bin/sh\\nexec seq 2000\\n' >pack; chmod +x pack; printf 'version: 1\\nsuite: archive\\n"
                  "defaults: {" + QUICK + "}\\nworkloads:\\n  - {name: pack, command: [./pack]}\\n' >suite.yaml; "
                  "kgate gate -c suite.yaml --update-missing -o out >gate.txt; sed -i s/2000/2000000/ pack",
        "blocks": {"kgate gate": {0, 1, 4}},
    },
    "docs/ci.md": {
        "before": SUITE,
        "blocks": {
            "kgate init": "a repository of one's own; tests/cli/init_workflow.bats runs it",
            "status=$?": VERDICT,
            "--trust git": "tests/cli/trust.bats runs it",
            "--device cuda:0": {0, 2, 3, 4},
            "kgate doctor": VERDICT,
            "--budget 5m": VERDICT,
        },
    },
    "docs/ab.md": {
        "blocks": {
            "kgate ab 'gzip": {0, 1, 4},
            "git worktree": "another checkout has to be built first",
            "liblz4": "tests/cli/mistakes.bats runs it",
        },
    },
    "docs/bisect.md": {
        # five commits of a program, the third of which makes it wait three times as long
        "before": "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; git init -q -b main; "
                  "printf 'version: 1\\nsuite: page\\ndefaults: {disturbance: 100%%, threshold: 20%%, rounds: {min: 3, max: 8}}\\n"
                  "workloads:\\n  - {name: parse, command: [./app]}\\n' >kgate.yaml; printf 'app: app.c\\n\\t$(CC) -g -o app app.c\\n' >Makefile; "
                  "printf '#include <time.h>\\n#include \"wait.h\"\\nint main(void) { struct timespec t = {0, WAIT}; return nanosleep(&t, 0); }\\n' >app.c; "
                  "for i in 0 1 2 3 4 5; do echo \"#define WAIT $((i < 3 ? 20 : 60))000000\" >wait.h; [ $i = 3 ] || echo \"int part$i;\" >>app.c; "
                  "git add -A; git commit -q -m \"$([ $i = 3 ] && echo Wait longer || echo Add part $i)\"; [ $i != 0 ] || git tag v1.0; done",
        "blocks": {"kgate bisect": {1}},
    },
    "docs/undecided.md": {"before": SUITE, "blocks": {"exit $?": VERDICT, "kgate doctor": VERDICT}},
    "docs/cuda_source.md": {"in": "checkout", "blocks": {}},
    "docs/doctor.md": {"blocks": {"CPU quota": {0, 1}}},
    "docs/files.md": {
        "before": SUITE + "; "
                  "kgate gate -c suite.yaml -b baselines --update-missing -o out >gate.txt || test $? = 4; "
                  "kgate gate -c suite.yaml -b baselines -o out >gate.txt || test $? = 1 -o $? = 4",
        "blocks": {},
    },
    "docs/fleet.md": {
        # a program that is three times as slow in the candidate
        "before": "mkdir base head; printf '#!/bin/sh\\nexec seq $((100000 * $1))\\n' >base/bench; sed s/100000/300000/ base/bench >head/bench; "
                  "chmod +x base/bench head/bench; printf 'version: 1\\nsuite: page\\ndefaults: {disturbance: 100%%, rounds: {min: 3, max: 6}}"
                  "\\nworkloads:\\n  - {name: seq, command: [./bench, \"{n}\"], matrix: {n: [1, 2, 3, 4]}}\\n' >suite.yaml",
        "blocks": {
            "ci/slurm/submit.sh --shards 16 -o /shared/out --partition": "needs Slurm; tests/fleet/slurm.bats runs it",
            "--only 6,7,8": "needs Slurm; tests/fleet/slurm.bats runs it",
            "/shared/out/results.json": "needs Slurm; tests/fleet/slurm.bats runs it",
            "kgate merge": {0, 1, 4},
        },
    },
    "docs/gpu.md": {"in": "checkout", "blocks": {"config/gpu.yaml": "measures minutes of a GPU", "ci/gpu.sh": "needs a GPU"}},
    "docs/kernels.md": {"in": "checkout", "blocks": {}},
    "docs/plugins.md": {"before": "ln -s \"$CHECKOUT/docs\" docs", "blocks": {"kgate gate": VERDICT}},
    "docs/profiling.md": {"in": "checkout", "blocks": {"head.$i": {0, 1, 4}}},
    "docs/evidence/reliability.md": {"in": "checkout", "blocks": {"ci/fuzz.sh": "takes an hour"}},
    "docs/reports.md": {
        # what there is to draw: sizes to plot over, and a second gate with something to compare
        "before": SUITE + "; sed -i 's/{bytes: 16KiB}, matrix: {/{}, matrix: {bytes: [16KiB, 64KiB], /' suite.yaml; "
                  "kgate gate -c suite.yaml -b baselines --update-missing -o out >gate.txt || test $? = 4; "
                  "kgate gate -c suite.yaml -b baselines -o out >gate.txt || test $? = 1 -o $? = 4",
        "blocks": {},
    },
    "docs/suggestions.md": {
        "before": SUITE + "; "
                  "KGATE_PROFILE=frames.kgprof \"$CHECKOUT\"/docs/examples/profile/frames 512 20",
        "blocks": {},
    },
    "docs/examples/profile/README.md": {
        "in": "page",
        "before": "trap 'rm -f build' EXIT; ln -sfn \"$CHECKOUT/build\" build",
        "blocks": {"dynamic": {0, 1, 4}},
    },
}


def script_of(page, text, checkout):
    """The page's blocks as one script that says which it is at; and the pieces that no block has."""
    told = PAGES[page]
    unused = set(told["blocks"])
    lines = ["set -eo pipefail", CALM, told.get("before", ":")]
    for match in BLOCK.finditer(text):
        where = text[: match.start()].count("\n") + 2
        expected = {0}
        for piece, what in told["blocks"].items():
            if piece in match[1]:
                unused.discard(piece)
                expected = what
                break
        if isinstance(expected, str):
            lines.append("echo " + shlex.quote(f"-- {page}:{where}: not run: {expected}"))
            continue
        block = match[1].replace("/srv/kgate", "$SRV").replace("exit $status", "(exit $status)")
        right = "|".join(map(str, sorted(expected)))
        loose = expected != {0}
        lines += [f"echo '-- {page}:{where}'", "set +e" if loose else ":", block.rstrip(), "status=$?", "set -e",
                  f"case $status in {right}) ;; *) echo \"exit $status, expected {right}\"; exit 1 ;; esac"]
    return "\n".join(lines) + "\n", unused


def page_run(page, checkout, prefix):
    """Whether all of the page runs."""
    with open(os.path.join(checkout, page), encoding="utf-8") as file:
        text = file.read().replace("~/.local", prefix).replace("$HOME/.local", prefix).replace("~/kgate", prefix)
    script, unused = script_of(page, text, checkout)
    scratch = tempfile.mkdtemp(prefix="kgate-page-")
    folder = {"checkout": checkout, "page": os.path.join(checkout, os.path.dirname(page))}.get(PAGES[page].get("in"), scratch)
    environment = dict(os.environ, CHECKOUT=checkout, SRV=scratch, PATH=f"{prefix}/bin:{os.environ['PATH']}",
                       PKG_CONFIG_PATH=f"{prefix}/lib/pkgconfig", XDG_CACHE_HOME=scratch + "/cache")
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL, timeout=LIMIT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    shutil.rmtree(scratch, ignore_errors=True)
    for piece in sorted(unused):
        print(f"{page}: no block has '{piece}' any more: tests/docs/walk.py names it")
    blocks = done.stdout.count(f"\n-- {page}:") + done.stdout.startswith(f"-- {page}:")
    skipped = done.stdout.count(": not run: ")
    there = len(BLOCK.findall(text))
    good = done.returncode == 0 and not unused and blocks == there > 0
    print(f"{page}: of {there} blocks {blocks - skipped} run, {skipped} left out, {'good' if good else 'FAILED'}")
    if not good:
        print(done.stdout[-4000:])
    return good


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    checkout, prefix = map(os.path.abspath, sys.argv[1:3])
    with_blocks = {page for page in pages_of(checkout) if has_blocks(checkout, page)}
    left_out = with_blocks - set(PAGES)
    for page in sorted(left_out):
        print(f"{page} has commands, and tests/docs/walk.py does not know it")
    results = [page_run(page, checkout, prefix) for page in sys.argv[3:] or PAGES]
    sys.exit(not all(results) or bool(left_out))


def pages_of(checkout):
    pages = ["README.md", "CONTRIBUTING.md"]
    for folder, _, files in os.walk(os.path.join(checkout, "docs")):
        pages += [os.path.relpath(os.path.join(folder, name), checkout) for name in files if name.endswith(".md")]
    return pages


def has_blocks(checkout, page):
    with open(os.path.join(checkout, page), encoding="utf-8") as file:
        return BLOCK.search(file.read()) is not None


main()
