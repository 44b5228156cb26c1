#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which Fortran files still compile if every variable, loop and call of them is traced? Counts the
results, and prints failures with gfortran's first error.

    bench/fortran_traced.py [--bobbin PATH] [--every N] [--from K] [--exact] [--run] FOLDER

Each file of the folder (every N-th, from the K-th on) is compiled with the options of its
`dg-options`, except those that select a standard older than that of the probes (-std=f95, f2003,
f2008, -pedantic). Files with deliberate errors, or that do not compile unchanged, are skipped and
counted.

--run selects the programs with `dg-do run` and runs each unchanged, traced without a recorder, and
recorded: status and output must be the same, and the trace must pass `bobbin check`.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
ENDINGS = (".f", ".for", ".f90", ".f95", ".f03", ".f08")
OPTIONS = re.compile(r'\{\s*dg-(?:additional-)?options\s+"([^"]*)"\s*\}')
LEFT_OUT = re.compile(r"-fdump.*|-Werror|-pedantic(-errors)?|--?std=f(95|2003|2008)")
RUNS = re.compile(r"\{\s*dg-do\s+run\b")
REQUESTS = "trace variable *\ntrace code at loop level\ntrace code at subroutine level\n"


def run(argv, folder, text=None):
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    try:
        return subprocess.run([str(a) for a in argv], cwd=folder, input=text, capture_output=True,
                              text=True, errors="replace", timeout=300)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(argv, 99, "", "Error: too slow\n")


def first_error(text):
    found = re.search(r"^(?:Error|Fatal Error|f951).*|.*internal compiler error.*|.*undefined "
                      r"reference.*", text, re.M)
    return found[0] if found else "?"


def same_when_run(args, folder):
    """(result, difference). Each run has its own folder, for the files that it writes."""
    want = run([folder / "plain"], folder / "a")
    if want.returncode == 99:
        return "does not end as it is", ""
    for how, argv in (("alone", [folder / "traced"]),
                      ("recorded", [args.bobbin, "record", "-q", "--source", "--events", "-o",
                                    folder / "t", "--", folder / "traced"])):
        got = run(argv, folder / how)
        if got.returncode != want.returncode:
            return (f"ends otherwise when traced, {how}",
                    f"{got.returncode}, not {want.returncode}: {got.stderr.strip()[:200]}")
        if got.stdout != want.stdout:
            return (f"prints something else when traced, {how}",
                    repr(got.stdout[:100]) + ", not " + repr(want.stdout[:100]))
    checked = run([args.bobbin, "check", folder / "t"], folder)
    return ("has a trace that is wrong", checked.stdout
            + checked.stderr) if checked.returncode else ("does what it did", "")


def one(args, path):
    """(what became of it, the error)"""
    text = path.read_text(errors="replace")
    if "dg-error" in text or "dg-additional-sources" in text:
        return "has errors on purpose, or several files", ""
    flags = [o for m in OPTIONS.findall(text) for o in m.split()
             if not LEFT_OUT.fullmatch(o)] + [f"-I{path.parent}"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        gfortran = ["gfortran", "-w", *flags]
        how = ["-o", folder / "plain"] if args.run else ["-c", "-o", "x.o"]
        if run([*gfortran, path, *how], folder).returncode:
            return "does not compile as it is", ""
        r = run([args.bobbin, "instrument", *(["--exact"] if args.exact else []), "-o", "out", "--",
                 *flags], folder, f"trace file {path}\n{REQUESTS}")
        if r.returncode:
            return "has nothing to trace" if re.search(r"there is no variable|it has 0$",
                                                       r.stderr) else "refused", r.stderr.strip()
        if args.run:
            run(["gcc", "-w", "-Iout", "-c", f"out/{path.stem}_probes.c", "-o", "probes.o"], folder)
            how = ["probes.o", "-o", folder / "traced"]
        r = run([*gfortran, f"out/{path.name}", *how], folder)
        if r.returncode:
            return "does not compile when traced", first_error(r.stderr)
        return same_when_run(args, folder) if args.run else ("compiles", "")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--bobbin", default=ROOT / "build/release/bin/bobbin")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    args.bobbin = os.path.abspath(args.bobbin)
    paths = [p.resolve() for p in sorted(args.folder.iterdir()) if p.suffix.lower() in ENDINGS]
    paths = [p for p in paths if not args.run
             or RUNS.search(p.read_text(errors="replace"))][args.first::args.every]
    fine = {"has errors on purpose, or several files", "does not compile as it is",
            "does not end as it is", "has nothing to trace", "compiles", "does what it did"}
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, (what, why) in zip(paths, pool.map(lambda p: one(args, p), paths)):
            counts[what] += 1
            if what not in fine:
                print(f"{path.name}: {what}: {why}", flush=True)
    for what, n in counts.most_common():
        print(f"{n:6,} {what}")
    return 1 if set(counts) - fine else 0


if __name__ == "__main__":
    sys.exit(main())
