#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bobbin show of memory accesses: the tree of functions, loops and lines is the program, it has all
accesses, and it is short."""

import re
import sys

import harness as h

suite = h.Suite("mem_structure")
DENSE = ("matmul", "team", "lu", "cholesky", "add", "sparse", "list")
LINEAR = ("add", "sparse", "list")
ENGINES = ("native", "valgrind")
KINDS = r" *(load|store|atomic) "
TEST = h.ROOT / "build/release/tests/unit.analysis.structure"


def dense(kind, *flags):
    flags = ["-g", "-w", "-Wl,-z,now", f"-DKIND={kind}", *flags]
    flags += ["-DELEMENTS=n"] if kind in LINEAR else []
    return h.compile(f"structure_{kind}", ["mem_dense.c"], "gcc", flags, ["-lpthread"])


def bench(name, *more):
    folder = h.ROOT / "bench/mem/programs"
    return h.compile(f"structure_{name}", [str(folder / f) for f in (f"{name}.c", "comm.c", *more)],
                     "gcc", ["-g", "-O2", "-w", "-fopenmp"], ["-lm"])


def hydro(level="-O2"):
    return h.compile("structure_hydro", ["mem_hydro.cc"], "g++", ["-g", level])


def record(command, *options):
    r = h.record([str(c) for c in command], ["--mem", *options], timeout=240,
                 env={"OMP_NUM_THREADS": "2"})
    h.check(r.status == 0, f"{r}")
    h.check_trace(r.trace)
    return r.trace


def show(trace, *options):
    r = h.bobbin("show", "--no-pager", *options, trace)
    h.check(r.status == 0, f"{r}")
    return r.out.decode()


def value(text, index):
    """Of a trip count such as 39-i or 1+2j."""
    total = 0
    for sign, number, letter in re.findall(r"([+-]?)(\d*)([a-z]?)", text):
        if number or letter:
            term = int(number or 1) * (index[ord(letter) - ord("i")] if letter else 1)
            total += -term if sign == "-" else term
    return total


def points(counts, index=()):
    """The values of a nest whose trip counts are given, outermost first."""
    if not counts:
        return 1
    trips = max(value(counts[0], index), 0)
    if not re.search("[a-z]", "".join(counts[1:])):
        return trips * points(counts[1:], (*index, 0))
    return sum(points(counts[1:], (*index, i)) for i in range(trips))


def accesses_of(line):
    """Accesses that a line of an access stands for: what it says, or what its loops make."""
    if said := re.search(r", ([\d,]+) times", line):
        return int(said[1].replace(",", ""))
    return sum(points(re.findall(r"\(([^()]*?) x [+-]\d+\)", piece))
               for piece in re.split(r", (?=0x)", line))


def sums(text):
    """Of each thread: the accesses in its title, and those of its lines."""
    out = []
    for thread in re.split("(?m)^thread ", text)[1:]:
        head, *lines = thread.splitlines()
        title = int(re.search(r"([\d,]+) access", head)[1].replace(",", ""))
        rows = sum(accesses_of(line) for line in lines if re.match(KINDS, line))
        rest = sum(int(m[1].replace(",", "")) for line in lines
                   if (m := re.match(r" +\.\.\. ([\d,]+) access", line)))
        out.append((title, rows + rest))
    return out


def check_all(trace):
    """The lines are all accesses, in each form of the tree. The test of the tree compares all
    addresses with the expanded ones."""
    for options in (["--min=0", "--instructions"], ["--min=0"], [], ["--min=5", "--hot"]):
        for title, lines in sums(show(trace, "--lines=0", *options)):
            h.check(title == lines, f"{options}: {title} accesses, {lines} in the lines")
    r = h.run([TEST, trace], timeout=240)
    h.check(r.status == 0, f"{r}")
    return int(h.info(trace)["accesses"])


for kind in DENSE:
    suite.add(f"all accesses are in the lines: {kind}", lambda kind=kind: "; ".join(
        f"{level} {engine} {check_all(record([dense(kind, level), 30, 2], f'--engine={engine}'))}"
        for level in ("-O1", "-O3") for engine in ENGINES))
for name, arguments, more in (("amg", [8], ["csr.c"]), ("aztec", [8], ["csr.c"]),
                              ("dense", ["csr", 200], [])):
    suite.add(f"all accesses are in the lines: bench/mem {name}",
              lambda name=name, arguments=arguments, more=more:
              f"{check_all(record([bench(name, *more), *arguments]))} accesses")


@suite.case("all accesses are in the lines: other programs")
def others():
    n = [check_all(record(command, "--images=all"))
         for command in (["/usr/bin/sqlite3", ":memory:", "select 1;"], ["/bin/ls", "/"])]
    return f"{n} accesses"


STATEMENTS = ("s = a[i * n + j]", "s -= a[i * n + k] * a[j * n + k]", "a[i * n + j] = s /",
              "double l = a[i * n + k] /=", "a[i * n + j] -= l")
CHOLESKY = """\
    loop 40 times
      loop 1+i times, 820 in all
        load    8  A (40 x +320)(1+i x +8)   s = a[i * n + j]
        loop 1+j times, 10,660 in all
          load    8  A (39 x +320)(1+i x +0)(1+j x +8)   s -= a[i * n + k] * a[j * n + k]
          load    8  A (39 x +0)(1+i x +320)(1+j x +8)   s -= a[i * n + k] * a[j * n + k]
        load    8  A (39 x +0)(1+i x +328)   a[i * n + j] = s /
        store   8  A (40 x +320)(1+i x +8)   a[i * n + j] = s /
"""
LU = """\
    loop 39 x 39-i times, 780 in all
      load    8  A (39 x +328)(39-i x +320)   double l = a[i * n + k] /=
      load    8  A (39 x +328)(39-i x +0)   double l = a[i * n + k] /=
      store   8  A (39 x +328)(39-i x +320)   double l = a[i * n + k] /=
      loop 39-i times, 20,540 in all
        load    8  A (39 x +328)(39-i x +0)(39-i x +8)   a[i * n + j] -= l
        load    8  A (39 x +328)(39-i x +320)(39-i x +8)   a[i * n + j] -= l
        store   8  A (39 x +328)(39-i x +320)(39-i x +8)   a[i * n + j] -= l
"""


def statement(line):
    """The beginning of a line of the kernels, up to the expression that is left out above."""
    text = (h.ROOT / "tests/prog/mem_dense.c").read_text().splitlines()[line - 1].strip()
    return next((m for m in STATEMENTS if m in text), text)


@suite.case("the loops are the program's, as it was written")
def loops():
    for kind, want, engines in (("cholesky", CHOLESKY, ENGINES[:1]), ("lu", LU, ENGINES)):
        for engine in engines:
            text = show(record([dense(kind, "-O1"), 40], f"--engine={engine}"))
            plain = re.sub(r"   [\d,]+ accesses \([\d.]+%\)", "", text)
            plain = re.sub(r"0x[0-9a-f]+ ", "A ", plain)
            plain = re.sub(r"(?m)^( *)(.*\(stack\)|\.\.\. ).*\n", "", plain)
            plain = re.sub(r"(?m)^ +", lambda m: m[0][2:], plain)  # the inlined function's
            plain = re.sub(r"mem_dense\.c:(\d+)", lambda m: statement(int(m[1])), plain)
            h.check(want in plain, f"{kind} {engine}:\n{want}is not in\n{text}")


@suite.case("a code in the style of LULESH is a page: inlined functions, templates, indirection")
def page():
    trace = record([hydro(), 10, 20])
    text = show(trace)
    h.check(len(text.splitlines()) <= 200, f"{len(text.splitlines())} lines\n{text}")
    nest = (r"  main .*\n(.*\n)*? +loop 20 times .*\n +forces +from mem_hydro\.cc:\d+ .*\n"
            r" +integrate_stress +inlined from mem_hydro\.cc:\d+ .*\n"
            r" +loop 1000 times, 20,000 in all .*\n +collect +inlined from .*\n"
            r"(.*\n)*? +volume_of +from mem_hydro\.cc:\d+ .*\n(.*\n)*? +hourglass +inlined from ")
    h.check(re.search(nest, text), text)
    for name in ("collect", "hourglass"):
        some = show(trace, "-F", name)
        h.check(name in some and "volume_of" not in some, f"-F {name}:\n{some}")
    without = show(trace, "-N", "integrate_stress")
    h.check("hourglass" in without and "collect" not in without, without)
    top = show(trace, "--top=2")
    heads = re.findall(r"(?m)^( +)loop .*?([\d,]+) accesses", top)
    h.check(2 <= len(heads) <= 6 and "mesh" not in top, top)
    shares = [int(m.replace(",", "")) for m in
              re.findall(r"(?m)^        \w.* from mem_hydro\.cc:\d+ +([\d,]+) accesses",
                         show(trace, "--hot"))]
    h.check(shares == sorted(shares, reverse=True), f"{shares}")
    return f"{len(text.splitlines())} lines"


@suite.case("few lines, and what has no accesses")
def limits():
    trace = record([dense("lu", "-O1"), 30])
    few = show(trace, "--lines=3")
    h.check("... more lines" in few and len(few.splitlines()) == 5, few)
    h.check("nothing to show" in show(trace, "-F", "main", "-N", "main"), "all hidden")
    for options in (["--min=x"], ["--min=101"], ["--top=x"]):
        r = h.bobbin("show", *options, trace)
        h.check(r.status == 2 and len(r.err.splitlines()) == 1, f"{r}")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
