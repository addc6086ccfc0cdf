#!/usr/bin/env python3
"""What the assembler made of the kernels, compared with a table of budgets. Needs no GPU.

usage: figures.py list FOLDER              prints every kernel's figures and instructions
       figures.py check FOLDER BUDGETS     exit status 1 where a budget is broken
       figures.py renew FOLDER BUDGETS     writes the table anew, from what is in FOLDER
       figures.py path FOLDER KERNEL RANGES
                                           issue slots and pipe cycles of a warp along RANGES: addresses in
                                           hexadecimal, FIRST-LAST or FIRST-LASTxTIMES, with commas

FOLDER holds for each file of device code NAME.ARCHITECTURE.cubin and .log, what nvcc -cubin -Xptxas -v
made of it and said (tests/device_code/CMakeLists.txt). Registers, shared memory, stack and spills are of
the log; instructions are counted in the cubin itself: from sm_70 on an instruction is 16 bytes, whose
lowest 12 bits are its kind (HGMMA_RS: HGMMA with A in registers). test_figures.py compiles a known instruction for each kind that is named here.
"""
import collections
import glob
import os
import re
import struct
import subprocess
import sys

INSTRUCTION_BYTES = 16
KINDS = {
    0x981: "LDG", 0x986: "STG", 0x983: "LDL", 0x387: "STL", 0xfae: "LDGSTS", 0x83b: "LDSM",
    0x23c: "HMMA", 0x9f0: "HGMMA", 0xdf0: "HGMMA_RS", 0x5b4: "UTMALDG", 0x944: "CALL", 0x943: "CALL", 0x947: "BRA",
    0xb1d: "BAR", 0x308: "MUFU", 0x918: "NOP",
}
# Kinds by the lowest 9 bits, whatever the operands. A pipe of a quarter multiprocessor takes HALF every
# second cycle and EIGHTH every eighth: 64 and 16 results per cycle and multiprocessor of compute capability 9.0.
HALF = {0x007: "SEL", 0x008: "FSEL", 0x009: "FMNMX", 0x00b: "FSETP", 0x00c: "ISETP", 0x010: "IADD3", 0x011: "LEA",
        0x012: "LOP3", 0x016: "PRMT", 0x019: "SHF", 0x048: "VIMNMX"}
EIGHTH = {0x100: "FLO", 0x105: "F2I", 0x106: "I2F", 0x107: "FRND", 0x108: "MUFU", 0x109: "POPC"}
COLUMNS = ["architecture", "kernel", "registers", "shared", "calls", "needs"]
HEADER = """\
# Budgets of the kernels' machine code, kept by tests/device_code/figures.py. No kernel may have a stack
# frame, spill, touch local memory (LDL, STL) or have its wgmma serialised (ptxas' notes C75xx).
#   registers    of a thread, at most: rounded up to 8, in which steps they are allocated
#   shared       bytes of shared memory that the code itself asks for, at most
#   calls        places where it calls a subroutine, at most: 0 is none in any loop. A division has one for
#                operands that are not normal, and so has a shuffle for warps that do not run together.
#   needs        instructions that must be there
# Renew: cmake --build --preset test --target device_figures &&
#        tests/device_code/figures.py renew build/test/device_figures tests/device_code/budgets.tsv
"""
COMPILER = "# compiler: "


class Kernel:
    def __init__(self):
        self.registers = self.shared = self.stack = self.spills = 0
        self.instructions = collections.Counter()
        self.length = self.calls = 0
        self.notes = []
        self.kinds = []  # in the order of the code


def sections(elf):
    """Names and contents of the ELF file's sections."""
    start, = struct.unpack_from("<Q", elf, 40)
    count, names = struct.unpack_from("<HH", elf, 60)
    headers = [struct.unpack_from("<IIQQQQ", elf, start + 64 * i) for i in range(count)]
    for header in headers:
        name = headers[names][4] + header[0]
        yield elf[name:elf.index(b"\0", name)].decode(), elf[header[4]:header[4] + header[5]]


def code_read(kernel, code):
    for at in range(0, len(code), INSTRUCTION_BYTES):
        kind = struct.unpack_from("<H", code, at)[0] & 0xfff
        by_operation = HALF.get(kind & 0x1ff) or EIGHTH.get(kind & 0x1ff) or "%03x" % kind
        kernel.kinds.append(KINDS.get(kind, by_operation))
    kernel.instructions.update(kernel.kinds)
    kernel.length = len(code) // INSTRUCTION_BYTES - kernel.instructions["NOP"]
    kernel.calls = kernel.instructions["CALL"]


def log_read(kernels, log):
    """Takes figures from what ptxas says of a kernel after naming it; notes may name it themselves."""
    kernel, others = None, []
    for line in log.splitlines():
        if match := re.search(r"Compiling entry function '(\w+)'", line):
            kernel = kernels[match[1]]
        elif match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill", line):
            if kernel:
                kernel.stack, kernel.spills = int(match[1]), int(match[2]) + int(match[3])
        elif match := re.search(r"Used (\d+) registers", line):
            shared = re.search(r"(\d+) bytes smem", line)
            kernel.registers, kernel.shared = int(match[1]), int(shared[1]) if shared else 0
        elif re.search(r"\(C75\d\d\)", line):
            others.append(line.strip())
    for note in others:
        named = [name for name in kernels if name in note] or list(kernels)
        for name in named:
            kernels[name].notes.append(note)


def plain_names(names):
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    # `void flash<64>(flash_problem)` and `hopper(hopper_problem, maps)`: what stands before the arguments.
    return [re.sub(r"\((?!anonymous).*$", "", re.sub(r"^void ", "", name)).replace("(anonymous namespace)::", "")
            .replace("(kg_lattice_kind)", "").replace("(int)", "").replace("(bool)", "")
            for name in (re.sub(r"\((\w+)\)(\d)", r"\2", name) for name in done.stdout.split("\n"))]


def folder_read(folder):
    """{(architecture, file:kernel): Kernel} of all cubins there."""
    found = {}
    for cubin in sorted(glob.glob(os.path.join(folder, "*.cubin"))):
        name, architecture, _ = os.path.basename(cubin).split(".")
        kernels = collections.defaultdict(Kernel)
        with open(cubin, "rb") as file:
            for section, code in sections(file.read()):
                if section.startswith(".text."):
                    code_read(kernels[section[len(".text."):]], code)
        with open(cubin[:-len("cubin")] + "log", encoding="utf-8") as file:
            log_read(kernels, file.read())
        for kernel, plain in zip(list(kernels), plain_names(kernels)):
            found[architecture, f"{name}:{plain}"] = kernels[kernel]
    return found


def compiler_of(folder):
    with open(os.path.join(folder, "compiler"), encoding="utf-8") as file:
        return file.read().strip()


def budgets_read(path):
    compiler, budgets = "", {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith(COMPILER):
                compiler = line[len(COMPILER):].strip()
            elif not line.startswith("#") and line.strip():
                row = dict(zip(COLUMNS, line.rstrip("\n").split("\t")))
                if row["architecture"] != COLUMNS[0]:
                    budgets[row["architecture"], row["kernel"]] = row
    return compiler, budgets


def breaches(kernel, budget, same_compiler):
    """What of the kernel is over its budget, in words."""
    if kernel.spills:
        yield f"spills {kernel.spills} bytes"
    if kernel.stack:
        yield f"has a stack frame of {kernel.stack} bytes"
    if local := kernel.instructions["LDL"] + kernel.instructions["STL"]:
        yield f"touches local memory in {local} places"
    yield from (f"ptxas: {note}" for note in kernel.notes)
    limits = ["shared", "calls"] + ["registers"] * same_compiler
    for what in limits:
        if getattr(kernel, what) > int(budget[what]):
            yield f"{what}: {getattr(kernel, what)}, budget {budget[what]}"
    for kind in filter(None, budget["needs"].split(",")):
        if not kernel.instructions[kind]:
            yield f"has no {kind}"


def check(folder, path):
    compiler, budgets = budgets_read(path)
    found, broken = folder_read(folder), 0
    same = compiler == compiler_of(folder)
    if not same:
        print(f"registers not compared: budgets are of {compiler}, this is {compiler_of(folder)}")
    for key in sorted(found.keys() | budgets.keys()):
        if key not in found:
            problems = ["is in the table and not in the code"]
        elif key not in budgets:
            problems = ["is not in the table"]
        else:
            problems = list(breaches(found[key], budgets[key], same))
        for problem in problems:
            print(f"sm_{key[0]} {key[1]} {problem}")
        broken += len(problems)
    print(f"{len(found)} kernels, {broken} broken budgets")
    if broken:
        print(f"Mend the kernel; or, where that is the price of something better, renew the table as the head of "
              f"{path} says, and say in the commit why.")
    return 1 if broken or not found else 0


def renew(folder, path):
    """Figures anew; what a kernel needs stays as it was."""
    _, old = budgets_read(path) if os.path.exists(path) else ("", {})
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{HEADER}{COMPILER}{compiler_of(folder)}\n" + "\t".join(COLUMNS) + "\n")
        for key, kernel in sorted(folder_read(folder).items()):
            needs = old.get(key, {}).get("needs", "")
            file.write("\t".join([*key, str(-(-kernel.registers // 8) * 8), str(kernel.shared),
                                  str(kernel.calls), needs]) + "\n")
    return 0


def figures_list(folder):
    for (architecture, name), kernel in sorted(folder_read(folder).items()):
        kinds = " ".join(f"{kind}:{count}" for kind, count in sorted(kernel.instructions.items()))
        print(f"sm_{architecture} {name}: {kernel.registers} registers, {kernel.shared} bytes shared, "
              f"{kernel.stack} stack, {kernel.spills} spilled, {kernel.length} instructions, "
              f"{kernel.calls} calls\n    {kinds}")
    return 0


def path(folder, name, ranges):
    """The pipes work side by side, so the largest of the three is the least number of cycles."""
    passed = collections.Counter()
    kernel, = (kernel for (architecture, key), kernel in folder_read(folder).items()
               if key == name and architecture != "80")
    for part in ranges.split(","):
        places, _, times = part.partition("x")
        first, last = (int(place, 16) // INSTRUCTION_BYTES for place in places.split("-"))
        for kind in kernel.kinds[first:last + 1]:
            passed[kind] += int(times or 1)
    half = sum(passed[kind] for kind in HALF.values())
    eighth = sum(passed[kind] for kind in EIGHTH.values())
    print(f"{name}: {passed.total()} issue slots; {2 * half} cycles of {half} half-rate instructions; "
          f"{8 * eighth} cycles of {eighth} of an eighth of the rate")
    return 0


def main():
    commands = {"list": (figures_list, 1), "check": (check, 2), "renew": (renew, 2), "path": (path, 3)}
    command, count = commands.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if not command or len(sys.argv) != 2 + count:
        sys.exit(__doc__)
    sys.exit(command(*sys.argv[2:]))


if __name__ == "__main__":
    main()
