#!/usr/bin/env python3
"""Puts one fault after the other into a kernel and sees that kgate finds it: README.md says how.

    run.py BUILD [--quick] [WORDS]
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
KERNELS = SOURCE / "kernels"


def faults_read(path):
    """The blocks of the table: fields, and the lines that go and come."""
    faults, old, new, fault = [], [], [], {}

    def finish():
        if fault:
            faults.append({**fault, "old": "\n".join(old), "new": "\n".join(new)})
        fault.clear(), old.clear(), new.clear()

    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            finish()
        elif line[0] in "-+":
            (old if line[0] == "-" else new).append(line[2:])
        else:
            key, value = line.split(": ", 1)
            fault[key] = value
    finish()
    return faults


def compile_command(build, file):
    """How the build compiles a kernel's source, without what it writes beside the object."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if pathlib.Path(entry["file"]) == KERNELS / file and "kgate_kernels.dir" in entry["command"]:
            words = shlex.split(entry["command"])
            return words[: words.index("-o")], entry["directory"]
    raise SystemExit(f"{file}: the build does not compile it")


def link_command(build, family):
    """How the build links the plugin of a family of kernels: up to its name, and from there on."""
    plugin = f"kgate-kernels/{family}.so"
    if (build / "build.ninja").exists():
        printed = subprocess.run(["ninja", "-C", build, "-t", "commands", plugin], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout.splitlines()
        command = [line for line in printed if f" -o {plugin} " in line][-1]
        command = command.removeprefix(": && ").removesuffix(" && :")
    else:
        command = (build / f"CMakeFiles/plugin_{family}.dir/link.txt").read_text()
    words = shlex.split(command)
    at = words.index("-o")
    return words[:at], words[at + 2:]


def case_yaml(number, case):
    """A line of a suite; threads are a setting of the workload, the rest parameters."""
    kernel, *pairs = case.split()
    values = dict(pair.split("=") for pair in pairs)
    threads = values.pop("threads", "1")
    params = ", ".join(f"{key}: {value}" for key, value in values.items())
    return f"  - {{name: c{number}, kernel: {kernel}, threads: {threads}, params: {{{params}}}}}\n"


def measure(kgate, cases, folder):
    """The cases' results. Disturbed rounds count: what is asked is whether the result is right."""
    suite, results = folder / "suite.yaml", folder / "results.json"
    suite.write_text("version: 1\nsuite: mutants\ndefaults: {rounds: {min: 1, max: 1}, min_time: 1ms, trace: no,"
                     " devices: [cpu], disturbance: 100%}\nworkloads:\n"
                     + "".join(case_yaml(i, case) for i, case in enumerate(cases)))
    done = subprocess.run([kgate, "run", "-c", suite, "-o", results], text=True, capture_output=True)
    if not results.exists():
        raise SystemExit(f"{kgate} run: {done.stderr}")
    return done.returncode, json.loads(results.read_text())["cases"]


def mutate(fault, folder):
    """Writes the changed file where it is found before the real one; gives what to compile."""
    text = (KERNELS / fault["file"]).read_text()
    if text.count(fault["old"]) != 1:
        return None
    changed = folder / "kernels" / fault["file"]
    changed.parent.mkdir(parents=True)
    changed.write_text(text.replace(fault["old"], fault["new"]))
    source = fault.get("compile", fault["file"])
    if source != fault["file"]:
        copy = folder / "kernels" / source
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text((KERNELS / source).read_text())
    return folder / "kernels" / source


def family_of(case):
    """The plugin with the kernel of a case."""
    rows = re.findall(r"^KG_KERNEL\((\w+), (\w+)\)", (KERNELS / "registry.def").read_text(), re.M)
    return dict(rows)[case.split()[0]]


def build_mutant(fault, source, build, folder):
    words, directory = compile_command(build, fault.get("compile", fault["file"]))
    family = family_of(fault["case"])
    made, plugin = folder / "mutant.o", folder / "kgate-kernels" / f"{family}.so"
    plugin.parent.mkdir()
    subprocess.run([words[0], f"-I{folder / 'kernels'}", *words[1:], "-w", "-o", made, "-c", source],
                   cwd=directory, check=True)
    before, after = link_command(build, family)
    subprocess.run([*before, "-o", plugin, made, *after], cwd=build, check=True)
    kgate = folder / "kgate"
    kgate.hardlink_to(build / "kgate")
    return kgate


def judge(fault, build):
    """Whether the fault is caught, and by what. The folder is on the file system of the build, for a hard link to
    kgate: a copy is busy if another thread starts a process while it is written."""
    with tempfile.TemporaryDirectory(dir=build) as name:
        folder = pathlib.Path(name)
        source = mutate(fault, folder)
        if not source:
            return False, "does not apply: the lines are not there, or more than once"
        try:
            kgate = build_mutant(fault, source, build, folder)
        except subprocess.CalledProcessError:
            return False, "does not compile"
        status, (case,) = measure(kgate, [fault["case"]], folder)
        reason = case.get("reason") or ""
        good = status == 3 and case["status"] == "FAILED" and reason.startswith("wrong result")
        return good, reason.split(" (`")[0] if good else f"NOT CAUGHT: exit {status}, {case['status']} {reason}"


def controls(kgate, faults):
    """The cases without a fault that fail all the same."""
    cases = sorted({fault["case"] for fault in faults})
    with tempfile.TemporaryDirectory() as name:
        _, results = measure(kgate, cases, pathlib.Path(name))
    return [f"{case}: without a fault {result['status']}: {result.get('reason')}"
            for case, result in zip(cases, results)
            if result["status"] in ("FAILED", "SKIPPED") or not result["check"]["checked"]]


def main():
    words = [word for word in sys.argv[2:] if word != "--quick"]
    build = pathlib.Path(sys.argv[1]).resolve()
    faults = [fault for fault in faults_read(HERE / "faults.txt")
              if ("--quick" not in sys.argv or fault.get("quick"))
              and all(word in fault["fault"] + fault["case"] for word in words)]
    wrong = controls(build / "kgate", faults)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = list(pool.map(lambda fault: judge(fault, build), faults))
    print("| fault | case | caught by |\n| :-- | :-- | :-- |")
    for fault, (good, how) in zip(faults, judged):
        print(f"| {fault['fault']} | {fault['case']} | {how} |")
        if not good:
            wrong.append(f"{fault['fault']} ({fault['case']}): {how}")
    print(f"\n{sum(good for good, _ in judged)} of {len(faults)} faults are found")
    for line in wrong:
        print(f"run.py: {line}", file=sys.stderr)
    return 1 if wrong or not faults else 0


if __name__ == "__main__":
    sys.exit(main())
