#!/usr/bin/env python3
"""judge.py against sentences whose judgement is known: judge_test.py"""

import unittest

import changes
import judge

CHANGE = {"id": "x", "kind": "regression", "class": "repeated_strlen", "truth": {"names": ["strlen", "parse_text"], "share": 0.9}}
HARMLESS = {"id": "y", "kind": "harmless", "class": "rename"}


def said(text, **more):
    return {"operation": "x/cpu", "text": text} | more


def sentence(text, names, **more):
    change = CHANGE | {"truth": {"names": names, "share": None}}
    return judge.judge(change, "REGRESSION", said(text, **more))["sentence"]


class Sentences(unittest.TestCase):
    def test_a_function_of_the_truth_is_right(self):
        self.assertEqual(sentence("strlen, called from f: +2 ms per call", ["strlen"]), "right")
        self.assertEqual(sentence("strlen, called from parse_text: +2 ms per call", ["parse_text"]), "right")

    def test_part_of_a_word_is_not_the_word(self):
        self.assertEqual(sentence("my_strlen_fast: +2 ms", ["strlen"]), "wrong")

    def test_a_variant_of_the_c_library_counts_as_the_function(self):
        for symbol in ("__memset_avx2_unaligned_erms", "__memset_evex_unaligned_erms", "__GI_memset", "__memset_sse2"):
            self.assertEqual(sentence(f"{symbol}: +2 ms", ["memset"]), "right", symbol)
        self.assertEqual(sentence("__pow_fma: +2 ms", ["pow"]), "right")

    def test_kgate_prints_a_library_function_without_decoration(self):
        self.assertEqual(sentence("cxa_throw, called from at: +2 ms", ["__cxa_throw"]), "right")

    def test_the_place_counts_before_the_text(self):
        self.assertEqual(sentence("+2 ms per call", ["read"], place={"function": "read"}), "right")
        self.assertEqual(sentence("+2 ms", ["memcpy"], place={"function": "__memmove_avx_unaligned", "caller": "memcpy"}), "right")
        self.assertEqual(sentence("+2 ms", ["Write"], place={"function": "ns::Printer::Write(char const*)"}), "right")
        self.assertEqual(sentence("+2 ms", ["Write"], place={"function": "Write::Printer::Flush(char const*)"}), "wrong")
        self.assertEqual(sentence("+2 ms", ["lookup"], place={"function": "lookup.isra.0"}), "right")
        self.assertEqual(sentence("+2 ms", ["value"], place={"function": "int json<std::map<int, int> >::value<int>(char const*, int&&) const"}), "right")

    def test_an_english_word_counts_as_a_function_only(self):
        self.assertEqual(sentence("it read more bytes", ["read"]), "wrong")
        self.assertEqual(sentence("read, called from f: +2 ms", ["read"]), "right")
        self.assertEqual(sentence("more time in read", ["read"]), "right")

    def test_an_option_is_found(self):
        self.assertEqual(sentence("the candidate is built without -O2", ["-O2", "O2"]), "right")
        self.assertEqual(sentence("built with -fsanitize=address", ["-fsanitize"]), "right")

    def test_no_entry_is_none(self):
        vague = "CPU time rose from 1 ms to 2 ms per call, like the time: more work, or slower work, but no waiting"
        self.assertEqual(sentence(vague, ["strlen"]), "none")
        self.assertEqual(judge.judge(CHANGE, "REGRESSION", None)["sentence"], "none")


class Figures(unittest.TestCase):
    def test_the_share_counts_within_15_points(self):
        for given, right in ((0.76, True), (1.0, True), (0.7, False), (None, False)):
            result = judge.judge(CHANGE, "REGRESSION", said("strlen: +2 ms", explains=given))
            self.assertIs(result["share_right"], right, given)

    def test_a_harmless_change_is_accused_by_a_verdict_or_a_sentence(self):
        self.assertTrue(judge.judge(HARMLESS, "REGRESSION", None)["accused"])
        self.assertTrue(judge.judge(HARMLESS, "NO_CHANGE", said("strlen"))["accused"])
        self.assertFalse(judge.judge(HARMLESS, "NO_CHANGE", None)["accused"])

    def test_totals_count_each_kind_apart(self):
        results = [judge.judge(CHANGE, "REGRESSION", said("strlen", explains=0.9)), judge.judge(CHANGE, "NO_CHANGE", None),
                   judge.judge(HARMLESS, "NO_CHANGE", None)]
        rows = dict(judge.totals(results))
        self.assertEqual(rows["verdict right"], "1 of 2 (50 %)")
        self.assertEqual(rows["sentence right"], "1 of 2 (50 %)")
        self.assertEqual(rows["sentence none"], "1 of 2 (50 %)")
        self.assertEqual(rows["harmless changes accused"], "0 of 1 (0 %)")

    def test_the_first_entry_of_the_case_is_taken(self):
        entries = {"changes": [{"operation": "a/cpu", "text": "1"}, {"operation": "b/cpu", "text": "2"}, {"operation": "b/cpu", "text": "3"}]}
        self.assertEqual(judge.first_entry(entries, "b/cpu")["text"], "2")
        self.assertIsNone(judge.first_entry(entries, "c/cpu"))


class Truth(unittest.TestCase):
    def test_packages_go_to_the_halves_by_turns(self):
        halves = {program["package"]: program["half"] for program, _ in changes.load() if program["half"] != "unseen"}
        for i, package in enumerate(sorted(halves)):
            self.assertEqual(halves[package], ("developed", "judged")[i % 2], package)

    def test_every_change_is_complete(self):
        seen = set()
        for program, change in changes.load():
            self.assertNotIn(change["id"], seen)
            seen.add(change["id"])
            self.assertIn(change["kind"], ("regression", "improvement", "harmless"), change["id"])
            self.assertTrue(any(change.get(key) for key in ("base", "candidate", "flags", "link")), change["id"])
            self.assertEqual("truth" in change, change["kind"] != "harmless", change["id"])


if __name__ == "__main__":
    unittest.main()
