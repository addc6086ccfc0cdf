#!/usr/bin/env python3
"""run.py KGATE FILE.test [WORDS]: runs the tests of a file, or those whose name has these words.

README.md shows the notation. Each test has a folder of its own; what fails is told with the file
and the line of the expectation, what was expected and what was found.
"""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

sys.dont_write_bytecode = True  # nothing is left beside the tests

from inputs import (
    Mistake, document_change, find, json_of, number, results_change, results_make, text_of,
    words_of,
)
from profiles import profile_change, profile_make
from readers import Unreadable, read_by

SHOWN_MOST = 1500
SECONDS_MOST = 120
NOTHING = object()


class Failure(Exception):
    """What a test expected and did not find."""


# --- Expectations --------------------------------------------------------------------------------


def shown(value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_MOST else text[:SHOWN_MOST] + "…"


def texts_in(value):
    """A text, or the texts of a list: one of them has to have what is expected."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in texts_in(item)]
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts_in(item)]
    return []


def texts_expected(words):
    """The words after `has` and the like, each with its text: one at least, or all would hold."""
    if not words:
        raise Mistake("expected a text after `has`, `lacks` or `order`")
    return [(word, text_of(word)) for word in words]


def expect_has(value, words, where):
    for word, text in texts_expected(words):
        if not any(text in one for one in texts_in(value)):
            raise Failure(f"expected {word} in {where}, found:\n{shown(value)}")


def expect_lacks(value, words, where):
    for word, text in texts_expected(words):
        if any(text in one for one in texts_in(value)):
            raise Failure(f"expected no {word} in {where}, found:\n{shown(value)}")


def expect_order(value, words, where):
    """One text after the other."""
    whole = "\n".join(texts_in(value))
    at = 0
    for word, text in texts_expected(words):
        next_at = whole.find(text, at)
        if next_at < 0:
            raise Failure(f"expected {word} in {where} after those before, found:\n{shown(value)}")
        at = next_at + 1


def expect_begins(value, words, where):
    if not str(value).startswith(text_of(words[0])):
        raise Failure(f"expected {where} to begin with {words[0]}, found:\n{shown(value)}")


def expect_ends(value, words, where):
    if not str(value).endswith(text_of(words[0])):
        raise Failure(f"expected {where} to end with {words[0]}, found:\n{shown(str(value)[-300:])}")


def expect_equal(value, words, where):
    within = words.index("within") if "within" in words else len(words)
    expected = json_of(" ".join(words[:within]))
    if words[within:]:
        if len(words) != within + 2 or not isinstance(expected, (int, float)):
            raise Mistake("expected `= NUMBER within NUMBER`")
        tolerance = number(words[within + 1])
        good = isinstance(value, (int, float)) and abs(value - expected) <= tolerance
    else:
        good = value == expected
    if not good:
        raise Failure(f"expected {where} = {' '.join(words)}, found {shown(value)}")


def expect_compare(better, sign):
    def expect(value, words, where):
        limit = number(words[0])
        if not (isinstance(value, (int, float)) and better(value, limit)):
            raise Failure(f"expected {where} {sign} {words[0]}, found {shown(value)}")

    return expect


def expect_count(value, words, where):
    if not isinstance(value, (list, str)) or len(value) != int(words[0]):
        found = len(value) if isinstance(value, (list, str)) else "none"
        raise Failure(f"expected {words[0]} in {where}, found {found}: {shown(value)}")


def expect_bytes(value, words, where):
    """`bytes 1000 to 65000`: how long a text is."""
    length = len(value.encode())
    if not number(words[0]) <= length <= number(words[2]):
        raise Failure(f"expected {where} of {' '.join(words)} bytes, found {length}")


def expect_width(value, words, where):
    """`width 60 but "kgate run"`: no line is wider, colours apart, but for those with this text."""
    but = text_of(words[2]) if words[1:2] == ["but"] else None
    for line in value.split("\n"):
        if len(re.sub(r"\x1b\[[0-9;]*m", "", line)) > int(words[0]) and not (but and but in line):
            raise Failure(f"expected lines of {words[0]} characters in {where}, found:\n{line}")


def expect_aligned(value, words, where):
    """`aligned "OK"`: the word begins after as many characters in all lines that have it."""
    word = text_of(words[0])
    places = {len(line.split(word)[0]) for line in value.split("\n") if word in line}
    if len(places) != 1:
        raise Failure(f"expected {words[0]} at one column of {where}, found {sorted(places)}:\n{value}")


def expect_reads(value, words, where):
    """`reads csv`: a program that is not kgate's takes it."""
    try:
        read_by(words[0], value)
    except Unreadable as unreadable:
        raise Failure(f"{where} is no {words[0]}: {unreadable}") from unreadable


EXPECTATIONS = {
    "has": expect_has,
    "lacks": expect_lacks,
    "order": expect_order,
    "begins": expect_begins,
    "ends": expect_ends,
    "=": expect_equal,
    "<": expect_compare(lambda value, limit: value < limit, "<"),
    ">": expect_compare(lambda value, limit: value > limit, ">"),
    "count": expect_count,
    "bytes": expect_bytes,
    "width": expect_width,
    "aligned": expect_aligned,
    "reads": expect_reads,
}


def nothing_in(found, depth):
    """Whether a path with so many `[*]` found nothing: `found` is a list of lists that deep."""
    return depth > 0 and isinstance(found, list) and all(nothing_in(one, depth - 1) for one in found)


def expect(words, value, where):
    """Holds what was found against `has "…"`, `= 1.2 within 0.01` and the like."""
    if words[:2] == ["is", "missing"]:
        if value is not NOTHING:
            raise Failure(f"expected no {where}, found {shown(value)}")
        return
    if not words or words[0] not in EXPECTATIONS:
        raise Mistake(f"unknown expectation '{' '.join(words)}'")
    if value is NOTHING:
        raise Failure(f"there is no {where}")
    try:
        EXPECTATIONS[words[0]](value, words[1:], where)
    except (IndexError, ValueError) as error:
        raise Mistake(f"'{' '.join(words)}' cannot be understood: {error}") from error


# --- A test --------------------------------------------------------------------------------------


def on_terminal(command, folder, environment, columns):
    """Runs a command whose standard output is a terminal of so many columns: (done, output)."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=theirs,
            stderr=errors,
        )
        os.close(theirs)
        output = b""
        try:
            while part := os.read(ours, 65536):
                output += part
        except OSError:  # how the end of a terminal is told
            pass
        os.close(ours)
        status = process.wait(SECONDS_MOST)
        errors.seek(0)
        done = subprocess.CompletedProcess(command, status, None, errors.read())
    return done, output.replace(b"\r\n", b"\n")


class Test:
    """Runs the lines of one test in a folder of its own."""

    def __init__(self, kgate, folder, beside):
        self.kgate = kgate
        self.folder = folder
        self.beside = beside  # the folder of the .test file
        self.outputs = {}
        self.status = 0
        self.status_expected = True
        self.has_run = False
        self.has_expected = False  # on a line of the test: an exit status of 0 goes without saying
        self.document = None  # the results, profile or other JSON that indented lines change
        self.change = None
        self.name = None
        self.whole = None  # the output whose whole text indented lines tell: (name, lines)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        if name in ("stdout", "stderr"):
            return self.outputs.get(name, "")
        try:
            with open(self.path(name), encoding="utf-8", errors="backslashreplace") as file:
                return file.read()
        except OSError as error:
            raise Failure(f"cannot read {name}: {error.strerror}") from error

    def json(self, name):
        try:
            return json.loads(self.read(name))
        except ValueError as error:
            raise Failure(f"{name} is not JSON: {shown(self.read(name))}") from error

    def write(self):
        """Writes the document that the last lines made."""
        if self.document is not None:
            os.makedirs(os.path.dirname(self.path(self.name)), exist_ok=True)
            with open(self.path(self.name), "w", encoding="utf-8") as file:
                file.write(json.dumps(self.document))
        self.document = None

    def whole_compare(self):
        """`stdout is` and indented lines: the whole text; the first line that differs is told."""
        if self.whole is None:
            return
        (name, expected), self.whole = self.whole, None
        found = self.read(name).split("\n")
        for at, line in enumerate(expected):
            if at >= len(found) or found[at] != line:
                there = found[at] if at < len(found) else "the end"
                raise Failure(f"line {at + 1} of {name} is not:\n{line}\nbut:\n{there}")
        if found[len(expected) :] != [""]:
            raise Failure(f"{name} goes on:\n{shown(found[len(expected)])}")

    def input(self, kind, name, words):
        make, self.change = {
            "results": (results_make, results_change),
            "profile": (profile_make, profile_change),
            "json": (None, document_change),
        }[kind]
        self.name = name
        if words.startswith("like "):
            self.document = self.json(words[5:])
        elif words.startswith("as beside "):
            self.document = self.json(os.path.join(os.path.abspath(self.beside), words[10:]))
        elif make:
            self.document = make(words)
        else:
            raise Mistake("expected `json FILE: like FILE` or `json FILE: as beside FILE`")

    def run(self, words, columns=None):
        command = [self.kgate if word == "kgate" else text_of(word) for word in words]
        if words[0] != "kgate":
            raise Mistake(f"only kgate can be run, not '{words[0]}'")
        saved = None
        if len(command) > 2 and command[-2] == ">":
            saved, command = command[-1], command[:-2]
        environment = {**os.environ, "NO_COLOR": "1"}
        if columns:
            environment.update(TERM="xterm", NO_COLOR="")
            done, output = on_terminal(command, self.folder, environment, columns)
        else:
            done = subprocess.run(
                command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS_MOST, check=False,
            )
            output = done.stdout
        self.outputs = {
            "stdout": output.decode("utf-8", "backslashreplace"),
            "stderr": done.stderr.decode("utf-8", "backslashreplace"),
        }
        self.status, self.status_expected = done.returncode, False
        if saved:
            with open(self.path(saved), "wb") as file:
                file.write(output)

    def exit(self, expected):
        self.status_expected = True
        if self.status != expected:
            raise Failure(
                f"expected exit status {expected}, found {self.status}\n"
                + shown(self.outputs.get("stderr", "") + self.outputs.get("stdout", ""))
            )

    def same(self, one, other):
        """`a.md is b.md`: two texts, or two JSON documents, are the same."""
        texts = [self.read(one), self.read(other)]
        if texts[0].startswith("{"):
            texts = [json.loads(text) for text in texts]
        if texts[0] != texts[1]:
            raise Failure(f"{one} is not {other}:\n{shown(texts[0])}\n{shown(texts[1])}")

    def expectation(self, line):
        """`stdout has "x"`, `out/report.md lacks "y"`, `out/comparison.json: cases[0].id = a`."""
        target, colon, rest = line.partition(": ")
        if not colon or " " in target:
            words = words_of(line)
            if words[1:] == ["is"]:
                self.whole = (words[0], [])
                return
            if words[1:2] == ["is"] and len(words) == 3:
                self.same(words[0], words[2])
                return
            expect(words[1:], self.read(words[0]), words[0])
            return
        match = re.fullmatch(
            r"((?:[^\s\[\]]|\[[^\]]*\])+) (has|lacks|order|begins|ends|=|<|>|count|is|bytes)( .*)", rest
        )
        if not match:
            raise Mistake(f"expected `FILE: PATH = VALUE` or the like, found `{line}`")
        document = self.json(target)
        try:
            value = find(document, match[1])
        except KeyError:
            value = NOTHING
        if value is None or match[2] != "count" and nothing_in(value, match[1].count("[*]")):
            value = NOTHING
        expect(words_of(match[2] + match[3]), value, f"{target}: {match[1]}")

    def line(self, indent, line):
        words = words_of(line)
        if indent > 2 and self.whole is not None and line.startswith("|"):
            self.whole[1].append(line[2:])
            return
        self.whole_compare()
        if indent > 2:
            if self.document is None:
                raise Mistake("an indented line belongs under `results`, `profile` or `json`")
            self.change(self.document, line)
            return
        self.write()
        if words[0] in ("results", "profile", "json"):
            match = re.fullmatch(r"(\w+) (\S+): (.*)", line)
            if not match:
                raise Mistake(f"expected `{words[0]} FILE: …`, found `{line}`")
            self.input(*match.groups())
            return
        if not self.status_expected and words[0] != "exit":
            self.exit(0)
        if words[0] in ("run", "terminal"):
            self.has_run = True
        else:
            self.has_expected = True
        if words[0] == "run":
            self.run(words[1:])
        elif words[0] == "terminal":
            self.run(words[2:], int(words[1]))
        elif words[0] == "exit":
            self.exit(int(words[1]))
        elif words[0].rstrip(":") in ("stdout", "stderr") or "." in words[0]:
            self.expectation(line)
        else:
            raise Mistake(f"unknown directive '{words[0]}'")

    def end(self):
        self.write()
        self.whole_compare()
        if not self.status_expected:
            self.exit(0)
        if not self.has_run:
            raise Mistake("it runs nothing: a test needs a line `run kgate …` or `terminal …`")
        if not self.has_expected:
            raise Mistake("it expects nothing: a test needs a line `exit N` or `TARGET …`")


# --- A file --------------------------------------------------------------------------------------


def tests_of(path):
    """[(line, name, [(line, indent, text)])] of a file; `use NAME` is the lines of that setup."""
    tests, setups, lines = [], {}, None
    with open(path, encoding="utf-8") as file:
        for at, raw in enumerate(file, 1):
            text = raw.strip()
            indent = len(raw) - len(raw.lstrip(" "))
            if not text or text.startswith("#"):
                continue
            if indent == 0:
                kind, _, name = text.partition(" ")
                lines = []
                if kind == "test":
                    tests.append((at, name, lines))
                elif kind == "setup":
                    setups[name] = lines
                else:
                    raise Mistake(f"{path}:{at}: expected `test NAME` or `setup NAME`: `{text}`")
            elif lines is None:
                raise Mistake(f"{path}:{at}: expected `test NAME` before")
            elif text.startswith("use "):
                if text[4:] not in setups:
                    raise Mistake(f"{path}:{at}: there is no `setup {text[4:]}` above")
                lines += setups[text[4:]]
            else:
                lines.append((at, indent, text))
    return tests


def test_run(kgate, path, start, name, lines):
    """None where it holds, else what does not."""
    at = start
    with tempfile.TemporaryDirectory(prefix="kgate-text-") as folder:
        test = Test(kgate, folder, os.path.dirname(path))
        try:
            for at, indent, line in lines:
                test.line(indent, line)
            test.end()
        except Failure as failure:
            return f"{path}:{at}: {name}: {failure}"
        except Mistake as mistake:
            return f"{path}:{at}: {name}: mistake in the test: {mistake}"
        except subprocess.TimeoutExpired:
            return f"{path}:{at}: {name}: did not end within two minutes"
        except OSError as error:
            return f"{path}:{at}: {name}: {error.filename}: {error.strerror}"
    return None


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    kgate, path, *chosen = arguments
    failures = 0
    try:
        tests = [test for test in tests_of(path) if all(word in test[1] for word in chosen)]
    except Mistake as mistake:
        print(mistake)
        return 2
    except OSError as error:
        print(f"cannot read {path}: {error.strerror}")
        return 2
    names = [test[1] for test in tests]
    for name in sorted({name for name in names if names.count(name) > 1}):
        print(f"{path}: two tests are called '{name}'")
        failures += 1
    for start, name, lines in tests:
        problem = test_run(os.path.abspath(kgate), path, start, name, lines)
        if problem:
            print(problem)
            failures += 1
    print(f"{path}: {len(tests)} tests, {failures} failed")
    return 1 if failures or not tests else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
