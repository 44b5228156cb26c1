#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bobbin instrument: whole numerical programs that verify themselves (tests/prog/source/kernels,
after CG, MG and LU of the NAS benchmarks). Traced or not, whatever of them is traced, they print
the same digits; how often arrays were accessed follows from what they print."""
import re

import harness as h

h.link_fast()
suite = h.Suite("instrument kernels")
KERNELS = h.PROG / "source" / "kernels"
ALL = ("trace variable *", "trace code at loop level", "trace code at subroutine level")
SOME = {
    "cg.f": ("trace variable /matrix/a", "trace variable conjgd:p"),
    "mg.f90": ("trace variable grids%u", "trace variable grids%r", "trace variable mg:exact"),
    "lu.f": ("trace variable rhs:u", "trace variable rhs:rsd", "trace variable blts:b"),
}


def run(*argv, folder, text=None, status=0):
    r = h.run(argv, env=h.environment(), cwd=folder, stdin=(text or "").encode())
    h.check(r.status == status, str(r))
    return r.out.decode()


def build(name, commands, level):
    """(folder, the program as it is, the program with probes, what instrument said)."""
    h.need("gfortran")
    folder = h.fresh("kernel")
    stem = name.split(".")[0]
    run("gfortran", "-w", level, f"-J{folder}", KERNELS / name, "-o", "plain", folder=folder)
    said = run(h.BOBBIN, "instrument", "-o", "out", folder=folder,
               text="\n".join([f"trace file {KERNELS / name}", *commands, "bye", ""]))
    run("gcc", "-Iout", "-c", f"out/{stem}_probes.c", folder=folder)
    run("gfortran", "-w", level, f"-J{folder}", f"out/{name}", f"{stem}_probes.o", "-o", "probes",
        folder=folder)
    return folder, "./plain", "./probes", said


def record(name, commands, level):
    """(folder, output); the trace is in folder/t. The digits are the same, with probes and with a
    recorder as well."""
    folder, plain, probes, said = build(name, commands, level)
    want = run(plain, folder=folder)
    h.check("VERIFICATION SUCCESSFUL" in want, want)
    h.check(run(probes, folder=folder) == want, "with probes something else comes out")
    got = run(h.BOBBIN, "record", "-q", "--source", "--events", "-o", "t", "--", probes,
              folder=folder)
    h.check(got == want, f"recorded something else comes out\n{want}\n{got}")
    run(h.BOBBIN, "check", "t", folder=folder)
    return folder, want, said


def counts(folder, by):
    """{name: (loads, stores)}"""
    table = {}
    for line in run(h.BOBBIN, "report", f"--by={by}", "-n", "0", "t", folder=folder).splitlines():
        m = re.match(r" *[\d,]+ +[\d.]+% +([\d,]+) +([\d,]+) .* (\S+)$", line)
        if m:
            table[m[3]] = (int(m[1].replace(",", "")), int(m[2].replace(",", "")))
    return table


def numbers(text, word):
    return [int(n) for n in re.findall(word + r" +(\d+)", text)]


@suite.case("CG: a sparse matrix, and a vector that is a dummy argument")
def cg():
    folder, out, _ = record("cg.f", SOME["cg.f"], "-O2")
    (nnz,), (products,), (n,), steps = (numbers(out, w)
                                        for w in ("nonzeros", "products", "rows", "steps"))
    s, runs = sum(steps), len(steps)
    h.check(products == s + 2 * runs, out)
    got = counts(folder, "variable")
    h.check(got["/matrix/a"] == (nnz * products, nnz), got)
    h.check(got["/vectors/p"] == (nnz * s + 2 * n * s + n * (s - runs), n * s), got)


@suite.case("MG: recursion, arrays that are cut out of a longer one")
def mg():
    folder, out, _ = record("mg.f90", ("trace variable grids%u",), "-O2")
    (points,) = numbers(out, "points")
    got = counts(folder, "function")
    h.check(got["smooth"] == (6 * points, points), got)


@suite.case("LU: COMMON in several units, loops that share a terminal")
def lu():
    folder, out, _ = record("lu.f", SOME["lu.f"][:2], "-O2")
    (size,), (steps,) = numbers(out, "POINTS"), numbers(out, "STEPS")
    m = size - 2
    inner, faces = 5 * m**3, 5 * 3 * (m - 1) * m * m
    got = counts(folder, "variable")
    h.check(got["/cvar/u"] == (8 * inner * (steps + 1) + steps * inner + steps // 4 * inner,
                               5 * size**3 + inner + steps * inner), got)
    h.check(got["/cvar/rsd"] == (inner + steps * (inner + 2 * faces + 2 * inner),
                                 inner * (3 * steps + 1)), got)


def everything(name, level):
    """All variables, loops and calls. Arrays of unknown size, and components, are refused."""
    folder, out, said = record(name, ALL, level)
    for why in re.findall(r"no probe at \d+ places?: (.*)", said):
        h.check(re.search("unknown size|size of its elements|function in an expression|component",
                          why), said)
    h.check(not re.search(r"\b0 accesses", run(h.BOBBIN, "info", "t", folder=folder)),
            "nothing was recorded")


for kernel in SOME:
    suite.add(f"{kernel}: everything", everything, kernel, "-O2")


@suite.case("several arrays at once, -O3")
def several():
    for name, commands in SOME.items():
        record(name, commands, "-O3")


@suite.case("LAPACK's test program of matrices in RFP format, of Debian's source package")
def lapack():
    """bench/source/lapack: all it prints is the same, every variable of its tests and of what they
    test traced."""
    h.need("gfortran", "gcc", "tar", "apt-get")
    r = h.run([h.ROOT / "bench" / "source" / "lapack", "--only", "xlintstrfd"],
              env=h.environment({"BOBBIN": str(h.BOBBIN)}), timeout=280)
    if r.status == 77:
        raise h.Skip(r.out.decode().strip())
    m = re.search(rb"the same; (\d+) kinds of tests passed, 0 failed; ([\d,]+) accesses", r.out)
    h.check(r.status == 0 and m and int(m[1]) >= 4 and int(m[2].replace(b",", b"")) > 10_000_000,
            str(r))
    return m[0].decode()


if __name__ == "__main__":
    raise SystemExit(suite.run())
