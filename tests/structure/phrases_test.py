"""`phrases` must fail if textlint finds more than before, and also if textlint found nothing because it did not run."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = ("README.md", "CONTRIBUTING.md", "docs/a.md", "docs/evidence/b.md")
HIT = {"ruleId": "prh", "line": 3, "message": "roof => peak\nalso roofline"}


class Phrases(unittest.TestCase):
    """The program on a small tree, with a stand-in for Node.js that prints what a test wants."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kgate-phrases-test-")
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        for folder in ("tests/structure", "docs/evidence"):
            os.makedirs(f"{self.root}/{folder}")
        for name in ("phrases", "ratchet.py"):
            shutil.copy(os.path.join(HERE, name), f"{self.root}/tests/structure/{name}")
        for page in PAGES:
            self.write(page, "kgate is plain.\n")
        self.write("tests/structure/phrases.txt", "# heading\nprh | 1\n")
        self.write("node", '#!/bin/sh\necho "$*" >arguments\ncat output\n')
        os.chmod(f"{self.root}/node", 0o755)

    def write(self, path, text):
        with open(f"{self.root}/{path}", "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, path):
        with open(f"{self.root}/{path}", encoding="utf-8") as file:
            return file.read()

    def run_phrases(self, output, *arguments):
        self.write("output", output)
        ran = subprocess.run((sys.executable, f"{self.root}/tests/structure/phrases", *arguments), check=False, text=True,
                             env={**os.environ, "NODE": f"{self.root}/node"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return ran.returncode, ran.stdout

    def results(self, *messages, pages=PAGES):
        """textlint's output: the messages are of the first page."""
        return json.dumps([{"filePath": f"{self.root}/{page}", "messages": messages if page == PAGES[0] else []}
                           for page in pages])

    def test_every_page_is_read(self):
        self.assertEqual(self.run_phrases(self.results())[0], 0)
        self.assertEqual(self.read("arguments").split()[-4:], list(PAGES))

    def test_as_many_hits_as_before_pass_and_one_more_fails(self):
        self.assertEqual(self.run_phrases(self.results(HIT))[0], 0)
        status, output = self.run_phrases(self.results(HIT, HIT))
        self.assertEqual(status, 1)
        self.assertIn("README.md:3: roof => peak also roofline", output)
        self.assertIn("tests/structure/phrases --list", output)

    def test_a_rule_without_a_row_allows_no_hit(self):
        self.assertEqual(self.run_phrases(self.results({**HIT, "ruleId": "max-comma"}))[0], 1)

    def test_textlint_that_fails_or_misses_a_page_is_no_success(self):
        for output in ("", "Error: no rules", "[]", self.results(pages=PAGES[:3])):
            with self.subTest(output):
                self.assertEqual(self.run_phrases(output)[0], 2)

    def test_the_list_has_every_hit_by_file_and_line(self):
        self.assertEqual(self.run_phrases(self.results(HIT, HIT), "--list")[1].count("prh: README.md:3: roof"), 2)

    def test_an_update_drops_the_row_of_a_rule_without_hits(self):
        self.assertEqual(self.run_phrases(self.results(), "--update")[0], 0)
        self.assertEqual(self.read("tests/structure/phrases.txt"), "# heading\n")


if __name__ == "__main__":
    unittest.main()
