#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Options of compilers and linkers that change what code, entries or segments look like: the
program does the same recorded, its functions are recorded, and what instrumentation counts comes
out the same. BOBBIN_TEST_LONG=1: all builds."""

import re
import sys

import harness as h

suite = h.Suite("builds")
MODES = {x: [f"--images={x}"] for x in ("main", "app", "all")}
MODES["mem"] = ["--mem", "--engine=native"]
# Functions that are hooked in any of these builds.
WANTED = {"leaf", "mid", "fib", "fails", "jumps"}

# name: options; those in capitals are for make check, too
GCC = {
    "PG": "-O1 -pg",
    "PG MFENTRY": "-O2 -pg -mfentry",
    "CF": "-O2 -fcf-protection=full",
    "PATCHABLE": "-O2 -fpatchable-function-entry=16,4",
    "LTO": "-O2 -flto",
    "INSTRUMENTED": "-O1 -finstrument-functions",
    "STACK PROTECTOR": "-O2 -fstack-protector-all -fstack-clash-protection",
    "NO SEPARATE CODE": "-O2 -Wl,-z,noseparate-code -Wl,--hash-style=sysv",
    "FIXED": "-O2 -no-pie -Wl,-Ttext-segment=0x10000000",
    "NO PLT": "-O2 -fno-plt -Wl,-z,now -Wl,--build-id=none",
    "LARGE": "-O2 -mcmodel=large",
    "fixed high": "-O2 -no-pie -Wl,-Ttext-segment=0x70000000",
    "patchable after": "-O2 -fpatchable-function-entry=5",
    "clash": "-O2 -fstack-clash-protection",
    "now": "-O2 -Wl,-z,now",
    "lazy": "-O2 -Wl,-z,lazy",
    "separate code": "-O2 -Wl,-z,separate-code",
    "hash gnu": "-O1 -Wl,--hash-style=gnu",
    "lld": "-O2 -fuse-ld=lld",
    "gold": "-O2 -fuse-ld=gold",
    "mold": "-O2 -B/usr/libexec/mold",
    "gold icf": "-O2 -fuse-ld=gold -Wl,--icf=all -ffunction-sections",
    "sections": "-O2 -ffunction-sections -Wl,--gc-sections",
    "relr": "-O2 -Wl,-z,pack-relative-relocs",
    "medium": "-O2 -mcmodel=medium",
    "relocs": "-O2 -Wl,--emit-relocs",
    "execstack": "-O2 -Wl,-z,execstack",
    "Os": "-Os",
    "o3": "-O3 -march=x86-64-v3",
    "Og": "-Og -g3 -gz",
    "retpoline": "-O2 -mindirect-branch=thunk -mfunction-return=thunk",
    "unaligned": "-O2 -falign-functions=1",
    "split stack": "-O1 -fsplit-stack",
}
CLANG = {
    "O0": "-O0",
    "O2": "-O2",
    "XRAY": "-O2 -fxray-instrument -fxray-instruction-threshold=1",
    "lto": "-O2 -flto -fuse-ld=lld",
    "cf": "-O2 -fcf-protection=full",
    "cfi": "-O2 -flto -fvisibility=hidden -fsanitize=cfi -fuse-ld=lld",
    "safe stack": "-O2 -fsanitize=safe-stack",
    "patchable": "-O2 -fpatchable-function-entry=8,2",
    "pg": "-O1 -pg",
    "instrumented": "-O1 -finstrument-functions",
    "no rosegment": "-O2 -fuse-ld=lld -Wl,--no-rosegment",
    "icf": "-O2 -fuse-ld=lld -Wl,--icf=all -ffunction-sections",
    "retpoline": "-O2 -mretpoline",
    "split stack": "-O2 -fsplit-stack -fuse-ld=gold",
    "basic block sections":
        "-O2 -fbasic-block-sections=all -funique-basic-block-section-names",
}
NEEDS = {"lld": "ld.lld", "gold": "gold", "mold": "mold"}


def program(compiler, flags):
    for word, linker in NEEDS.items():
        if word in flags:
            h.need(linker)
    return h.compile("builds", ["builds.cc"], compiler, ["-w", "-pthread", *flags.split()])


def functions(trace):
    return {e.function for _, _, events in h.dump(trace) for e in events}


def does_the_same(compiler, flags, opts):
    exe = program(compiler, flags)
    directory = h.fresh("cwd")  # gmon.out and the like
    native, r = h.run([exe], cwd=directory), h.record([exe], opts, cwd=directory)
    h.same(native, r)
    h.check_trace(r.trace)
    if "--mem" in opts:
        count = h.info(r.trace)["accesses"]
        h.check(count > 10000, f"only {count} accesses")
    else:
        missing = WANTED - functions(r.trace)
        h.check(not missing, f"not recorded: {missing}")


for compiler, builds in ("g++", GCC), ("clang++", CLANG):
    for name, flags in builds.items():
        for mode, opts in MODES.items():
            if h.LONG or name.isupper() and mode in ("main", "mem"):
                suite.add(f"{compiler} {name.lower()} {mode}", does_the_same, compiler, flags, opts)


def refused(flags):
    exe = program("g++", flags)
    h.check(h.run([exe]).status == 3, "the program fails natively")
    for opts in MODES.values():
        r = h.record([exe], opts)
        h.check((r.status, r.out, r.err.count(b"\n")) == (125, b"", 1), f"not refused\n{r}")


suite.add("static is refused", refused, "-O2 -static")
suite.add("static-pie is refused", refused, "-O2 -static-pie")


# --- what instrumentation counts ---


def counted(compiler, flags, print_counts, mode):
    """The counters of a run, as its tool prints them; with threads beside each other some lose
    counts."""
    exe = program(compiler, f"{flags} -DONE_BY_ONE")
    directory = h.fresh("counts")
    env = h.environment({"LLVM_PROFILE_FILE": str(directory / "p.profraw"),
                         "GCOV_PREFIX": str(directory)})
    native = h.run([exe], cwd=directory, env=env)
    want = print_counts(exe, directory)
    for f in directory.rglob("*.*"):
        f.unlink()
    r = h.record([exe], MODES[mode], cwd=directory, env=env)
    h.same(native, r)
    got = print_counts(exe, directory)
    h.check(want == got, f"counts are\n{h.show(got)}\n--- natively\n{h.show(want)}")
    h.check(want.count(b"\n") > 7, f"nothing was counted\n{h.show(want)}")


def output(*argv):
    r = h.run(argv)
    h.check(r.status == 0, f"{r}")
    return r.out


def gprof(exe, directory):
    """Callers, callees and calls, without times."""
    h.need("gprof")
    text = output("gprof", "-b", "-q", exe, directory / "gmon.out").decode()
    found = re.findall(r"^\s+[\d.]+\s+[\d.]+\s+(\d+(?:[/+]\d+)?)\s+(\S.*?) \[\d+\]", text, re.M)
    return "\n".join(sorted(f"{n} {name}" for n, name in found)).encode() + b"\n"


def gcov(_exe, directory):
    h.need("gcov-dump")
    files = sorted(directory.rglob("*.gcda"))
    h.check(files, "no .gcda file was written")
    return re.sub(rb"stamp \d+|checksum 0x\w+", b"", output("gcov-dump", "-l", files[0]))


def llvm(_exe, directory):
    h.need("llvm-profdata-14")
    counts = directory / "p.profraw"
    return output("llvm-profdata-14", "show", "--all-functions", "--counts", counts)


for mode in MODES if h.LONG else ("all", "mem"):
    suite.add(f"gprof {mode}", counted, "g++", "-O1 -pg", gprof, mode)
    suite.add(f"gcov {mode}", counted, "g++", "-O0 --coverage", gcov, mode)
    suite.add(f"llvm profile {mode}", counted, "clang++",
              "-O1 -fprofile-instr-generate -fcoverage-mapping", llvm, mode)


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
