"""A ratchet: the file that lets a count above its limit fall, but never rise.

The text of the project is older than its limits. A limit alone would fail until the last page is rewritten; no limit
would let a new page begin as the old ones did. So a file keeps the counts that are above their limits, one row each:

    comments of src: riddles | 466

A count that is at most its limit needs no row, and never gets one again."""

import os
from typing import NamedTuple


class Count(NamedTuple):
    """One figure with its limit. `level` is what the limit is compared with: a share, a rate, or `number` itself."""
    name: str
    number: int
    level: float
    limit: float
    unit: str

    def is_within_limit(self):
        return self.level <= self.limit


class Ratchet:
    """The rows of one file."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)
        self.heading = []
        self.rows = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith("#"):
                    self.heading.append(line)
                elif line.strip():
                    name, number = line.rsplit("|", 1)
                    self.rows[name.strip()] = int(number)

    def allows(self, count):
        return count.is_within_limit() or count.number <= self.rows.get(count.name, -1)

    def unknown(self, counts):
        """Rows that no count has: a misspelt row would allow nothing and hide that."""
        return sorted(set(self.rows) - {count.name for count in counts})

    def lower(self, counts):
        """Rewrites the file: lower numbers, and no row for a count within its limit. No number rises."""
        self.rows = {count.name: min(count.number, self.rows[count.name]) for count in counts
                     if count.name in self.rows and not count.is_within_limit()}
        width = max(map(len, self.rows), default=0)
        with open(self.path, "w", encoding="utf-8") as file:
            file.writelines(self.heading)
            file.writelines(f"{name:{width}} | {number}\n" for name, number in self.rows.items())


def describe(count):
    return f"{count.name}: {count.number:,} ({round(count.level, 1):,} {count.unit}, limit {count.limit:,})"


def check(ratchet, counts, show_worst):
    """Prints every count, and for one that is too high also `show_worst(count)`. Returns the exit status."""
    failed = False
    for count in counts:
        print(describe(count))
        if ratchet.allows(count):
            continue
        failed = True
        kept = ratchet.rows.get(count.name)
        print("  FAILED: above the limit" if kept is None else f"  FAILED: more than the {kept:,} of {ratchet.name}")
        show_worst(count)
    for name in ratchet.unknown(counts):
        failed = True
        print(f"{ratchet.name}: no count is called '{name}'")
    return 1 if failed else 0
