#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is the trace of a Fortran program the same at -O0 to -O3, and from another compiler? Each file is
a program; every variable of it is traced.

    bench/fortran_compilers.py --other flang-22 --include DIR [--levels 0,1,2,3]
                               [--variable V]... [--bobbin PATH] FILE...

DIR has the other compiler's ISO_Fortran_binding.h, for the compilation of the file of probes
(/usr/lib/llvm-22/include/flang; Debian: flang-22). For each access kind, size, place in the text,
variable and subscripts are compared. Outputs of the compilers may differ (list-directed output),
but each program must print and return the same with probes and without. Programs that a compiler
rejects, or that do not end with 0, are skipped and counted. Exit 1 if anything differs.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def run(argv, folder, text=None):
    try:
        return subprocess.run([str(a) for a in argv], cwd=folder, input=text, capture_output=True,
                              text=True, errors="replace", timeout=300)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(argv, 99, "", "too slow")


def accesses(args, program, folder):
    """What it did, as lines; None: it does not do what it does without a recorder."""
    plain = run([f"./{program}"], folder)
    r = run([args.bobbin, "record", "-q", "--source", "--collector=none", "-o", program + ".t",
             "--", f"./{program}"], folder)
    if (r.returncode, r.stdout) != (plain.returncode, plain.stdout):
        return None
    shown = run([args.bobbin, "replay", "--mem", "--subscripts", program + ".t"], folder).stdout
    return [re.sub(r" 0x[0-9a-f]+", "", line, count=1) for line in shown.splitlines()
            if line[:1] in "LS"]


def built(args, folder, path, compiler, include, level):
    """The accesses of the program; or why there are none."""
    stem, flags = path.stem, ["-w", f"-O{level}"]
    if run([compiler, *flags, path, "-o", "plain"], folder).returncode:
        return "refused as it is"
    plain = run(["./plain"], folder)
    if plain.returncode:
        return "does not end with 0 as it is"
    if run(["gcc", "-Iout", *([f"-I{include}"] if include else []), "-c", f"out/{stem}_probes.c"],
           folder).returncode:
        return "probes do not compile"
    if run([compiler, *flags, f"out/{path.name}", f"{stem}_probes.o", "-o", "program"],
           folder).returncode:
        return "refused with probes"
    if run(["./program"], folder).stdout != plain.stdout:
        return "does something else with probes"
    found = accesses(args, "program", folder)
    run(["rm", "-rf", "program.t"], folder)
    return "does something else when recorded" if found is None else found


def one(args, path):
    with tempfile.TemporaryDirectory() as folder:
        requests = "".join(f"trace variable {v}\n" for v in args.variable or ["*"])
        if run([args.bobbin, "instrument", "-o", "out"], folder,
               f"trace file {path}\n{requests}").returncode:
            return "has nothing to trace", 0
        want = None
        for compiler, include, levels in (("gfortran", None, args.levels),
                                          (args.other, args.include, args.levels)):
            for level in levels:
                got = built(args, folder, path, compiler, include, level)
                if isinstance(got, str):
                    return f"{got} ({compiler} -O{level})", 0
                want = got if want is None else want
                if got != want:
                    return (f"DIFFERS ({compiler} -O{level}: {len(got)} accesses, "
                            f"not {len(want)}, or others)", 0)
        return "the same", len(want)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--bobbin", default=ROOT / "build/release/bin/bobbin")
    parser.add_argument("--other", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--levels", type=lambda t: t.split(","), default=["0", "1", "2", "3"])
    parser.add_argument("--variable", action="append")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    args.bobbin = os.path.abspath(args.bobbin)
    counts, total = collections.Counter(), 0
    for path in args.files:
        what, n = one(args, path.resolve())
        counts[what] += 1
        total += n
        if what != "the same":
            print(f"{path.name}: {what}", flush=True)
    for what, n in counts.most_common():
        print(f"{n:6,} {what}")
    print(f"{total:,} accesses in each of the traces that are the same")
    return 1 if any(re.match("DIFFERS|does something|probes|refused with", what)
                    for what in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
