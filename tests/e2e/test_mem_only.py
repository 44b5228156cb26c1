#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""record --mem-only: the trace has the accesses of all accesses that touch what was chosen, in
their order, and no other; what is left out is counted; names that are not there are said."""

import os
import re
import resource
import sys

import harness as h

suite = h.Suite("mem_only")
# addresses are the same in each run: the recorder is run so, and what it starts
FIXED = ["setarch", "-R"]


def program(opt="-O2", cc="gcc", flags=()):
    return h.compile("mem_only", ["mem_only.c"], cc, [opt, "-g", *flags], ["-lpthread", "-ldl"])


def record(argv, opts=(), trace=None):
    trace = trace or h.fresh("trace") / "t"
    r = h.run([*FIXED, h.BOBBIN, "record", "-q", "-o", trace, "--mem", *opts, "--",
               *map(str, argv)], timeout=240)
    r.trace = trace
    h.check(r.status == 0, f"{r}")
    h.check_trace(r.trace)
    return r


def accesses(trace):
    """By process.thread: lines of replay."""
    found = {}
    for i, process in enumerate(h.info(trace)["process_list"]):
        for thread in process["thread_list"]:
            name = f"{i}.{thread['number']}"
            r = h.bobbin("replay", "--mem", "-g", name, trace, timeout=240)
            h.check(r.status == 0 or b"no memory accesses" in r.err, f"{r}")
            found[name] = [x for x in r.out.decode().splitlines() if not x.startswith("#")]
    return found


def symbols(path):
    out = h.run(["nm", "-S", str(path)]).out.decode()
    found = {}
    for line in out.splitlines():
        w = line.split()
        if len(w) == 4 and w[2] in "bBdD":
            found[w[3]] = (int(w[0], 16), int(w[1], 16))
    return found


def chosen(lines, boxes):
    kept = []
    for line in lines:
        _, address, size, _ = line.split(" ", 3)
        lo, hi = int(address, 16), int(address, 16) + int(size)
        if any(lo < b and hi > a for a, b in boxes):
            kept.append(line)
    return kept


def bias(path):
    """Where the kernel puts a program when it may not choose."""
    header = h.run(["readelf", "-h", str(path)]).out.decode()
    return 0x555555554000 if "DYN (" in header else 0


def compare(all_of, some, boxes, least=1):
    """Thread by thread, and what is counted as left out."""
    a, b = accesses(all_of), accesses(some)
    count = 0
    exe = [p["exe"] for p in h.info(all_of)["process_list"]]
    for thread, lines in a.items():
        # what it executes has none of its variables
        is_program = exe[int(thread.split(".")[0])] == exe[0]
        want, have = chosen(lines, boxes if is_program else []), b.get(thread, [])
        h.check(want == have, f"thread {thread}: {len(want)} chosen, {len(have)} recorded, "
                f"first difference {next((x for x in zip(want, have) if x[0] != x[1]), None)}")
        count += len(have)
    h.check(set(b) <= set(a), "threads")
    h.check(count >= least, f"only {count} accesses")
    inside = sum(t["accesses"] for p in h.info(some)["process_list"] for t in p["thread_list"])
    outside = sum(t["accesses_outside"] for p in h.info(some)["process_list"]
                  for t in p["thread_list"])
    h.check(inside == count, f"{inside} and {count}")
    h.check(inside + outside == sum(map(len, a.values())),
            f"{inside} + {outside} are not all accesses")
    return f"{count} accesses"


SELECTIONS = [
    ("a", lambda s: [(s["a"][0], sum(s["a"]))]),
    ("c,order", lambda s: [(s["c"][0], sum(s["c"])), (s["order"][0], sum(s["order"]))]),
    ("b+3200..+2404", lambda s: [(s["b"][0] + 3200, s["b"][0] + 5604)]),
    ("mem_only.c:rec,handled", lambda s: [(s["rec"][0], sum(s["rec"])),
                                          (s["handled"][0], sum(s["handled"]))]),
    ("rec+204..+3,a+8..+8", lambda s: [(s["rec"][0] + 204, s["rec"][0] + 207),
                                       (s["a"][0] + 8, s["a"][0] + 16)]),
]


def equal(opt, cc, flags, how):
    prog = program(opt, cc, flags)
    whole = record([prog, how]).trace
    base, sym, counts = bias(prog), symbols(prog), []
    for what, boxes in SELECTIONS:
        got = record([prog, how], ["--mem-only", what]).trace
        counts.append(compare(whole, got, [(base + x, base + y) for x, y in boxes(sym)]))
    return ", ".join(counts)


for opt, cc, flags, how in (
    ("-O0", "gcc", (), "x"),
    ("-O2", "gcc", (), "xf"),
    ("-O3", "gcc", ("-mavx2", "-no-pie"), "x"),
    ("-O2", "clang", (), "xe"),
):
    suite.add(f"the same accesses as of everything: {cc} {opt} {' '.join(flags)} {how}", equal, opt,
              cc, flags, how)


@suite.case("threads: each has its own; those that are alive at the end have all")
def threads():
    prog = program("-O2")
    whole, got = record([prog, "t"]).trace, record([prog, "t"], ["--mem-only", "c"]).trace
    base, sym = bias(prog), symbols(prog)
    return compare(whole, got, [(base + sym["c"][0], base + sum(sym["c"]))], 5000)


@suite.case("killed: the trace has the accesses up to one of the last, and says that there were "
            "more")
def killed():
    prog = h.compile("mem_killed", ["mem_killed.c"], "gcc", ["-O1", "-g"])
    trace = h.fresh("trace") / "t"
    r = h.run([h.BOBBIN, "record", "-q", "-o", trace, "--mem-only", "a", "--", prog, "200"])
    h.check(r.status == -9, f"{r}")
    got = [(x[0], int(x.split()[1], 16)) for x in accesses(trace)["0.0"]]
    first = got[0][1]
    want = [(kind, first + 8 * i) for i in range(1000) for kind in "LS"] * 199
    total = 198 * 2000 + 2 * 501
    h.check(got == want[:len(got)] and total >= len(got) > total - 2 * 8192,
            f"{len(got)} of {total}")
    said = "the last accesses of 1 thread without an end"
    for verb in ("check", "info"):
        h.check(said in h.bobbin(verb, trace).out.decode(), verb)
    whole = h.fresh("trace") / "t"
    h.run([h.BOBBIN, "record", "-q", "-o", whole, "--mem-only", "a", "--", prog, "1"])
    h.check("without an end" not in h.bobbin("check", whole).out.decode(), "a whole one")
    return f"{len(got)} of {total} accesses"


@suite.case("a full disk while threads come and go: the program does what it did")
def full():
    prog = h.compile("mem_threads", ["mem_threads.c"], "gcc", ["-O1", "-g"], ["-lpthread"])
    want, stopped = h.run([prog]), 0
    for kib in (100, 240, 400, 600):
        limit = (kib << 10, kib << 10)
        r = h.record([prog], ["--mem-only", "a"],
                     preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                       limit))
        h.check((r.status, r.out) == (want.status, want.out), f"{kib} KiB: {r}")
        stopped += b"recording stopped" in h.bobbin("check", r.trace).out
    h.check(stopped, "no limit was met")
    return f"{stopped} of 4 stopped early"


@suite.case("threads that are there when another program is executed have no end")
def executed():
    prog = h.compile("mem_threads", ["mem_threads.c"], "gcc", ["-O1", "-g"], ["-lpthread"])
    r = h.record([prog, "exec"], ["--mem-only", "a"])
    h.check(r.out == b"another\n", f"{r}")
    out = h.bobbin("check", r.trace).out.decode()
    h.check("the last accesses of 3 threads without an end" in out, out)


@suite.case("raw records, and folded ones")
def raw():
    prog = program("-O2")
    a = record([prog, "x"], ["--mem-only", "a"]).trace
    b = record([prog, "x"], ["--mem-only", "a", "--codec=none"]).trace
    h.check(accesses(a) == accesses(b) and len(accesses(a)["0.0"]) > 1000, "they differ")


@suite.case("a library that is loaded later")
def library():
    prog = program("-O2")
    lib = h.compile("libonly.so", ["mem_only_lib.c"], "gcc", ["-O2", "-g", "-shared", "-fPIC"])
    opts = ["--images=app"]
    whole = record([prog, "x", lib], opts)
    got = record([prog, "x", lib], [*opts, "--mem-only", f"{lib}:of_library"])
    there = []
    for r in (whole, got):  # not at the same place: the recorder's memory is about
        lo = int(re.search(rb"library (0x[0-9a-f]+)", r.out).group(1), 16)
        lines = chosen(accesses(r.trace)["0.0"], [(lo, lo + 800)])
        there.append([re.sub("0x[0-9a-f]+", lambda m: hex(int(m.group(), 16) - lo), x, 1)
                      for x in lines])
    h.check(there[0] == there[1] and len(there[0]) >= 80, f"{len(there[0])} and {len(there[1])}")
    h.check(len(accesses(got.trace)["0.0"]) == len(there[1]), "others")
    return f"{len(there[1])} accesses"


@suite.case("what is shown has the calls, the lines and the variables of everything's")
def shown():
    prog = program("-O1")
    r = record([prog, "x"], ["--mem-only", "rec"])
    text = h.bobbin("show", r.trace).out.decode()
    h.check("recurse" in text and "rec" in text and "mem_only.c:" in text, text[:600])
    h.check("product" not in text, "functions without chosen accesses")
    paths = h.bobbin("show", "--signatures", r.trace).out.decode()
    h.check(paths.count("recurse") >= 1, paths[:600])
    info = h.bobbin("info", r.trace).out.decode()
    h.check("--mem-only=rec" in info and "accesses of other addresses" in info, info)


@suite.case("the decoder that was written from the format alone reads the same")
def decoder():
    prog = program("-O1")
    for opts in ((), ("--codec=none",)):
        trace = record([prog, "t"], ["--mem-only", "rec,c", *opts]).trace
        r = h.run([sys.executable, str(h.ROOT / "tools" / "spec_decoder.py"), str(trace)],
                  timeout=240)
        want = h.bobbin("dump", trace).out
        h.check(r.status == 0 and r.out == want and want.count(b"\n") > 5000,
                f"{len(want)} bytes, {len(r.out)}")


@suite.case("names of Fortran: a module's, COMMON's, a procedure's, as `bobbin instrument` writes "
            "them, too")
def fortran():
    h.need("gfortran")
    folder = h.fresh("fortran")
    prog = folder / "names"
    h.check(h.run(["gfortran", "-g", "-O1", h.PROG / "mem_only.f90", "-J", folder, "-o",
                   prog]).status == 0, "gfortran")
    whole, base, sym, counts = record([prog]).trace, bias(prog), symbols(prog), []
    last = next(v for k, v in sym.items() if k.startswith("last."))
    for names, (at, size) in ((("grid%x", "grid::x", "x"), sym["__grid_MOD_x"]),
                              (("/blk/y", "y", "/blk/"), sym["blk_"]),
                              (("work:last", "work::last", "last", "work:last..+160"), last),
                              (("grid%n", "mem_only.f90:n"), sym["__grid_MOD_n"])):
        for name in names:
            counts.append(compare(whole, record([prog], ["--mem-only", name]).trace,
                                  [(base + at, base + at + size)], 20))
    r = h.record([prog], ["--mem-only", "grid%z"], trace=h.fresh("wrong") / "t")
    h.check(r.status == 125 and b"grid%z: no such variable" in r.err
            and b"did you mean grid::" in r.err, f"{r}")
    return ", ".join(counts)


@suite.case("impossible items are reported, and nothing is left over")
def wrong():
    prog = program("-O2")
    for what, words in (
        ("handlet", "did you mean handled?"),
        ("nothing_like_it", "no such variable"),
        ("own", "thread-local"),
        ("a+12800..+1", "12800 bytes"),
        ("a..+12801", "12800 bytes"),
        ("other.c:a", "no such variable"),
        ("a,,b", "before and after each comma"),
        ("0x20..0x10", "empty or invalid range"),
        ("0x20", "want addresses"),
        ("0xffffffffffffffffff..+8", "want addresses"),
        ("0xfffffffffffffff0..+80", "empty or invalid range"),
        ("a..5", "want +BYTES"),
    ):
        trace = h.fresh("wrong") / "t"
        r = h.record([prog], ["--mem-only", what], trace=trace)
        h.check(r.status == 125 and words in r.err.decode(), f"{what}: {r}")
        h.check(len(r.err.decode().splitlines()) == 1 and not os.path.exists(trace), f"{what}: {r}")
    r = h.record([prog], ["--mem-only", "a", "--engine=valgrind"], trace=h.fresh("wrong") / "t")
    h.check(r.status == 125 and b"--engine=native" in r.err, f"{r}")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
