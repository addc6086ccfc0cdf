"""A results file of many cases and ten rounds each, from a measured one of a few.

    many.py SOURCE COUNT OUT [SEED]
The cases are those of SOURCE in turn, under other names, so that as many suggestions are made for
each; the times of each round are moved by up to 1 % together. What is seen of hot code is left out:
it is looked at in some cases of a suite, not in all of a hundred thousand. All count as measured,
however busy the machine was: it is what they cost that is asked, not how long they took."""
import json
import random
import sys

ROUNDS = 10
TIMES = {"median_ns", "mean_ns", "min_ns", "max_ns", "p95_ns"}
DISTURBED = {"wait_ns", "stolen_ns", "disturbance"}


def moved(values, name, factors):
    """Ten rounds' values of a field, from those of the rounds that there are."""
    if not isinstance(values, list) or not values:
        return values
    out = [values[i % len(values)] for i in range(ROUNDS)]
    if name in TIMES:
        return [value and round(value * factor, 3) for value, factor in zip(out, factors)]
    if name in DISTURBED:
        return [0.0] * ROUNDS
    if name == "samples_ns":
        return [[round(value * factor, 3) for value in values] for values, factor in zip(out, factors)]
    return out


def case_of(source, number):
    factors = [1 + random.uniform(-0.01, 0.01) for _ in range(ROUNDS)]
    case = {key: value for key, value in source.items() if key != "hot"}
    case["id"] = source["id"].replace("/", f"{number}/", 1)
    case["workload"] = f"{source['workload']}{number}"
    if case["status"] == "UNMEASURED":
        case["status"] = "OK"
        case.pop("reason", None)
    case["rounds"] = {key: moved(value, key, factors) for key, value in source["rounds"].items()}
    return case


def main(path, count, out, seed=1):
    with open(path, encoding="utf-8") as file:
        source = json.load(file)
    random.seed(seed)
    cases = source.pop("cases")
    with open(out, "w", encoding="utf-8") as file:
        file.write(json.dumps(source)[:-1] + ', "cases": [')
        for i in range(count):
            case = case_of(cases[i % len(cases)], i // len(cases))
            file.write(("," if i else "") + "\n" + json.dumps(case, separators=(",", ":")))
        file.write("]}\n")


main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
