"""Whether suggestions are right, against what is known to be true: prints the goals as a table in
markdown, and what went wrong, case by case. Called by run.sh judge.

    judge.py TRUTH.tsv FOLDER

FOLDER holds N.json and N.suggestions.json of each time that the suite was measured, N.seconds, how
long that took, and bare.seconds, how long it takes when nothing is looked at beside the times."""

import csv
import json
import pathlib
import re
import statistics
import sys

PAIR_GAINS = 1.5  # what a bad version is slower by, at the least
ESTIMATE_WITHIN = 1.5
LOUD = ("critical", "high")
RULES = {"imbalance": "load_imbalance"}  # truth.tsv's word, where the rule has another
BOUNDS = {
    "compute": "compute-bound",
    "memory": "memory-bound",
    "latency": "latency-bound",
    "synchronisation": "synchronisation-bound",
    "system": "system-bound",
    "waiting": "waiting",
}


def words(text):
    return [word for word in re.split(r"[,\s]+", text or "") if word not in ("", "-")]


def read_truth(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for row in rows:
        row["causes"] = [RULES.get(word, word) for word in [row["cause"]] + words(row["also"])]
        row["functions"] = words(row["function"])
    return rows


def all_values(said, wanted):
    """Every text in what was said that `wanted` takes, by its key."""
    if isinstance(said, list):
        return [text for part in said for text in all_values(part, wanted)]
    if not isinstance(said, dict):
        return []
    here = [value for key, value in said.items() if isinstance(value, str) and wanted(key)]
    return here + [text for part in said.values() for text in all_values(part, wanted)]


def named_functions(said):
    """The functions of the place that a suggestion or a finding gives, or else those in its text:
    words with an underscore."""
    places = all_values(said, lambda key: key == "function")
    if places:
        return {place.split(".")[0] for place in places}
    texts = all_values(said, lambda key: key != "operation")
    return {word for text in texts for word in re.findall(r"\w+_\w+", text)}


def look(row, results, said):
    """What one measurement of the suite says of one case, also of one that is UNMEASURED because the
    machine was busy: it has times, and something is said of them."""
    case = next((c for c in results["cases"] if c["workload"] == row["workload"]), None)
    if not case or "median_ns" not in case.get("summary", {}):
        return {"missing": (case or {}).get("reason") or "not measured"}
    here = [s for s in said["suggestions"] if case["id"] in (s["operation"], s.get("whole"))]
    finding = next((f for f in said["findings"] if f["operation"] == case["id"]), {})
    first = here[0] if here else {}
    time_ns = case["summary"]["median_ns"]
    saved_ns = first.get("saved_ns")
    return {
        "time_ns": time_ns,
        "first": first.get("rule", "nothing"),
        "priority": first.get("priority", ""),
        "bound": finding.get("bound", "nothing"),
        "loud": [s["rule"] for s in here if s["priority"] in LOUD],
        "estimate_ns": time_ns - saved_ns if saved_ns else None,
        "place": named_functions(first) | named_functions(finding),
    }


def judge_bad(row, seen, good):
    """The faults of one bad case in one measurement, each a sentence by the goal that it misses."""
    if "missing" in seen:
        return dict.fromkeys(("cause", "class", "place"), seen["missing"])
    faults = {}
    if seen["first"] not in row["causes"]:
        faults["cause"] = f"first is {seen['first']}" + (f" ({seen['priority']})" if seen["priority"] else "")
    if seen["bound"] != BOUNDS[row["class"]]:
        faults["class"] = f"{seen['bound']} for {BOUNDS[row['class']]}"
    wrong = [rule for rule in seen["loud"] if rule not in row["causes"]]
    if wrong:
        faults["loud"] = "accuses " + ", ".join(wrong)
    if not seen["place"] & set(row["functions"]):
        faults["place"] = "place is not named: " + " or ".join(row["functions"])
    if seen["estimate_ns"] and good and "time_ns" in good:
        ratio = seen["estimate_ns"] / good["time_ns"]
        if not 1 / ESTIMATE_WITHIN <= ratio <= ESTIMATE_WITHIN:
            faults["estimate"] = f"estimate is {ratio:.2g} x the good version's time"
    return faults


def judge_good(seen):
    if "missing" in seen:
        return {"missing": seen["missing"]}
    return {"loud": "accuses " + ", ".join(seen["loud"])} if seen["loud"] else {}


def share(count, of):
    return f"{count} of {of} ({100 * count / of:.0f} %)" if of else "-"


def seconds(folder, name):
    return float((folder / f"{name}.seconds").read_text())


def extra_time(folder, turns, cases):
    bare = seconds(folder, "bare")
    extra = [(seconds(folder, turn) - bare) / cases for turn in turns]
    later = f", then {statistics.median(extra[1:]):.1f} s" if extra[1:] else ""
    return f"{extra[0]:.1f} s{later}"


def report(truth, folder):
    turns = range(1, 1 + len(list(folder.glob("*.suggestions.json"))))
    runs = []
    for turn in turns:
        results = json.loads((folder / f"{turn}.json").read_text())
        said = json.loads((folder / f"{turn}.suggestions.json").read_text())
        runs.append({row["workload"]: look(row, results, said) for row in truth})
    bad = [row for row in truth if row["cause"] != "none"]
    fine = [row for row in truth if row["cause"] == "none"]

    def good_of(row, run):
        return run.get(re.sub(r"_bad$", "_good", row["workload"]))

    faults = {
        row["workload"]: [
            judge_bad(row, run[row["workload"]], good_of(row, run))
            if row in bad
            else judge_good(run[row["workload"]])
            for run in runs
        ]
        for row in truth
    }

    def without(rows, goal):
        return sum(goal not in fault for row in rows for fault in faults[row["workload"]])

    def same(row):
        return len({run[row["workload"]].get("first") for run in runs}) == 1

    asked, quiet = len(bad) * len(runs), len(fine) * len(runs)
    given = sum(
        run[row["workload"]].get("estimate_ns") is not None and "time_ns" in (good_of(row, run) or {})
        for row in bad
        for run in runs
    )
    off = asked - without(bad, "estimate")
    machine = results["machine"]
    print(f"{len(bad)} mistakes and {len(fine)} well-made workloads, "
          f"measured {len(runs)} {'times' if runs[1:] else 'time'}; "
          f"{machine['cpu_model']}, {machine['cpu_count']} CPUs, {results['created'][:10]}:\n")
    print("| at defaults | measured | goal |\n| :-- | --: | --: |")
    print(f"| cause named first | {share(without(bad, 'cause'), asked)} | >= 90 % |")
    print(f"| class right | {share(without(bad, 'class'), asked)} | >= 95 % |")
    print(f"| high or critical that is not a cause, bad cases | {share(asked - without(bad, 'loud'), asked)} | <= 3 % |")
    print(f"| high or critical, well-made cases | {share(quiet - without(fine, 'loud'), quiet)} | 0 |")
    print(f"| same answer in all runs | {share(sum(map(same, truth)), len(truth) if runs[1:] else 0)} | >= 97 % |")
    print(f"| estimate within {ESTIMATE_WITHIN} x, where one is given | {share(given - off, given)} | >= 80 % |")
    print(f"| place named | {share(without(bad, 'place'), asked)} | |")
    print(f"| extra time a case | {extra_time(folder, turns, len(truth))} | <= 4 s, then 0 |")

    print("\nWhat went wrong:\n")
    for row in truth:
        name = row["workload"]
        told = {}
        for fault in faults[name]:
            for sentence in dict.fromkeys(fault.values()):
                told[sentence] = told.get(sentence, 0) + 1
        if not same(row):
            told["answers differ"] = len(runs)
        if told:
            print(f"- {name}, {row['cause']}: " + "; ".join(
                sentence + (f" ({count} of {len(runs)})" if count < len(runs) else "")
                for sentence, count in told.items()))
    for row in bad:
        gains = [good_of(row, run)["time_ns"] and run[row["workload"]]["time_ns"] / good_of(row, run)["time_ns"]
                 for run in runs if "time_ns" in run[row["workload"]] and "time_ns" in (good_of(row, run) or {})]
        if gains and statistics.median(gains) < PAIR_GAINS:
            print(f"- {row['workload']}: only {statistics.median(gains):.2f} x slower than the good version here")


if __name__ == "__main__":
    report(read_truth(sys.argv[1]), pathlib.Path(sys.argv[2]))
