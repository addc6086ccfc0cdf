#!/usr/bin/env python3
"""A stand-in for a program of NVBench, where there is neither NVBench nor a GPU: nothing is computed, and the
times are made up. It takes the options that NVBench's option_parser takes, as strictly, and writes the JSON
and the sample files that its json_printer writes, both after reading their source. It is not the program:
what it agrees to, NVBench may refuse.

STAND_IN_GPUS   how many GPUs there are (1)
SCALE           all times are multiplied by it
CLOCK           all clocks are: 1.8 GHz without it; "none": an NVBench that does not tell them
"""
import itertools
import json
import os
import re
import struct
import sys

SCALE = 1.0
GPUS = int(os.environ.get("STAND_IN_GPUS", "1"))

# name: axes as (name, type, flags, inputs), and the time of a state in seconds; or why it is skipped
BENCHMARKS = {
    "copy": (
        [("T", "type", "", ["I32", "F64"]), ("Op{ct}", "type", "", ["sum", "max"]), ("Elements", "int64", "pow2", [20, 24])],
        lambda v: {"I32": 1e-4, "F64": 2e-4}[v["T"]] * v["Elements"] / 2**20,
    ),
    "fill": (
        [("Quality", "float64", "", [0.5, 1.0]), ("Mode", "string", "", ["uniform", "a,b"])],
        lambda v: 1e-3 * v["Quality"] * len(v["Mode"]),
    ),
    "plain": ([], lambda v: 5e-5),
    "skips": ([("N", "int64", "", [1, 2])], lambda v: 1e-3 if v["N"] == 1 else "too large for this device"),
}
CRITERION = {"max-noise", "min-time", "max-angle", "min-r2"}
VALUED = {"--markdown", "--md", "--csv", "--json", "--jsonbin", "--benchmark", "-b", "--devices", "-d", "--device",
          "--axis", "-a", "--min-samples", "--skip-time", "--timeout", "--stopping-criterion"}
PLAIN = {"--run-once", "--disable-blocking-kernel", "--profile", "--quiet", "-q", "--color"}


def value_of(kind, flags, given):
    return 2**given if flags == "pow2" else given


def value_json(kind, flags, given):
    value = {"input_string": str(given) if kind != "float64" else f"{given:.5g}", "description": ""}
    if kind != "type":
        value["value"] = value_of(kind, flags, given)
    return value


def axes_json(axes):
    return [{"name": n, "type": t, "flags": f, "values": [value_json(t, f, v) for v in values]} for n, t, f, values in axes]


def parse_values(text, kind):
    read = {"int64": int, "float64": float}.get(kind, str)
    found = re.match(r"^\[\s*([^\]]+?,[^\]]+?)\s*\]$", text)
    if found:
        return [read(v.strip()) for v in found[1].split(",")]
    if re.match(r"^\[\s*([^\]]+?:[^\]]+?)\s*\]$", text):
        raise ValueError("ranges are not stood in for")
    found = re.match(r"^\[?\s*([^,\]:]+?)\s*\]?$", text)
    if not found:
        raise ValueError(f"Invalid axis value spec: {text}")
    return [read(found[1])]


class Bench:
    def __init__(self, name):
        if name.isdigit():
            name = list(BENCHMARKS)[int(name)]
        if name not in BENCHMARKS:
            raise ValueError(f"Error handling option --benchmark `{name}`:\nBenchmark not found.")
        self.name, self.devices = name, list(range(GPUS))
        self.axes = [list(axis) for axis in BENCHMARKS[name][0]]

    def set(self, option, value):
        if option in ("--devices", "-d", "--device"):
            self.devices = list(range(GPUS)) if value == "all" else parse_values(value, "int64")
            if any(d >= GPUS for d in self.devices):
                raise ValueError(f"Invalid device id: {value}")
        elif option in ("--axis", "-a"):
            found = re.search(r"\s*([^\[:]+?)\s*(?:\[\s*([^\]]*?)\s*\])?\s*=\s*(.+?)\s*$", value)
            if not found:
                raise ValueError("Bad format.")
            for axis in self.axes:
                if axis[0] == found[1]:
                    break
            else:
                raise ValueError(f"Error handling option --axis `{value}`:\nAxis `{found[1]}` not found.")
            if found[2] and not (axis[1] == "int64" and found[2] == "pow2"):
                raise ValueError(f"Invalid flag: `{found[2]}`")
            values = parse_values(found[3], axis[1])
            if axis[1] == "type" and not set(values) <= set(axis[3]):
                raise ValueError(f"Invalid type: {value}")
            axis[2], axis[3] = found[2] or "", values
        elif option != "--stopping-criterion":
            float(value)

    def states(self):
        types = [a for a in self.axes if a[1] == "type"][::-1]  # the last one first, as NVBench has them
        axes = types + [a for a in self.axes if a[1] != "type"]
        for device in self.devices:
            for chosen in itertools.product(*(a[3] for a in axes)):
                yield device, [(a[0], a[1], value_of(a[1], a[2], v)) for a, v in zip(axes, chosen)]


def named(name, kind, value):
    return {"name": name, "type": kind, "value": str(value)}


def state_json(bench, device, values, outputs):
    time = BENCHMARKS[bench.name][1]({n: v for n, _, v in values})
    axis_values = [named(n, "string" if t == "type" else t, int(v) if isinstance(v, float) and v == int(v) else v) for n, t, v in values]
    state = {"name": "", "device": device, "type_config_index": 0, "axis_values": axis_values or None, "summaries": None}
    if isinstance(time, str):
        return {**state, "is_skipped": True, "skip_reason": time}
    samples = [SCALE * time * (1 + 1e-3 * (i % 3 - 1)) for i in range(9)]
    state["summaries"] = [{"tag": "nv/cold/time/gpu/mean", "name": "GPU Time", "hint": "duration",
                           "data": [named("value", "float64", sum(samples) / len(samples))]}]
    if clocks_of(1):
        state["summaries"].append({"tag": "nv/cold/sm_clock_rate/mean", "name": "Clock Rate", "hint": "frequency",
                                   "data": [named("value", "float64", sum(clocks_of(9)) / 9)]})
    for path in outputs:
        folder = path + "-bin/"
        os.makedirs(folder, exist_ok=True)
        outputs[path] += 1
        file = f"{folder}{outputs[path] - 1}.bin"
        with open(file, "wb") as out:
            out.write(struct.pack(f"<{len(samples)}f", *samples))
        clocks_write(state, path, outputs[path] - 1, len(samples))
        state["summaries"].append({"tag": "nv/json/bin:nv/cold/sample_times", "name": "Samples Times File", "hint": "file/sample_times",
                                   "data": [named("filename", "string", file), named("size", "int64", len(samples))]})
    return {**state, "is_skipped": False}


def clocks_of(count):
    clock = os.environ.get("CLOCK", "1")
    return [] if clock == "none" else [1.8e9 * float(clock) * (1 + 1e-4 * (i % 3 - 1)) for i in range(count)]


def clocks_write(state, path, number, count):
    """The clock of each sample, in a file beside."""
    clocks = clocks_of(count)
    if not clocks:
        return
    folder = path + "-freqs-bin/"
    os.makedirs(folder, exist_ok=True)
    file = f"{folder}{number}.bin"
    with open(file, "wb") as out:
        out.write(struct.pack(f"<{count}f", *clocks))
    state["summaries"] += [
        {"tag": "nv/json/freqs-bin:nv/cold/sample_freqs", "name": "Samples Freqs File", "hint": "file/sample_freqs",
         "data": [named("filename", "string", file), named("size", "int64", count)]}]


def main(words):
    if not GPUS:
        raise ValueError("device_manager.cu:38: Cuda API call returned error: cudaErrorNoDevice: no CUDA-capable device is detected")
    benches, common, files, bins = [], [], [], {}
    while words:
        option = words.pop(0)
        if option == "--jsonlist-benches":
            listed = [{"name": n, "index": i, "axes": axes_json(axes)} for i, (n, (axes, _)) in enumerate(BENCHMARKS.items())]
            print(json.dumps({"benchmarks": listed}, indent=2))
            return
        if option in PLAIN:
            continue
        if option not in VALUED and option[2:] not in CRITERION:
            raise ValueError(f"Unrecognized command-line argument: `{option}`.")
        if not words:
            raise ValueError(f"Option '{option}' requires 1 parameters, 0 provided.")
        value = words.pop(0)
        if option in ("--benchmark", "-b"):
            benches.append(Bench(value))
            for given in common:
                benches[-1].set(*given)
        elif option in ("--json", "--jsonbin"):
            open(value, "w").close()
            files.append(value)
            if option == "--jsonbin":
                bins[value] = 0
        elif option not in ("--markdown", "--md", "--csv"):
            benches[-1].set(option, value) if benches else common.append((option, value))
    if not benches:
        benches = [Bench(name) for name in BENCHMARKS]
        for bench in benches:
            for given in common:
                bench.set(*given)
    root = {"devices": [{"id": i, "name": "Stand-in GPU"} for i in range(GPUS)], "benchmarks": []}
    for index, bench in enumerate(benches):
        states = [state_json(bench, device, values, bins) for device, values in bench.states()]
        root["benchmarks"].append({"name": bench.name, "index": index, "devices": bench.devices, "axes": axes_json(bench.axes) or None, "states": states})
    for path in files:
        with open(path, "w") as out:
            json.dump(root, out, indent=2)
    print("# Benchmark Results")


try:
    main(sys.argv[1:])
except (ValueError, OSError) as error:
    sys.stderr.write(f"\nNVBench encountered an error:\n\n{error}\n")
    sys.exit(1)
