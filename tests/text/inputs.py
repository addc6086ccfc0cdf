"""inputs.py: results files for tests, made from a few words.

The templates below are the one place that knows what a file must have.
"""
import copy
import fnmatch
import json
import math
import re
import statistics


class Mistake(Exception):
    """What a test file says wrongly; the runner adds file and line."""


# --- Templates -----------------------------------------------------------------------------------

RESULTS = {
    "schema": "kgate.results.v1",
    "created": "2026-01-31T12:00:00Z",
    "kgate_version": "0.1.0",
    "suite": "suite",
    "suite_path": "suite.yaml",
    "policy": {"fail_on": ["REGRESSION", "FAILED"], "missing_device": "skip", "alpha": 0.01},
    "complete": True,
    "machine": {
        "fingerprint": "cpu-2cpu-4gib-00000000",
        "cpu_model": "CPU",
        "cpu_count": 2,
        "memory_bytes": 4 << 30,
        "gpus": [],
        "gpu_chosen": 0,
        "compiler": "GNU 12.2.0",
    },
    "timer_resolution_ns": 30,
    "measured_ns": 5e8,
    "elapsed_ns": 0,
    "cases": [],
}

CASE = {
    "source": "kernel",
    "params": {},
    "device": "cpu",
    "backend": "builtin",
    "definition_hash": "0123456789abcdef",
    "tags": [],
    "status": "OK",
    "series": [
        {"name": "time", "source": "rounds", "better": "lower", "threshold": 0.05, "min_effect": 1},
        {"name": "peak_memory", "source": "rounds", "better": "lower", "threshold": 0.1,
         "min_effect": 1024},
    ],
    "budgets": [],
    "rounds": {},
    "summary": {},
    "breakdown": {},
    "memory": {"peak_bytes": 1 << 20, "allocated_bytes": 0, "harness_bytes": 0},
    "work": {},
    "check": {"checked": False},
}

ROUND = {
    "wall_ns": 50e6,
    "warm_up_ns": 1e6,
    "calls": 100,
    "batch": 10,
    "peak_bytes": 1 << 20,
    "voluntary_switches": 0,
    "involuntary_switches": 0,
    "minor_faults": 0,
    "major_faults": 0,
    "samples_dropped": 0,
}

PULSE_CYCLES = 49152
CLOCK_HZ = 1.98e9

# --- Words ---------------------------------------------------------------------------------------

UNITS = {"": 1, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "%": 0.01, "B": 1,
         "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kB": 1e3, "MB": 1e6, "GB": 1e9}


def number(word):
    """A figure with its unit: 10us, 5%, 2MiB."""
    match = re.fullmatch(r"(-?[0-9.]+(?:e[-+]?[0-9]+)?)([A-Za-z%]*)", word)
    if not match or match[2] not in UNITS:
        raise Mistake(f"'{word}' is no figure: a number, and a unit where it has one")
    value = float(match[1]) * UNITS[match[2]]
    return int(value) if value == int(value) and abs(value) < 1e15 else value


def words_of(line):
    """Words, texts in quotes kept whole and with their quotes."""
    return re.findall(r'"(?:[^"\\]|\\.)*"|\S+', line)


def text_of(word):
    """A text: in quotes as JSON has it, or a bare word."""
    try:
        return json.loads(word) if word.startswith('"') else word
    except ValueError as error:
        raise Mistake(f"{word}: {error}") from error


def json_of(words):
    """A JSON value; what is none is a bare text. `"ab" x 3` is "ababab"."""
    repeated = re.fullmatch(r'("(?:[^"\\]|\\.)*") x (\d+)', words)
    if repeated:
        return json.loads(repeated[1]) * int(repeated[2])
    try:
        return json.loads(words)
    except ValueError:
        if words[:1] in '"[{':
            raise Mistake(f"{words} is not JSON") from None
        return words


# --- Places in a document ------------------------------------------------------------------------

NAMES = ("id", "name", "operation", "rule", "metric")


def steps_of(path):
    """`cases[w0/cpu].metrics[0]` as ["cases", "[w0/cpu]", "metrics", "[0]"]."""
    steps = re.findall(r"[^.\[\]]+|\[[^\]]*\]", path)
    if not steps:
        raise Mistake(f"'{path}' is no path")
    return steps


def is_meant(item, key):
    if not isinstance(item, dict):
        return False
    if any(item.get(name) == key for name in NAMES):
        return True
    pairs = re.findall(r"(\w+)=([^,]*)", key)
    return bool(pairs) and all(str(item.get(name)) == value for name, value in pairs)


def step_into(value, step):
    """The member of an object, or the item of a list: by number or by what it is called."""
    if not step.startswith("["):
        if not isinstance(value, dict) or step not in value:
            raise KeyError(step)
        return value[step]
    key = step[1:-1]
    if not isinstance(value, list):
        raise KeyError(step)
    if re.fullmatch(r"-?\d+", key):
        if not -len(value) <= int(key) < len(value):
            raise KeyError(step)
        return value[int(key)]
    for item in value:
        if is_meant(item, key):
            return item
    raise KeyError(step)


def find_steps(document, steps):
    for at, step in enumerate(steps):
        if step == "[*]":
            if not isinstance(document, list):
                raise KeyError(step)
            return [found for item in document for found in found_in(item, steps[at + 1 :])]
        document = step_into(document, step)
    return document


def found_in(item, steps):
    """A list of the one thing found, or of none."""
    try:
        found = find_steps(item, steps)
    except KeyError:
        return []
    return [] if found is None else [found]


def find(document, path):
    """What is at a path, with `[*]` a list of all that have it; KeyError where there is nothing."""
    return find_steps(document, steps_of(path))


def put(document, path, value):
    """Sets, or with None takes away, what is at a path; objects on the way are made."""
    *way, last = steps_of(path)
    for step in way:
        if isinstance(document, dict) and step not in document and not step.startswith("["):
            document[step] = {}
        try:
            document = step_into(document, step)
        except KeyError:
            raise Mistake(f"there is no {step} in {path}") from None
    if last.startswith("["):
        document[int(last[1:-1])] = value
    elif value is None:
        document.pop(last, None)
    else:
        document[last] = value


# --- A case of results ---------------------------------------------------------------------------


def rounds_of(times):
    """Rounds of these times; the rest of a round follows from its time."""
    count = len(times)
    rounds = {name: [value] * count for name, value in ROUND.items()}
    rounds.update(
        median_ns=times,
        mean_ns=list(times),
        min_ns=[time - 1 for time in times],
        max_ns=[time + 5 for time in times],
        p95_ns=[time + 2 for time in times],
        cpu_ns=list(times),
        samples_ns=[[time - 1, time + 1] for time in times],
    )
    return rounds


def spread_evenly(time, count):
    """Times around `time`, over 1 % of it."""
    return [
        float(round(time * (1 + 0.01 * (r / (count - 1) - 0.5 if count > 1 else 0))))
        for r in range(count)
    ]


def deviation(times):
    """Their standard deviation; statistics.stdev is exact, and takes a hundred times as long."""
    mean = statistics.fmean(times)
    return math.sqrt(sum((time - mean) ** 2 for time in times) / max(len(times) - 1, 1))


def summarize(case):
    """Brings what kgate writes beside the rounds into line with them."""
    rounds = case["rounds"]
    if not rounds.get("median_ns"):
        case["summary"] = {}
        return
    times = rounds["median_ns"]
    median = statistics.median(times)
    case["summary"] = {
        "median_ns": median,
        "mean_ns": statistics.fmean(times),
        "standard_deviation_ns": deviation(times),
        "min_ns": min(rounds["min_ns"]),
        "max_ns": max(rounds["max_ns"]),
        "p95_ns": statistics.median(rounds["p95_ns"]),
        "interval_low_ns": min(times),
        "interval_high_ns": max(times),
    }
    case["breakdown"]["wall_ns"] = median
    case["breakdown"]["cpu_ns"] = statistics.median(rounds["cpu_ns"])
    case["memory"]["peak_bytes"] = int(statistics.median(rounds["peak_bytes"]))
    for amount in ("items", "bytes", "flops"):
        if amount in case["work"]:
            case["work"][amount + "_per_second"] = 1e9 * case["work"][amount] / median


def case_make(name, time, count):
    case = copy.deepcopy(CASE)
    case["id"] = name
    case["workload"] = name.split("/")[0]
    case["rounds"] = rounds_of(spread_evenly(time, count))
    summarize(case)
    return case


def time_set(case, words):
    """`time 10us`, `time 10us 11us 12us` for each round, `time x 1.2`, `time x 1.3 1` in turn."""
    rounds = case["rounds"]
    if words[0] == "x":
        factors = [number(word) for word in words[1:]]
        rounds["median_ns"] = [
            time * factors[i % len(factors)] for i, time in enumerate(rounds["median_ns"])
        ]
    elif len(words) == 1:
        case["rounds"] = rounds_of(spread_evenly(number(words[0]), len(rounds["median_ns"])))
    else:
        case["rounds"] = rounds_of([number(word) for word in words])


def memory_set(case, words):
    """`memory 2MiB`, `memory x 2`: the peak of each round."""
    peaks = case["rounds"]["peak_bytes"]
    if words[0] == "x":
        peaks = [int(peak * number(words[1])) for peak in peaks]
    else:
        peaks = [int(number(words[0]))] * len(peaks)
    case["rounds"]["peak_bytes"] = peaks


def rounds_set(case, words):
    """`rounds 5` keeps the first five; `rounds NAME = 1 2 3` sets a column, in turn."""
    rounds = case["rounds"]
    if len(words) == 1:
        case["rounds"] = {name: column[: int(words[0])] for name, column in rounds.items()}
        return
    if words[1] != "=" or len(words) < 3:
        raise Mistake("expected `rounds NUMBER` or `rounds NAME = VALUE…`")
    values = [json_of(word) for word in words[2:]]
    rounds[words[0]] = [values[i % len(values)] for i in range(len(rounds["median_ns"]))]


def status_set(status):
    def action(case, words):
        case["status"] = status
        if words:
            case["reason"] = text_of(words[0])

    return action


def counter_set(case, words):
    """`counter NAME KEY VALUE… : FIGURES`, `counter NAME x FACTOR`, `counter NAME : none "why"`."""
    name, *rest = words
    series = case["series"]
    known = next((one for one in series if one["name"] == name), None)
    if rest[0] == "x":
        known["values"] = [value * number(rest[1]) for value in known["values"]]
        return
    at = rest.index(":")
    if not known or "source" in rest[:at]:
        known = {"name": name, "source": "workload", "better": "lower", "values": []}
        series.append(known)
    for key, value in zip(rest[:at:2], rest[1:at:2]):
        known[key] = number(value) if key == "threshold" else text_of(value)
    figures = rest[at + 1 :]
    known.pop("reason", None)
    if figures[0] == "none":
        known["values"] = []
        known["reason"] = text_of(figures[1])
    elif figures[0] == "each":
        known["values"] = [number(figures[1])] * len(case["rounds"]["median_ns"])
    else:
        known["values"] = [number(figure) for figure in figures]


def budget_set(case, words):
    """`budget time <= 5ms`"""
    case["budgets"].append({"metric": words[0], "relation": words[1], "limit": number(words[2])})


def params_set(case, words):
    """`params n=1 version=fast`"""
    case["params"] = dict(word.split("=", 1) for word in words)


def gpu_set(case, words):
    """`gpu cold clock 0.9`: times by the device, whose clock is 0.9 times the usual."""
    case["device"] = "cuda"
    case["timing"] = words[0]
    clock = number(words[2]) if words[1:2] == ["clock"] else 1
    rounds = case["rounds"]
    rounds["sm_clock_hz"] = [
        clock * CLOCK_HZ * (1 + 1e-4 * (i % 3)) for i in range(len(rounds["median_ns"]))
    ]
    rounds["median_cycles"] = [
        time * 1e-9 * hz for time, hz in zip(rounds["median_ns"], rounds["sm_clock_hz"])
    ]
    rounds["pulse_ns"] = [1e9 * PULSE_CYCLES / hz for hz in rounds["sm_clock_hz"]]


def id_set(case, words):
    case["id"] = text_of(words[0])


ACTIONS = {
    "time": time_set,
    "memory": memory_set,
    "rounds": rounds_set,
    "counter": counter_set,
    "budget": budget_set,
    "params": params_set,
    "gpu": gpu_set,
    "id": id_set,
    "FAILED": status_set("FAILED"),
    "SKIPPED": status_set("SKIPPED"),
    "UNMEASURED": status_set("UNMEASURED"),
    "OK": status_set("OK"),
}
OF_ROUNDS = ("time", "memory", "rounds")


def case_change(case, action):
    """One action on a case; what is no action of its own is `set PATH = JSON` or `delete PATH`."""
    words = words_of(action)
    if words[0] in ("set", "delete"):
        document_change(case, action)
        if words[1].startswith("work."):
            summarize(case)
        return
    if words[0] not in ACTIONS:
        raise Mistake(f"unknown action '{words[0]}' of a case")
    try:
        ACTIONS[words[0]](case, words[1:])
    except (IndexError, ValueError, TypeError) as error:
        raise Mistake(f"`{action}` cannot be understood: {error}") from error
    if words[0] in OF_ROUNDS:
        summarize(case)


def document_change(document, line):
    """`set PATH = JSON`, `delete PATH`, or `repeat PATH N`: a list of N times its first item."""
    repeated = re.fullmatch(r"repeat (\S+) (\d+)", line.strip())
    if repeated:
        items = find(document, repeated[1])
        items[:] = [items[0]] * int(repeated[2])
        return
    match = re.fullmatch(r"(?:set (\S.*?) = (.*)|delete (\S.*))", line.strip())
    if not match:
        raise Mistake(f"expected `set PATH = JSON` or `delete PATH`, found `{line}`")
    put(document, match[1] or match[3], json_of(match[2]) if match[1] else None)


def actions_of(line):
    """Actions on one line, parted by `; ` outside of quotes."""
    return [part.strip() for part in re.findall(r'(?:"(?:[^"\\]|\\.)*"|[^;"])+', line)]


def results_change(results, line):
    """A line under `results`: of all the file, of a case, or of the cases that a glob matches."""
    if line.startswith(("set ", "delete ", "repeat ")):
        document_change(results, line)
        return
    if line.startswith("remove "):
        results["cases"] = [case for case in results["cases"] if case["id"] != line[7:].strip()]
        return
    name, colon, actions = line.partition(": ")
    if not colon:
        raise Mistake(f"expected `CASE: ACTION; ACTION`, found `{line}`")
    if name.startswith("add "):
        name = name[4:]
        results["cases"].append(case_make(name, 10000, 10))
    chosen = [case for case in results["cases"] if case["id"] == name] or [
        case for case in results["cases"] if fnmatch.fnmatchcase(case["id"], name)
    ]
    if not chosen:
        raise Mistake(f"no case '{name}'")
    for case in chosen:
        for action in actions_of(actions):
            case_change(case, action)


def results_make(words):
    """`5 cases of 10 rounds, 10us`: w0/cpu of 10 us, w1/cpu of 20 us, …; `no cases`."""
    results = copy.deepcopy(RESULTS)
    if words == "no cases":
        return results
    match = re.fullmatch(r"(\d+) cases? of (\d+) rounds?, (\S+)", words)
    if not match:
        raise Mistake(f"expected `N cases of R rounds, TIME` or `like FILE`, found `{words}`")
    for i in range(int(match[1])):
        results["cases"].append(case_make(f"w{i}/cpu", number(match[3]) * (1 + i), int(match[2])))
    return results
