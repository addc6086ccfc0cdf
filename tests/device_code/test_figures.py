#!/usr/bin/env python3
"""The test of figures.py: each fault of faults.cu is found and named, in a table that forgives all the others.

usage: test_figures.py NVCC FOLDER
"""
import contextlib
import io
import os
import re
import subprocess
import sys

import figures

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faults.cu")
# By architecture: what check says of each faulty kernel.
FAULTS = {
    "fault_local": [r"has a stack frame of 256 bytes", r"touches local memory in \d+ places"],
    "fault_spill": [r"spills \d+ bytes"],
    "fault_call": [r"calls: \d+, budget 0"],
    "fault_shared": [r"shared: 2048, budget 1024"],
    "fault_serialised": [r"ptxas: .*C75\d\d.*serialized"],
}
OF_90A = {"fault_serialised", "has_HGMMA", "has_HGMMA_RS", "has_UTMALDG"}
failures = 0


def expect(good, what):
    global failures
    failures += not good
    print(("ok    " if good else "FAIL  ") + what)


def compiled(nvcc, folder, architecture):
    output = os.path.join(folder, f"faults.{architecture}")
    done = subprocess.run([nvcc, "-cubin", f"-gencode=arch=compute_{architecture},code=sm_{architecture}",
                           "-std=c++17", "-O3", "-Xptxas", "-v", "-o", output + ".cubin", SOURCE],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    with open(output + ".log", "w", encoding="utf-8") as file:
        file.write(done.stdout)
    expect(done.returncode == 0, f"faults.cu is compiled for sm_{architecture}")


def checked(folder, table):
    """Exit status and output of a check."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = figures.check(folder, table)
    return status, said.getvalue()


def rows_changed(table, change):
    """Rewrites the rows of the table, each a dictionary of its columns; None drops one."""
    with open(table, encoding="utf-8") as file:
        lines = file.readlines()
    with open(table, "w", encoding="utf-8") as file:
        for line in lines:
            row = dict(zip(figures.COLUMNS, line.rstrip("\n").split("\t")))
            if not line.startswith("#") and row["kernel"] != "kernel":
                row = change(row)
                line = "\t".join(row[column] for column in figures.COLUMNS) + "\n" if row else ""
            file.write(line)


def faults_test(folder, table):
    def planted(row):
        if row["kernel"] == "faults:fault_call":
            row["calls"] = "0"
        if row["kernel"] == "faults:fault_shared":
            row["shared"] = "1024"
        return row
    figures.renew(folder, table)
    rows_changed(table, planted)
    status, said = checked(folder, table)
    expect(status == 1, "faults give exit status 1")
    expect("renew the table" in said, "and how the table is renewed is said")
    for architecture in ("80", "90a"):
        for kernel, words in FAULTS.items():
            for word in words if architecture == "90a" or kernel not in OF_90A else []:
                expect(re.search(f"^sm_{architecture} faults:{kernel} {word}", said, re.M), f"{kernel}: {word}")
    expect("faults:has_" not in said, "and nothing is said of the others")


def instructions_test(folder, table):
    def needed(row):
        name = row["kernel"].removeprefix("faults:")
        row["needs"] = name.removeprefix("has_") if name.startswith("has_") else "HGMMA"
        return row
    figures.renew(folder, table)
    rows_changed(table, needed)
    _, said = checked(folder, table)
    expect("faults:has_" not in said, "each known instruction is found in its kernel")
    expect("sm_80 faults:fault_shared has no HGMMA" in said, "and missed where it is not")
    figures.renew(folder, table)
    with open(table, encoding="utf-8") as file:
        rows = file.read().splitlines()
    expect(any(row.startswith("80\tfaults:has_LDSM\t") and row.endswith("\tLDSM") for row in rows),
           "renewing keeps what is needed")


def path_test(folder):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        figures.path(folder, "faults:has_FRND", "0-fff0")
    words = said.getvalue()
    expect(re.search(r"8 cycles of 1 of an eighth", words), "the one rounding of a path is counted")
    slots = int(re.search(r"(\d+) issue slots", words)[1])
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        figures.path(folder, "faults:has_FRND", "0-fff0x2,0-0")
    expect(f"{2 * slots + 1} issue slots" in said.getvalue(), "ranges count as often as they are passed")


def registers_test(folder, table):
    def fewer(row):
        row["registers"] = "0"
        return row
    figures.renew(folder, table)
    rows_changed(table, fewer)
    _, said = checked(folder, table)
    expect(re.search(r"has_LDG registers: \d+, budget 0", said), "too many registers are found")
    with open(os.path.join(folder, "compiler"), "w", encoding="utf-8") as file:
        file.write("nvcc 1.2.3\n")
    _, said = checked(folder, table)
    expect("registers: " not in said and "registers not compared" in said, "of another compiler's they are not compared")


def table_test(folder, table):
    figures.renew(folder, table)
    rows_changed(table, lambda row: None if row["kernel"].endswith("has_LDG") else row)
    _, said = checked(folder, table)
    expect("has_LDG is not in the table" in said, "a kernel without budgets is found")
    figures.renew(folder, table)
    with open(table, "a", encoding="utf-8") as file:
        file.write("80\tfaults:gone\t8\t0\t0\tHMMA\n")
    _, said = checked(folder, table)
    expect("faults:gone is in the table and not in the code" in said, "and budgets without a kernel")


def main():
    nvcc, folder = sys.argv[1:]
    table = os.path.join(folder, "budgets.tsv")
    os.makedirs(folder, exist_ok=True)
    if os.path.exists(table):
        os.remove(table)
    with open(os.path.join(folder, "compiler"), "w", encoding="utf-8") as file:
        file.write("nvcc\n")
    for architecture in ("80", "90a"):
        compiled(nvcc, folder, architecture)
    faults_test(folder, table)
    instructions_test(folder, table)
    path_test(folder)
    registers_test(folder, table)
    table_test(folder, table)
    print(f"{failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
