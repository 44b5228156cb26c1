#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functions hooked by name. Programs say which of their functions begin and end
(tests/prog/hooked); the trace must have the same events, and the program must not notice: jumps,
exceptions, signals, threads that are cancelled, coroutines, backtraces."""
import os
import pathlib
import re
import sys

import harness as h
import test_gcc_torture as torture

suite = h.Suite("functions")
RECORDED = {"events": [], "calls as well": ["--calls"], "all images": ["--calls", "--images=all"]}


def program(name, *flags, cc="gcc", libs=("-lm",)):
    stamp = max(p.stat().st_mtime_ns for p in (h.PROG / "hooked").iterdir())
    stamp = [] if name.endswith("f90") else [f"-DSTAMP={stamp}"]
    return h.compile(name.replace(".", "_"), [f"hooked/{name}"], cc,
                     ["-g", "-pthread", *flags, *stamp], list(libs))


def expected(path):
    """Lines of one thread. What begins and ends with nothing in it is one line."""
    lines = [line.split() for line in path.read_text().splitlines()]
    out, nest = [], []
    for i, (what, name) in enumerate(lines):
        if what == "B":
            whole = i + 1 == len(lines) or lines[i + 1][0] == "E"
            nest.append((name, whole))
            out.append(f"{name}()" if whole else f"begin {name}()")
            continue
        last, whole = nest.pop()
        h.check(last == name, f"{path}: {name} ends in {last}")
        if not whole:
            out.append(f"end {name}()")
    while nest:  # a thread ends in them
        name, whole = nest.pop()
        if not whole:
            out.append(f"end {name}()")
    return out


def threads(trace):
    r = h.bobbin("show", "-x", "--mpi", "--lines=0", trace)
    h.check(r.status == 0, f"show fails\n{r}")
    out = []
    for line in r.out.decode().splitlines():
        if line.startswith("thread "):
            out.append([])
        elif re.match(r" *[\d,]+  ", line):
            out[-1].append(re.sub(r"^[\d.]+  [\d.]+  |   [^ ].*$", "", line.split(None, 1)[1]))
    return [t for t in out if t]


def both(argv_of, options, **kw):
    """Natively and recorded, which must be the same. The folder of what was said, the trace."""
    native = h.run(argv_of(h.fresh("said")), **kw)
    folder = h.fresh("said")
    r = h.record(argv_of(folder), options, **kw)
    h.same(native, r)
    h.check_trace(r.trace)
    return folder, r


def ways(cases, options=(), flags=("-O1",), compare=True):
    exe = program("ways.c", "-rdynamic", *flags)
    folder, r = both(lambda said: [exe, said, *cases], ["--hook-functions=h_*", *options])
    if not compare:
        return f"{r.out.count(10)} lines"
    want = sorted(w for w in (expected(p) for p in folder.iterdir()) if w)
    have = sorted(threads(r.trace))
    h.check(len(want) == len(have), f"{len(have)} threads, not {len(want)}")
    for a, b in zip(want, have):
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        h.check(a == b, f"event {at} of {len(a)} and {len(b)}: {b[at:at + 3]}, not {a[at:at + 3]}")
    return f"{sum(map(len, want))} events"


for how, recorded in RECORDED.items():
    suite.add(f"arguments, results, state; {how}", ways, ["state"], recorded)
    suite.add(f"recursion and longjmp; {how}", ways, ["jumps"], recorded)
    suite.add(f"signals; {how}", ways, ["signals"], recorded)
    suite.add(f"threads that exit and are cancelled; {how}", ways, ["threads"], recorded)
    suite.add(f"fork and vfork; {how}", ways, ["processes"], recorded)
    suite.add(f"backtraces; {how}", ways, ["backtraces"], recorded)
    suite.add(f"coroutines; {how}", ways, ["coroutines"], recorded, ("-O1",), False)
    suite.add(f"tail calls; {how}", ways, ["tails"], recorded, ("-O2",))
suite.add("vectors of 32 bytes", ways, ["state"], (), ("-O2", "-mavx"))


@suite.case("vectors of 64 bytes, mask registers")
def widest():
    if "avx512f" not in pathlib.Path("/proc/cpuinfo").read_text():
        raise h.Skip("this processor has no AVX-512")
    for recorded in RECORDED.values():
        ways(["state"], recorded, ("-O2", "-mavx512f"))


suite.add("everything, -O0", ways, ["state", "jumps", "signals", "threads", "backtraces"], (),
          ("-O0",))
suite.add("everything, -O2", ways,
          ["state", "jumps", "signals", "threads", "processes", "backtraces", "tails"], (),
          ("-O2",))


@suite.case("Fortran: hooked functions that were left by a jump have ended before the following "
            "events")
def fortran_left():
    module = pathlib.Path(os.environ.get("BOBBIN_BUILD",
                                         h.ROOT / "build" / "release")) / "share/bobbin/bobbin.f90"
    exe = h.compile("left", [str(module), "events/left.f90", "events/left_out.c"], "gfortran",
                    ["-g", "-O0", "-Wall", "-Wextra", "-Werror"])
    _, r = both(lambda said: [exe], ["--events", "--hook-functions=t_out"])
    work, have = "t_out()", threads(r.trace)[0]
    want, sums = [], 0
    for n in range(1, 6):
        within = sums + 5 * n
        sums += 7 * n
        want += [work, "begin bare()", work, "end bare()", work, "bare()", work,
                 f"begin step(n={n})", work, f"end step() -> total={within}", work,
                 f"step(n={n}, total=0)", work, "count(value=1)"]
    h.check(have == want, "\n".join(f"{a}\nnot {b}" for a, b in zip(have, want) if a != b))
    return f"{len(have)} events"


@suite.case("threads that are cancelled at any moment")
def cancelled():
    exe = program("cancel.c", "-O1")
    total = 0
    for options in (["--events", "--flush-every=50"], ["--flush-every=50"], [], ["--calls"]):
        _, r = both(lambda said: [exe, 120], ["--hook-functions=h_*", *options])
        total += h.info(r.trace)["mpi_calls"]
    h.check(total > 10000, f"only {total} events")
    return f"{total} events"


@suite.case("C++: exceptions")
def exceptions():
    total = 0
    for cc, flags in (("g++", ["-O2"]), ("clang++", ["-O1"]), ("g++", ["-O0", "-static-libgcc"])):
        exe = program("throws.cc", *flags, cc=cc)
        for options in RECORDED.values():
            for more in ((), ("terminate",)):
                _, r = both(lambda said: [exe, *more], ["--hook-functions=h_*:*::h_*", *options])
            lines = threads(r.trace)[0]
            begun = sum(1 for line in lines if not line.startswith("end ") and "h_catches" in line)
            h.check(begun == 40, f"h_catches: {begun} times, not 40")
            h.check(any("h_space::h_throws" in line for line in lines),
                    "the name of a function of C++ is not that of the source")
            total += len(lines)
    return f"{total} events"


@suite.case("Fortran")
def fortran():
    for flags in (["-O0"], ["-O2", "-fno-inline"]):
        exe = program("arrays.f90", *flags, cc="gfortran", libs=())
        for options in RECORDED.values():
            _, r = both(lambda said: [exe], ["--hook-functions=*h_*", *options])
            begun = sum(1 for line in threads(r.trace)[0] if "h_fib" in line
                        and not line.startswith("end "))
            h.check(begun >= 465 or "-O2" in flags, f"h_fib: {begun} times, not 465")


@suite.case("only what is chosen is patched")
def chosen():
    exe = program("ways.c", "-rdynamic", "-O1")
    _, r = both(lambda said: [exe, said, "state"], ["--hook-functions=h_wide:h_e*"])
    names = {re.sub(r"^(begin|end) |\(.*", "", line) for t in threads(r.trace) for line in t}
    h.check(names == {"h_wide", "h_errno"}, f"events of {names}")
    r = h.record([exe, h.fresh("said"), "state"], ["--hook-functions=h_wide:setjmp:_init"])
    notes = h.bobbin("info", r.trace).out.decode()
    h.check("function _init is not hooked: no frame information for its entry" in notes,
            f"what is not hooked is not said\n{notes}")


PROTOTYPES = [
    "int t_small(signed char a, unsigned char b, short c, unsigned short d, int e, unsigned f, "
    "long g, uint64_t h, _Bool i, enum colour j)",
    "double t_reals(float a, double b, float c, double d, double e, double f, double g, double h, "
    "double i, float j, long double k, double l, int m)",
    "string t_texts(string s, const void *p, int64_t *q, int n)", "float t_float(float x);",
    "void t_nothing(void)", "bool t_leaves(int n)",
    "int t_sum(int count, ...)"]


def typed_events(trace):
    """Whole events of the one thread, in order."""
    return threads(trace)[0]


@suite.case("parameters and results, from prototypes")
def typed():
    total = 0
    for flags, more in ((["-O2"], []), (["-O0"], []), (["-O1"], ["--calls"])):
        exe = program("typed.c", *flags)
        _, r = both(lambda said: [exe], [f"--hook-functions={p}" for p in PROTOTYPES] + more)
        want = r.out.decode().splitlines()
        have = typed_events(r.trace)
        h.check(have == want, "\n".join(f"{a}\n  not {b}" for a, b in zip(have, want) if a != b)
                or f"{len(have)} events, not {len(want)}")
        total += len(have)
    return f"{total} calls"


@suite.case("conditions on what functions are called with")
def typed_conditions():
    exe = program("typed.c", "-O2")
    _, r = both(lambda said: [exe],
                ["--hook-functions=" + PROTOTYPES[0], "--hook-functions=int t_leaves(int n)",
                 "--hook-functions=t_f*", "--when=t_small: e > 0 && j == 0",
                 "--when=t_leaves: n == 2"])
    want = [line for line in r.out.decode().splitlines()
            if ("t_small" in line and re.search(r" e=[12],", line)) or "t_leaves(n=2" in line]
    h.check(typed_events(r.trace) == want[:-1] + ["t_float()"] + want[-1:],
            f"{typed_events(r.trace)}, not {want}")
    _, r = both(lambda said: [exe],
                ["--hook-functions=" + PROTOTYPES[0] + " when { e > 0 && j == 0 }",
                 "--hook-functions=int t_leaves(int n) when {n==2}", "--hook-functions=t_f*"])
    h.check(typed_events(r.trace) == want[:-1] + ["t_float()"] + want[-1:],
            f"{typed_events(r.trace)}, not {want}")


@suite.case("invalid prototypes")
def no_prototypes():
    for bad, why in (("int f(int", "column 10: expected ',' or ')' after a parameter, found ';'"),
                     ("f(foo_t x)", "column 9: expected ')' after a declarator, found 'x'"),
                     ("int f(foo_t x)", "how x is passed is not known"),
                     ("struct s f(int n)", "how result is passed is not known"),
                     ("int f(struct s v, int n)", "how v is passed is not known"),
                     ("int f(double _Complex z)", "how z is passed is not known"),
                     ("int f(int n) before { }", "without a block"),
                     ("int f(int n); int g(int n)", "want one prototype"),
                     ("int setjmp(int n)", "cannot be wrapped"),
                     ("int f(string char *s)",
                      "column 14: expected no other type beside 'string'")):
        r = h.bobbin("record", "--hook-functions=" + bad, "--", "/bin/true")
        h.check(r.status == 125 and why in r.err.decode() and r.err.count(b"\n") <= 2,
                f"{bad}: {r.err}")


@suite.case("not with memory accesses")
def refused():
    r = h.bobbin("record", "--mem", "--hook-functions=f", "--", "/bin/true")
    h.check(r.status == 125 and b"--hook-functions" in r.err, str(r))


@suite.case("programs of GCC's test suite")
def gcc():
    torture.unpack()
    names = [n for n in torture.chosen() if "g++.dg/eh" in n or "execute/built-in-setjmp" in n
             or "execute/2003" in n][::4]
    same = 0
    for number, name in enumerate(names):
        native = torture.natively(name, ("-O0", "-O2")[number % 2])
        if native:
            exe, before = native
            options = list(RECORDED.values())[number % 3]
            after = h.record([exe], ["--hook-functions=*", *options], cwd=h.fresh("torture"),
                             timeout=60)
            h.same(before, after)
            same += 1
    h.check(same >= 10, f"only {same} programs were compared")
    return f"{same} programs"


if __name__ == "__main__":
    sys.exit(suite.run())
