#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program's own events. Programs say what they do (tests/prog/events/say.h); the trace must say
the same, event by event, with all parameters, for each thread: folded, merged, flat, beside calls
and memory accesses, after a kill."""
import collections
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import harness as h

suite = h.Suite("events")
BUILD = pathlib.Path(os.environ.get("BOBBIN_BUILD", h.ROOT / "build" / "release"))
INCLUDE = f"-I{h.ROOT / 'include'}"
PARAMETERS = {
    "step": (["n", "file"], ["cells", "x"]), "leaf": (["a", "x"], []),
    "text": (["a", "b", "c"], []), "deep": (["n"], []),
    "left": (["n"], []), "note": (["before"], ["after"]), "bare": ([], []),
    "residual": (["value"], []), "block": (["n"], []),
    "inner": ([], []), "of library": (["n"], []),
}


def program(name, *flags, cc="gcc", sources=()):
    stamp = max(p.stat().st_mtime_ns
                for p in [h.ROOT / "include/bobbin/events.h", *(h.PROG / "events").iterdir()])
    return h.compile(f"{name}{len(flags)}", [f"events/{name}", *sources], cc,
                     ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable",
                      "-Wno-unused-function", "-pthread", INCLUDE, f"-DSTAMP={stamp}", *flags],
                     ["-lm"])


def shown(name, before, after=None):
    """As `bobbin show` has it. What is long is cut there."""
    def text(names, values):
        parts = []
        for k, v in zip(names, values):
            if v[:1] == '"' and len(v) > 202:
                v = v[:201] + '"...'
            parts.append(f"{k}={v}")
        return ", ".join(parts)
    ins, outs = PARAMETERS[name]
    zeros = ["0" if n != "after" else '""' for n in outs]
    out = f"{name}({text(ins, before)})"
    if after is not None and outs:
        out += " -> " + text(outs, after or zeros)
    return out


def expected(path):
    """Lines of one thread. An event with nothing in it is whole; else its beginning and its end are
    apart."""
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    lines = [(head[0], head[2:], rest) for head, *rest in lines if head]
    out, nest = [], []
    for i, (what, name, values) in enumerate(lines):
        if what == "I":
            out.append(shown(name, values))
        elif what == "M":  # a function of MPI
            out.append("M " + name)
        elif what == "B":
            whole = i + 1 < len(lines) and lines[i + 1][0] == "E"
            nest.append((name, whole, values))
            if not whole:
                out.append("begin " + shown(name, values))
        else:
            while nest[-1][0] != name:  # it was left without an end
                inner, whole, before = nest.pop()
                out.append(shown(inner, before, []) if whole else end(inner, []))
            _, whole, before = nest.pop()
            out.append(shown(name, before, values) if whole else end(name, values))
    return out


def end(name, values):
    return "end " + shown(name, [], values)


def threads(trace, *options):
    """[lines] of each thread as the trace has them, without numbers and places."""
    r = h.bobbin("show", "-x", "--lines=0", *options, trace)
    h.check(r.status == 0, f"show fails\n{r}")
    out = []
    for line in r.out.decode().splitlines():
        if line.startswith("thread "):
            out.append([])
        elif re.match(r" *[\d,]+  ", line):
            out[-1].append(re.sub(r"^[\d.]+  [\d.]+  |   [^ ].*$", "", line.split(None, 1)[1]))
    return [t for t in out if t]


def equal(folder, trace, *options):
    """The same threads, whatever their order."""
    want = [w for w in (expected(p) for p in sorted(folder.iterdir())) if w]
    have = threads(trace, *options)
    h.check(len(want) == len(have), f"{len(have)} threads with events, not {len(want)}")
    for w in want:
        best = max(have, key=lambda t: sum(a == b for a, b in zip(t, w)))
        at = next((i for i, (a, b) in enumerate(zip(best, w)) if a != b), min(len(best), len(w)))
        h.check(best == w,
                f"event {at} of {len(w)} and {len(best)}: {best[at:at + 1]}, not {w[at:at + 1]}")
        have.remove(best)
    return sum(map(len, want))


def both(argv_of, options=("--events",), **kw):
    """Natively and recorded: the same behaviour; the folder of what was said, the trace."""
    native = h.run(argv_of(h.fresh("said")), **kw)
    folder = h.fresh("said")
    r = h.record(argv_of(folder), options, **kw)
    h.check(native.status == r.status and native.err == r.err, f"native:\n{native}\nrecorded:\n{r}")
    h.check_trace(r.trace)
    return folder, native, r


FLAGS = {"PIE": ["-fPIE", "-pie"], "not PIE": ["-no-pie", "-fno-pie"],
         "c11 -O0": ["-std=gnu11", "-O0"], "LTO": ["-flto", "-O2"]}


@suite.case("C")
def languages():
    total = 0
    for name, flags in FLAGS.items():
        p = program("all.c", *flags)
        folder, native, r = both(lambda said: [p, said, 1, 60])
        h.check(native.out == b"1000000\nerrno 42\ndone\n" and r.out == native.out,
                f"{name}: output\n{native}\n{r}")
        total += equal(folder, r.trace)
    return f"{total} events"


def said_values(folder):
    """{(event, parameter): values} of what programs said; what an event that was left would have
    brought is 0 or empty."""
    out = collections.defaultdict(list)

    def put(name, which, values):
        for k, v in zip(PARAMETERS[name][which], values):
            out[name, k].append(v)
    for path in folder.iterdir():
        nest = []
        for what, *fields in (re.split(r"[ \t]", line, maxsplit=1)
                              for line in path.read_text().splitlines() if line):
            name, *values = fields[0].split("\t")
            if what in "BI":
                put(name, 0, values)
            if what == "B":
                nest.append(name)
            while what == "E" and nest.pop() != name:
                pass
            if what == "E":
                put(name, 1, values)
    return out


@suite.case("parameters in a report")
def parameters():
    p = program("all.c")
    folder, native, r = both(lambda said: [p, said, 3, 60])
    report = h.bobbin("report", "--by=parameter", "--limit=0", r.trace)
    h.check(report.status == 0, str(report))
    want, seen = said_values(folder), set()
    for line in report.out.decode().splitlines()[1:]:
        event, rest = re.match(r"(.{3,}?)  +(.*)$", line).groups()
        words = rest.removeprefix("->").split()
        values = want[event, words[0]]
        seen.add((event, words[0]))
        h.check(int(words[1].replace(",", "")) == len(values), f"{len(values)} were said of {line}")
        if values[0][:1] == '"':
            common = collections.Counter(values).most_common(1)[0]
            h.check(len(common[0]) > 90 or common[1] == 1 or f"({common[1]} times)" in line,
                    f"{common}: {line}")
            continue
        if all(re.fullmatch(r"-?\d+", v) for v in values):
            whole = [int(v) for v in values]
            h.check((words[2], words[3], words[5]) == tuple(str(f(whole)) for f in (sum, min, max)),
                    f"{sum(whole)} in {line}")
        numbers = [float(v) for v in values]
        for k, v in enumerate((sum(numbers), min(numbers), sum(numbers) / len(numbers),
                               max(numbers))):
            have = float(words[2 + k])
            h.check(have == v or abs(have - v) <= 1e-5 * abs(v) + 1e-9, f"{v} in {line}")
    h.check(seen == set(want) and len(seen) >= 10,
            f"not reported: {set(want) - seen}, reported: {seen}")
    # of one thread
    one = h.bobbin("report", "--by=parameter", "--group=0.1", "--limit=1", r.trace).out.decode()
    h.check(re.search(r"(?m)^\.\.\. \d+ more parameters; --limit=0 shows all$", one), one)
    return f"{len(seen)} parameters"


@suite.case("integers in a report are exact")
def large():
    r = h.record([program("large.c")], ["--events"])
    out = h.bobbin("report", "--by=parameter", r.trace).out.decode()
    smallest, first = -(1 << 63), 1 << 53
    total = 2 * smallest + 1 + 4 * first + 2
    h.check(re.search(rf" 6 +{total} +{smallest} +\S+ +{first + 1}  {smallest}, {smallest + 1}, "
                      rf"{first} \(2 times\), {first + 1} \(2 times\)$", out, re.M), out)


@suite.case("threads")
def many_threads():
    p = program("all.c")
    folder, native, r = both(lambda said: [p, said, 4, 300])
    total = equal(folder, r.trace)
    return f"{total} events, {h.info(r.trace)['stream_bytes']} bytes"


@suite.case("regular events do not grow with their number")
def size():
    sizes = []
    q = program("regular.c")
    for rounds in (200, 20000):
        r = h.record([q, rounds], ["--events", "--time=none"])
        h.check(r.status == 0, str(r))
        h.check_trace(r.trace)
        sizes.append(h.info(r.trace)["stream_bytes"])
    h.check(sizes[1] <= sizes[0] + 16, f"{sizes} bytes")
    return f"{sizes} bytes"


@suite.case("flat, and not merged")
def levels():
    p = program("all.c")
    for level in ("flat", "rank"):
        folder, native, r = both(lambda said: [p, said, 2, 100], ["--events"],
                                 env=h.environment({"BOBBIN_MPI_LEVEL": level}))
        equal(folder, r.trace)


def fortran_lines():
    """Of the calls that are places of events."""
    lines = (h.PROG / "events/all.f90").read_text().splitlines()
    return {i for i, line in enumerate(lines, 1)
            if re.search(r"call bob_(event_begin|event_instant\(bare|counter_set)", line)}


@suite.case("Fortran")
def fortran():
    module = str(BUILD / "share/bobbin/bobbin.f90")
    total = 0
    for name, flags in {"-O0": ["-O0"], "-O2": ["-O2", "-std=f2018"],
                        "static": ["-O1", "-static"]}.items():
        p = h.compile("fortran", [module, "events/all.f90"], "gfortran",
                      ["-g", "-Wall", "-Wextra", "-Werror", *flags])
        if name == "static":
            r = h.run([p, h.fresh("said"), 5])
            h.check(r.status == 0 and r.out.split() == [b"done", b"T"], str(r))
            continue
        folder, native, r = both(lambda said: [p, said, 30])
        h.check(native.out.split() == r.out.split() == [b"done", b"T"],
                f"{name}: output\n{native}\n{r}")
        total += equal(folder, r.trace)
        shown = h.bobbin("show", "-x", "--lines=0", r.trace).out.decode()
        lines = {int(n) for n in re.findall(r"all\.f90:(\d+)$", shown, re.M)}
        h.check(lines == fortran_lines() and "bobbin.f90" not in shown,
                f"{name}: places are lines {lines}\n{shown}")
    return f"{total} events"


@suite.case("C++: blocks, exceptions, a library, a fork")
def blocks():
    library = h.compile("library.so", ["events/library.c"], "gcc",
                        ["-shared", "-fPIC", "-O1", INCLUDE])
    text = (h.PROG / "events/scope.cc").read_text().splitlines()
    line = next(i for i, code in enumerate(text, 1) if "bobbin::scope" in code)
    for flags, extra in ([], []), ([], ["--time=none"]), (["-O2", "-gdwarf-4"], []):
        p = program("scope.cc", *flags, cc="g++", sources=[str(library)])
        folder, native, r = both(lambda said: [p, said], ["--events", *extra])
        equal_with_library(folder, r.trace)
        shown = h.bobbin("show", "-x", "--lines=0", r.trace).out.decode()
        h.check(f"  scope.cc:{line}\n" in shown and "events.h" not in shown,
                f"{flags}: inner is not in line {line}\n{shown}")


def equal_with_library(folder, trace):
    """`inner` says that it ends when it is over; in even rounds it has an event of the library in
    it."""
    want = []
    for path in sorted(folder.iterdir()):
        out = []
        for line in path.read_text().splitlines():
            if line.startswith("B block"):
                n = int(line.split("\t")[1])
                inner = ["inner()"] if n % 2 else ["begin inner()", f"of library(n={n})",
                                                   "end inner()"]
                out += [f"begin block(n={n})", *inner, "end block()"]
        want.append(out)
    have = threads(trace)
    h.check(sorted(want) == sorted(have), f"{have}\nnot {want}")


@suite.case("beside calls, beside accesses")
def beside():
    p = program("all.c")
    total = 0
    for options in (["--calls", "--events"], ["--mem", "--events"],
                    ["--events", "--time=exact:mpi"]):
        folder, native, r = both(lambda said: [p, said, 1, 20], options)
        extra = ["--mpi"] if "--events" != options[0] else []
        total += equal(folder, r.trace, *extra)
    return f"{total} events"


@suite.case("why no function is traced")
def untraced():
    """That is said if calls were asked for, even if there is none."""
    p = program("all.c")
    for options, is_said in (["--calls", "--events", "-N", "*"], True), (["--events"], False):
        r = h.record([p, h.fresh("said"), 1, 1], options)
        info = h.bobbin("info", r.trace)
        h.check((b"excluded by a filter" in info.out) == is_said, f"{options}\n{info}")


@suite.case("static: nothing is recorded, nothing is wrong")
def static():
    p = program("all.c", "-static")
    folder = h.fresh("said")
    r = h.run([p, folder, 1, 5])
    h.check(r.status == 7 and r.out == b"1000000\nerrno 42\ndone\n", str(r))


@suite.case("what is refused is said")
def refused():
    p = program("all.c")
    folder, native, r = both(lambda said: [p, said, 0, 1])
    info = h.bobbin("info", r.trace)
    for what in ("event 'step' is not recorded: it was registered before",
                 "event 'bad' is not recorded", "event '' is not recorded"):
        h.check(what.encode() in info.out, f"{what}: not said\n{info}")


def counted(trace):
    """How many there are of each event."""
    h.check_trace(trace)
    names = re.findall(r"(?m)^ *\d+  (\w+)\(",
                       h.bobbin("show", "-x", "--lines=0", trace).out.decode())
    return {name: names.count(name) for name in names}


@suite.case("conditions that the program has")
def conditions():
    for cc, flags in (("gcc", []), ("g++", ["-x", "c++"]), ("gcc", ["-static"])):
        p = program("when.c", *flags, cc=cc)
        r = h.run([p]) if "-static" in flags else h.record([p], ["--events"])
        said = b"00000000" if "-static" in flags else b"11100000"
        h.check(r.status == 0 and r.out.splitlines() == [said, b"e 2, i 4, in 9, all 9"], str(r))
        if "-static" in flags:
            continue
        have = counted(r.trace)
        h.check(have == {"e": 2, "i": 4, "in": 9, "all": 9}, f"{have}")
        info = h.bobbin("info", r.trace).out.decode()
        for line in ("7 events are left out: 'e: (n == 0 || n == 3 || n == 6) && name == \"b\"' is "
                     "not true of them", "5 events are left out: 'i: x >= 2.5' is not true",
                     "9 events are left out: 'out: unknown'", "event 'all': all are recorded: "
                     "`when`, column 4: a parameter's name, a number or a \"text\" was expected",
                     "event 'e': all are recorded: `when`, column 1: it has a condition already"):
            h.check(line in info, f"not said: {line}\n{info}")
    f = h.compile("when_fortran", [str(BUILD / "share/bobbin/bobbin.f90"), "events/when.f90"],
                  "gfortran", ["-g", "-Wall", "-Wextra", "-Werror"])
    r = h.record([f], ["--events"])
    h.check(r.status == 0 and r.out.split() == [b"T"] and counted(r.trace) == {"e": 7},
            f"{r}\n{counted(r.trace)}")


@suite.case("--when: nothing is left")
def all_left_out():
    """What was left out is said, also if nothing was recorded at all; a number that no parameter
    can have is refused."""
    p = program("when.c")
    r = h.record([p], ["--events", "--when=*: no_such_parameter == 3"])
    info = h.bobbin("info", r.trace).out.decode()
    h.check(r.status == 0
            and "events are left out: --when='*: no_such_parameter == 3' is not true of them"
            in info,
            info)
    for number in ("9223372036854775808", "1e400"):
        r = h.record([p], ["--events", f"--when=e: n == {number}"])
        h.check(r.status == 125 and b"a number that fits into 64 bits was expected" in r.err,
                str(r))


@suite.case("handlers that jump out of the recorder")
def jumps_out():
    """The thread is not recorded after that, as if it had been killed there; other threads are, and
    hooks are called for all."""
    p = program("jump_out.c")
    for jumps in (0, 1, 3):
        r = h.record([p, jumps], ["--events"])
        ends = 20 + max(jumps - 1, 0)  # once the thread is not recorded, nothing reads the text
        h.check(r.status == 0 and r.out == f"{ends} 50\n".encode(), str(r))
        have = counted(r.trace)
        h.check(have == {"e": 10 if jumps else 20, "other": 50}, f"{have}")
        said = "a signal handler has jumped out of the recorder" in h.bobbin("info",
                                                                             r.trace).out.decode()
        h.check(said == (jumps > 0), f"{jumps} jumps: it is {'' if said else 'not '}said")


@suite.case("more names than there can be")
def many_names():
    r = h.record([program("many.c")], ["--events"])
    h.check(r.status == 0 and r.out == b"16384 0\n", str(r))
    h.check_trace(r.trace)
    text = h.bobbin("info", r.trace).out.decode()
    h.check("event 'e16384' is not recorded: there are too many events" in text, text)
    lines = b"".join(f.read_bytes()
                     for f in r.trace.glob("*.bob")).count(b"there are too many events")
    h.check(lines <= 64, f"{lines} lines: one for each attempt")


def killed(i):
    folder = h.fresh("said")
    trace = h.fresh("trace") / "t"
    run = subprocess.Popen([h.BOBBIN, "record", "-q", "-o", str(trace), "--events", "--",
                            str(program("all.c")), str(folder), "2", "20000"], env=h.environment(),
                           stdout=subprocess.DEVNULL, start_new_session=True)
    # the beginning of an event is said before there is a record of it
    h.until(lambda: any(re.search(r"(?m)^[EI] .*\n", p.read_text()) for p in folder.iterdir()),
            "no event has ended")
    time.sleep(0.02 + 0.15 * i)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    h.await_end(trace)
    h.check_trace(trace)
    have = sorted(threads(trace), key=len)
    h.check(have, "nothing is there")
    wants = [cut(p) for p in sorted(folder.iterdir())]
    # what was said was recorded before: every end and instant event, but the line that was being
    # written
    for t in have:
        h.check(any(begins(want, t) for want in wants),
                f"a thread of {len(t)} events was not announced")
    return f"{sum(map(len, have))} events"


def cut(path):
    """What was said up to the kill, but for what was under way."""
    lines = path.read_text().splitlines()
    to = h.fresh("cut") / "0"
    to.write_text("\n".join(lines[:-1]) + "\n")
    return expected(to)[:-1]


def begins(want, have):
    """`want` is a beginning of what was recorded, but for what was under way."""
    have = [x.replace("  IN PROGRESS when recording ended", "") for x in have]
    return len(have) >= len(want) - 2 and have[: len(want)] == want[: len(have)]


for n in range(4):
    suite.add(f"killed at random moments {n}", killed, n)

if __name__ == "__main__":
    sys.exit(suite.run())
