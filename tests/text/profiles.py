"""profiles.py: profiles for tests, made from a table of paths, as JSON that kgate reads."""
import copy
import re

from inputs import Mistake, document_change, actions_of, number, words_of

LOSSES = dict.fromkeys(
    ("dropped", "too_deep", "unbalanced", "unfinished", "sampled_out", "gpu_dropped"), 0
)

PROCESS = {
    "host": "host",
    "number": 1,
    "started_ns": 0,
    "wall_ns": 0,
    "scope_cost_ns": 0,
    "sample": 1,
    "threads": 1,
    "complete": True,
    "sampling": "requests",
    "losses": LOSSES,
}

PATH = {"device": "cpu", "kind": "compute", "line": 0, "span": False}

FIGURES = dict.fromkeys(
    (
        "elsewhere_ns", "self_ns", "mean_ns", "standard_deviation_ns", "min_ns", "max_ns", "p50_ns", "p95_ns",
        "p99_ns", "share", "gpu_ns", "transfer_ns", "overhead_ns", "bytes", "allocated_bytes",
        "peak_bytes", "device_peak_bytes", "unfinished", "threads", "threads_most", "busiest_thread_ns",
        "even_thread_ns",
    ),
    0,
)

PROFILE = {
    "schema": "kgate.profile.v1",
    "wall_ns": 0,
    "entry_count": 40,
    "losses": LOSSES,
    "processes": [],
    "threads": [],
    "paths": [],
    "names": [],
}


def path_text(profile, index):
    """The path as `outer;inner`."""
    path = profile["paths"][index]
    if path["parent"] == index:
        return path["name"]
    return path_text(profile, path["parent"]) + ";" + path["name"]


def path_find(profile, text):
    for index in range(len(profile["paths"])):
        if path_text(profile, index) == text:
            return index
    raise Mistake(f"no path '{text}'")


def path_add(profile, text, time):
    """A path of 10 calls a process; each process is a little off the others."""
    *around, name = text.split(";")
    count = len(profile["processes"])
    index = len(profile["paths"])
    off = [1 + 0.004 * (p - 2.5) * (1 if p % 2 else -1) for p in range(count)]
    profile["paths"].append(
        {
            **PATH,
            **FIGURES,
            "name": name,
            "parent": path_find(profile, ";".join(around)) if around else index,
            "depth": len(around),
            "calls": 10 * count,
            "total_ns": time * count,
            "rounds_ns": [time * factor for factor in off],
            "process_calls": [10] * count,
        }
    )


def path_change(path, action):
    """`time x 1.5`, `time x 0.9 1.4` in turn, `calls 20`, `rounds 2`, `set …`, `delete …`."""
    words = words_of(action)
    if words[0] == "time" and words[1:2] == ["x"]:
        factors = [number(word) for word in words[2:]]
        rounds = path["rounds_ns"]
        path["rounds_ns"] = [ns * factors[i % len(factors)] for i, ns in enumerate(rounds)]
        if len(factors) == 1:
            path["total_ns"] *= factors[0]
    elif words[0] == "calls":
        path["process_calls"] = [int(words[1])] * len(path["process_calls"])
    elif words[0] == "rounds":
        path["rounds_ns"] = path["rounds_ns"][: int(words[1])]
    else:
        document_change(path, action)


def processes_keep(profile, count):
    """As if only the first of them had been recorded; parts of theirs stay as rounds."""
    before = len(profile["processes"])
    profile["processes"] = profile["processes"][:count]
    for path in profile["paths"]:
        path["process_calls"] = path["process_calls"][:count]
        path["calls"] = path["calls"] * count // before
        path["total_ns"] = path["total_ns"] * count / before


def one_thread(profile):
    """Every call of every path was on the first thread."""
    profile["thread_shares"] = [
        {"path": index, "process": process, "thread": 1, "calls": path["process_calls"][process],
         "total_ns": path["total_ns"] / len(profile["processes"]), "start_ns": 0,
         "end_ns": path["total_ns"]}
        for process in range(len(profile["processes"]))
        for index, path in enumerate(profile["paths"])
    ]


def profile_change(profile, line):
    """A line under `profile`: a new path, or actions on one, on `all`, or on a process."""
    if line == "one thread":
        one_thread(profile)
        return
    match = re.fullmatch(r"(\S+) +(\d\S*)", line)
    if match and match[1] != "keep":
        path_add(profile, match[1], number(match[2]))
        return
    name, colon, actions = line.partition(": ")
    process = re.fullmatch(r"process (\d+)", name)
    if line.startswith("keep "):
        processes_keep(profile, int(words_of(line)[1]))
    elif not colon:
        document_change(profile, line)
    elif process:
        for action in actions_of(actions):
            document_change(profile["processes"][int(process[1])], action)
    else:
        chosen = profile["paths"] if name == "all" else [profile["paths"][path_find(profile, name)]]
        for path in chosen:
            for action in actions_of(actions):
                path_change(path, action)


def profile_make(words):
    """`6 processes`"""
    match = re.fullmatch(r"(\d+) process(?:es)?", words)
    if not match:
        raise Mistake(f"expected `N processes` or `like FILE`, found `{words}`")
    profile = copy.deepcopy(PROFILE)
    profile["processes"] = [copy.deepcopy(PROCESS) for _ in range(int(match[1]))]
    return profile
