"""`words` must read C and Markdown as a compiler and a browser do, or its counts are of something else. Its ratchet must
let a count fall and never rise."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # nothing is left beside the tests

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from ratchet import Count, Ratchet, check


def program(name):
    """The functions of a program whose file has no ending."""
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(HERE, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


words = program("words")
RIDDLE = "it is that of which those that were there are"


def read(reader, text):
    """Line and text of each passage."""
    return [(passage.line_at(0), passage.text) for passage in reader("file", text) if passage.text]


def sentences(reader, text):
    """Line and text of each sentence."""
    return [(sentence.line, sentence.text) for passage in reader("file", text) for sentence in words.sentences_of(passage)]


class CComments(unittest.TestCase):
    def expect(self, source, *comments):
        self.assertEqual(read(words.c_comments, source), list(comments), source)

    def test_block_of_several_lines_is_one_passage(self):
        self.expect("int a;\n/* One\n * two.\n\n   Three. */", (2, "One two.  Three."))

    def test_sentences_have_lines_of_their_own(self):
        self.assertEqual(sentences(words.c_comments, "/* One.\n * Two\n * goes on. Three. */"),
                         [(1, "One."), (2, "Two goes on."), (3, "Three.")])

    def test_line_comments_below_each_other_are_one(self):
        self.expect("// one\n  // two\n\n// three\n", (1, "one two"), (4, "three"))

    def test_line_comments_with_code_between_are_two(self):
        self.expect("int a; // one\nint b; // two\n", (1, "one"), (2, "two"))

    def test_a_line_comment_goes_on_after_a_backslash(self):
        self.expect('// one \\\n"two"\nint a;', (1, 'one \\ "two"'))

    def test_a_comment_in_a_string_is_none(self):
        self.expect('f("/* no */ // no"); /* yes */', (1, "yes"))

    def test_a_mark_of_a_block_in_a_line_comment_opens_nothing(self):
        self.expect("// glob /*.c\nint a; /* yes */", (1, "glob /*.c"), (2, "yes"))

    def test_quotation_marks_as_characters_open_no_string(self):
        self.expect("""a = '"'; /* one */ b = '\\''; /* two */ c = '"';""", (1, "one"), (1, "two"))

    def test_an_apostrophe_in_a_number_or_directive_opens_nothing(self):
        self.expect("a = 1'000; /* one */\n#error don't\n/* two */", (1, "one"), (3, "two"))

    def test_an_include_opens_neither_string_nor_comment(self):
        self.expect("#include <a//b.h> /* one */\n # include \"c/*.h\" // two", (1, "one"), (2, "two"))

    def test_comments_in_a_macro_count(self):
        self.expect("#define A 1 /* one */ \\\n    + 2 /* two */", (1, "one"), (2, "two"))


class CStrings(unittest.TestCase):
    def expect(self, source, *strings):
        self.assertEqual(read(words.c_strings, source), list(strings), source)

    def test_neighbours_are_joined(self):
        self.expect('f("one "\n  "two " /* of */ "three");', (1, "one two three"))

    def test_neighbours_in_a_macro_are_joined(self):
        self.expect('#define A "one " \\\n    "two"', (1, "one two"))

    def test_two_arguments_or_a_macro_between_are_two_strings(self):
        self.expect('f("one", "two" NAME "three");', (1, "one"), (1, "two"), (1, "three"))

    def test_a_character_between_parts_strings(self):
        self.expect("""f("one" '"' "two");""", (1, "one"), (1, "two"))

    def test_escapes_are_what_they_stand_for(self):
        self.expect(r'''f("say \"a\\b\"\nnext\x1b[0m \\");''', (1, 'say "a\\b" next [0m \\'))

    def test_a_string_in_a_comment_is_none(self):
        self.expect('/* "no" */ f("yes"); // "no"', (1, "yes"))

    def test_the_name_of_an_include_is_none(self):
        self.expect('#include "no.h"\nf("yes");', (2, "yes"))

    def test_a_sentence_has_the_line_of_the_literal_that_it_begins_in(self):
        self.assertEqual(sentences(words.c_strings, 'f("One. "\n  "Two "\n  "goes on.");'), [(1, "One."), (2, "Two goes on.")])

    def test_a_short_string_is_no_message(self):
        self.assertEqual(read(words.c_messages, f'f("{25 * "a"}", "{26 * "b"}");'), [(1, 26 * "b")])


class Shell(unittest.TestCase):
    def expect(self, source, *texts):
        self.assertEqual(read(words.shell_texts, source), list(texts), source)

    def test_comments_below_each_other_are_one(self):
        self.expect("#!/bin/sh\n# One\n# two.\n\n    # Three.\nx=1 # no comment of its own\n", (2, "One two."), (5, "Three."))

    def test_help_has_its_paragraphs(self):
        self.expect("cat <<'TEXT'\nusage: it\n  and more\n\nEnd.\nTEXT\necho x\n", (2, "usage: it and more"), (5, "End."))

    def test_messages_are_strings_of_commands_that_print(self):
        self.expect('die "a message of more than a few words"\nlist="no message, but a list of words"\necho "short"\n',
                    (1, "a message of more than a few words"))


class Markdown(unittest.TestCase):
    def expect(self, page, *passages):
        self.assertEqual(read(words.markdown_passages, page), list(passages), page)

    def test_a_paragraph_is_one_passage(self):
        self.expect("One\ntwo.\n\nThree.", (1, "One two."), (4, "Three."))

    def test_code_blocks_are_left_out_and_keep_line_numbers(self):
        self.expect("One\n```sh\nwhat\n```\ntwo\n~~~\n```\n~~~\n", (1, "One"), (5, "two"))
        self.assertEqual(sentences(words.markdown_passages, "```c\nwhat\n```\nOne."), [(4, "One.")])

    def test_a_code_block_in_a_list_is_left_out(self):
        self.expect("- one\n  ```\n  what\n  ```\n", (1, "- one"))

    def test_cells_and_headings_are_read_one_by_one(self):
        self.expect("# One\ntwo\n| a | b\\|c |\n| --- | --- |\nthree",
                    (1, "# One"), (2, "two"), (3, "a"), (3, "b\\|c"), (4, "---"), (4, "---"), (5, "three"))

    def test_items_of_a_list_are_read_one_by_one(self):
        self.expect("- one\n  goes on\n- two\n1. three", (1, "- one goes on"), (3, "- two"), (4, "1. three"))

    def test_targets_of_links_and_marks_of_html_are_no_words(self):
        self.expect('See [the\npage](a.md#what), [![a picture](b.png)](c.md) <img alt="what"> and <!-- what\n --> more.\n[a]: what.md',
                    (1, "See the page, a picture  and more."))

    def test_a_bold_sentence_ends_where_it_ends(self):
        self.assertEqual(sentences(words.markdown_passages, "**One.** Two."), [(1, "One."), (1, "Two.")])


class Sentences(unittest.TestCase):
    def only(self, text):
        (sentence,) = words.sentences_of(words.passage_join("file", [(1, text)], ""))
        return sentence

    def test_a_riddle_has_nine_words_and_two_fifths_of_function_words(self):
        self.assertGreater(words.riddle(self.only("a b c d e f it is of that")), 0)
        self.assertEqual(words.riddle(self.only("a b c d e f g it is of")), 0)
        self.assertEqual(words.riddle(self.only("it is that of which those that were")), 0)

    def test_a_long_sentence_has_over_25_words(self):
        self.assertEqual(words.length_over(self.only(25 * "word ")), 0)
        self.assertEqual(words.length_over(self.only(26 * "word ")), 26)

    def test_sentences_end_at_each_of_five_marks(self):
        self.assertEqual([text for _, text in sentences(words.markdown_passages, "a. b; c: d! e? f 1.5 g")],
                         ["a.", "b;", "c:", "d!", "e?", "f 1.5 g"])


class Ratchets(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="kgate-words-test-")
        self.path = os.path.join(self.folder.name, "counts.txt")
        self.addCleanup(self.folder.cleanup)
        self.write("# heading\na | 10\n")

    def write(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def status(self, number, level=50, name="a"):
        with contextlib.redirect_stdout(io.StringIO()):
            return check(Ratchet(self.path), [Count(name, number, level, 2, "%")], lambda count: None)

    def lowered(self, number, level):
        Ratchet(self.path).lower([Count("a", number, level, 2, "%")])
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def test_a_count_may_fall_and_not_rise(self):
        self.assertEqual([self.status(9), self.status(10), self.status(11)], [0, 0, 1])

    def test_a_count_within_its_limit_is_good_whatever_the_file_has(self):
        self.assertEqual(self.status(11, level=2), 0)

    def test_a_count_without_a_row_has_its_limit(self):
        self.write("")
        self.assertEqual([self.status(1, level=2), self.status(1, level=2.1)], [0, 1])

    def test_a_row_of_no_count_fails(self):
        self.assertEqual(self.status(1, level=1, name="b"), 1)

    def test_an_update_lowers_and_never_raises(self):
        self.assertEqual(self.lowered(11, 50), "# heading\na | 10\n")
        self.assertEqual(self.lowered(9, 50), "# heading\na | 9\n")

    def test_an_update_drops_the_row_of_a_count_within_its_limit_for_good(self):
        self.assertEqual(self.lowered(9, 2), "# heading\n")
        self.assertEqual(self.lowered(11, 50), "# heading\n")


class Program(unittest.TestCase):
    """The whole program, on a small tree."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kgate-words-test-")
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        for name in ("words", "ratchet.py"):
            os.makedirs(f"{self.root}/tests/structure", exist_ok=True)
            shutil.copy(os.path.join(HERE, name), f"{self.root}/tests/structure/{name}")
        self.write("tests/structure/words.txt", "# heading\n")
        self.write("README.md", "kgate is plain.\n")
        self.write("src/base/a.c", "/* Plain. */\n")

    def write(self, path, text):
        os.makedirs(os.path.dirname(f"{self.root}/{path}"), exist_ok=True)
        with open(f"{self.root}/{path}", "w", encoding="utf-8") as file:
            file.write(text)

    def run_words(self, *arguments):
        ran = subprocess.run((sys.executable, f"{self.root}/tests/structure/words", *arguments), check=False, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return ran.returncode, ran.stdout

    def test_a_plain_tree_passes(self):
        self.assertEqual(self.run_words()[0], 0)

    def test_a_riddle_of_each_kind_is_found_by_file_and_line(self):
        for path, text, kind in (("src/base/a.c", f"\n// {RIDDLE}\n", "comments of src"),
                                 ("src/model/b.def", f"/*\n * {RIDDLE} */\n", "comments of src"),
                                 ("kernels/k/c.cu", f"\n/* {RIDDLE} */\n", "comments of kernels"),
                                 ("src/base/d.c", f'f(\n"{RIDDLE}");\n', "strings of src"),
                                 ("docs/evidence/e.md", f"# a\n{RIDDLE}\n", "pages"),
                                 ("CHANGELOG.md", f"# a\n{RIDDLE}\n", "pages")):
            with self.subTest(path):
                self.write(path, text)
                status, output = self.run_words()
                self.assertEqual(status, 1)
                self.assertIn(f"{kind}: riddles: 1 ", output)
                self.assertIn(f"{path}:2: ", output)
                self.assertIn("tests/structure/words --list", output)
                self.write(path, "")

    def test_of_many_the_ten_worst_are_shown_and_the_list_has_all(self):
        self.write("docs/a.md", "".join(f"{RIDDLE}.\n\n" for _ in range(12)))
        self.assertEqual(self.run_words()[1].count(f"  docs/a.md:"), 10)
        self.assertEqual(self.run_words("--list")[1].count("pages: riddles: docs/a.md:"), 12)

    def test_an_update_keeps_what_a_row_allows(self):
        self.write("docs/a.md", f"{RIDDLE}.\n\n{RIDDLE}.\n")
        self.write("tests/structure/words.txt", "# heading\npages: riddles | 5\n")
        self.assertEqual(self.run_words("--update")[0], 0)
        with open(f"{self.root}/tests/structure/words.txt", encoding="utf-8") as file:
            self.assertEqual(file.read(), "# heading\npages: riddles | 2\n")


if __name__ == "__main__":
    unittest.main()
