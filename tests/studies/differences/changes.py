"""The changes of the study, as programs/*.yaml has them: one file per Debian source package.

A program:
    package, version   source package of Debian 12
    half               developed, judged or unseen
    language           c (default) or c++
    prepare            shell command, once, in the unpacked sources
    driver             file of drivers/ that is copied into the sources and holds main
    options            options of every compilation
    sources            globs in the sources; a leading - takes files out again
    libraries          options of the linker
    inputs             file name -> generator of inputs.py and its arguments
A change:
    id, kind           regression, improvement or harmless
    class, about       the kind of mistake in a word, and in a sentence
    upstream           commit, if a real one is applied or reverted
    base, candidate    edits: a list of {file, find, replace, count}; count: how often find occurs (default 1)
    flags              {base, candidate}: options of the compiler (default: -O2 -g)
    link               {base, candidate}: reversed: the order in which objects are linked
    run                arguments of the program; @NAME is an input, @NAME*3 an input three times,
                       @written a file that the program may write
    made               input -> arguments of the base build that write it
    same_output        false: the output may differ
    clock              wall: the slowdown is a wait (default: cpu)
    truth              {names, share}: accepted functions, options or settings; share of the slowdown of the place
    effect             time of the candidate by time of the base, measured
"""

import pathlib
import shlex

import yaml

HERE = pathlib.Path(__file__).resolve().parent
SIDES = ("base", "candidate")
DEFAULT_FLAGS = "-O2 -g"


def load(half=None, only=None):
    """Every pair of program and change, in the order of the files."""
    found = []
    for path in sorted((HERE / "programs").glob("*.yaml")):
        program = yaml.safe_load(path.read_text())
        if half and program["half"] != half:
            continue
        found += [(program, change) for change in program["changes"] if not only or change["id"] in only]
    return found


def add_options(parser):
    """The options that choose changes, the same for every script of the study."""
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of builds, inputs and results")
    parser.add_argument("--half", choices=("developed", "judged", "unseen"), help="only the changes of this part")
    parser.add_argument("--only", metavar="ID", action="append", help="only this change; repeatable")


def program_path(out, change, side):
    return out.resolve() / change["id"] / side / "program"


def arguments(out, change, written):
    """Words of the command after the program's name. `written` is the file that @written names."""
    return expand(out, change["run"], written)


def expand(out, line, written=None):
    """Splits as a shell does. @NAME is the path of an input, @NAME*3 three times that path."""
    found = []
    for word in shlex.split(str(line)):
        name, _, count = word.partition("*") if word.startswith("@") else (word, "", "")
        if name == "@written":
            name = str(written)
        elif name.startswith("@"):
            name = str(out.resolve() / "inputs" / name[1:])
        found += [name] * int(count or 1)
    return found
