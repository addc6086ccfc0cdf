#!/usr/bin/env python3
"""Judges gates.csv, which live.sh writes: tables of false alarms and of what was caught, the goals
with "met" or "missed", and each miss by workload with the reason that kgate gave most often.
    live.py GATES.csv [--since TIME] [--program PART]
--since takes only gates from that time on (2026-11-22T09:00), --program only those of a kgate
whose version has that part. Takes nothing but the standard library."""
import argparse
import collections
import csv
import math
import re

MODES = {"ab": "pairs", "kept": "stored, with its build", "stored": "stored, no build"}
MODES |= {f"{mode} some": f"{text}, a part slower" for mode, text in MODES.items()}
GATES = 50  # without a change, that the goals ask for
# mode, what, slowdown, limit, whether at the least
GOALS = [
    ("ab", "alarms", 0, 0, False), ("ab", "caught", 5, 0.90, True), ("ab", "caught", 10, 0.99, True),
    ("ab", "seconds changed", None, 3, False), ("ab", "seconds unchanged", 0, 1, False),
    ("ab", "inconclusive", 0, 0.05, False), ("kept", "alarms", 0, 0, False),
    ("kept", "caught", 10, 0.98, True), ("kept", "seconds changed", None, 3, False),
    ("kept", "seconds unchanged", 0, 3, False), ("kept", "inconclusive", 0, 0.10, False)]


def read(options):
    with open(options.csv, newline="") as file:
        for row in csv.DictReader(file):
            if row["time"] >= options.since and options.program in row["program"]:
                yield row


class Gates:
    """The gates of one state, mode and slowdown."""

    def __init__(self):
        self.part = False  # others of these gates' cases are slower
        self.cases = []
        self.exits = {}
        self.seconds = {}

    def add(self, row):
        self.part = row["mode"].endswith("some")
        self.exits[row["gate"]] = int(row["exit"])
        self.seconds[row["gate"]] = float(row["seconds"]) / max(1, int(row["cases"]))
        if row["case"]:
            self.cases.append(row)

    def share(self, *changes):
        return sum(row["change"] in changes for row in self.cases) / max(1, len(self.cases))

    def alarms(self):
        """Gates that exit 1, or that call any case worse; where other cases are slower, the latter."""
        worse = {row["gate"] for row in self.cases if row["change"] == "REGRESSION"}
        if self.part:
            return len(worse)
        return len(worse | {gate for gate, status in self.exits.items() if status == 1})

    def median_seconds(self):
        times = sorted(self.seconds.values())
        return times[len(times) // 2] if times else math.nan


def upper_limit(count, trials):
    """Clopper and Pearson (1934): the largest true share that 95 % confidence allows (one-sided)."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        chance = sum(math.comb(trials, k) * middle**k * (1 - middle)**(trials - k)
                     for k in range(count + 1))
        low, high = (middle, high) if chance > 0.05 else (low, middle)
    return high


def per_cent(share):
    return f"{100 * share:.0f} %" if share in (0, 1) else f"{100 * share:.1f} %"


def exits_text(gates):
    counts = collections.Counter(gates.exits.values())
    return ", ".join(f"{count} x {status}" for status, count in sorted(counts.items()))


def unchanged_table(groups):
    print("\n### Without a change\n\n| state | gates by | that alarm | true share, 95 % | cases REGRESSION "
          "| IMPROVEMENT | SUSPECT | INCONCLUSIVE | FAILED, SKIPPED | NEW | exit status of the gates | s a case |\n"
          "| :-- | :-- | --: | --: | --: | --: | --: | --: | --: | --: | :-- | --: |")
    for (state, mode, slower), gates in groups.items():
        if slower != 0:
            continue
        count, alarms = len(gates.exits), gates.alarms()
        print(f"| {state} | {MODES[mode]} | {alarms} of {count} | < {per_cent(upper_limit(alarms, count))} | "
              f"{per_cent(gates.share('REGRESSION'))} | {per_cent(gates.share('IMPROVEMENT'))} | "
              f"{per_cent(gates.share('SUSPECT'))} | {per_cent(gates.share('INCONCLUSIVE'))} | "
              f"{per_cent(gates.share('FAILED', 'SKIPPED'))} | {per_cent(gates.share('NEW'))} | "
              f"{exits_text(gates)} | {gates.median_seconds():.2f} |")


def changed_table(groups):
    print("\n### Slower\n\n| state | gates by | slower by | cases | caught | SUSPECT | INCONCLUSIVE | "
          "NO_CHANGE | IMPROVEMENT | other | exit status of the gates | s a case |\n"
          "| :-- | :-- | --: | --: | --: | --: | --: | --: | --: | --: | :-- | --: |")
    for (state, mode, slower), gates in groups.items():
        if slower == 0:
            continue
        words = ("REGRESSION", "SUSPECT", "INCONCLUSIVE", "NO_CHANGE", "IMPROVEMENT")
        shares = [gates.share(word) for word in words]
        rest = max(0, round(1 - sum(shares), 6)) if gates.cases else 0
        print(f"| {state} | {MODES[mode]} | {slower} % | {len(gates.cases)} | "
              f"{' | '.join(per_cent(share) for share in shares)} | {per_cent(rest)} | "
              f"{exits_text(gates)} | {gates.median_seconds():.2f} |")


def workload_table(groups):
    names = list(dict.fromkeys(row["case"] for gates in groups.values() for row in gates.cases))
    columns = [key for key in groups if key[2] in (0, 5, 10)]
    print("\n### By workload\n\nCaught of those slower by 5 or 10 %; of those unchanged what was NO_CHANGE.\n\n"
          "| workload | " + " | ".join(f"{state} {mode} {slower} %" for state, mode, slower in columns)
          + " |\n| :-- |" + " --: |" * len(columns))
    for name in names:
        cells = []
        for key in columns:
            good = "REGRESSION" if key[2] else "NO_CHANGE"
            rows = [row["change"] == good for row in groups[key].cases if row["case"] == name]
            cells.append(f"{sum(rows)} of {len(rows)}")
        print(f"| {name} | " + " | ".join(cells) + " |")


def figure(groups, state, mode, what, slower):
    """A goal's figure as (value, text), or None where nothing was measured."""
    if what == "seconds changed":
        some = [gates.median_seconds() for key, gates in groups.items()
                if key[:2] == (state, mode) and key[2] > 0]
        return (max(some), f"{max(some):.2f} s") if some else None
    gates = groups.get((state, mode, slower))
    if not gates or not gates.exits:
        return None
    if what == "alarms":
        return gates.alarms(), f"{gates.alarms()} of {len(gates.exits)}"
    if what == "seconds unchanged":
        return gates.median_seconds(), f"{gates.median_seconds():.2f} s"
    share = gates.share("REGRESSION" if what == "caught" else "INCONCLUSIVE")
    return share, per_cent(share)


def goals_table(groups, states):
    print("\n### Goals\n\n| gates by | goal | " + " | ".join(states) + " |\n| :-- | :-- |" + " :-- |" * len(states))
    for mode, what, slower, limit, least in GOALS:
        goal = {"alarms": f"false alarms: none of {GATES} gates", "caught": f"{slower} % slower caught: >= {limit:.0%}",
                "seconds changed": f"s a case, changed: <= {limit}",
                "seconds unchanged": f"s a case, unchanged: <= {limit}",
                "inconclusive": f"INCONCLUSIVE without a change: <= {limit:.0%}"}[what]
        cells = []
        for state in states:
            found = figure(groups, state, mode, what, slower)
            met = found and (found[0] >= limit if least else found[0] <= limit)
            word = "met" if met else "**missed**"
            if met and what == "alarms" and len(groups[state, mode, slower].exits) < GATES:
                word = "not enough gates"
            cells.append(f"{found[1]}: {word}" if found else "not measured")
        print(f"| {MODES[mode]} | {goal} | " + " | ".join(cells) + " |")


def kind(reason):
    """A reason without its figures, so that the same reason counts as one."""
    return re.sub(r"[-+]?\d+(\.\d+)?(e-?\d+)?", "N", reason.split(";")[0])


def faults_table(groups):
    print("\n### What went wrong, by workload\n\n| state | gates by | slower by | workload | became | how often "
          "| usual reason | last one: change, interval, rounds |\n| :-- | :-- | --: | :-- | :-- | --: | :-- | :-- |")
    for (state, mode, slower), gates in groups.items():
        faults = collections.defaultdict(list)
        tried = collections.Counter(row["case"] for row in gates.cases)
        for row in gates.cases:
            if row["change"] != ("REGRESSION" if slower else "NO_CHANGE"):
                faults[row["case"], row["change"]].append(row)
        for (case, change), rows in sorted(faults.items(), key=lambda item: -len(item[1])):
            usual = collections.Counter(kind(row["reason"]) for row in rows).most_common(1)[0][0]
            last = next(row for row in reversed(rows) if kind(row["reason"]) == usual)
            print(f"| {state} | {mode} | {slower} % | {case} | {change} | {len(rows)} of {tried[case]} | "
                  f"{last['reason'] or '-'} | {last_text(last)} |")


def last_text(row):
    if not row["ratio"]:
        return f"{row['rounds']} rounds"
    text = f"{row['metric']} {100 * (float(row['ratio']) - 1):+.1f} %"
    if row["low"] and row["high"]:
        text += f", {100 * (float(row['low']) - 1):+.1f} to {100 * (float(row['high']) - 1):+.1f} %"
    return text + f", {row['rounds']} rounds"


def main():
    parser = argparse.ArgumentParser(description="Judges the gates that live.sh measured.")
    parser.add_argument("csv")
    parser.add_argument("--since", default="")
    parser.add_argument("--program", default="")
    options = parser.parse_args()
    groups = collections.defaultdict(Gates)
    told = {"program": {}, "machine": {}}
    errors = collections.Counter()
    times = []
    for row in read(options):
        groups[row["state"], row["mode"], int(row["slower"])].add(row)
        for name in told:
            told[name][row[name]] = True
        times.append(row["time"])
        if not row["case"]:
            errors[row["mode"], row["slower"], row["exit"], row["reason"]] += 1
    if not groups:
        raise SystemExit("no gates")
    modes = list(MODES)
    groups = dict(sorted(groups.items(), key=lambda item: (item[0][0] != "quiet", modes.index(item[0][1]), item[0][2])))
    print(f"{'; '.join(told['machine'])}; {'; '.join(told['program'])}; {times[0]} to {times[-1]}")
    goals_table(groups, list(dict.fromkeys(key[0] for key in groups)))
    unchanged_table(groups)
    changed_table(groups)
    workload_table(groups)
    faults_table(groups)
    if errors:
        print("\n### Gates without a comparison\n")
    for (mode, slower, status, reason), count in errors.items():
        print(f"- {count} x {mode}, {slower} % slower: exit {status}, {reason}")


main()
