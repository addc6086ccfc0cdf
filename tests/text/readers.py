"""readers.py: what other programs make of kgate's files: `TARGET reads csv`."""
import csv
import html.parser
import io
import os
import re
import shutil
import subprocess

from inputs import Mistake

try:  # Debian's python3-prometheus-client: ci/test.sh --all installs it
    from prometheus_client.openmetrics import parser as prometheus
except ImportError:
    prometheus = None

HERE = os.path.dirname(os.path.abspath(__file__))


MARKDOWN_ELEMENTS = {
    "p", "strong", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "sub", "br", "code",
}


class Unreadable(Exception):
    """What the reader says against the file."""


def csv_read(text):
    """Python's csv: all rows have the fields of the first, whose names differ."""
    rows = list(csv.reader(io.StringIO(text), strict=True))
    if not rows or len(set(rows[0])) != len(rows[0]):
        raise Unreadable("its heads are missing, or two are the same")
    for row in rows:
        if len(row) != len(rows[0]):
            raise Unreadable(f"{len(row)} fields where there are {len(rows[0])} heads: {row}")


def junit_read(text):
    """libxml2, by a schema; the counts are those of the tests."""
    command = ["xmllint", "--noout", "--schema", os.path.join(HERE, "junit.xsd"), "-"]
    done = subprocess.run(command, input=text.encode(), stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise Unreadable(done.stderr.decode(errors="replace"))
    for name, element in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        said = {int(count) for count in re.findall(f' {name}="([0-9]+)"', text)}
        if said != {len(re.findall(f"<{element}[ >]", text))}:
            raise Unreadable(f"{name} are not as many as it says: {said}")


def github_read(text):
    """As the runner parses a line: properties, then the message, unescaped; at most ten of a level."""
    levels = []
    for line in text.splitlines():
        match = re.fullmatch(r"::(error|warning|notice) ((?:\w+=[^,:]+)(?:,\w+=[^,:]+)*)::(.*)", line)
        if not match:
            raise Unreadable(f"the runner takes it for text: {line}")
        if re.search(r"%(?!25|0D|0A|3A|2C)", match[2] + match[3]):
            raise Unreadable(f"a per cent is not escaped: {line}")
        levels.append(match[1])
    if any(levels.count(level) > 10 for level in levels):
        raise Unreadable("GitHub shows ten of a level")


def openmetrics_read(text):
    """Prometheus' own parser, where it is installed, which checks order, names and units."""
    if not text.endswith("# EOF\n"):
        raise Unreadable("it does not end with # EOF")
    if prometheus:
        samples = [sample for family in prometheus.text_string_to_metric_families(text) for sample in family.samples]
        keys = {(sample.name, tuple(sorted(sample.labels.items()))) for sample in samples}
        if len(keys) != len(samples):
            raise Unreadable("two samples are of the same labels")


def svg_read(text):
    """libxml2: it is XML, of the namespace that browsers draw."""
    done = subprocess.run(["xmllint", "--noout", "-"], input=text.encode(), stderr=subprocess.PIPE, check=False)
    if done.returncode or "http://www.w3.org/2000/svg" not in text:
        raise Unreadable(done.stderr.decode(errors="replace") or "no namespace of SVG")


class Elements(html.parser.HTMLParser):
    """The elements of rendered markdown, and the cells of each row of its tables."""

    def __init__(self):
        super().__init__()
        self.names, self.rows = set(), []

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        if tag == "tr":
            self.rows.append(0)
        elif tag in ("td", "th"):
            self.rows[-1] += 1


def markdown_read(text):
    """GitHub's own renderer, where it is installed: tables, and no element that kgate does not write."""
    if not shutil.which("cmark-gfm"):  # ci/test.sh --all installs it
        return
    command = ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink"]
    done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True)
    elements = Elements()
    elements.feed(done.stdout.decode())
    if others := elements.names - MARKDOWN_ELEMENTS:
        raise Unreadable(f"a reader sees elements of others: {others}")
    if not elements.rows or any(count < 2 for count in elements.rows):
        raise Unreadable(f"its tables are none: rows of {elements.rows} cells")


READERS = {
    "csv": csv_read,
    "markdown": markdown_read,
    "junit": junit_read,
    "github": github_read,
    "openmetrics": openmetrics_read,
    "svg": svg_read,
}


def read_by(name, text):
    """Raises Unreadable where the reader of that name does not take the text."""
    if name not in READERS:
        raise Mistake(f"no reader is called '{name}': {', '.join(READERS)}")
    try:
        READERS[name](text)
    except (csv.Error, ValueError) as error:
        raise Unreadable(str(error)) from error
