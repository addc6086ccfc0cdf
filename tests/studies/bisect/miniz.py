#!/usr/bin/env python3
"""Replays 60 real commits of miniz into a new repository, with a planted slowdown, for `kgate bisect`.

    miniz.py --clone MINIZ --out DIR [--slow N] [--layout N] [--deviant N] [--spin N]

Commit --slow makes mz_uncompress slower for good. Commit --layout adds an unused function of 1 KB before tinfl_decompress, which
moves code in memory. Commit --deviant is slower by half as much, alone. Prints the command that searches the repository."""

import argparse
import pathlib
import re
import shutil
import subprocess

COMMITS = 60
SOURCES = ("miniz.c", "miniz_tdef.c", "miniz_tinfl.c")
FILES = (*SOURCES, "miniz.h", "miniz_common.h", "miniz_tinfl.h", "miniz_zip.c", "miniz_zip.h", "CMakeLists.txt", "readme.md")
DECODER = "tinfl_status tinfl_decompress("
UNUSED = '__attribute__((used)) static int layout_unused(int x) { __asm__ volatile(".skip 1043, 0x90"); return x; }\n'
CHECKSUM = re.compile(r"while \(buf_len\)\s*\{")

BENCH = """#include <stdlib.h>
#include <string.h>
#include "miniz.h"
int main(int argc, char **argv)
{
    const size_t n = 1 << 20;
    unsigned char *data = malloc(n), *back = malloc(n);
    mz_ulong packed_size = mz_compressBound(n);
    unsigned char *packed = malloc(packed_size);
    unsigned long x = 12345;
    for (size_t i = 0; i < n; i++) {
        x = x * 6364136223846793005ul + 1442695040888963407ul;
        data[i] = i % 97 < 60 ? "the quick brown fox jumps over it "[i % 34] : (unsigned char)(x >> 60);
    }
    if (mz_compress2(packed, &packed_size, data, n, 1) != MZ_OK)
        return 1;
    for (int left = argc > 1 ? atoi(argv[1]) : 40; left > 0; left--) {
        mz_ulong size = n;
        if (mz_uncompress(back, &size, packed, packed_size) != MZ_OK || size != n || memcmp(back, data, n))
            return 2;
    }
    return 0;
}
"""

BUILD = """printf '#define MINIZ_EXPORT\\n' >miniz_export.h
for source in miniz miniz_tinfl miniz_tdef bench; do gcc -O2 -g -w -MMD -I. -c $source.c || exit 1; done
gcc miniz.o miniz_tinfl.o miniz_tdef.o bench.o -o bench
"""

SUITE = """version: 1
suite: miniz
defaults: {threshold: 2%, cpu_time_threshold: 2%, min_time: 150ms, rounds: {min: 5, max: 40}, metrics: [cpu_time], trace: no,
           threads: 1, disturbance: 100%}
workloads:
  - {name: inflate, command: [./bench, "40"]}
"""


def git(folder, *words):
    identity = ["-c", "user.name=study", "-c", "user.email=study@example.invalid", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True).stdout


def decoder_change(folder, spin, moves):
    path = folder / "miniz_tinfl.c"
    text = path.read_text()
    assert text.count(DECODER) == 1 and len(CHECKSUM.findall(text)) == 1
    if moves:
        text = text.replace(DECODER, UNUSED + DECODER)
    if spin:
        text = CHECKSUM.sub(f"while (buf_len) {{ for (volatile int spin = 0; spin < {spin}; spin++) {{}}", text)
    path.write_text(text)


def repository_make(options, folder):
    commits = git(options.clone, "log", "--first-parent", "--format=%H", "--", *FILES).decode().split()[: COMMITS + 1][::-1]
    git(folder, "init", "-q", "-b", "main")
    for index, commit in enumerate(commits):
        for path in folder.iterdir():
            if path.name != ".git":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        subprocess.run(["tar", "x"], input=git(options.clone, "archive", commit), cwd=folder, check=True)
        (folder / "bench.c").write_text(BENCH)
        spin = options.spin if index >= options.slow else options.spin // 2 if index == options.deviant else 0
        decoder_change(folder, spin, index >= options.layout)
        subject = git(options.clone, "log", "-1", "--format=%s", commit).decode().strip()
        git(folder, "add", "-A", "-f")
        git(folder, "commit", "-q", "--allow-empty", "-m", subject)
        git(folder, "tag", f"v{index}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clone", type=pathlib.Path, required=True, help="clone of https://github.com/richgel999/miniz")
    parser.add_argument("--out", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("--slow", type=int, default=23)
    parser.add_argument("--layout", type=int, default=41)
    parser.add_argument("--deviant", type=int, default=-1)
    parser.add_argument("--spin", type=int, default=4200, help="turns of a loop per 5,552 bytes; 4,200 are about 8 %%")
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    folder = options.out / "repository"
    folder.mkdir(parents=True)
    (options.out / "build.sh").write_text(BUILD)
    (options.out / "kgate.yaml").write_text(SUITE)
    repository_make(options, folder)
    print(f"cd {folder} && kgate bisect v0 v{COMMITS} -c ../kgate.yaml --build 'sh {options.out}/build.sh' -o ../search")


if __name__ == "__main__":
    main()
