#!/usr/bin/env python3
"""Makes git repositories of a real C library and lets `kgate bisect` search them.

    bisect.py --kgate KGATE --cache DIR --out DIR [--seeds N] [--only SCENARIO] [--builds N] [--metric M] [--kill]

Each repository has 60 commits after its first one. Every commit edits cJSON 1.7.15 of Debian 12 harmlessly, 20 commits do
not build, and one or two slow the parser down. --kill kills every search with SIGKILL several times and continues it.
Prints a row per search. Exit status 1 if an answer is wrong or a commit was built twice."""

import argparse
import json
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
DIFFERENCES = HERE.parent / "differences"
sys.path.insert(0, str(DIFFERENCES))
sys.dont_write_bytecode = True

import changes  # noqa: E402
import inputs  # noqa: E402
import sources  # noqa: E402

COMMITS = 60
BROKEN_RUNS = (8, 7, 5)  # lengths of the ranges that do not build
SCENARIOS = {"one": (0.05,), "two": (0.03, 0.03), "unbuildable": (0.05,)}
SPIN_MARK = "/* spin */"
INPUT = "cjson_records.json"
REPEATS = "40"

SUITE = """version: 1
suite: bisect
defaults: {{threshold: 2%, cpu_time_threshold: 2%, min_time: 300ms, rounds: {{min: 5, max: 60}}, metrics: [{metric}], trace: no, threads: 1,
           disturbance: 100%}}
workloads:
  - {{name: parse, command: [./program, parse, {input}, "{repeats}"]}}
"""

# Callgrind's count of instructions does not depend on the load of the machine.
COUNTED = """version: 1
suite: bisect
defaults: {{threshold: 50%, min_time: 1ms, rounds: {{min: 2, max: 4}}, metrics: [time], trace: no, threads: 1, disturbance: 100%}}
workloads:
  - name: parse
    command: [sh, -c, "valgrind --tool=callgrind --callgrind-out-file=/dev/null ./program parse {input} 1 2>&1"]
    counters: {{refs: {{better: lower, threshold: 1%, regex: 'Collected : ([0-9]+)'}}}}
"""

# The log has every build that ended, failed ones, too.
BUILD = """gcc -O2 -g -w -I. cJSON.c drive_cjson.c -o program -lm
status=$?
git rev-parse HEAD >>{log}
exit $status"""


def git(repository, *words):
    identity = ["-c", "user.name=study", "-c", "user.email=study@example.invalid", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *words], cwd=repository, check=True, text=True, capture_output=True).stdout


# --- The library and its commits ------------------------------------------------------------------


def spin_add(text, spin):
    """Every item of the parser waits for some turns of a loop."""
    loop = f"    for (volatile int spin = 0; spin < {spin}; spin++) {{}} {SPIN_MARK}\n" if spin else ""
    head = "static cJSON *cJSON_New_Item(const internal_hooks * const hooks)\n{\n"
    assert text.count(head) == 1
    return text.replace(head, head + loop)


def harmless(text, index, chance):
    """One of four edits. The first three move code in memory or change a text; the last one changes no code."""
    kind = chance.choice(("function", "function", "version", "comment"))
    if kind == "function":
        body = "".join(f"    x = x * {chance.randrange(3, 99)} + {chance.randrange(99)};\n" for _ in range(chance.randrange(1, 9)))
        added = f"unsigned int cJSON_study_{index}(unsigned int x)\n{{\n{body}    return x;\n}}\n\n"
        place = chance.choice(("static unsigned char get_decimal_point(void)", "static cJSON_bool print_string(",
                               "/* Build an array from the text. */", "/* Utility for array list handling. */"))
        at = text.find(place)
        at = at if at >= 0 else text.find("static unsigned char get_decimal_point(void)")
        return text[:at] + added + text[at:]
    if kind == "version":
        return re.sub(r"static char version\[\d+\];", f"static char version[{16 + index}];", text, count=1)
    return f"/* Change {index}. */\n" + text


def broken_choose(chance):
    """Ranges that neither touch each other nor an end."""
    while True:
        ranges = []
        for length in BROKEN_RUNS:
            first = chance.randrange(2, COMMITS - length)
            ranges.append(range(first, first + length))
        taken = sorted(ranges, key=lambda r: r.start)
        if all(a.stop + 1 < b.start for a, b in zip(taken, taken[1:])):
            return taken


def culprits_choose(scenario, broken, chance):
    inside = {c for r in broken for c in r}
    if scenario == "unbuildable":
        chosen = chance.choice(broken)
        return [chance.choice(chosen[1:-1])]
    free = [c for c in range(1, COMMITS + 1) if c not in inside and c - 1 not in inside]
    while True:
        culprits = sorted(chance.sample(free, len(SCENARIOS[scenario])))
        if len(culprits) == 1 or culprits[1] - culprits[0] >= 5:
            return culprits


def repository_make(folder, tree, scenario, seed, spin_per_share):
    """A repository; returns its culprits and the ranges that do not build."""
    chance = random.Random(f"{scenario}-{seed}")
    broken = broken_choose(chance)
    culprits = culprits_choose(scenario, broken, chance)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    for name in ("cJSON.h", "drive_cjson.c"):
        shutil.copyfile(tree / name, folder / name)
    text = (tree / "cJSON.c").read_text()
    slow = 0.0
    for index in range(COMMITS + 1):
        if index:
            text = harmless(text, index, chance)
        if index in culprits:
            slow += SCENARIOS[scenario][culprits.index(index)]
        written = spin_add(text, round(slow * spin_per_share))
        if any(index in r for r in broken):
            written += '#error "this commit does not build"\n'
        (folder / "cJSON.c").write_text(written)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", f"Change {index}")
        git(folder, "tag", f"v{index}")
    return culprits, broken


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def refs_of(program, data):
    words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "parse", data, "1"]
    done = subprocess.run(words, check=True, text=True, capture_output=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def spin_calibrate(tree, work, data, metric):
    """Turns of the loop that double the metric: least times of interleaved runs of two programs, or their instructions."""
    work.mkdir(parents=True, exist_ok=True)
    programs, turns = [], (0, 200)
    for spin in turns:
        folder = work / f"spin-{spin}"
        folder.mkdir(exist_ok=True)
        for name in ("cJSON.h", "drive_cjson.c"):
            shutil.copyfile(tree / name, folder / name)
        (folder / "cJSON.c").write_text(spin_add((tree / "cJSON.c").read_text(), spin))
        subprocess.run(shlex.split("gcc -O2 -g -w -I. cJSON.c drive_cjson.c -o program -lm"), cwd=folder, check=True)
        programs.append(folder / "program")
    least = [refs_of(program, data) for program in programs] if metric == "refs" else [float("inf")] * 2
    for _ in range(0 if metric == "refs" else 25):
        for i, program in enumerate(programs):
            began = cpu_seconds()
            subprocess.run([program, "parse", data, REPEATS], check=True, stdout=subprocess.DEVNULL)
            least[i] = min(least[i], cpu_seconds() - began)
    return turns[1] * least[0] / (least[1] - least[0])


# --- The search -----------------------------------------------------------------------------------


def search(options, repository, folder, log):
    """Runs the search; with --kill in pieces. Returns its process, and how often it was killed."""
    words = [options.kgate, "bisect", "v0", "main", "-c", folder / "kgate.yaml", "--build", BUILD.format(log=log),
             "-o", folder / "search", "--budget", str(options.builds), "--json"]
    chance = random.Random(7)
    kills = 0
    while True:
        process = subprocess.Popen(words, cwd=repository, text=True, stdout=subprocess.PIPE,
                                   stderr=open(folder / "steps.log", "a", encoding="utf8"))
        try:
            output, _ = process.communicate(timeout=chance.uniform(4, 25) if options.kill and kills < 8 else None)
            return process, output, kills
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1


def verdict(found, culprits, broken):
    """right, set or wrong: every reported cause is one, and two causes are both reported."""
    groups = [(c["first"], c["last"]) for c in found.get("causes", [])]
    in_set = {i for i, c in enumerate(found["commits"]) if c.get("in_set")}
    if found["state"] == "found":
        holds = all(any(first <= c <= last for c in culprits) for first, last in groups)
        sharp = all(first == last or any(first in r for r in broken) for first, last in groups)
        return "right" if holds and sharp and len(groups) == len(culprits) else "part" if holds and groups else "wrong"
    return "set" if any(c in in_set for c in culprits) else "wrong"


def scenario_run(options, tree, data, scenario, seed, spin):
    folder = options.out / f"{scenario}-{seed}{'-kill' if options.kill else ''}"
    shutil.rmtree(folder, ignore_errors=True)
    repository = folder / "repository"
    culprits, broken = repository_make(repository, tree, scenario, seed, spin)
    log = folder / "built.log"
    form = COUNTED if options.metric == "refs" else SUITE
    (folder / "kgate.yaml").write_text(form.format(input=data, repeats=REPEATS, metric=options.metric))
    began = time.time()
    process, output, kills = search(options, repository, folder, log)
    seconds = time.time() - began
    built = log.read_text().split() if log.exists() else []
    found = json.loads(output) if output.strip() else {"state": f"exit {process.returncode}", "commits": []}
    hashes = [h for h in built if h != git(repository, "rev-parse", "main").strip()]
    doubles = len(hashes) - len(set(hashes))
    word = verdict(found, culprits, broken) if found["commits"] else "error"
    clean = not git(repository, "status", "--porcelain").strip() and git(repository, "worktree", "list").count("\n") == 1
    causes = " ".join(f"{c['first']}" if c["first"] == c["last"] else f"{c['first']}-{c['last']}" for c in found.get("causes", []))
    effects = " ".join(f"{100 * (c.get('proof_ratio') or c['ratio']) - 100:+.1f}" for c in found.get("causes", []))
    failed = sum(c["status"] == "unbuildable" for c in found["commits"])
    pairs = sum(len(c.get("pairs", [])) for c in found["commits"])
    size = sum(bool(c.get("in_set")) for c in found["commits"])
    row = dict(scenario=scenario, seed=seed, culprits=culprits, state=found["state"], word=word, causes=causes, effects=effects,
               builds=found.get("builds"), failed=failed, pairs=pairs, set=size, seconds=round(seconds), kills=kills,
               doubles=doubles, clean=clean, effect=found.get("effect"), reverts=[c["revert"] for c in found.get("causes", [])])
    with open(options.out / "results.jsonl", "a", encoding="utf8") as file:
        file.write(json.dumps(row) + "\n")
    print(f"| {scenario} | {seed} | {' '.join(map(str, culprits))} | {causes or '-'} | {word} | {effects} | {row['builds']} | "
          f"{failed} | {pairs} | {size} | {row['seconds']} | {kills} | {doubles} |", flush=True)
    return word in ("right", "set") and not doubles and clean


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kgate", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("--cache", type=pathlib.Path, required=True, help="folder of Debian's packages")
    parser.add_argument("--out", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("--seeds", type=int, default=3, help="repositories per scenario (default: 3)")
    parser.add_argument("--only", choices=SCENARIOS, help="only this scenario")
    parser.add_argument("--metric", choices=("time", "cpu_time", "refs"), default="time",
                        help="cpu_time for a busy machine; refs: instructions by Callgrind")
    parser.add_argument("--builds", type=int, default=12, help="builds of a search (default: 12)")
    parser.add_argument("--kill", action="store_true", help="kill every search several times")
    options = parser.parse_args()
    program = next(p for p, _ in changes.load() if p["package"] == "cjson")
    options.cache.mkdir(parents=True, exist_ok=True)
    options.out.mkdir(parents=True, exist_ok=True)
    sources.fetch(options.cache.resolve(), [program])
    inputs.write_all(program, options.out / "inputs")
    tree = sources.unpack(options.cache.resolve(), options.out, program)
    data = options.out / "inputs" / INPUT
    spin = spin_calibrate(tree, options.out / "calibration", data, options.metric)
    print(f"{spin:.0f} turns per item double the metric")
    print("| scenario | seed | culprit | reported | answer | change, % | builds | failed | pairs | set | seconds | kills | built twice |")
    print("| --- | --: | --: | --: | --- | --: | --: | --: | --: | --: | --: | --: | --: |", flush=True)
    good = [scenario_run(options, tree, data, scenario, seed, spin)
            for scenario in SCENARIOS if options.only in (None, scenario) for seed in range(1, options.seeds + 1)]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
