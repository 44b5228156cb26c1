#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which Fortran files still compile when every variable, loop and call of them is traced? Counts, and prints what does not, with gfortran's first error.

    bench/fortran_traced.py [--bobbin PATH] [--every N] [--from K] [--exact] FOLDER

Each file of the folder (every N-th, from the K-th on) is compiled with the options that its `dg-options` say, but for those that ask for an older standard
than the probes are written in (-std=f95, f2003, f2008, -pedantic). Files that have errors on purpose, or do not compile as they are, are left out and counted.
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
LEFT_OUT = re.compile(r"-fdump.*|-Werror|-pedantic(-errors)?|-std=f(95|2003|2008)")
WISHES = "trace variable *\ntrace code at loop level\ntrace code at subroutine level\n"


def run(argv, folder, text=None):
    try:
        return subprocess.run([str(a) for a in argv], cwd=folder, input=text, capture_output=True, text=True, errors="replace", timeout=300)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(argv, 99, "", "Error: too slow\n")


def first_error(text):
    found = re.search(r"^(?:Error|Fatal Error|f951).*|.*internal compiler error.*", text, re.M)
    return found[0] if found else "?"


def one(args, path):
    """(what became of it, the error)"""
    text = path.read_text(errors="replace")
    if "dg-error" in text or "dg-additional-sources" in text:
        return "has errors on purpose, or several files", ""
    flags = [o for m in OPTIONS.findall(text) for o in m.split() if not LEFT_OUT.fullmatch(o)] + [f"-I{path.parent}"]
    with tempfile.TemporaryDirectory() as folder:
        gfortran = ["gfortran", "-w", *flags, "-c", "-o", "x.o"]
        if run([*gfortran, path], folder).returncode:
            return "does not compile as it is", ""
        r = run([args.bobbin, "instrument", *(["--exact"] if args.exact else []), "-o", "out", "--", *flags], folder, f"trace file {path}\n{WISHES}")
        if r.returncode:
            return "has nothing to trace" if re.search(r"there is no variable|the file has 0", r.stderr) else "refused", r.stderr.strip()
        r = run([*gfortran, f"out/{path.name}"], folder)
        return ("does not compile when traced", first_error(r.stderr)) if r.returncode else ("compiles", "")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--bobbin", default=ROOT / "build/release/bin/bobbin")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    args.bobbin = os.path.abspath(args.bobbin)
    paths = [p.resolve() for p in sorted(args.folder.iterdir()) if p.suffix.lower() in ENDINGS][args.first::args.every]
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, (what, why) in zip(paths, pool.map(lambda p: one(args, p), paths)):
            counts[what] += 1
            if what in ("refused", "does not compile when traced"):
                print(f"{path.name}: {what}: {why}", flush=True)
    for what, n in counts.most_common():
        print(f"{n:6,} {what}")
    return 1 if counts["refused"] or counts["does not compile when traced"] else 0


if __name__ == "__main__":
    sys.exit(main())
