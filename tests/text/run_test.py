#!/usr/bin/env python3
"""run_test.py KGATE: that a test as text fails where it should, and says where and why."""
import os
import subprocess
import sys
import tempfile

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.py")
PAIR = """test %s
  results a.json: 1 case of 10 rounds, 10us
  results b.json: like a.json
    w0/cpu: time x 1.2
  run kgate compare a.json b.json --json
"""

# Lines after those, and what has to be said; None: it holds.
EXPECTED = [
    ("  exit 1\n  stdout: cases[0].metrics[0].ratio = 1.2 within 0.01\n", None),
    ("  exit 1\n  stdout: cases[w0/cpu].change = REGRESSION\n", None),
    ("  exit 0\n", ":6: {name}: expected exit status 0, found 1"),
    ("  stdout: verdict = FAIL\n", ":6: {name}: expected exit status 0, found 1"),
    ("", ":5: {name}: expected exit status 0, found 1"),
    ("  exit 1\n  stdout: verdict = PASS\n", ':7: {name}: expected stdout: verdict = PASS, found FAIL'),
    ("  exit 1\n  stdout: cases[0].metrics[0].ratio = 1.1 within 0.01\n",
     ":7: {name}: expected stdout: cases[0].metrics[0].ratio = 1.1 within 0.01, found 1.2"),
    ("  exit 1\n  stdout: cases[w1/cpu].change = REGRESSION\n", ":7: {name}: there is no stdout: cases[w1/cpu]"),
    ("  exit 1\n  stdout has \"no such words\"\n", ':7: {name}: expected "no such words" in stdout'),
    ("  exit 1\n  stdout lacks \"REGRESSION\"\n", ':7: {name}: expected no "REGRESSION" in stdout'),
    ("  exit 1\n  stdout: verdict is missing\n", ":7: {name}: expected no stdout: verdict, found FAIL"),
    ("  exit 1\n  stdout: cases count 2\n", ":7: {name}: expected 2 in stdout: cases, found 1"),
    ("  exit 1\n  stdout: cases[0].order < 0\n", ":7: {name}: expected stdout: cases[0].order < 0"),
    ("  exit 1\n  stdout order \"REGRESSION\" \"kgate.comparison\"\n", ":7: {name}: expected"),
    ("  exit 1\n  stdout begins \"x\"\n", ":7: {name}: expected stdout to begin"),
    ("  exit 1\n  stdout ends \"x\"\n", ":7: {name}: expected stdout to end"),
    ("  exit 1\n  stdout bytes 0 to 10\n", ":7: {name}: expected stdout of 0 to 10 bytes"),
    ("  exit 1\n  stdout is\n    | {\n", ":8: {name}: stdout goes on"),
    ("  exit 1\n  stdout is\n    | {{\n  exit 1\n", ":9: {name}: line 1 of stdout is not:\n{{"),
    ("  exit 1\n  stdout reads csv\n", ":7: {name}: stdout is no csv"),
    ("  exit 1\n  stdout reads tea leaves\n", "mistake in the test: no reader is called 'tea'"),
    ("  exit 1\n  stdout width 5\n", ":7: {name}: expected lines of 5 characters"),
    ("  exit 1\n  a.json is b.json\n", ":7: {name}: a.json is not b.json"),
    ("  exit 1\n  none.md has \"x\"\n", ":7: {name}: cannot read none.md"),
    ("  exit 1\n  stdot has \"x\"\n", ":7: {name}: mistake in the test: unknown directive 'stdot'"),
    ("  exit 1\n  stdout hass \"x\"\n", "mistake in the test: unknown expectation"),
    ("  exit 1\n  run rm a.json\n", "mistake in the test: only kgate can be run"),
    ("  exit 1\n  results c.json: five cases\n", "mistake in the test: expected `N cases of R rounds"),
    ("  exit 1\n  results c.json: like b.json\n    w0/cpu: tyme x 2\n", "unknown action 'tyme'"),
    ("  exit 1\n  results c.json: like b.json\n    w7/cpu: time x 2\n", "no case 'w7/cpu'"),
    ("  exit 1\n    w0/cpu: time x 2\n", "an indented line belongs under"),
    ("colour blue\n", ":6: expected `test NAME` or `setup NAME`"),
    ("  exit 1\n  stdout has\n", ":7: {name}: mistake in the test: expected a text"),
    ("  exit 1\n  stdout lacks\n", ":7: {name}: mistake in the test: expected a text"),
    ("  exit 1\n  stdout: verdict has\n", ":7: {name}: mistake in the test: expected"),
    ("  exit 1\n  stdout order\n", ":7: {name}: mistake in the test: expected a text"),
    ("  exit 1\n  stdout: cases[*].id lacks \"w1\"\n", None),
    ("  exit 1\n  stdout: cases[*].none has \"x\"\n", ":7: {name}: there is no stdout: cases[*].none"),
    ("  exit 1\n  stdout: cases[*].none lacks \"x\"\n", ":7: {name}: there is no stdout: cases[*].none"),
    ("  exit 1\n  stdout: cases[*].none = []\n", ":7: {name}: there is no stdout: cases[*].none"),
    ("  exit 1\n  stdout: cases[*].none < 5\n", ":7: {name}: there is no stdout: cases[*].none"),
    ("  exit 1\n  stdout: cases[*].metrics[*].none lacks \"x\"\n", ":7: {name}: there is no stdout: cases[*]"),
    ("  exit 1\n  stdout: verdict[*].none lacks \"x\"\n", ":7: {name}: there is no stdout: verdict[*]"),
    ("  exit 1\n  stdout: cases[*].none is missing\n  stdout: cases[*].none count 0\n", None),
    ("  exit 1\n  stdout: cases[*].id is missing\n", ":7: {name}: expected no stdout: cases[*].id"),
    ("  exit 1\n  stdout: cases[0].order = 5 within\n",
     ":7: {name}: mistake in the test: expected `= NUMBER within NUMBER`"),
    ("  exit 1\n  stdout: cases[0].order = a within 1\n", "expected `= NUMBER within NUMBER`"),
    ("  use nothing known\n", ":6: there is no `setup nothing known` above"),
    ("  json c.json: as beside none.json\n    set a = 1\n", "none.json: No such file or directory"),
    ("  exit 1\n  json c.json: like none.json\n", ":7: {name}: cannot read none.json"),
    ("  exit 1\n" + "test of nothing\n", ":7: of nothing: mistake in the test: it runs nothing"),
    ("  exit 1\n" + "test of one file\n  results a.json: no cases\n",
     ":8: of one file: mistake in the test: it runs nothing"),
    ("  exit 1\n" + "test of no words\n  run kgate --version\n",
     ":8: of no words: mistake in the test: it expects nothing"),
    ("  exit 1\n" + "test of a status\n  run kgate --version\n  exit 0\n", None),
]


# Arguments that name no file, and what has to be said of them.
MISSING = [
    ("none.test", 2, "cannot read none.test: No such file or directory"),
    ("none/kgate", 1, "none/kgate: No such file or directory"),
]


def missing_problems(kgate):
    """What is not told plainly of a test file or a kgate that is not there."""
    problems = []
    with tempfile.NamedTemporaryFile("w", suffix=".test") as file:
        file.write("test of no kgate\n  run kgate --version\n  exit 0\n")
        file.flush()
        for missing, status, wanted in MISSING:
            arguments = [kgate, missing] if missing.endswith(".test") else [missing, file.name]
            done = subprocess.run(
                [RUN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                check=False,
            )
            if done.returncode != status or wanted not in done.stdout or "Traceback" in done.stdout:
                problems.append(f"with {missing} expected {wanted}, found\n{done.stdout}")
    return problems


def main():
    kgate = sys.argv[1]
    problems = missing_problems(kgate)
    for number, (lines, expected) in enumerate(EXPECTED):
        name = f"example {number}"
        with tempfile.NamedTemporaryFile("w", suffix=".test") as file:
            file.write(PAIR % name + lines)
            file.flush()
            done = subprocess.run(
                [RUN, kgate, file.name], stdout=subprocess.PIPE, text=True, check=False
            )
        wanted = expected and expected.format(name=name)
        if (done.returncode == 0) != (expected is None) or wanted and wanted not in done.stdout:
            problems.append(f"after\n{lines}expected {wanted or 'success'}, found\n{done.stdout}")
    print("\n".join(problems) or f"{len(EXPECTED)} examples succeed or fail as they should")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
