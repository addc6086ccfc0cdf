"""Inputs of the workloads, made from a seed: the same bytes on every machine and Python."""

import random

WORDS = ("time cache build graph value model point token table block store query batch index frame "
         "north river stone light paper green metal cloud train house").split()
SEED = 29


def words(rng, count):
    return " ".join(rng.choice(WORDS) for _ in range(count))


def text(rng, lines, last=""):
    """Lines of words and numbers, and a last line."""
    return "".join(f"{words(rng, 11)} {rng.randrange(100000)}\n" for _ in range(lines)) + last


def repeated(rng, lines, per_stem=6):
    """Lines that share long runs with earlier ones: long chains for a search of matches."""
    stems = [words(rng, per_stem) for _ in range(40)]
    return "".join(f"{rng.choice(stems)} {rng.choice(stems)} {rng.choice('abcdef')}\n" for _ in range(lines))


def noise(rng, size):
    """Bytes of few values: compressible, without long matches."""
    return bytes(rng.choice(b"abcdefghijklmnop") for _ in range(size))


def records(rng, count):
    """A JSON array of flat records."""
    rows = [f'{{"id":{i},"name":"{words(rng, 3)}","price":{rng.uniform(0, 1000):.4f},"stock":{rng.randrange(500)},'
            f'"note":"{words(rng, 8)}"}}' for i in range(count)]
    return "[" + ",\n".join(rows) + "]\n"


def numbers(rng, count):
    return "[" + ",".join(f"{rng.uniform(-1000, 1000):.6f}" for _ in range(count)) + "]\n"


def small_numbers(rng, count):
    return "[" + ",".join(str(rng.randrange(1000)) for _ in range(count)) + "]\n"


def escaped(rng, count):
    """JSON strings that are long and have nothing to escape."""
    return "[" + ",".join(f'"{words(rng, 40)}"' for _ in range(count)) + "]\n"


def elements(rng, count):
    """XML: many elements below one, with attributes and text."""
    rows = [f'<item id="{i}" kind="{rng.choice(WORDS)}">{words(rng, 5)}</item>' for i in range(count)]
    return '<?xml version="1.0"?>\n<list>\n' + "\n".join(rows) + "\n</list>\n"


def attributes(rng, count, names):
    """XML whose attributes and elements have many different names."""
    rows = []
    for i in range(count):
        chosen = sorted(rng.sample(range(names), 6))
        rows.append(f"<e{i % names} " + " ".join(f'name{n}="{n}"' for n in chosen) + "/>")
    return "<list>\n" + "\n".join(rows) + "\n</list>\n"


def comment(rng, size):
    """XML with one comment of that size."""
    return "<list><!-- " + text(rng, size // 70)[:size].replace("-", " ") + " --><item/></list>\n"


def prose(rng, paragraphs):
    """Markdown with emphasis, code and links."""
    blocks = [f"{words(rng, 30)} *{words(rng, 2)}* {words(rng, 20)} `{words(rng, 1)}` <{rng.choice(WORDS)}> & {words(rng, 9)}.\n"
              for _ in range(paragraphs)]
    return "\n".join(blocks)


def listing(rng, lines):
    """Markdown: one block of code."""
    return "".join(f"    {words(rng, 12)}\n" for _ in range(lines))


def references(rng, count, uses):
    """Markdown with link definitions, and links to them."""
    labels = [f"{rng.choice(WORDS)} {rng.randrange(10**6)} {i}" for i in range(count)]
    definitions = "".join(f"[{label}]: /to/{i}\n" for i, label in enumerate(labels))
    links = "".join(f"See [{rng.choice(labels)}].\n\n" for _ in range(uses))
    return definitions + "\n" + links


def brackets(rng, count):
    return "![[]()" * count + "\n"


def picture(rng, width, height):
    """Raw RGB: soft colours with some noise."""
    data = bytearray()
    for y in range(height):
        for x in range(width):
            data += bytes(((x * 2 + rng.randrange(12)) & 255, (y * 2 + rng.randrange(12)) & 255, (x + y) & 255))
    return bytes(data)


def table(rng, rows, keys):
    """Records of a key, a word and a number, for awk."""
    return "".join(f"key{rng.randrange(keys)} {rng.choice(WORDS)} {rng.randrange(1000)}\n" for _ in range(rows))


def nested(rng, count, depth):
    """JSON: small numbers in an array that lies deep in arrays."""
    return "[" * depth + ",".join(str(rng.randrange(100)) for _ in range(count)) + "]" * depth + "\n"


def entries(rng, count):
    """YAML: a list of mappings with plain, quoted and flow values."""
    return "".join(f"- name: {words(rng, 2)}\n  price: {rng.uniform(0, 1000):.2f}\n  tags: [{words(rng, 1)}, {words(rng, 1)}]\n"
                   f'  note: "{words(rng, 12)}"\n' for _ in range(count))


def accents(rng, lines):
    """Words with accents, composed and decomposed."""
    marks = ["\u00e9", "\u00f6", "e\u0301", "n\u0303", "\u00dc", "a\u030a", "\u1e9b\u0323", "\ufb01"]
    return "".join(" ".join(rng.choice(WORDS) + rng.choice(marks) for _ in range(12)) + "\n" for _ in range(lines))


def journal(rng, lines, length):
    """Lines of a log: a time, words, and a code at the end."""
    return "".join(f"2026-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d} {rng.choice(WORDS)}[{rng.randrange(30000)}]: "
                   f"{words(rng, length)} code={rng.randrange(1000)}\n" for _ in range(lines))


def write_all(program, folder):
    """Writes the inputs of a program that are missing. `inputs` says: NAME: [GENERATOR, ARGUMENT...], or a text."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, recipe in program.get("inputs", {}).items():
        stamp = folder / f".{name}"
        if stamp.exists() and stamp.read_text() == repr(recipe):
            continue
        content = recipe
        if isinstance(recipe, list):
            content = globals()[recipe[0]](random.Random(f"{SEED} {name}"), *recipe[1:])
        if isinstance(content, str):
            content = content.encode()
        (folder / name).write_bytes(content)
        stamp.write_text(repr(recipe))
