#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How processes ended is in the trace: as they said themselves when they called _exit, or as the
launcher saw it, or a wait of the parent's that is recorded; of a child that said nothing and that
no such wait returned nothing is claimed. The same after a merge."""

import sys

import harness as h

suite = h.Suite("how ended")
ENDS = {"exit": (3, None), "_exit": (3, None), "exit_group": (3, None), "abort": (None, 6),
        "segv": (None, 11), "kill": (None, 9)}
MODES = {"calls": [], "memory": ["--mem"], "valgrind": ["--mem", "--engine=valgrind"],
         "events": ["--events"]}
SILENT = ("exit_group", "abort", "segv", "kill")


def program():
    return h.compile("how_ended", ["how_ended.c"], "gcc",
                     ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread",
                      f"-I{h.ROOT / 'include'}"], [])


def reported(p):
    return p["exit_status"], p["signal"], p["state"], p["core_dumped"]


def recorded(argv, mode):
    native = h.run(argv)
    r = h.record(argv, MODES[mode])
    h.same(native, r)
    return r.trace, h.info(r.trace)["process_list"]


def text_of(status, sig):
    return (f"exit status {status}" if sig is None
            else f"killed by SIG{ {6: 'ABRT', 9: 'KILL', 11: 'SEGV'}[sig]}")


def own(how, mode):
    if mode == "valgrind":
        h.need("valgrind")
    status, sig = ENDS[how]
    trace, (p,) = recorded([program(), how], mode)
    want = (status, sig, "killed" if sig else "ended", False)
    h.check(reported(p) == want, f"{reported(p)}, not {want}")
    out = h.bobbin("info", trace).out.decode()
    h.check(text_of(status, sig) in out, out)
    said = h.bobbin("check", trace).out.decode()
    h.check((f"process 0: {text_of(status, sig)}" in said) == bool(sig), said)


def child(how, mode):
    """Its parent waits for it."""
    _, processes = recorded([program(), how, "child"], mode)
    h.check(len(processes) == 2 and reported(processes[0]) == (0, None, "ended", False), processes)
    status, sig = ENDS[how]
    want = (status, sig, "killed" if sig else "ended", False)
    h.check(reported(processes[1]) == want, f"{reported(processes[1])}, not {want}")


def child_unseen(how, mode):
    """No wait that is recorded returns it: what it said itself is known, and no more."""
    _, processes = recorded([program(), how, "unseen"], mode)
    h.check(len(processes) == 2 and reported(processes[0]) == (0, None, "ended", False), processes)
    # Valgrind sees every system call
    silent = how in SILENT and mode != "valgrind"
    want = (None, None) if silent else ENDS[how]
    h.check(reported(processes[1])[:2] == want
            and (mode == "valgrind" or processes[1]["state"] != "killed"),
            f"{reported(processes[1])}, not {want}")


@suite.case("what threads entered last")
def last_entries():
    trace, (p,) = recorded([program(), "segv"], "calls")
    last = [t.get("last_entry") for t in p["thread_list"]]
    cursor = h.bobbin("dump", trace).out.decode()
    entries = [line.split()[3] for line in cursor.splitlines() if line.split()[1:2] == [">"]]
    image, _, function = entries[-1].partition("!")
    h.check(last == [f"{function} ({image})" if function else image], f"{last}, not {entries[-1]}")
    h.check(f"last entry  thread 0.0: {last[0]}" in h.bobbin("info", trace).out.decode(), "info")
    trace, (p,) = recorded([program(), "exit"], "calls")
    h.check("last entry" not in h.bobbin("info", trace).out.decode(), "a program that ended")


def threads(mode):
    _, (p,) = recorded([program(), "threads"], mode)
    states = sorted(t["state"] for t in p["thread_list"])
    want = ["ended"] * 4 + ["killed or still running"] * 2
    h.check(reported(p)[1] == 9 and states == want, f"{reported(p)}, {states}")


@suite.case("a program that another one replaced")
def replaced():
    _, (first, second) = recorded([program(), "exec"], "calls")
    h.check(reported(first) == (None, None, "replaced by exec", False), reported(first))
    h.check(reported(second) == (3, None, "ended", False), reported(second))


@suite.case("ranks, killed and not, before and after a merge")
def merged():
    trace = h.fresh("merged") / "t"
    for rank, how in enumerate(("exit", "segv")):
        env = h.environment({"PMI_RANK": str(rank), "PMI_SIZE": "2"})
        h.run([h.BOBBIN, "record", "-q", "-o", trace, "--events", "--", program(), how], env=env)
    before = sorted(str(reported(p)) for p in h.info(trace)["process_list"])
    h.check(len(before) == 2 and any("'killed'" in p for p in before), before)
    r = h.bobbin("merge", trace)
    h.check(r.status == 0, r)
    after = sorted(str(reported(p)) for p in h.info(trace)["process_list"])
    h.check(before == after, f"{before}, {after}")


for mode in MODES:
    for how in ENDS:
        suite.add(f"{how}, {mode}", own, how, mode)
for mode in ("calls", "memory"):
    suite.add(f"threads that ended before a kill, {mode}", threads, mode)
for how in ENDS:
    suite.add(f"a child: {how}", child, how, "calls")
    suite.add(f"a child: {how}, a wait that is not recorded", child_unseen, how, "calls")
suite.add("a child: exit_group, valgrind", child_unseen, "exit_group", "valgrind")
suite.add("a child: kill, valgrind", child_unseen, "kill", "valgrind")

if __name__ == "__main__":
    sys.exit(suite.run())
