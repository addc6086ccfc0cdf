"""Compares kgate's reader of JSON with Python's, on accept and reject and on every value.

    json_python.py JSON_VALUES FOLDER_OF_INPUTS [--seed N] [--count N]

The texts are made from the seed: values of every kind, and small parts of the fuzzers' inputs, most of them with
bytes replaced, removed, repeated or put in. kgate is stricter than Python in five points, which the Python side
follows: UTF-8, names that are twice, whole numbers beyond 64 bits, reals beyond a double, and strings with a NUL
or half a surrogate pair. Exit status 1 with the first texts that the two read otherwise."""
import argparse
import json
import os
import random
import subprocess
import sys

PIECES = [b'"', b"\\", b",", b":", b"[", b"]", b"{", b"}", b"0", b"-", b".", b"e", b"E", b"+", b"1", b"9", b" ", b"\n",
          b"\x00", b"\x1f", b"\x7f", b"\x80", b"\xff", b"\xc3\xa9", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"true", b"false",
          b"null", b"nul", b"NaN", b"Infinity", b"\\u0000", b"\\ud800", b"\\ud83d\\ude00", b"\\u00e9", b"\\n", b"\\x", b"01",
          b"1e400", b"1e-400", b"-0", b"-0.0", b"9223372036854775807", b"9223372036854775808", b"-9223372036854775808",
          b"0.1", b"1.7976931348623157e308", b"123456789012345678901e-20", b"5e-324", b"/*", b"//", b"'", b"\xef\xbb\xbf"]
STRINGS = ["", "a", "b", "name", "é", "\U0001f600", "tab\t", 'quote"', "back\\slash", "\x01", "long " * 12]


class Refused(Exception):
    """A text that Python takes and kgate does not."""


class Number(list):
    """["whole", 7] or ["real", "0.5"]: no list of the text."""


def whole(digits):
    value = int(digits)
    if not -2**63 <= value < 2**63:
        raise Refused("whole number")
    return Number(["whole", value])


def real(digits):
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise Refused("number")
    return Number(["real", f"{value:.17g}"])


def members(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise Refused("twice")
    return {"pairs": pairs}


def constant(word):
    raise Refused(word)


def shown(value):
    """The value as json_values prints it."""
    if isinstance(value, str):
        if "\0" in value:
            raise Refused("NUL")
        value.encode("utf-8")  # not of half a pair
        return value
    if isinstance(value, dict):
        flat = ["object"]
        for name, inner in value["pairs"]:
            flat += [shown(name), shown(inner)]
        return flat
    if isinstance(value, Number):
        return list(value)
    return ["list"] + [shown(inner) for inner in value] if isinstance(value, list) else value


def python_read(text):
    """The value, or None and why not."""
    try:
        value = json.loads(text.decode("utf-8"), parse_int=whole, parse_float=real, parse_constant=constant,
                           object_pairs_hook=members)
        return shown(value), None
    except (ValueError, Refused) as error:  # UnicodeError and JSONDecodeError are ValueErrors
        return None, str(error)


def value_make(chance, depth=0):
    kind = chance.randrange(9 if depth < 5 else 6)
    if kind == 0:
        return chance.choice([None, True, False])
    if kind in (1, 2):
        return chance.choice([0, 1, -1, 7, 10**9, 2**53 + 1, 2**63 - 1, -2**63, chance.randrange(-10**6, 10**6)])
    if kind == 3:
        return chance.choice([0.0, -0.0, 0.1, 1e22, 1e23, 5e-324, 1.5e300, chance.random(), chance.gauss(0, 1e9)])
    if kind in (4, 5):
        return "".join(chance.choice(STRINGS) for _ in range(chance.randrange(3)))
    if kind == 6:
        return [value_make(chance, depth + 1) for _ in range(chance.randrange(6))]
    return {chance.choice(STRINGS) + str(i): value_make(chance, depth + 1) for i in range(chance.randrange(40 if kind == 8 else 5))}


def mutated(chance, text):
    text = bytearray(text)
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3, 8])):
        at = chance.randrange(len(text) + 1)
        some = chance.randrange(4)
        if some == 0:
            text[at:at + 1] = chance.choice(PIECES)
        elif some == 1:
            text[at:at] = chance.choice(PIECES)
        elif some == 2:
            del text[at:at + chance.randrange(1, 9)]
        else:
            text[at:at] = text[max(0, at - chance.randrange(1, 30)):at]
    return bytes(text)


def inputs_read(folder):
    """The fuzzers' inputs that are JSON or nearly."""
    found = []
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            with open(os.path.join(place, name), "rb") as file:
                text = file.read()
            if text.lstrip()[:1] in (b"{", b"["):
                found.append(text)
    return found


def text_make(chance, inputs):
    """A whole input now and then; else a value's text, or a part of an input."""
    some = chance.randrange(20)
    if some == 0:
        return mutated(chance, chance.choice(inputs))
    if some < 4:
        text = chance.choice(inputs)
        at = chance.randrange(len(text))
        return mutated(chance, text[at:at + chance.randrange(200)])
    indent = chance.choice([None, None, 1])
    text = json.dumps(value_make(chance), ensure_ascii=chance.random() < 0.5, indent=indent)
    return mutated(chance, text.encode("utf-8"))


def kgate_read(program, texts):
    sent = b"".join(b"%d\n" % len(text) + text for text in texts)
    ran = subprocess.run([program], input=sent, stdout=subprocess.PIPE, check=True)
    return ran.stdout.decode("utf-8").split("\n")[:-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=5000)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    inputs = inputs_read(options.folder)
    texts = [text_make(chance, inputs) for _ in range(options.count)]
    lines = kgate_read(options.program, texts)
    taken, other = 0, 0
    for text, line in zip(texts, lines, strict=True):
        value, why = python_read(text)
        found = None if line.startswith("refused: ") else json.loads(line)
        taken += value is not None or why is None
        if (why is None) != (not line.startswith("refused: ")) or (why is None and found != value):
            other += 1
            if other <= 10:
                print(f"{text[:300]!r}\n    Python: {why or value}\n    kgate: {line[:300]}", file=sys.stderr)
    print(f"seed {options.seed}: {len(texts)} texts, {taken} taken by Python, {other} read otherwise by kgate")
    sys.exit(bool(other) or not taken or taken == len(texts))


main()
