"""The value of a YAML document, from the events of yaml-test-suite: its `tree`, a line for each.

A scalar is {"text": …, "plain": whether it has no quotes}, a sequence a list, a mapping {"pairs": [[key,
value]…]}, as kgate's reader has them (yaml_values.c). Tags say nothing: kgate takes a value's type from the
place where it stands."""

import re

# What stands before a scalar's text: its anchor and its tag.
PROPERTIES = re.compile(r"(?:&(\S+) )?(?:<[^>]*> )?")
ESCAPE = re.compile(r"\\(.)")
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b"}


def event_read(line):
    """What happens (+MAP, =VAL …), the name of an anchor or an alias, and a scalar's text."""
    kind, _, rest = line.partition(" ")
    if kind == "=VAL":
        properties = PROPERTIES.match(rest)
        return kind, properties[1], rest[properties.end():]
    names = [word[1:] for word in rest.split() if word[0] in "&*"]
    return kind, names[0] if names else None, ""


def scalar(rest):
    return {"text": ESCAPE.sub(lambda found: ESCAPED.get(found[1], found[1]), rest[1:]), "plain": rest[0] == ":"}


class Values:
    """Reads events into values; those of anchors by their names."""

    def __init__(self, tree):
        lines = [line.lstrip() for line in tree.split("\n") if line.strip()]
        self.events = iter([event_read(line) for line in lines])
        self.anchors = {}

    def items(self, end):
        """Values up to the event that ends them."""
        found = []
        for event in self.events:
            if event[0] == end:
                break
            found.append(self.value(event))
        return found

    def value(self, event):
        kind, named, rest = event
        if kind == "=ALI":
            return self.anchors[named]
        if kind == "=VAL":
            value = scalar(rest)
        elif kind == "+SEQ":
            value = self.items("-SEQ")
        else:
            flat = self.items("-MAP")
            keys = [key["text"] if "text" in key else None for key in flat[::2]]
            value = {"pairs": [list(pair) for pair in zip(keys, flat[1::2])]}
        if named:
            self.anchors[named] = value
        return value


def document_value(tree):
    """The first document's value."""
    values = Values(tree)
    for event in values.events:
        if event[0].startswith("=") or event[0] in ("+MAP", "+SEQ"):
            return values.value(event)
    return None
