#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: memory g++.dg/eh execute/2003
"""Programs of GCC's own test suite behave the same with and without recording.

They come from Debian's package gcc-12-source (nothing of it is in this tree) and are unpacked once
into the build directory. Which ones: the names in torture.list, written by `--bless` as those that
pass natively; without that file a fixed sample of the unpacked tree. A program that does not pass
natively is counted, not compared; fewer than 300 compared programs are a failure. -O0 and -O2 and
--images=main, app and all alternate, so that neighbours in the list meet every combination."""

import concurrent.futures
import fcntl
import glob
import os
import pathlib
import re
import sys

import harness as h

ARCHIVES = "/usr/src/gcc-12/gcc-12.*.tar.xz"
LIST = pathlib.Path(__file__).with_name("torture.list")
WANTED = 300
# folder in the archive, suffix, compiler, every how many-th program of the sample
SUITES = (
    ("gcc.c-torture/execute", ".c", "gcc", 4),
    ("g++.dg/eh", ".C", "g++", 1),
    ("gfortran.dg", ".f90", "gfortran", 40),
)
FOLDERS = [folder for folder, *_ in SUITES] + ["gfortran.fortran-torture/execute"]
COMPILER = {suffix: cc for _, suffix, cc, _ in SUITES}
TREE = h.WORK / "torture"
OPTIONS = re.compile(r'\{\s*dg-(?:additional-)?options\s+"([^"]*)"\s*\}')
# What a single file compiled for this machine cannot do.
UNFIT = re.compile(
    r"dg-(?:additional-sources|require-|skip-if|xfail-run-if|shouldfail|compile-aux)|dg-options[^}]*\{ target"
)
counts = {"compared": 0, "unfit": 0}


def unpack():
    """Folders of the archive, unpacked once."""
    found = sorted(glob.glob(ARCHIVES))
    if not found:
        raise h.Skip(f"no {ARCHIVES}: install the Debian package gcc-12-source")
    TREE.mkdir(parents=True, exist_ok=True)
    with open(TREE / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = TREE / "done"
        what = " ".join([found[-1], *FOLDERS])
        if not done.exists() or done.read_text() != what:
            patterns = [f"*/gcc/testsuite/{folder}/*" for folder in FOLDERS]
            r = h.run(
                ["tar", "-xJf", found[-1], "-C", TREE, "--wildcards", "--strip-components=3", *patterns],
                timeout=200,
            )
            h.check(r.status == 0, f"cannot unpack\n{r}")
            done.write_text(what)


def fortran_programs(every):
    """Every so many-th of the Fortran programs that check themselves, or BOB_TEST_TORTURE_EVERY says how many; none, which is said, where they are not."""
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


def sample():
    names = []
    for folder, suffix, _, step in SUITES:
        paths = [p for p in sorted((TREE / folder).glob("*" + suffix)) if fit(p)]
        names += [str(p.relative_to(TREE)) for p in paths[::step]]
    return names


def chosen():
    if LIST.exists():
        lines = LIST.read_text(encoding="ascii").splitlines()
        return [line for line in lines if line and not line.startswith("#")]
    return sample()


def build(name, level):
    path = TREE / name
    text = path.read_text(encoding="utf-8", errors="replace")
    own = " ".join(OPTIONS.findall(text)).split()
    flags = ["-w", *own, level, "-I", str(path.parent)]
    return h.compile("program", [path], COMPILER[path.suffix], flags, ["-lm"])


def natively(name, level):
    """(program, result), or None if it does not pass without recording."""
    try:
        exe = build(name, level)
        r = h.run([exe], cwd=h.fresh("torture"), timeout=20)
    except h.Failure:
        return None
    return (exe, r) if r.status == 0 else None


def compare(number, name):
    level, images = ("-O0", "-O2")[number % 2], ("main", "app", "all")[number % 3]
    native = natively(name, level)
    if native is None:
        counts["unfit"] += 1
        raise h.Skip("does not pass without recording")
    exe, before = native
    after = h.record([exe], [f"--images={images}"], cwd=h.fresh("torture"), timeout=60)
    h.same(before, after)
    counts["compared"] += 1
    return f"{level} {images}"


def bless():
    """Write torture.list: what passes natively at both levels, twice."""
    good = []

    def passes(name):
        return all(natively(name, level) for level in ("-O0", "-O2", "-O0", "-O2"))

    names = sample()
    with concurrent.futures.ThreadPoolExecutor(h.JOBS) as pool:
        for name, good_one in zip(names, pool.map(passes, names)):
            if good_one:
                good.append(name)
    head = [
        "# SPDX-License-Identifier: BSD-3-Clause",
        "# Programs of GCC's test suite (package gcc-12-source) that pass natively here; written by",
        "# test_gcc_torture.py --bless. One path below gcc/testsuite a line.",
    ]
    LIST.write_text("\n".join([*head, *good]) + "\n", encoding="ascii")
    print(f"{len(good)} programs in {LIST}")
    return 0 if len(good) >= WANTED else 1


def main():
    try:
        unpack()
    except h.Skip as e:
        print(f"skipped: {e}")
        return 77
    os.chdir(TREE)
    if "--bless" in sys.argv:
        return bless()
    h.require_bobbin()
    suite = h.Suite("gcc torture")
    for number, name in enumerate(chosen()):
        suite.add(name, compare, number, name)
    status = suite.run()
    whole = not [a for a in sys.argv[1:] if not a.startswith("-")]
    if whole and "--list" not in sys.argv and counts["compared"] < WANTED:
        print(f"only {counts['compared']} programs were compared, {WANTED} are wanted")
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
