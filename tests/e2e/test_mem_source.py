#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Source lines and variables of memory traces: lines against addr2line, for every access; static
variables against the symbol table and the addresses; the arrays of kernels that are known; all this
without the program, after merging, folding and kill -9; caches by line and variable."""

import collections
import pathlib
import re
import subprocess
import sys

import harness as h

suite = h.Suite("mem_source")
N = 20


def program(level, source="mem_source.c", *flags):
    tool = "gfortran" if source.endswith("f90") else "gcc"
    h.need(tool, "addr2line", "nm")
    return h.compile(f"mem_source{level}", [source], tool, ["-g", level, *flags])


def record(command, *options, status=0, env=None):
    r = h.record([*command], ["--mem", *options], env=h.environment(env) if env else None,
                 timeout=240)
    h.check(r.status == status, f"{r}")
    return r.trace


def text(*args):
    r = h.bobbin(*args, timeout=240)
    h.check(r.status == 0, f"{r}")
    return r.out.decode()


def table(trace, by):
    """Rows of a report: (accesses, loads, stores, footprint, stride, image, the last column)."""
    out = text("report", f"--by={by}", "--limit=0", trace)
    pattern = (r"^ *([\d,]+) +[\d.]+% +([\d,]+) +([\d,]+) +\S+ \S+ +(\S+(?: \S?B)?) +(\S+(?: "
               r"[\d.]+%)?) +\S+  (\S+) +(.*)$")
    rows = []
    for line in out.splitlines():
        m = re.match(pattern, line)
        if m:
            n = [int(m[i].replace(",", "")) for i in (1, 2, 3)]
            rows.append((*n, m[4], m[5], m[6], m[7]))
    h.check(rows, f"no rows by {by}:\n{out}")
    return rows


def accesses(trace):
    """(address, size, image, pc) of all accesses of the first thread."""
    for line in text("replay", "--mem", trace).splitlines():
        m = re.match(r"[LSA] 0x([0-9a-f]+) (\d+) (\S+)\+0x([0-9a-f]+)$", line)
        if m:
            yield int(m[1], 16), int(m[2]), m[3], int(m[4], 16)


def lines_by_addr2line(path, pcs):
    r = subprocess.run(["addr2line", "-e", path], input="\n".join(hex(p) for p in pcs),
                       capture_output=True, text=True, check=True)
    found = {}
    for pc, line in zip(pcs, r.stdout.splitlines()):
        m = re.match(r"(.*):(\d+)", line)
        if m and m[1] != "??" and int(m[2]):
            found[pc] = f"{pathlib.Path(m[1]).name}:{m[2]}"
    return found


def check_lines(path, trace):
    image = pathlib.Path(path).name
    seen = collections.Counter(pc for _, _, where, pc in accesses(trace) if where == image)
    known = lines_by_addr2line(path, sorted(seen))
    want = collections.Counter()
    for pc, n in seen.items():
        if pc in known:
            want[known[pc]] += n
    got = collections.Counter()
    for n, _, _, _, _, _, place in table(trace, "line"):
        m = re.match(r"(\S+:\d+)", place)
        if m:
            got[m[1]] += n
    h.check(got == want,
            f"{image}: lines {dict(got - want)} too often, {dict(want - got)} too rarely")
    h.check(len(want) > 8, f"{image}: only {len(want)} lines")
    return len(want)


@suite.case("lines are those of addr2line, for every access")
def lines():
    counts = []
    for source in ("mem_source.c", "mem_source.f90"):
        for level in ("-O0", "-O2"):
            path = program(level, source)
            counts.append(check_lines(path, record([path], "--engine=native")))
    path = program("-O2")
    h.need("valgrind")
    counts.append(check_lines(path, record([path], "--engine=valgrind")))
    return f"{counts} lines"


def by_variable(trace):
    found = collections.Counter()
    for n, loads, stores, _, _, _, name in table(trace, "variable"):
        found[name, "load"] += loads
        found[name, "store"] += stores
    return found


@suite.case("arrays of kernels in C, heap and frame, have their names")
def arrays():
    for level in ("-O0", "-O1", "-O2", "-O3"):
        trace = record([program(level)])
        v = by_variable(trace)
        want = {("c[]  in product", "store"): N * N, ("v->data[]  in total", "load"): N * N}
        if level != "-O3":  # there it is vectorised: fewer, wider accesses
            want["a[]  in product", "load"] = want["b[]  in product", "load"] = N**3
            want["x[]  in gather", "load"] = N * N
        if level in ("-O0", "-O1"):
            want["row[]  in frame", "load"] = want["row[]  in frame", "store"] = 16
            want["where", "load"] = N * N
        for key, n in want.items():
            h.check(v[key] == n, f"{level}: {key} {v[key]} times, not {n}:\n{dict(v)}")
    trace = record([program("-O1")])
    rows = {name: (footprint, stride)
            for _, _, _, footprint, stride, _, name in table(trace, "variable")}
    h.check(rows["b[]  in product"] == ("3.20 kB", "+160"), f"{rows['b[]  in product']}")
    h.check(rows["a[]  in product"] == ("3.20 kB", "+8"), f"{rows['a[]  in product']}")
    out = text("report", trace)
    h.check(re.search(r"gather  mem_source.c:\d+ +load of x\[\]: [\d.]+% of its addresses follow "
                      r"no rule", out), f"why it did not fold is not said:\n{out}")


def replayed(trace):
    """Addresses of all accesses, of all threads."""
    for line in text("replay", "--mem", trace).splitlines():
        m = re.match(r"[\d.]+ [LSA] 0x([0-9a-f]+) ", line)
        if m:
            yield int(m[1], 16)


@suite.case("thread-local variables are where the program says they are")
def thread_locals():
    notes, unknown = [], []
    for engine in ("native", "valgrind"):
        for flags in (["-O0"], ["-O1"], ["-O2"], ["-O1", "-fno-pie", "-no-pie"],
                      ["-O2", "-fPIC", "-ftls-model=global-dynamic"]):
            if engine == "valgrind" and flags != ["-O1"]:
                continue
            path = h.compile("mem_thread_local", ["mem_thread_local.c"], "gcc",
                             ["-g", "-w", *flags], ["-lpthread"])
            r = h.record([path], ["--mem", f"--engine={engine}"])
            truth = collections.Counter()
            places = [line.split() for line in r.out.decode().splitlines()]
            h.check(len(places) == 12, f"{r}")
            for address in replayed(r.trace):
                for _, name, at, size in places:
                    truth[name] += int(at, 16) <= address < int(at, 16) + int(size)
            got = collections.Counter({name: n for n, _, _, _, _, _, name in table(r.trace,
                                                                                   "variable")})
            # after[i - N]: where the address without the index is that of another variable, nothing
            # certain is known
            unknown.append(got["(thread-local)"])
            truth["after"] -= unknown[-1]
            for name, want in truth.items():
                h.check(got[name] == want,
                        f"{engine} {flags}: {name} {got[name]} times, not {want}: {dict(got)}")
            h.check(truth["after"] + unknown[-1] == 2
                    and truth["first"] == truth["step::own"] == 80, f"{truth}")
            notes.append(sum(truth.values()))
    h.check(set(unknown) == {0, 2}, f"{unknown}")
    shown = text("show", "--no-pager", "--min=0", r.trace)
    h.check(re.search(r"  step +from .*\n(.*\n)*? +load +8 .*   row  mem_thread_local\.c:\d+\n",
                      shown), f"show:\n{shown}")
    cached = text("cache", "--no-pager", "--by=variable", "--limit=0", r.trace)
    h.check(re.search(r"mem_thread_local +first$", cached, re.M), f"cache:\n{cached}")
    return f"{notes} accesses"


@suite.case("variables of frames, by GCC and clang")
def frames():
    h.need("clang")
    for tool in ("gcc", "clang"):
        for flags in (["-O0"], ["-O1"], ["-O2"], ["-O2", "-fno-omit-frame-pointer"], ["-O3"]):
            path = h.compile("mem_frames", ["mem_frames.c"], tool, ["-g", "-w", *flags])
            v = by_variable(record([path]))
            h.check(v["k  in take", "load"] == v["k  in take", "store"] == 2,
                    f"{tool} {flags}: {dict(v)}")
            h.check(v["v.x  in frame", "store"] == 1, f"{tool} {flags}: {dict(v)}")
            # vectorised: fewer, wider stores
            n = v["other[]  in frame", "load"] + v["other[]  in frame", "store"]
            h.check(n == 9 if flags == ["-O0"] else n > 0, f"{tool} {flags}: {dict(v)}")


@suite.case("Fortran: dummies, descriptors, module variables and COMMON")
def fortran():
    for level in ("-O0", "-O2"):
        v = by_variable(record([program(level, "mem_source.f90")]))
        want = {("a(:)  in kernel_", "load"): N * N, ("b(:)  in kernel_", "load"): N * N,
                ("b(:)  in kernel_", "store"): N * N, ("store::w(:)  in kernel_", "load"): N * N,
                ("/block/y", "store"): 30}
        for key, n in want.items():
            h.check(v[key] == n, f"{level}: {key} {v[key]} times, not {n}:\n{dict(v)}")
        h.check(v["store::fixed", "load"] >= 25, f"{level}: {dict(v)}")


@suite.case("static variables are where the symbol table has them")
def statics():
    for level in ("-O0", "-O2"):
        path = program(level, "mem_source.c", "-no-pie")
        trace = record([path])
        symbols = {}
        for line in subprocess.run(["nm", "-S", path], capture_output=True, text=True,
                                   check=True).stdout.splitlines():
            m = re.match(r"(\S+) (\S+) [bBdDrR] (global|hidden|where)$", line)
            if m:
                symbols[m[3]] = (int(m[1], 16), int(m[2], 16))
        h.check(len(symbols) == 3, f"{symbols}")
        want = collections.Counter()
        for address, _, _, _ in accesses(trace):
            for name, (begin, size) in symbols.items():
                want[name] += begin <= address < begin + size
        got = collections.Counter()
        for n, _, _, _, _, _, name in table(trace, "variable"):
            if name in symbols:
                got[name] += n
        h.check(got == want, f"{level}: {dict(got)}, not {dict(want)}")


@suite.case("every access is in one row, whatever the rows are")
def sums():
    for level in ("-O0", "-O3"):
        trace = record([program(level)])
        total = h.info(trace)["accesses"]
        for by in ("function", "instruction", "line", "variable"):
            n = sum(row[0] for row in table(trace, by))
            h.check(n == total, f"{level} by {by}: {n} of {total}")


@suite.case("readers need no program; what is folded later or killed has lines, too")
def kept():
    path = program("-O1")
    copy = h.fresh("program") / "walk"
    copy.write_bytes(pathlib.Path(path).read_bytes())
    copy.chmod(0o755)
    trace = record([copy])
    raw = record([copy], "--codec=none")
    killed = record([copy, "x"], status=-9)
    before = table(trace, "variable")
    for other in (raw, killed):
        v = by_variable(other)
        h.check(v["a[]  in product", "load"] == N**3, f"{dict(v)}")
    copy.unlink()
    h.check(table(trace, "variable") == before, "without the program it is another table")
    for verb, other in (("merge", trace), ("fold", raw), ("fold", killed)):
        h.check(h.bobbin(verb, "-q", other).status == 0, verb)
        v = by_variable(other)
        h.check(v["a[]  in product", "load"] == N**3 and v["c[]  in product", "store"] == N * N,
                f"{dict(v)}")
    shown = text("show", "--no-pager", trace)
    h.check(re.search(r"product +from .*\n(.*\n)* +load +8 .*a\[\]  mem_source\.c:\d+", shown),
            f"show:\n{shown}")


@suite.case("without debug information there are no lines, and symbols are the only variables")
def bare():
    path = h.compile("mem_source_bare", ["mem_source.c"], "gcc", ["-g0", "-O1"])
    trace = record([path])
    names = {row[6] for row in table(trace, "variable")}
    h.check("global" in names and not any("[]" in n for n in names), f"{names}")
    h.check(not any(".c:" in row[6] for row in table(trace, "line")), "there are lines")


def names_of(trace, source):
    """Where the names of the image that is made of this file are kept."""
    (key,) = [p.name[1:-4] for p in trace.glob("i*.bob") if source in h.image_bytes(p)]
    return pathlib.Path(h.environment()["XDG_CACHE_HOME"]) / "bobbin" / f"{key}.names"


@suite.case("names that are kept: another input's instructions are added to them, and what is "
            "known is copied")
def keeping():
    folder = pathlib.Path(__file__).resolve().parents[2] / "bench/mem/programs"
    exe = h.compile("mem_source_dense", [str(folder / "dense.c"), str(folder / "comm.c")], "gcc",
                    ["-g", "-O1", "-w", "-fopenmp"], ["-lm"])
    env = {"OMP_NUM_THREADS": "1"}
    path = names_of(record([exe, "lu", "20"], env=env), b"dense.c")
    path.unlink()
    found, times = [], []
    for kernel in ("lu", "cholesky", "lu", "cholesky"):
        found.append({row[6] for row in table(record([exe, kernel, "20"], env=env), "line")})
        times.append(path.stat().st_mtime_ns)
        h.check(any(re.fullmatch(rf"dense.c:\d+ +{kernel}", name) for name in found[-1]),
                f"{kernel}: {found[-1]}")
    h.check(found[0] != found[1] and found[0] == found[2] and found[1] == found[3], f"{found}")
    h.check(times[0] != times[1] == times[2] == times[3],
            f"made anew when they should not, or not when they should: {times}")
    path.write_bytes(path.read_bytes()[:-70])  # damaged: as if there were none
    again = {row[6] for row in table(record([exe, "lu", "20"], env=env), "line")}
    h.check(again == found[0] and path.stat().st_mtime_ns != times[3], f"{again}")


def cache_rows(trace, by, *options):
    out = text("cache", f"--by={by}", "--limit=0", "--preset=tiny", *options, trace)
    return out, [
        (int(m[1].replace(",", "")), int(m[2].replace(",", "")), m[3])
        for m in re.finditer(r"^ *([\d,]+) +[\d.]+% +([\d,]+) .*  mem_source-O1 +(\S.*)$", out,
                             re.M)
    ]


@suite.case("caches: misses by line and by variable are all misses, also where loops are not "
            "simulated")
def caches():
    trace = record([program("-O1")])
    out, functions = cache_rows(trace, "function")
    misses = sum(row[1] for row in functions)
    h.check(misses > 100, f"{out}")
    for by in ("line", "variable"):
        out, rows = cache_rows(trace, by)
        h.check(sum(row[1] for row in rows) == misses, f"by {by}: not {misses} misses\n{out}")
        h.check(out == cache_rows(trace, by, "--one-by-one")[0], f"by {by}: one by one it differs")
    h.check(any(name == "b[]  in product" and n == N**3 for n, _, name in rows), f"{out}")


if __name__ == "__main__":
    sys.exit(suite.run())
