"""What a power cut may leave of the store, from the order in which kgate writes.

strace says what a command does to the files of the store. A disk that keeps no more than it promised has
of these: the bytes of a file as of its last fsync, or any later ones, half of them too; and of what was
done to a folder's names all that came before the folder's last fsync, and any part of the rest. After
each call every such state is laid out in a folder and read by kgate: no run that was stored before may
be missing, none that kgate had said is stored, and the next gate must work."""

import itertools
import os
import re
import shutil

from room import GATE, Room, Row, strace_missing

TRACED = "openat,open,creat,close,write,fsync,fdatasync,ftruncate,rename,renameat,renameat2,mkdir,unlink"
CALL = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+)")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
SAID = object()  # standard output: from now on the user counts on it


def trace_read(path):
    """The calls of the log that succeeded: (name, its strings as bytes, its text, result)"""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            call = CALL.match(line)
            if call and int(call[3]) >= 0:
                texts = [bytes.fromhex(text.replace("\\x", "")) for text in TEXT.findall(call[2])]
                yield call[1], texts, call[2], int(call[3])


class Disk:
    """Files and names below `root`, both as programs see them and as far as they are on the disk."""

    def __init__(self, root):
        self.root = root
        self.now, self.kept = [], []  # by file: its bytes
        self.names = {}  # as programs see them: path to the number of a file; None: a folder
        self.disk_names = {}
        self.pending = []  # (folder, {path: file, or False where it was removed})
        self.opened = {}
        for at, folders, files in os.walk(root):
            for name in folders:
                self.names[os.path.relpath(f"{at}/{name}", root)] = None
            for name in files:
                with open(f"{at}/{name}", "rb") as file:
                    self.names[os.path.relpath(f"{at}/{name}", root)] = self.file_make(file.read())
        self.disk_names = dict(self.names)

    def file_make(self, content=b""):
        self.now.append(content)
        self.kept.append(content)
        return len(self.now) - 1

    def inside(self, text):
        """The path below the root, or None."""
        path = os.path.relpath(os.path.join(self.root, text.decode()), self.root)
        return None if path.startswith("..") else path

    def names_change(self, path, changes):
        """One step of the folder that `path` is in: all of it is on the disk, or nothing."""
        self.pending.append((os.path.dirname(path), changes))
        for name, file in changes.items():
            if file is False:
                self.names.pop(name, None)
            else:
                self.names[name] = file

    def open(self, path, flags, descriptor):
        if path not in self.names and "O_CREAT" in flags:
            self.names_change(path, {path: self.file_make()})
        elif "O_TRUNC" in flags and self.names.get(path) is not None:
            self.now[self.names[path]] = b""
        self.opened[descriptor] = (path, self.names.get(path))

    def sync(self, descriptor):
        path, file = self.opened.get(descriptor, (None, None))
        if file is not None:
            self.kept[file] = self.now[file]
        elif path is not None:
            folder = "" if path == "." else path
            for _, changes in [step for step in self.pending if step[0] == folder]:
                apply(self.disk_names, changes)
            self.pending = [step for step in self.pending if step[0] != folder]

    def call(self, name, texts, text, result):
        """Does what the call did; returns SAID where it wrote to the user."""
        number = int(text.split(",")[0]) if text.split(",")[0].isdigit() else None
        paths = [self.inside(word) for word in texts] if number is None else []
        if name == "write" and number == 1:
            return SAID
        if name in ("openat", "open", "creat"):
            self.opened.pop(result, None)
            if paths[0] is not None:
                self.open(paths[0], text + ("O_CREAT|O_TRUNC" if name == "creat" else ""), result)
        elif name == "close":
            self.opened.pop(number, None)
        elif name in ("fsync", "fdatasync"):
            self.sync(number)
        elif name in ("write", "ftruncate") and self.opened.get(number, (0, None))[1] is not None:
            file = self.opened[number][1]
            self.now[file] = self.now[file] + texts[0] if name == "write" else b""
        elif name in ("rename", "renameat", "renameat2") and None not in paths:
            self.names_change(paths[1], {paths[1]: self.names[paths[0]], paths[0]: False})
        elif name in ("mkdir", "unlink") and paths[0] is not None:
            self.names_change(paths[0], {paths[0]: None if name == "mkdir" else False})
        return None

    def states(self):
        """Each state that a power cut now may leave: sets of (path, bytes; None for a folder)."""
        for chosen in itertools.product((False, True), repeat=len(self.pending)):
            names = dict(self.disk_names)
            for use, (_, changes) in zip(chosen, self.pending):
                if use:
                    apply(names, changes)
            files = sorted({file for file in names.values() if file is not None})
            for contents in itertools.product(*[self.contents(file) for file in files]):
                by_file = dict(zip(files, contents))
                yield frozenset((path, None if file is None else by_file[file]) for path, file in names.items()
                                if has_folder(names, path))

    def contents(self, file):
        kept, now = self.kept[file], self.now[file]
        return {kept, now, now[:(len(kept) + len(now)) // 2]}


def apply(names, changes):
    for path, file in changes.items():
        if file is False:
            names.pop(path, None)
        else:
            names[path] = file


def has_folder(names, path):
    folder = os.path.dirname(path)
    return not folder or (folder in names and has_folder(names, folder))


def lay_out(state, root):
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)
    for path, content in sorted(state, key=lambda entry: entry[0]):
        if content is None:
            os.makedirs(f"{root}/{path}", exist_ok=True)
        else:
            with open(f"{root}/{path}", "wb") as file:
                file.write(content)


def states_of(room, arguments):
    """States of the folder `disk` at every moment of a command: {state: how many of its runs were
    confirmed by then, 0 or 1}"""
    disk = Disk(room.path + "/disk")
    found, confirmed = {}, 0
    status, _ = room.run(arguments, ("strace", "-qq", "-xx", "-s", "100000000", "-e", f"trace={TRACED}", "-o",
                                        room.path + "/log"))
    if status is None or not os.path.exists(room.path + "/log"):
        return {}
    for state in disk.states():
        found[state] = 0
    cwd = room.path + "/"
    for name, texts, text, result in trace_read(room.path + "/log"):
        texts = texts if name == "write" else [os.path.join(cwd.encode(), word) for word in texts]
        if disk.call(name, texts, text, result) is SAID:
            confirmed = 1
        for state in disk.states():
            found[state] = max(found.get(state, 0), confirmed)
    for state in disk.states():
        found[state] = 1 if status == 0 else found.get(state, 0)
    return found


def power(kgate, template, options):
    """Into a store that is there, and into one whose folders are made."""
    row = Row("power cuts")
    row.why_not = strace_missing()
    if row.why_not:
        return row
    for store, before in (("disk/store", 1), ("disk/new/deep", 0)):
        for arguments in (("baseline", "update", "r2.json", "-b", store),
                          ("gate", "-c", "other.yaml", "-b", store, "-o", "out", "--update-missing")):
            room = Room(kgate, template)
            os.makedirs(room.path + "/disk")
            shutil.move(room.path + "/store", room.path + "/disk/store")
            with open(room.path + "/s.yaml", encoding="utf-8") as suite, \
                    open(room.path + "/other.yaml", "w", encoding="utf-8") as other:
                other.write(suite.read().replace("suite: short", "suite: other"))
            states = states_of(room, arguments)
            if len(states) < 2:
                row.why_not = f"`{' '.join(arguments[:2])}`: no write to the store was seen"
            for state, confirmed in list(states.items())[:: options.every]:
                lay_out(state, room.path + "/disk")
                state_judge(row, room, store, before + confirmed, " ".join(arguments))
            room.remove()
    return row


def state_judge(row, room, store, wanted, what):
    """Looks at the store after a power cut; the next gate works with it."""
    row.tried += 1
    runs = room.stored_runs(store)
    if runs < wanted:
        row.lost += 1
        row.complain(what, f"{runs} of {wanted} runs are there", "\n".join(room.files("disk")))
    ran = room.run((*GATE[:3], "-b", store, "-o", "after", "-q", "--update-missing"))
    if ran[0] not in (0, 1, 4):
        row.wrong += 1
        row.complain(what, f"the next gate: exit status {ran[0]}", ran[1])
