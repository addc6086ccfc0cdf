"""Judges the first sentence of `what changed` against the true cause of a change. Needs no kgate: see judge_test.py."""

import re

WITHIN_POINTS = 15
# Common words of English: such a name counts only where a sentence names a function.
COMMON = set("read write match hash lookup sort partition address debug inline inlined thread threads cores assert asserts "
             "exception exceptions free log pow value Write Push Clear Alloc getc inflate deflate mutex O2 O0 "
             "insert emit compile grow convert decode map as align square multiply append allocate flush compare Compare "
             "Read Seek Sync Next Insert Block Init Parse Compile kept NFA Og".split())
# A sentence that says that time rose, and names no cause.
VAGUE = re.compile(r"^(CPU )?time rose .*more work, or slower work")
DECORATION = re.compile(r"^_+(GI_+|libc_+|ieee754_+)*|_(avx|evex|sse|fma|erms|unaligned|ifunc|x86|movbe|rtm)\w*$|_fma\d*$")


def plain(name):
    """A symbol of the C library without the decoration of its variant: __memset_avx2_unaligned_erms is memset."""
    return DECORATION.sub("", DECORATION.sub("", name)) or name


def names_place(text, name):
    """Whether the text has the name as a whole word; a common word only where a function is named."""
    word = rf"(?<![\w-]){re.escape(name)}(?!\w)"
    if name in COMMON:
        return re.search(rf"(?:^|\bin |\bfrom |\bcalls? |\bto |[`:]){re.escape(name)}\b(?!-)|{word}(?:\(|\.\w)", text) is not None
    return re.search(word, text) is not None


def own_name(function):
    """The function's own name: no scope, no arguments, no suffix of a clone. a::B<c>::d(int) is d, f.isra.0 is f."""
    name = function
    while True:
        shorter = re.sub(r"<[^<>]*>|\([^()]*\)", "", name)
        if shorter == name:
            break
        name = shorter
    name = name.replace(" const", "").strip()
    name = name if name.startswith("operator") else name.rsplit("::", 1)[-1].split(" ")[-1]
    return plain(name.split(".")[0])


def names_cause(entry, names):
    place = entry.get("place") or {}
    for function in filter(None, (place.get("function"), place.get("caller"))):
        if function in names or own_name(function) in names:
            return True
    text = entry.get("text", "")
    if any(names_place(text, name) or names_place(text, plain(name)) for name in names):
        return True
    symbols = {plain(symbol) for symbol in re.findall(r"\b_+\w+", text)}
    return any(name in symbols for name in names)


def first_entry(suggestions, case):
    """The first entry of the case; of two commands there is one case."""
    entries = [e for e in suggestions.get("changes", []) if case is None or e.get("operation") == case]
    return entries[0] if entries else None


def judge(change, verdict, entry):
    """verdict: what kgate says of the case, for example REGRESSION. entry: the first of its changes, or None."""
    truth = change.get("truth", {})
    result = {"id": change["id"], "kind": change["kind"], "class": change["class"], "verdict": verdict,
              "text": (entry or {}).get("text"), "name": (entry or {}).get("name"), "explains": (entry or {}).get("explains"),
              "place": (entry or {}).get("place")}
    if change["kind"] == "harmless":
        result["accused"] = verdict == "REGRESSION" or entry is not None
        return result
    result["verdict_right"] = verdict == change["kind"].upper()
    no_cause = entry is None or VAGUE.search(entry.get("text", "")) and not entry.get("place")
    result["sentence"] = "none" if no_cause else "right" if names_cause(entry, truth["names"]) else "wrong"
    expected = truth.get("share")
    if expected is not None and result["sentence"] == "right":
        given = result["explains"]
        result["share_right"] = given is not None and abs(given - expected) * 100 <= WITHIN_POINTS
    return result


def percent(count, of):
    return f"{count} of {of} ({100 * count / of:.0f} %)" if of else "-"


def totals(results):
    """Rows of name and figure."""
    real = [r for r in results if r["kind"] != "harmless"]
    harmless = [r for r in results if r["kind"] == "harmless"]
    shares = [r["share_right"] for r in real if "share_right" in r]
    rows = [("verdict right", percent(sum(r["verdict_right"] for r in real), len(real)))]
    for word in ("right", "wrong", "none"):
        rows.append((f"sentence {word}", percent(sum(r["sentence"] == word for r in real), len(real))))
    rows.append((f"share within {WITHIN_POINTS} points, of right sentences with a known one", percent(sum(shares), len(shares))))
    rows.append(("harmless changes accused", percent(sum(r["accused"] for r in harmless), len(harmless))))
    return rows


def table(results):
    lines = ["| change | class | verdict | sentence | share | first sentence |", "| :-- | :-- | :-- | :-- | --: | :-- |"]
    for r in results:
        word = r.get("sentence") or ("accused" if r["accused"] else "quiet")
        share = "" if r["explains"] is None else f"{100 * r['explains']:.0f} %"
        text = (r["text"] or "").replace("|", "\\|").replace("\n", " ")
        lines.append(f"| {r['id']} | {r['class']} | {r['verdict']} | {word} | {share} | {text[:160]} |")
    return "\n".join(lines)
