#!/usr/bin/env python3
"""Fetches Debian's sources, applies the edits of programs/*.yaml and builds base and candidate of every change.

    sources.py --cache DIR --out DIR [--half HALF] [--only ID] [--jobs N]

Packages stay in CACHE, programs are OUT/ID/base/program and OUT/ID/candidate/program. All variants of a package are
compiled in one folder, OUT/trees/PACKAGE, as a checkout that changes its branch. With ccache unchanged files are
compiled once. The machine's own lists of packages are left alone.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import changes
import inputs

SOURCES_LIST = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {mirror} bookworm main\n"
MIRROR = "http://deb.debian.org/debian"
EDITED = "edited"  # the tree is unpacked again if a build was cut off
COMPILERS = {"c": "gcc", "c++": "g++"}


class StudyError(Exception):
    pass


def command(words, folder=None, shell=False):
    done = subprocess.run(words, cwd=folder, shell=shell, text=True, capture_output=True)
    if done.returncode:
        raise StudyError(f"{words if shell else shlex.join(map(str, words))}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")


def fetch(cache, programs):
    """Downloads the packages that CACHE lacks, at their exact version."""
    wanted = [f"{p['package']}={p['version']}" for p in programs if not list(cache.glob(dsc_name(p)))]
    if not wanted:
        return
    lists = cache / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    sources_list = cache / "sources.list"
    sources_list.write_text(SOURCES_LIST.format(mirror=os.environ.get("DEBIAN_MIRROR", MIRROR)))
    apt = ["apt-get", "-qq", "-o", f"Dir::Etc::sourcelist={sources_list}", "-o", "Dir::Etc::sourceparts=-",
           "-o", f"Dir::State::lists={lists}"]
    command(apt + ["update"], cache)
    command(apt + ["source", "--download-only"] + wanted, cache)


def dsc_name(program):
    version = program["version"].split(":")[-1]
    return f"{program['package']}_{version}.dsc"


def unpack(cache, out, program):
    """OUT/trees/PACKAGE with its driver, prepared; unchanged if it is there."""
    tree = out / "trees" / program["package"]
    stamp = tree / "prepared"
    prepare = program.get("prepare", "")
    if not stamp.exists() or stamp.read_text() != prepare or (tree / EDITED).exists():
        shutil.rmtree(tree, ignore_errors=True)
        tree.parent.mkdir(parents=True, exist_ok=True)
        command(["dpkg-source", "--no-check", "-x", cache / dsc_name(program), tree])
        if prepare:
            command(prepare, tree, shell=True)
        stamp.write_text(prepare)
    if "driver" in program:
        shutil.copyfile(changes.HERE / "drivers" / program["driver"], tree / program["driver"])
    return tree


def edited(tree, edits, change):
    """The new text of every file that the edits change."""
    texts = {}
    for edit in edits:
        path = tree / edit["file"]
        text = texts.get(path) or path.read_text(encoding="latin-1")
        expected = edit.get("count", 1)
        if text.count(edit["find"]) != expected:
            raise StudyError(f"{change['id']}: {edit['file']} has {text.count(edit['find'])} times, not {expected}: {edit['find']}")
        texts[path] = text.replace(edit["find"], edit["replace"])
    return texts


def source_files(tree, program):
    files = []
    for pattern in program["sources"]:
        found = sorted(tree.glob(pattern.lstrip("-")))
        if not found:
            raise StudyError(f"{program['package']}: no file {pattern}")
        files = [f for f in files if f not in found] if pattern.startswith("-") else files + found
    return files


def compile_variant(tree, program, flags, reverse, target, jobs):
    """Objects stay beside the tree: ccache needs no second path for them."""
    compiler = [COMPILERS[program.get("language", "c")]]
    prefix = ["ccache"] if shutil.which("ccache") else []
    objects = tree.with_suffix(".objects")
    objects.mkdir(exist_ok=True)
    options = shlex.split(flags) + ["-w"] + shlex.split(program.get("options", ""))

    def compile_one(source):
        name = objects / (str(source.relative_to(tree)).replace("/", "_") + ".o")
        command(prefix + compiler + options + ["-c", source.relative_to(tree), "-o", name], tree)
        return name

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        built = list(pool.map(compile_one, source_files(tree, program)))
    target.parent.mkdir(parents=True, exist_ok=True)
    order = reversed(built) if reverse else built
    command(compiler + shlex.split(flags) + list(order) + shlex.split(program.get("libraries", "")) + ["-o", target], tree)


def build_side(out, tree, program, change, side, jobs):
    flags = change.get("flags", {}).get(side, changes.DEFAULT_FLAGS)
    reverse = change.get("link", {}).get(side) == "reversed"
    edits = change.get(side, [])
    driver = (tree / program["driver"]).read_text() if "driver" in program else ""
    recipe = json.dumps([program["version"], program.get("prepare"), program.get("options"), program["sources"],
                         program.get("libraries"), driver, flags, reverse, edits])
    target = changes.program_path(out, change, side)
    stamp = target.with_name("recipe.json")
    if target.exists() and stamp.exists() and stamp.read_text() == recipe:
        return False
    texts = edited(tree, edits, change)
    before = {path: path.read_text(encoding="latin-1") for path in texts}
    (tree / EDITED).touch()
    try:
        for path, text in texts.items():
            path.write_text(text, encoding="latin-1")
        compile_variant(tree, program, flags, reverse, target, jobs)
    finally:
        for path, text in before.items():
            path.write_text(text, encoding="latin-1")
        (tree / EDITED).unlink()
    stamp.write_text(recipe)
    return True


def make_inputs(out, change):
    """Inputs that the program itself writes, such as a compressed text; again if what they are made from is newer."""
    for name, line in change.get("made", {}).items():
        path = out / "inputs" / name
        words = changes.expand(out, line)
        origins = [pathlib.Path(word) for word in words if word.startswith(str(out))]
        if path.exists() and all(path.stat().st_mtime >= origin.stat().st_mtime for origin in origins):
            continue
        with open(path, "wb") as file:
            subprocess.run([changes.program_path(out, change, "base")] + words, stdout=file, stderr=subprocess.DEVNULL,
                           check=True)


def build(cache, out, chosen, jobs):
    """Builds what is missing; returns the ids of changes that cannot be built."""
    cache.mkdir(parents=True, exist_ok=True)
    out.mkdir(parents=True, exist_ok=True)
    cache, out = cache.resolve(), out.resolve()
    packages = {program["package"]: program for program, _ in chosen}
    fetch(cache, packages.values())
    failed = []
    for program in packages.values():
        inputs.write_all(program, out / "inputs")
        tree = unpack(cache, out, program)
        for change in (change for owner, change in chosen if owner is program or owner["package"] == program["package"]):
            try:
                new = [side for side in changes.SIDES if build_side(out, tree, program, change, side, jobs)]
                make_inputs(out, change)
                print(f"{change['id']}: {'built ' + ', '.join(new) if new else 'up to date'}", flush=True)
            except StudyError as error:
                failed.append(change["id"])
                print(f"{change['id']}: {error}", file=sys.stderr, flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    changes.add_options(parser)
    parser.add_argument("--cache", type=pathlib.Path, required=True, help="folder of Debian's packages")
    parser.add_argument("--jobs", type=int, default=2, help="compilers at once (default: 2)")
    options = parser.parse_args()
    sys.exit(1 if build(options.cache, options.out, changes.load(options.half, options.only), options.jobs) else 0)


if __name__ == "__main__":
    main()
