#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""Ground truth: programs that log their own call depth, compiled in many ways, recorded, and
compared entry by entry. Every pair of (program, compiler, optimisation, frame pointer,
-fcf-protection, PIE, images, stripped, filter) occurs in a row; `--native` only runs the
programs."""

import sys

import harness as h
import truth

PROGRAMS = {
    "args": "depth_args.c",
    "recurse": "depth_recurse.c",
    "alloca": "depth_alloca.c",
    "qsort": "depth_qsort.c",
    "longjmp": "depth_longjmp.c",
    "signal": "depth_signal.c",
    "storm": "depth_storm.c",
    "altstack": "depth_altstack.c",
    "coro": "depth_coro.c",
    "deep": "depth_deep.c",
    "threads": "depth_threads.c",
    "tail": "depth_tail.c",
    "nested": "depth_nested.c",
    "tiny": "depth_tiny.c",
    "walk": "depth_walk.c",
    "order": "order_fg.c",
    "sort": "depth_sort.cc",
    "except": "depth_except.cc",
    "fortran": "depth_fortran.f90",
}
FACTORS = {
    "program": list(PROGRAMS),
    "opt": ["-O2", "-O0", "-O1", "-O3", "-Os"],
    "images": ["app", "main", "all"],
    "cc": ["gcc", "clang"],
    "frame": ["-fomit-frame-pointer", "-fno-omit-frame-pointer"],
    "cf": ["full", "none"],
    "pie": ["pie", "no-pie"],
    "strip": ["no", "yes"],
    "filter": ["none", "*t_*"],  # the second leaves callers out
}
# Names of local functions do not survive stripping.
LOCAL_NAMES = {"nested", "fortran"}


def allowed(row):
    program = row.get("program")
    if program == "tail" and row.get("opt") in ("-O0", "-O1"):
        return False  # sibling calls begin at -O2
    if program in ("nested", "fortran") and row.get("cc") == "clang":
        return False  # GNU C only; no clang Fortran here
    return not (program in LOCAL_NAMES and row.get("strip") == "yes")


def compiler(row):
    source = PROGRAMS[row["program"]]
    if source.endswith(".f90"):
        return "gfortran"
    if source.endswith(".cc"):
        return {"gcc": "g++", "clang": "clang++"}[row["cc"]]
    return row["cc"]


def build(row):
    cc = compiler(row)
    names = {"clang": "clang-14", "clang++": "clang++-14"}
    if cc in names and not h.shutil.which(cc):
        cc = names[cc]
    flags = [row["opt"], row["frame"], f"-fcf-protection={row['cf']}", "-w", "-pthread"]
    flags += ["-fPIE", "-pie"] if row["pie"] == "pie" else ["-fno-pie", "-no-pie"]
    if row["strip"] == "yes":
        flags += ["-s", "-rdynamic"]
    # Fortran has no word for noinline
    flags += ["-fno-inline", "-fno-ipa-cp", "-fno-ipa-icf"] if cc == "gfortran" else ["-g0"]
    return h.compile(row["program"], [PROGRAMS[row["program"]]], cc, flags)


def name(row):
    parts = [row["program"], compiler(row), row["opt"].lstrip("-"), row["images"]]
    parts += ["fp"] if "no-omit" in row["frame"] else []
    parts += ["cf-" + row["cf"], row["pie"]] + (["stripped"] if row["strip"] == "yes" else [])
    parts += ["filter"] if row["filter"] != "none" else []
    return " ".join(parts)


def run_native(row):
    exe = build(row)
    log = h.fresh("log") / "log"
    r = h.run([exe], env=h.environment({"BOB_LOG": str(log)}))
    h.check(r.status == 0, f"the program fails without tracing\n{r}")
    return exe, r, log


def draw(events):
    """The tree that order_fg prints, from a dump."""
    reduced, _ = truth.reduce_thread(events)
    return "".join("  " * depth + function + "\n" for function, depth in reduced).encode()


def recorded(row):
    exe, native, _ = run_native(row)
    log = h.fresh("log") / "log"
    env = h.environment({"BOB_LOG": str(log)})
    options = [f"--images={row['images']}"]
    options += ["-F", row["filter"]] if row["filter"] != "none" else []
    r = h.record([exe], options, env=env)
    h.same(native, r)
    h.check_trace(r.trace)
    threads = h.dump(r.trace)
    note = truth.compare(truth.Log(log), threads, main_first=row["filter"] == "none")
    if row["program"] == "order":
        tree = r.out[: r.out.rindex(b"ok: ")]
        drawn = draw(threads[0][2])
        h.check(tree == drawn, f"call tree\nprogram:\n{h.show(tree)}\ntrace:\n{h.show(drawn)}")
    return note


def natively(row):
    truth.Log(run_native(row)[2])


def main():
    native = "--native" in sys.argv
    if not native:
        h.require_bobbin()
    suite = h.Suite("depth")
    seen = set()
    for row in h.all_pairs(FACTORS, allowed):
        if native:
            row = {**row, "images": "app", "filter": "none"}
        if name(row) not in seen:
            seen.add(name(row))
            suite.add(name(row), natively if native else recorded, row)
    return suite.run()


if __name__ == "__main__":
    sys.exit(main())
