"""Makes the results files of a history's runs from one measured run, for confirm.sh.

    plant.py BASE.json CODE.json FIRST LAST SEED drawn|FACTOR FOLDER

Run i is i hours after the first, at commit ci, with the code and the build of CODE. Its times are those of BASE with a
noise of 0.4 %. From run 21 on they are multiplied by FACTOR, or by a drawn step for each case."""

import copy
import json
import os
import random
import sys

AFTER = 20  # number of runs before the step
STEPS = (1.025, 1.03, 1.05, 1.08, 1.1, 1.2, 1.5, 3)
NOISE = 0.004
CODE_FIELDS = ("build", "code_hash", "code_scope", "libraries")


def steps_of(cases, seed):
    """The step of each case: the same in every call for one seed."""
    draw = random.Random(f"steps {seed}")
    return {case["id"]: draw.choice(STEPS) ** draw.choice((1, -1)) for case in cases}


def run_make(base, code, index, seed, steps):
    """The results of run `index`."""
    run = copy.deepcopy(base)
    draw = random.Random(f"noise {seed} {index}")
    run["created"] = f"2026-01-{1 + index // 24:02}T{index % 24:02}:00:00Z"
    run["commit"], run["branch"], run["files"] = f"c{index}", "main", code["files"]
    for case, other in zip(run["cases"], code["cases"]):
        factor = draw.gauss(1, NOISE)
        for field in CODE_FIELDS:
            case.pop(field, None)
            if field in other:
                case[field] = other[field]
        if index > AFTER:
            # the detector calls a step at unchanged code the machine, without measuring
            case["code_hash"] = f"{int(case['code_hash'], 16) ^ 1:016x}"
            factor *= steps[case["id"]]
        for field in ("median_ns", "cpu_ns"):
            case["rounds"][field] = [value * factor for value in case["rounds"][field]]
    return run


def main():
    base_path, code_path, first, last, seed, step, folder = sys.argv[1:]
    with open(base_path, encoding="utf-8") as base_file, open(code_path, encoding="utf-8") as code_file:
        base, code = json.load(base_file), json.load(code_file)
    steps = steps_of(base["cases"], seed)
    if step != "drawn":
        steps = dict.fromkeys(steps, float(step))
    for index in range(int(first), int(last) + 1):
        with open(os.path.join(folder, f"n{index}.json"), "w", encoding="utf-8") as out:
            json.dump(run_make(base, code, index, seed, steps), out)


if __name__ == "__main__":
    main()
