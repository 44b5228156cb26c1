#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hooks: which are called with what, what they bring, of threads and ranks; hooks that throw or
jump; plug-ins."""
import re
import sys

import harness as h
import mpi_events as m

suite = h.Suite("hooks")
INCLUDE = f"-I{h.ROOT / 'include'}"


def stamp():
    return "-DSTAMP=%d" % max(p.stat().st_mtime_ns
                              for p in [*(h.ROOT / "include/bobbin").iterdir(),
                                        *(h.PROG / "events").iterdir()])


def program(name, cc="gcc", flags=()):
    return h.compile("hooks", [f"events/{name}"], cc,
                     ["-O1", "-g", "-Wall", "-Werror", "-pthread", INCLUDE, stamp(), *flags])


def table(trace):
    """{(event, phase, hook): the rest of the row}"""
    r = h.bobbin("report", "--by=hook", "--limit=0", trace)
    h.check(r.status == 0, f"report fails\n{r}")
    rows = {}
    for line in r.out.decode().splitlines()[1:]:
        f = line.split(None, 3)
        rows[f[0], f[1], f[2]] = " ".join(f[3].split())
    return rows


def equal(have, want):
    h.check(have == want, f"{have}\nnot {want}")


@suite.case("which, with what, what they bring")
def one_program():
    p = program("hooks.c")
    native = h.run([p, "1"])
    h.check(native.out == b"00000000\n" and native.status == 0, str(native))
    r = h.record([p, "1"], ["--events"])
    want = ("11110000\nleft\nstep begins n=7\nstep ends r=14\nstep begins n=9\nstep ends r=18\n"
            "result step 0: 10 times, 10\nresult step 1: 10 times, 100\n"
            "result inner 0: 5 times, 5\nresult inner 1: 5 times, 50\n")
    h.check(r.out.decode() == want and r.status == 0, str(r))
    h.check_trace(r.trace)
    equal(table(r.trace), {
        ("step", "in", "n"): "10 45 0 4.5 9 0, 1, 2, 3, 4, 5, ... 10 in all",
        ("step", "before", "set"): "10 times, 10",
        ("step", "in", "set"): "10 times, 100", ("inner", "before", "set"): "5 times, 5",
        ("inner", "in", "set"): "5 times, 50"})
    shown = h.bobbin("show", "-x", r.trace).out.decode()
    h.check(len(re.findall(r"(?m)^ *\d+  inner\(\)", shown)) == 9,
            f"events in hooks are recorded\n{shown}")
    info = h.bobbin("info", r.trace).out.decode()
    for what in ("hook 'bad' is not called: `when`, column 4:",
                 "hook 'none' is not called: it has no function", "another version"):
        h.check(what in info, f"{what}: not said\n{info}")


@suite.case("threads")
def threads():
    p = program("hooks.c")
    r = h.record([p, "8"], ["--events"])
    h.check(r.status == 0 and b"errno" not in r.out and b"result step 1: 80 times, 800\n" in r.out,
            str(r))
    rows = table(r.trace)
    equal(rows["step", "in", "n"],
          "80 360 0 4.5 9 " + ", ".join(f"{i} (8 times)" for i in range(6)) + ", ... 10 in all")
    equal(rows["inner", "in", "set"], "40 times, 400")


def looked_at(asked, rounds):
    """What so_far.c prints when it looks for the `asked`-th time, after so many rounds: all of the
    last loop shape, and the counts."""
    n = sum(1000 * r for r in range(1, rounds + 1))
    checks = asked // 2
    leaves = 4 * n + 3 * rounds + checks + (rounds - 1)
    begin, end = "begin work n@0", "end work m@0"
    counts = (f"  {n} times {begin}\n",
              f"  {2 * n + rounds - 1} times inner\n  {n} times {end}\n"
              f"  {rounds} times text s@0\n  {2 * rounds} times element\n")
    check = f"  {checks} times check\n" if checks else ""
    return f"{asked}: {leaves} leaves\n", counts[0], counts[1] + check


@suite.case("the trace so far")
def so_far():
    p = program("so_far.c")
    h.check(h.run([p, "1"]).out == b"2\n", "without a recorder there is none")
    for threads in (1, 4):
        r = h.record([p, str(threads)], ["--events", "--time=none"])
        h.check(r.status == 0 and not r.err, str(r))
        out = r.out.decode()
        h.check(out.startswith("-1\n"), f"no hook is running\n{out}")
        for asked in range(1, 9):
            for part in looked_at(asked, (asked + 1) // 2):
                h.check(out.count(part) >= threads, f"{part!r} is not there {threads} times\n{out}")
        # the structure is that of loops, whatever they run
        last = ("  loop, 3 in all\n    loop, 10000 in all\n      begin work n@0\n"
                "      loop, 20000 in all\n        inner\n      end work m@0\n    text s@0\n"
                "    loop, 8 in all\n      element\n    check\n    inner\n  loop, 10000 in all\n")
        h.check(out.count("40018 leaves\n" + last) == threads, out)
        h.check(out.count("  0 1000x1 4x0\n") == 2 * threads,
                f"the values of n are one piece\n{out}")
        h.check_trace(r.trace)
    # what is recorded is the same
    both = [h.record([p, n], ["--events", "--time=none"]).trace for n in "01"]
    texts = [h.bobbin("show", t).out for t in both]
    h.check(b"loop 2, 4 times" in texts[0] and texts[0] == texts[1],
            f"looking has changed the trace\n{texts}")


@suite.case("hooks that throw")
def throwing():
    p = program("hooks.cc", "g++")
    r = h.record([p], ["--events"])
    lines = r.out.decode().splitlines()
    n = lines[-1].split()
    h.check(n[0] == n[2] != "0" and n[1:] == ["calls,", n[0], "looked"], str(r))
    # a prologue that throws leaves no event; an epilogue that does leaves one that has ended
    h.check(r.status == 0 and lines[0] == "1" and "begin" in r.out.decode()
            and "end" in r.out.decode(), str(r))
    thrown = [int(x.split(":")[0]) for x in lines[1:-1] if x.endswith("begin")]
    shown = h.bobbin("show", "-x", r.trace).out.decode()
    there = [int(x) for x in re.findall(r"(?m)^ *\d+  e\(n=(\d+)\)", shown)]
    equal(there, [i for i in range(9) if i not in thrown])


def events(trace):
    h.check_trace(trace)
    return len(re.findall(r"(?m)^ *\d+  e\(\)",
                          h.bobbin("show", "-x", "--lines=0", trace).out.decode()))


@suite.case("sets that throw, jump, or end the process")
def throwing_set():
    """Each of its functions: what is lost is that set, or what was under way; never the program,
    nor an event, nor other sets."""
    p = program("set_throws.cc", "g++")
    functions = ("create", "add", "merge", "pack", "unpack", "add_packed", "print", "destroy",
                 "result")
    for which in functions:
        for where in ("here", "thread", "ranks"):
            if (which in ("unpack", "add_packed") and where != "ranks") or (which == "merge"
                                                                            and where == "here"):
                continue  # never called: a single thread's sets become the process's as they are
            r = h.record([p, which, "throw", where], ["--events"])
            n = 12 if where == "ranks" else 7
            h.check(r.status == 0 and b"0 exceptions\n" in r.out, f"{which} {where}: {r}")
            h.check(events(r.trace) == n, f"{which} {where}: events are lost")
            info = h.bobbin("info", r.trace).out.decode()
            h.check(f"hook 'throws': `{which}` of its sets has thrown an exception" in info, info)
            if which == "unpack":  # what the other rank has brought stands for itself
                own = re.findall(r"(?m)^e +in +throws +(.*)$",
                                 h.bobbin("report", "--by=hook", r.trace).out.decode())
                equal(sorted(own), ["2 in all", "5 in all", "5 in all"])
            equal(table(r.trace)["e", "in", "ones"].split()[0], str(n))
            r = h.record([p, which, "exit", where], ["--events"])
            h.check(r.status == 5, f"{which} {where}: {r}")
            h.check_trace(r.trace)
            info = h.bobbin("info", r.trace).out.decode()
            h.check("a function of a hook's sets has ended the process" in info, info)
    # a jump to where the ranks had begun, which go on: what was brought by then is not brought
    # twice. Of what another one had sent it is not known
    for which in functions:
        r = h.record([p, which, "jump", "ranks"], ["--events"])
        h.check(r.status == 0 and r.out.startswith(b"jumped\n") and b"0 exceptions\n" in r.out,
                f"{which}: {r}")
        early = which in ("create", "add")
        h.check(events(r.trace) == (3 if early else 12), f"{which}: events are lost")
        equal(table(r.trace)["e", "in", "ones"].split()[0],
              {"create": "2", "add": "2", "unpack": "7", "add_packed": "7", "merge": "7",
               "destroy": "7"}.get(which, "12"))



@suite.case("sets that give nothing, or need more than there is")
def lying_set():
    p = program("set_throws.cc", "g++")
    for which, what in (("create", "given nothing"),
                        ("pack", "said that it needs more than 256 MB")):
        for where in ("here", "thread", "ranks"):
            r = h.record([p, which, "lie", where], ["--events"])
            n = 12 if where == "ranks" else 7
            h.check(r.status == 0 and events(r.trace) == n, f"{which} {where}: {r}")
            info = h.bobbin("info", r.trace).out.decode()
            h.check(f"hook 'throws': `{which}` of its sets has {what}" in info, info)
            equal(table(r.trace)["e", "in", "ones"].split()[0], str(n))


@suite.case("hooks that leave at functions hooked by name")
def leaving():
    p = program("hook_leaves.cc", "g++")
    # a prologue that is left leaves no event
    for how, left, there in (("throw", 0, 20), ("jump", 8, 16), ("not", 0, 20)):
        r = h.record([p, how], ["--events", "--hook-functions=h_*"])
        h.check(r.status == 0 and r.out == f"{left} left, 40 calls\n".encode(), f"{how}: {r}")
        h.check_trace(r.trace)
        equal(h.info(r.trace)["mpi_calls"], there)
        said = ("hook 'leaves' has thrown an exception at a function that is hooked by name"
                in h.bobbin("info", r.trace).out.decode())
        equal(said, how == "throw")


@suite.case("hooks that end the process")
def ending():
    p = program("hook_exit.c")
    for where in ("callback", "end", "thread"):
        for n, how in ((0, "exit"), (5, "exit"), (6, "exit"), (5, "_exit"), (6, "abort")):
            r = h.record([p, where, str(n), how], ["--events"])
            want = {"exit": 3, "_exit": 4}.get(how)
            said = b"at exit\n" if how == "exit" else b""
            h.check((r.status == want if want else r.status in (-6, 134)) and r.out == said,
                    f"{where} {n} {how}\n{r}")
            h.check_trace(r.trace)
            # call number n is of event n / 2: in its epilogue the event has ended
            text = h.bobbin("show", "-x", "--lines=0", r.trace).out.decode()
            equal([int(x) for x in re.findall(r"step\(n=(\d+)\)", text)], list(range((n + 1) // 2)))
            if where == "end" and n and how == "exit":  # what was brought before is there
                equal(table(r.trace)["step", "in", "ones"].split()[0], str(n // 2))


@suite.case("plug-ins")
def plugins():
    p = program("hooks.c")
    def plugin(version, fails):
        return h.compile("plugin.so", ["events/plugin.c"], "gcc",
                         ["-shared", "-fPIC", "-O1", INCLUDE, f"-DVERSION={version}",
                          f"-DFAILS={fails}", stamp()])
    r = h.record([p, "2"], [f"--plugin={plugin(1, 0)}"])
    h.check(r.status == 0 and r.err == b"plug-in ends\n", str(r))
    # 4 in the callback, one of each thread in odd steps, and `far`, whose epilogue is not reached
    equal(table(r.trace)["step", "in", "events"].split()[0], "20")
    for version, fails, why in ((7, 0, "it is of version 7, this is version 1"),
                                (1, 1, "it says that it cannot begin")):
        r = h.record([p, "1"], [f"--plugin={plugin(version, fails)}"])
        h.check(r.status == 0 and not r.err, str(r))
        info = h.bobbin("info", r.trace).out.decode()
        h.check(why in info, f"{why}: not said\n{info}")
    for path, why in (("/nowhere.so", "there is no such file"), (p, "it has no bob_plugin")):
        r = h.record(["true"], [f"--plugin={path}"])
        h.check(r.status == 125 and why in r.err.decode(), str(r))


@suite.case("the plug-ins that are there")
def shipped():
    p = program("touch.c")
    r = h.record([p], [f"--plugin={name}" for name in ("null", "memory", "latency", "counters")])
    h.check(r.status == 0 and not r.err, str(r))
    rows = {}
    for line in h.bobbin("report", "--by=hook", "--limit=0", r.trace).out.decode().splitlines()[1:]:
        f = re.match(r"(\w+) +in  (.*?)  +([\d,]+) +(\S+) +(\S+) +(\S+) +(\S+) ", line)
        rows[f[1], f[2]] = [float(x.replace(",", "")) for x in f.groups()[2:]]
    for event in ("touch", "idle"):
        h.check(rows[event, "memory kB"][0] == rows[event, "latency ns"][0] == 10, str(rows))
    h.check(rows["touch", "memory kB"][2] >= 32 << 10 and rows["touch", "latency ns"][2] > 0,
            str(rows))
    if ("touch", "page-faults") not in rows:
        info = h.bobbin("info", r.trace).out.decode()
        h.check("counters.so is not used: it says that it cannot begin" in info, info)
        return "the kernel gives no counters here"
    h.check(rows["touch", "page-faults"][2] >= 8192 and rows["idle", "page-faults"][1] < 8192,
            str(rows))
    h.check(rows["touch", "task-clock"][0] == 10 and rows["touch", "context-switches"][0] == 10,
            str(rows))


@suite.case("counters of PAPI")
def papi():
    source = h.PROG / "events" / "counted.c"
    if h.run(["gcc", "-fsyntax-only", INCLUDE, source]).status:
        return "sde_lib.h of libpapi-dev is not installed"
    p = h.compile("counted", ["events/counted.c"], "gcc", ["-O1", "-pthread", INCLUDE, stamp()],
                  ["-lsde"])
    r = h.record([p, "3"], ["--plugin=counters"],
                 env={"BOBBIN_COUNTERS": "sde:::Test::work,PAPI_NONE,sde:::Test::more"})
    h.check(r.status == 0 and not r.err, str(r))
    info = h.bobbin("info", r.trace).out.decode()
    h.check("counter PAPI_NONE is not there: neither the kernel nor PAPI has it" in info, info)
    rows = table(r.trace)
    equal(rows["step", "in", "sde:::Test::work"], "30 210 7 7 7 7 (30 times)")
    equal(rows["step", "in", "sde:::Test::more"],
          "30 135 0 4.5 9 " + ", ".join(f"{i} (3 times)" for i in range(6)) + ", ... 10 in all")


def shown(trace):
    """Events one by one, without numbers and places."""
    r = h.bobbin("show", "-x", "--lines=0", trace)
    return [re.sub(r"   [^ ].*$", "", line.split(None, 1)[1])
            for line in r.out.decode().splitlines() if re.match(r" *[\d,]+  ", line)]


@suite.case("what conditions leave out")
def conditions():
    p = program("recurse.c")
    for condition, left, said in (("deep: n != 2", (2,), 1), ("d*p: n >= 1 && n < 4", (0, 4), 2),
                                  ("deep:x: 0", (0, 1, 2, 3, 4), 5), ("leaf: 1", (), 0),
                                  ("deep: m", (0, 1, 2, 3, 4), 5)):
        r = h.record([p], [f"--when={condition}"])
        h.check(r.status == 0, str(r))
        h.check_trace(r.trace)
        there = [n for n in range(4, -1, -1) if n not in left]
        equal(shown(r.trace), [f"begin deep(n={n})" for n in there] + ["leaf()"]
              + [f"end deep() -> m={n}" for n in reversed(there)])
        info = h.bobbin("info", r.trace).out.decode()
        h.check(not said or f"{said} events are left out: --when='{condition}'" in info,
                f"not said\n{info}")
    r = h.record([p], ["--when=deep: n > 1", "--when=deep: n < 3"])
    equal(shown(r.trace), ["begin deep(n=2)", "leaf()", "end deep() -> m=2"])
    for bad, why in (("deep", "want names of events"),
                     ("deep: n >", "column 10: a parameter's name"), (": n", "want names")):
        r = h.record([p], [f"--when={bad}"])
        h.check(r.status == 125 and why in r.err.decode(), str(r))


for mpi in m.MPIS:
    @suite.case(f"{mpi}: conditions")
    def conditions_of_mpi(mpi=mpi):
        p = m.program(mpi, h.PROG / "events" / "hooks_mpi.c", [INCLUDE, stamp()])
        r = m.record(mpi, 3, [p], ["--mpi", "--when=MPI_Isend: count >= 2",
                                   "--when=MPI_Waitall:MPI_Init:MPI_Finalize: 0"])
        h.check(r.status == 0 and r.out.decode() == "60\nMPI_Waitall 1 60\n", str(r))
        h.check_trace(r.trace)
        counts = {name: int(n) for n, name in re.findall(r"(?m)^ *([\d,]+) .* (MPI_\w+)$",
                                                         h.bobbin("report", r.trace).out.decode())}
        h.check((counts["MPI_Isend"], counts["MPI_Irecv"], counts["MPI_Barrier"],
                 counts.get("MPI_Waitall", 0)) == (30, 60, 60, 0), str(counts))
        h.check((counts["MPI_Init"], counts["MPI_Finalize"]) == (3, 3), str(counts))
        info = h.bobbin("info", r.trace).out.decode()
        h.check("20 events are left out: --when='MPI_Waitall" in info, info)
        # hooks are called all the same
        equal(table(r.trace)["MPI_Isend", "in", "counts"].split()[0], "45")

    @suite.case(f"{mpi}: conditions while nothing is recorded")
    def conditions_while_off(mpi=mpi):
        p = m.program(mpi, h.PROG / "events" / "when_off.c", [INCLUDE, stamp()])
        r = m.record(mpi, 1, [p], ["--mpi", "--events", "--when=step: n >= 4"])
        h.check(r.status == 0, str(r))
        info = h.bobbin("info", r.trace).out.decode()
        h.check(re.search(r"\b4 events are left out: --when='step: n >= 4'", info), info)
        counts = {name: int(n) for n, name in re.findall(r"(?m)^ *([\d,]+) .* (step)$",
                                                         h.bobbin("report", r.trace).out.decode())}
        equal(counts, {"step": 6})


def by_place(trace):
    """[(event, hook, place, count, sum)] of a table with places"""
    r = h.bobbin("report", "--by=hook", "--limit=0", trace)
    lines = r.out.decode().splitlines()
    at, end = lines[0].index("place"), lines[0].index(" count")
    rows = []
    for line in lines[1:]:
        f = line[:at].split()
        n = re.match(r"(.*?) +([\d,]+) +([\d,-]+) ", line[at:])
        rows.append((f[0], f[2], n[1].strip(), int(n[2].replace(",", "")),
                     int(n[3].replace(",", ""))))
    h.check(end > at, r.out)
    return rows


@suite.case("sets of each place")
def places():
    p = program("places.c")
    line = {n: i + 1 for i, text in enumerate(
                                              (h.PROG / "events"
                                               / "places.c").read_text().splitlines())
            for n, what in (("step", "BOB_EVENT_BEGIN(step"), ("left", "\tone(n)"),
                            ("right", "\tone(10"), ("again", "again(n - 1)"), ("seven", "right(7)"),
                            ("run_left", "left(i)"), ("run_right", "right(i)"),
                            ("run_again", "again(1 + i")) if what in text}
    at = f"one  places.c:{line['step']}, of "
    for n in (1, 4):
        r = h.record([p, str(n)], ["--events"])
        h.check(r.status == 0, str(r))
        h.check_trace(r.trace)
        equal(sorted(by_place(r.trace)), sorted([
            # of no place
            ("flat", "all", "", 30 * n, -30 * n), ("flat", "there", "", 30 * n, -30 * n),
            ("step", "all", "", 30 * n, 1195 * n),
            ("step", "there", at + f"left:{line['left']}, run:{line['run_left']}", 10 * n, 45 * n),
            ("step", "there", at + f"right:{line['right']}, run:{line['run_right']}", 10 * n,
             450 * n),
            ("step", "there", at
             + f"right:{line['right']}, again:{line['seven']}, again:{line['again']}, ...", 10 * n,
             700 * n)]))
        reported = h.bobbin("dump", r.trace).out
        h.check(reported.count(b"\nset 0 [there] [step] 1 @") == 3
                and reported == h.run([sys.executable, h.ROOT / "tools/spec_decoder.py",
                                       r.trace]).out, "the two decoders differ")
    r = h.record([p, "2"], ["--events", "--no-callsites"])
    equal(table(r.trace)["step", "in", "there"].split()[:2], ["60", "2390"])


for mpi in m.MPIS:
    @suite.case(f"{mpi}: sets of each place")
    def places_of_ranks(mpi=mpi):
        # ranks number the two libraries as they come to them
        source = h.PROG / "events" / "places_one.c"
        built = [m.program(mpi, source, ["-shared", "-fPIC", "-g", f"-DNAME={name}"])
                 for name in ("one", "two")]
        p = m.program(mpi, h.PROG / "events" / "places_mpi.c", [INCLUDE, stamp(), "-g"], libs=built)
        r = m.record(mpi, 3, [p], ["--mpi"])
        h.check(r.status == 0, str(r))
        h.check_trace(r.trace)
        text = (h.PROG / "events" / "places_mpi.c").read_text().splitlines()
        odd, even = (next(i + 1 for i, t in enumerate(text) if x in t)
                     for x in ("one() + two() + two();", "two() + two() + one();"))
        call = next(i + 1 for i, t in enumerate(source.read_text().splitlines())
                    if "Comm_size" in t)
        equal(sorted(by_place(r.trace)), sorted([
            ("MPI_Comm_size", "there", f"{name}  places_one.c:{call}, of main:{at}", n, n)
            for name, at, n in (("one", odd, 10), ("two", odd, 10), ("two", odd, 10),
                                ("one", even, 20), ("two", even, 20), ("two", even, 20))]))


for mpi in m.MPIS:
    @suite.case(f"{mpi}: ranks")
    def ranks(mpi=mpi):
        p = m.program(mpi, h.PROG / "events" / "hooks_mpi.c", [INCLUDE, stamp()])
        for n in (1, 5):
            # of the program's own events none is recorded then
            r = m.record(mpi, n, [p], ["--mpi"])
            equal(table(r.trace)["MPI_Irecv", "in", "counts"],
                  f"{20 * n} {160 * n} 8 8 8 8 ({20 * n} times)")
            united = f"{20 * n}\nMPI_Waitall 1 {20 * n}\n"  # once, by rank 0
            h.check(r.out.decode() == united, str(r))
            r = m.record(mpi, n, [p], ["--mpi", "--events"])
            h.check(r.status == 0 and r.out.decode() == united, str(r))
            h.check_trace(r.trace)
            rows = table(r.trace)
            rows.pop(("MPI_Waitall", "in", "often"))  # of no text
            equal(rows, {
                ("late", "in", "late"): f"{2 * n} {2 * n} 1 1 1 1 ({2 * n} times)",
                ("MPI_Irecv", "in", "counts"): f"{20 * n} {160 * n} 8 8 8 8 ({20 * n} times)",
                ("MPI_Isend", "in",
                 "counts"): f"{15 * n} {30 * n} 1 2 3 1 ({5 * n} times), 2 ({5 * n} times), 3 "
                f"({5 * n} times)"})
            report = h.bobbin("report", r.trace).out.decode()
            h.check(re.search(rf"(?m)^ *{20 * n} .*MPI_Allreduce$", report),
                    f"calls in hooks are recorded\n{report}")
        # packed sets are added as they are: no set is made of them
        p = m.program(mpi, h.PROG / "events" / "hooks_mpi.c", [INCLUDE, stamp(), "-DADD_PACKED"])
        r = m.record(mpi, 5, [p], ["--mpi"])
        h.check(r.status == 0 and r.out.decode() == united, str(r))
        h.check("data of hooks were lost" not in h.bobbin("info", r.trace).out.decode(), str(r))


if __name__ == "__main__":
    sys.exit(suite.run())
