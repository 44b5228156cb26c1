#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""A fixed part of the torture corpus: programs of others behave the same with and without
recording.

Some of every family of tests/torture/families.py, named in torture.list; `make torture` compares
all. Each is run three times natively and recorded with --images=main, app and all and with --mem,
as tests/torture/compare.py says. A program that cannot be compared here is skipped, with the
reason; if more than one in ten is, the test fails.

    test_gcc_torture.py --bless RESULTS.jsonl    write torture.list from results of
                                                 tests/torture/run.py
"""

import os
import pathlib
import re
import sys

import harness as h

sys.path.insert(0, str(h.ROOT / "tests/torture"))
import compare  # noqa: E402
import families  # noqa: E402
import results as out  # noqa: E402

LIST = pathlib.Path(__file__).with_name("torture.list")
TREE = families.TREE
OPTIONS = re.compile(r'\{\s*dg-(?:additional-)?options\s+"([^"]*)"\s*\}')
# What a single file compiled for this machine cannot do.
UNFIT = re.compile(
    r"dg-(?:additional-sources|require-|skip-if|xfail-run-if|shouldfail|compile-aux)"
    r"|dg-options[^}]*\{ target")
# Of these folders all quick ones are in the list, at -O2, and so many combinations of each family.
ALWAYS = ("g++.dg/eh/",)
SHARE = {
    "c-torture": 65,
    "gcc.dg": 50,
    "common-c": 8,
    "common-c++": 8,
    "g++.dg": 40,
    "gfortran.dg": 50,
    "fortran-torture": 13,
    "libgomp-c": 8,
    "libgomp-c++": 8,
    "libgomp-fortran": 10,
    "csmith": 10,
    "stress-ng": 10,
}
QUICK_S = 1.5
KNOWN = out.read_known()
unpack = families.unpack


# --- for other tests that want programs of GCC ---


def fortran_programs(every):
    """Every so many-th of the Fortran programs that check themselves, or BOB_TEST_TORTURE_EVERY
    says how many; none, which is said, where they are not."""
    try:
        unpack()
        h.need("gfortran")
    except h.Skip as e:
        print(f"programs of GCC left out: {e}")
        return []
    every = int(os.environ.get("BOB_TEST_TORTURE_EVERY", every))
    return sorted((TREE / "gfortran.fortran-torture/execute").glob("*.f90"))[::every]


def fit(path):
    """Meant to be run, alone, on any machine."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if UNFIT.search(text):
        return False
    return "gcc.c-torture" in str(path) or re.search(r"\{\s*dg-do\s+run\s*\}", text) is not None


def listed():
    """[(family, name, level)] of the list."""
    lines = LIST.read_text(encoding="ascii").splitlines()
    return [tuple(line.split()) for line in lines if line and not line.startswith("#")]


def chosen():
    """Names of the list, each once."""
    return list(dict.fromkeys(name for _, name, _ in listed()))


def natively(name, level):
    """(program, result) of a C or C++ file, or None if it does not pass without recording."""
    family = next(f for f in families.FAMILIES if name.startswith(f.folders))
    for p in families.file_programs(family, TREE / name):
        try:
            if not p.unfit and level in p.flags:
                [exe] = compare.build(p)
                r = h.run([exe], cwd=h.fresh("torture"), timeout=20)
                return (exe, r) if r.status == 0 else None
        except (h.Failure, families.directives.Unfit):
            pass
    return None


# --- the test ---

counts = {"compared": 0}


def one(family, name, level):
    result = compare.compare(families.find(family, name, level), runs=3)
    if result["verdict"] == "unfit":
        raise h.Skip(result["reason"])
    counts["compared"] += 1
    failures, notes = out.judge([result], KNOWN)
    h.check(not failures, "\n".join([*failures,
                                     *(f"{m}: {d}" for m, d in result["details"].items())]))
    return "; ".join(notes)


def bless(path):
    """Write the list: of what was the same in all modes and quick, the first ones of each
    family."""
    found = [
        r
        for r in out.read_lines(pathlib.Path(path)).values()
        if set(r["modes"].values()) == {"same"} and r["seconds"] < QUICK_S
    ]
    lines = []
    for family, share in SHARE.items():
        mine = [r for r in found if r["family"] == family]
        mine.sort(key=lambda r: families.order(" ".join([r["name"], r["level"], family])))
        always = [r for r in mine if r["name"].startswith(ALWAYS) and r["level"] == "-O2"]
        rest = [r for r in mine if r not in always][:share]
        lines += sorted(" ".join(out.key(r)) for r in always + rest)
    head = [
        "# SPDX-License-Identifier: BSD-3-Clause",
        "# Programs of the torture corpus that make check compares, written by test_gcc_torture.py "
        "--bless:",
        "# FAMILY NAME LEVEL a line. Some of each family, all of g++.dg/eh.",
    ]
    LIST.write_text("\n".join([*head, *lines]) + "\n", encoding="ascii")
    print(f"{len(lines)} programs in {LIST}")
    return 0


def main():
    if "--bless" in sys.argv:
        return bless(sys.argv[-1])
    h.require_bobbin()
    try:
        unpack()
    except h.Skip as e:
        print(f"skipped: {e}")
        return 77
    suite = h.Suite("gcc torture")
    programs = listed()
    for family, name, level in programs:
        suite.add(f"{family} {name} {level}", one, family, name, level)
    status = suite.run()
    whole = not [a for a in sys.argv[1:] if not a.startswith("-")]
    if whole and "--list" not in sys.argv and counts["compared"] < 0.9 * len(programs):
        print(f"only {counts['compared']} of {len(programs)} programs were compared")
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
