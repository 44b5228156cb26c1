#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every function of MPI: a program calls each that can be called without harm (every.c); a tool
that counts by PMPI -- linked with the program, preloaded before ours or after it -- counts what is
recorded. The program prints the same as without a recorder."""
import sys

import harness as h
import mpi_events as m

# What every.c does not call, and why.
NOT_CALLED = {
    "Abort": "it ends the program: test_mpi_killed.py",
    "Comm_spawn": "it starts programs", "Comm_spawn_multiple": "the same",
    "Comm_accept": "it waits for another program", "Comm_connect": "the same",
    "Comm_join": "the same",
    "Open_port": "needs a server with some launchers", "Close_port": "the same",
    "Publish_name": "needs a name server", "Unpublish_name": "the same", "Lookup_name": "the same",
    "Init": "the large-count program calls Init_thread", "Init_thread": "the other calls Init",
}
# Called by the program's callbacks, within another call: not recorded.
UNSEEN = {"Status_set_elements": 2, "Status_set_cancelled": 2}
suite = h.Suite("mpi_functions", jobs=1)


def env(**more):
    return {"EVERY_FILE": str(h.fresh("file") / "data"), **more}


def programs(mpi):
    large = [["-DLARGE"]] if "Send_c" in m.declared(mpi) else []
    return [m.program(mpi, "every.c", [f"-I{m.have(mpi)}", *flags]) for flags in [[], *large]]


def every(mpi):
    called, total = set(), 0
    for exe in programs(mpi):
        before = m.native(mpi, 2, [exe], env=env())
        h.check(before.status == 0 and before.out == b"0 calls failed\n",
                f"the program fails natively\n{before}")
        after = m.record(mpi, 2, [exe], env=env())
        h.same(before, after)
        threads = m.read(after.trace)
        n = m.counts(threads)
        h.check(not any(e.lost or e.open for t in threads for e in t.events),
                "events are marked as lost or open")
        bad = [e for t in threads for e in t.events if e.values["result"]
               and not e.name.startswith("Register_datarep")]
        h.check(not bad, "results other than 0: " + ", ".join(map(str, bad[:5])))
        called |= n.keys()
        total += sum(n.values())
    missing = sorted(set(m.declared(mpi)) - called - set(NOT_CALLED) - set(UNSEEN))
    h.check(not missing, f"functions without an event: {', '.join(missing)}")
    return f"{len(called)} functions of {len(m.declared(mpi))}, {total} events"


def beside(mpi, where):
    """Both count every call once."""
    total = 0
    for exe in programs(mpi):
        counts = h.fresh("counts")
        if where == "linked":
            flags = ["-DLARGE"] if exe != programs(mpi)[0] else []
            exe = m.program(mpi, "every.c", [f"-I{m.have(mpi)}", *flags, '-DTAG="tool"'],
                            libs=[str(m.counter(mpi))])
        e = m.environment(mpi, env(COUNT_DIR=str(counts)))
        argv, tool = [exe], m.counter_library(mpi, "tool")
        if where == "after":
            e["LD_PRELOAD"] = ":".join(filter(None, [e.get("LD_PRELOAD"), str(tool)]))
        elif where == "before":
            argv = ["sh", "-c", f"LD_PRELOAD={tool}:$LD_PRELOAD exec \"$@\"", "sh", exe]
        before = m.native(mpi, 2, argv, env=e)
        alone = m.counted(counts, "tool")
        for f in counts.iterdir():
            f.unlink()
        after = m.record(mpi, 2, argv, env=e, options=[f"--mpi={mpi}"])
        h.same(before, after)
        n = m.counts(m.read(after.trace))
        tool_says = m.counted(counts, "tool")
        for name in ("Improbe", "Test", "Testany", "Testall", "Testsome", "Request_get_status",
                     "Win_test", "Parrived", "Wait"):
            alone[name] = tool_says.get(name, 0)  # polled as often as it takes
        alone = {k: v for k, v in alone.items() if v}
        for name, calls in UNSEEN.items():
            n[name] = n.get(name, 0) + calls
        if mpi == "mpich":
            n["Type_free_keyval"] += 2  # by MPI itself, within Finalize
        m.same_counts(tool_says, alone, "the tool, with ours and without it")
        m.same_counts(n, tool_says, f"a tool {where}")
        total += sum(n.values())
    return f"{total} events"


def no_call_paths(mpi):
    """Only callbacks refer to the program's image, and none of its names is needed: that is no
    damage."""
    r = m.record(mpi, 2, [programs(mpi)[0]], ["--no-callsites"], env=env())
    h.check(r.status == 0, f"the program fails\n{r}")
    said = h.bobbin("check", r.trace)
    h.check(said.status == 0, f"the trace is not intact\n{said}")


for mpi in m.MPIS:
    suite.add(f"{mpi}: every function", every, mpi)
    suite.add(f"{mpi}: without call paths", no_call_paths, mpi)
    for where in ("linked", "before", "after"):
        suite.add(f"{mpi}: a tool {where}", beside, mpi, where)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
