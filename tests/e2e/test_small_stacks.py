#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads with stacks as small as the C library allows (tests/prog/small_stacks.c): they can be
made, end as without Bobbin, and their traces are those of threads with large stacks. And the
budgets for that (docs/agent.md, "Stacks and static TLS"): static TLS of what is preloaded, and how
deep each kind of event writes below its caller."""
import pathlib
import sys

import harness as h

suite = h.Suite("small_stacks")
LIBRARIES = pathlib.Path(h.BOBBIN).resolve().parents[1] / "lib" / "bobbin"
SPEC = """sj-definitions:
string getenv(string name);
int fcntl(int fd, int cmd, ...);
int small_own(int n, string s);
int small_variable(int n, ...);
"""
BLOCKS = """sj-definitions:
int fcntl(int fd, int cmd, ...) before { }
int small_own(int n, string s) after { result++; }
"""
HOOK = {"SMALL_HOOK": "1"}
SIZES = ("16384", "20480", "24576", "32768")
WAYS = {
    "events": ["--events"],
    "hooks": ["--events"],
    "exact times": ["--events", "--time=exact:mpi"],
    "flushed": ["--events", "--flush-every=100"],
    "wrapped": ["--wrap", "SPEC"],
    "functions by name": ["--hook-functions=small_*"],
    "calls": ["--calls"],
    "calls of all images": ["--calls", "--images=all"],
    "calls, slowly": ["--calls"],
    "calls and events": ["--calls", "--events"],
    "accesses": ["--mem", "--engine=native"],
    "accesses and events": ["--mem", "--engine=native", "--events"],
}
# Bytes of static TLS of the agent and one library of events or MPI, and of a library of wrappers.
TLS_MOST, TLS_WRAPPERS = 640, 64
# Bytes below the caller of an event, one with hooks and value sets, a wrapped or hooked function
# that keeps all registers (where
# the processor has AVX-512), a slow entry of a call.
EVENT, WITH_HOOKS, STUB, CALL = 512, 3584, 4096, 448


@h.cached
def program():
    return h.compile("small_stacks", ["small_stacks.c"], "gcc",
                     ["-O2", "-g", "-pthread", "-Wl,-z,now", f"-I{h.ROOT}/include"])


def options(way, spec=SPEC):
    if "SPEC" not in WAYS[way]:
        return WAYS[way]
    return ["--wrap", h.put(h.WORK / "small_stacks"
                            / f"{'blocks' if spec is BLOCKS else 'plain'}.spec", spec)]


def environment(way):
    return h.environment({**(HOOK if way == "hooks" else {}),
                          **({"BOBBIN_CHECK": "slow"} if way == "calls, slowly" else {})})


def record(way, *arguments, spec=SPEC):
    r = h.record([program(), *arguments],
                 ["--time=none", *options(way, spec)] if "exact" not in way else options(way),
                 env=environment(way))
    return r


def both(way, size, given):
    arguments = ["run", size, *given]
    native = h.run([program(), *arguments], env=environment(way))
    h.check(native.status == 0, f"does not run by itself\n{native}")
    r = record(way, *arguments)
    h.same(native, r)
    h.check_trace(r.trace)
    return r.trace


def runs_as_without(way, size, given):
    both(way, size, given)


def threads(trace):
    """What a trace says of each thread, without what differs from run to run."""
    r = h.bobbin("show", "-x", "--lines=0", "--mpi", trace)
    h.check(r.status == 0, f"show fails\n{r}")
    out = []
    for line in r.out.decode().splitlines():
        if line.startswith("thread "):
            out.append([])
        elif out:
            out[-1].append(line)
    return out


for way_ in WAYS:
    for size_ in SIZES:
        suite.add(f"{way_}: {size_}", runs_as_without, way_, size_, [])
    suite.add(f"{way_}: memory of the program's own", runs_as_without, way_, "16384", ["given"])


@suite.case("blocks of wrappers")
def blocks():
    native = h.run([program(), "run", "16384"])
    r = record("wrapped", "run", "16384", spec=BLOCKS)
    h.check(r.status == native.status == 0, f"{r}")
    h.check(r.out == b"ended, %d\n" % (int(native.out.split()[1]) + 8),
            f"not each call of small_own went through its block\n{r}")
    h.check_trace(r.trace)


def whole(way):
    """The trace of small stacks is that of large ones."""
    small, large = (threads(both(way, size, [])) for size in ("16384", "1048576"))
    h.check(small == large and len(small) >= 8,
            f"{len(small)} threads; with 1 MB: {len(large)}; they differ in "
            + str(next(((a, b) for s, l in zip(small, large) for a, b in zip(s, l) if a != b),
                       "length")))


for way_ in ("events", "hooks", "wrapped", "functions by name", "flushed"):
    suite.add(f"trace: {way_}", whole, way_)


@suite.case("a thread ends the process")
def ends():
    for way in WAYS:
        r = record(way, "exit", "16384")
        h.check(r.status == 3, f"{way}: status {r.status}\n{r}")
        h.check_trace(r.trace)


def fork(way):
    native = h.run([program(), "fork", "16384"], env=environment(way))
    r = record(way, "fork", "16384")
    h.same(native, r)
    h.check_trace(r.trace)
    h.check(h.info(r.trace)["processes"] == 2, "the child is not in the trace")


def signals(way):
    """Handlers find the program's stack, whatever is being done when they come."""
    r = record(way, "signals", "32768")
    h.check(r.status == 0 and r.out == b"outside 0\n", f"{r}")
    h.check_trace(r.trace)


for way_ in WAYS:
    suite.add(f"fork: {way_}", fork, way_)
    suite.add(f"signals: {way_}", signals, way_)


# --- budgets ---


def static_tls(path):
    r = h.run(["readelf", "-lW", path], env=h.environment())
    h.check(r.status == 0, f"{r}")
    return sum(int(line.split()[5], 16)
               for line in r.out.decode().splitlines() if line.split()[:1] == ["TLS"])


@suite.case("static TLS")
def tls():
    h.need("readelf")
    agent = static_tls(LIBRARIES / "libbobbin-agent.so")
    others = [p for p in LIBRARIES.glob("libbobbin-*.so") if "agent" not in p.name]
    h.check(others, f"nothing in {LIBRARIES}")
    sums = {p.name: agent + static_tls(p) for p in others}
    h.check(max(sums.values()) <= TLS_MOST, f"more than {TLS_MOST} bytes with the agent: {sums}")
    return f"{max(sums.values())} bytes"


@suite.case("static TLS of wrappers")
def wrappers():
    h.need("readelf")
    folder = h.fresh("wrap")
    (folder / "a.spec").write_text(SPEC)
    r = h.bobbin("wrap", "-o", "out", "a.spec", cwd=folder)
    h.check(r.status == 0, f"{r}")
    r = h.run(["gcc", "-O2", "-fexceptions", "-shared", "-fPIC", "-I.", "-o", "libwrap.so",
               "wrap.c"], cwd=folder / "out")
    h.check(r.status == 0, f"{r}")
    bytes_ = static_tls(folder / "out" / "libwrap.so")
    h.check(bytes_ <= TLS_WRAPPERS, f"{bytes_} bytes")
    return f"{bytes_} bytes"


def depths(way, what="depth"):
    r = record(way, what)
    h.check(r.status == 0, f"{r}")
    return {k: int(v) for k, v in (line.split() for line in r.out.decode().splitlines())}


@h.cached
def native_depths(what="depth"):
    r = h.run([program(), what])
    h.check(r.status == 0, f"{r}")
    return {k: int(v) for k, v in (line.split() for line in r.out.decode().splitlines())}


def deepest(way, most, kinds=lambda kind: True):
    native, traced = native_depths(), depths(way)
    more = {k: traced[k] - native[k] for k in traced if kinds(k)}
    h.check(max(more.values()) <= most, f"more than {most} bytes below the caller: {more}")
    return f"{max(more.values())} bytes"


def has_stub(kind):
    return kind in ("library-variable", "own", "own-variable", "hooked", "deep")


suite.add("depth: events", deepest, "events", EVENT)
suite.add("depth: events, exact times", deepest, "exact times", EVENT)
suite.add("depth: events, flushed", deepest, "flushed", EVENT)
suite.add("depth: events with hooks and value sets", deepest, "hooks", WITH_HOOKS)
suite.add("depth: events among calls", deepest, "calls and events", EVENT + CALL)
suite.add("depth: events among accesses", deepest, "accesses and events", EVENT + CALL)
suite.add("depth: wrapped functions", deepest, "wrapped", EVENT, lambda kind: not has_stub(kind))
suite.add("depth: wrapped functions with a stub", deepest, "wrapped", STUB, has_stub)
suite.add("depth: functions by name", deepest, "functions by name", STUB)
suite.add("depth: slow entries of calls", deepest, "calls, slowly", CALL)
suite.add("depth: calls of all images", deepest, "calls of all images", CALL + 64)
suite.add("depth: accesses", deepest, "accesses", CALL)


@suite.case("depth: a thread's first call")
def first():
    native, traced = native_depths("whole"), depths("calls", "whole")
    more = {k: traced[k] - native[k] for k in ("empty", "handler")}
    h.check(more["empty"] <= CALL + TLS_MOST and more["handler"] <= 2 * CALL, f"{more}")
    return str(more)


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
