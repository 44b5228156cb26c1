#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The plug-in `cluster`: which ranks do the same, compared in Finalize, or while they run at an
event that all have."""
import collections
import re
import sys

import harness as h
import mpi_events as m

suite = h.Suite("cluster")
INCLUDE = f"-I{h.ROOT / 'include'}"


def stamp():
    return "-DSTAMP=%d" % max(p.stat().st_mtime_ns
                              for p in [*(h.ROOT / "include/bobbin").iterdir(),
                                        *(h.PROG / "events").iterdir()])


def program(name, flags=()):
    return h.compile("cluster", [f"events/{name}"], "gcc",
                     ["-O1", "-g", "-Wall", "-Werror", "-pthread", INCLUDE, stamp(), *flags])


def equal(have, want):
    h.check(have == want, f"{have}\nnot {want}")


def clusters(trace, event="MPI_Finalize"):
    r = h.bobbin("report", "--by=hook", "--limit=0", trace)
    found = re.findall(rf"(?m)^{event} +before  cluster +(\d.*)$", r.out.decode())
    h.check(len(found) == 1, str(r))
    return found[0]


@suite.case("clusters: of one process, and what cannot be asked for")
def one_cluster():
    p = program("touch.c")
    r = h.record([p], ["--plugin=cluster"], env={"BOBBIN_CLUSTER_AT": "touch:3"})
    equal(clusters(r.trace, "touch"), "1 cluster of 1 rank: 0 like 0")
    # ranks without MPI
    pool = h.record([program("pool.c"), "calls", "5"], ["--plugin=cluster"],
                    env={"BOBBIN_CLUSTER_AT": "job:5"})
    equal(clusters(pool.trace, "job"), "1 cluster of 5 ranks: 1-5 like 1")
    for bad in ({"BOBBIN_CLUSTERS": "33"}, {"BOBBIN_CLUSTERS": "x"},
                {"BOBBIN_CLUSTER_AT": "touch:0"}, {"BOBBIN_CLUSTER_AT": ""}):
        r = h.record([p], ["--plugin=cluster"], env=bad)
        info = h.bobbin("info", r.trace).out.decode()
        h.check(r.status == 0 and f"{[*bad][0]} is n" in info
                and "cluster.so is not used: it says that it cannot begin" in info,
                f"{bad}\n{info}")


for mpi in m.MPIS:
    @suite.case(f"{mpi}: clusters of ranks")
    def ranks_that_differ(mpi=mpi):
        p = m.program(mpi, h.PROG / "events" / "cluster.c", [INCLUDE, stamp()])

        def run(n, args, **env):
            r = m.record(mpi, n, [p, *args], ["--mpi", "--plugin=cluster"], env=env)
            h.check(r.status == 0 and not r.out, str(r))
            h.check_trace(r.trace)
            return r.trace
        h.check(clusters(run(5, ["-1"])) == "1 cluster of 5 ranks: 0-4 like 0", "all do the same")
        for n, odd, how in ((4, 0, "probe"), (8, 5, "more"), (7, 6, "master"), (16, 9, "probe")):
            text = clusters(run(n, [str(odd), how]))
            others = ",".join(f"{a}-{b}" if a < b else f"{a}"
                              for a, b in ((0, odd - 1), (odd + 1, n - 1)) if a <= b)
            first = 1 if odd == 0 else 0
            both = {rf"{others} like {first}, (0\.\d+) from {odd}",
                    rf"{odd} like {odd}, (0\.\d+) from {first}"}
            said = re.match(rf"2 clusters of {n} ranks: (.*); (.*)$", text)
            h.check(said and all(any(re.fullmatch(b, s) for s in said.groups()) for b in both),
                    f"{how} of rank {odd}: {text}")
        # before it differs it is like the others; k is what is asked for
        t = run(5, ["2", "probe"], BOBBIN_CLUSTER_AT="MPI_Barrier:2")
        h.check(clusters(t, "MPI_Barrier") == "1 cluster of 5 ranks: 0-4 like 0",
                clusters(t, "MPI_Barrier"))
        text = clusters(run(5, ["2", "probe"], BOBBIN_CLUSTERS="1"))
        h.check(re.fullmatch(r"1 cluster of 5 ranks, 2 groups: 0-4 like 0, within 0\.\d+", text),
                text)


@suite.case("Fortran gets its cluster")
def fortran():
    p = h.compile("cluster", [str(m.BUILD / "share/bobbin/bobbin.f90"), "events/cluster.f90"],
                  m.compiler("openmpi", "fortran"), ["-g", "-O1"])
    native = m.native("openmpi", 2, [p])
    none = " 0" * 7
    equal(sorted(native.out.decode().splitlines()),
          [f"rank {r}.{i} knows not{none}" for r in range(2) for i in (1, 2)])
    r = m.record("openmpi", 3, [p], ["--mpi", "--plugin=cluster"],
                 env={"BOBBIN_CLUSTER_AT": "MPI_Barrier/1,all"})
    h.check(r.status == 0, str(r))
    h.check_trace(r.trace)
    want = [f"rank {n}.1 knows     1 {n} 3 0 1 3 0" for n in range(3)]
    want += ["rank 0.2 knows     2 0 3 0 2 2 0", "rank 1.2 knows     2 1 3 1 2 1 1",
             "rank 2.2 knows     2 2 3 0 2 2 0"]
    equal(sorted(r.out.decode().splitlines()), sorted(want))


# --- while they run: grouped.c ---

REPORTED = re.compile(r"(rank|late) (\d+)\.(\d+): (?:not known|comparison (\d+), rank (\d+) of "
                      r"(\d+), cluster (\d+) of (\d+), (\d+) like (\d+))")


def reported(r):
    """{(rank, phase): the result that it got after it, None: none}, and what the program's own hook
    saw at the events"""
    out, saw = {}, collections.defaultdict(list)
    for line in r.out.decode().splitlines():
        f = line.split()
        if f and f[0] == "saw":
            saw[int(f[1])].append(f[2])
            continue
        match = REPORTED.fullmatch(line)
        h.check(match, f"{line!r}\n{r}")
        out[int(match[2]), int(match[3])] = tuple(map(int,
                                                      match.groups()[3:])) if match[4] else None
    return out, saw


def groups(ranks, odd, comparison):
    """The result of a comparison for each rank: all but one are alike, or all."""
    first = 1 if odd == 0 else 0
    alike = ranks if odd is None else ranks - 1
    n = 1 if odd is None else 2
    return {r: (comparison, r, ranks,
                int(r == odd if odd != 0 else r != odd) if odd is not None else 0, n,
                1 if r == odd else alike, r if r == odd else first) for r in range(ranks)}


def notes(trace):
    return h.bobbin("info", trace).out.decode()


def recorded_groups(trace, ranks):
    """{rank: the parameters of its events `cluster`}"""
    out = {}
    for rank in range(ranks):
        shown = h.bobbin("show", "-x", "--lines=0", f"--rank={rank}", trace).out.decode()
        out[rank] = [tuple(map(int, g)) for g in re.findall(r"cluster\(cluster=(\d+), like=(\d+), "
                                                            r"clusters=(\d+)\)", shown)]
    return out


def check_groups(r, ranks, odd, at, since):
    """`at`: after these phases there was a comparison; since that of `since` one rank differs."""
    have, saw = reported(r)
    want, events, seen = {}, {k: [] for k in range(ranks)}, {k: [] for k in range(ranks)}
    latest = dict.fromkeys(range(ranks))
    for n in range(1, 5):
        if n in at:
            latest = groups(ranks, odd if n >= since else None, at.index(n) + 1)
        for k in range(ranks):
            want[k, n] = latest[k]
            if latest[k]:
                seen[k].append(f"{latest[k][0]}:{latest[k][3]}")
                if n in at:
                    events[k].append((latest[k][3], latest[k][6], latest[k][4]))
    equal(have, want)
    equal(dict(saw), seen)
    equal(recorded_groups(r.trace, ranks), events)
    h.check_trace(r.trace)
    h.check("have not come" not in notes(r.trace), notes(r.trace))


def both(ranks, odd):
    others = ",".join(f"{a}-{b}" if a < b else f"{a}"
                      for a, b in ((0, odd - 1), (odd + 1, ranks - 1)) if a <= b)
    first = 1 if odd == 0 else 0
    one, other = (rf"{others} like {first}, 0\.\d+ from {odd}",
                  rf"{odd} like {odd}, 0\.\d+ from {first}")
    return rf"2 clusters of {ranks} ranks: " + ("; ".join((one, other)) if odd
                                                else "; ".join((other, one)))


@suite.case("ranks without MPI: a family of processes, compared while they run")
def family():
    p = program("grouped.c", ["-DNO_MPI"])
    r = h.record([p, "6", "phase", "9"], ["--plugin=cluster"],
                 env={"BOBBIN_CLUSTER_AT": "phase/1,all"})
    h.check(r.status == 0 and not r.err, str(r))
    check_groups(r, 9, 6, [1, 2, 3, 4], 3)
    text = clusters(r.trace, "phase")
    h.check(re.fullmatch(both(9, 6), text), text)
    # another thread of rank 0 has the event during the exchange: that one does not count, and does
    # not disturb the exchange
    r = h.record([p, "0", "twice", "5"], ["--plugin=cluster"],
                 env={"BOBBIN_CLUSTER_AT": "phase/1,all"})
    have, _ = reported(r)
    equal({k: v for (k, n), v in have.items() if n == 4}, groups(5, 0, 4))
    text, info = clusters(r.trace, "phase"), notes(r.trace)
    h.check(re.fullmatch(both(5, 0), text) and "could not be compared" not in info,
            f"{text}\n{info}")
    # in a star of ranks, each that has arrived learns which have not; the trace has all
    for how, compared in (("skips", 0), ("dies", 2)):
        r = h.record([p, "6", how, "9"], ["--plugin=cluster"],
                     env={"BOBBIN_CLUSTER_AT": "phase/1,all", "BOBBIN_MERGE_WAIT": "5"})
        have, _ = reported(r)
        h.check(r.status == 0 and len(have) == (34 if how == "dies" else 36), str(r))
        for (rank, n), what in have.items():
            equal(what, groups(9, None, min(n, compared))[rank] if compared else None)
        equal(clusters(r.trace, "phase"), "1 cluster of 8 ranks: 0-5,7-8 like 0")
        why = ("nothing came from rank 6 in time" if how == "dies" else
               "in Finalize already is rank 6")
        h.check(f"hook 'cluster': ranks have not come together: {why}\n" in notes(r.trace)
                and "cluster: ranks could not be compared at the event, and will be when they "
                "finalize (8 times)" in notes(r.trace), notes(r.trace))
        h.check_trace(r.trace)
    r = h.run([p, "6", "phase", "2"])
    h.check(r.status == 0 and set(reported(r)[0].values()) == {None},
            f"not recorded, nothing is known\n{r}")


@suite.case("a transport of the program's own, and ranks that do not speak as they should")
def transports():
    p = program("transport.c")
    for how, said in (("friend", ""), ("silent", "nothing came from rank 4 in time"),
                      ("huge", "nothing whole came from rank 4"),
                      ("junk", "nothing whole came from rank 4"),
                      ("short", "nothing came from rank 4 in time"),
                      ("liar", "nothing came from rank")):
        r = h.record([p, how, "5"], ["--plugin=cluster"],
                     env={"BOBBIN_CLUSTER_AT": "job/5,all", "BOBBIN_MERGE_WAIT": "1"})
        h.check(r.status == 0 and (b"not all went well" in r.out) == (how != "friend"), str(r))
        info = notes(r.trace)
        h.check(("have not come together" in info) == (how != "friend") and said in info,
                f"{how}\n{info}")
        h.check_trace(r.trace)
        # rank 0 comes from another line than the others
        per = recorded_groups(r.trace, 5)
        equal(per, {k: [(int(k > 0), int(k > 0), 2)] * 2 if how == "friend" else []
                    for k in range(5)})


@suite.case("what hooks of one's own exchange; sets that throw or jump")
def exchanges():
    p = h.compile("exchange", ["events/exchange.cc"], "g++",
                  ["-O1", "-g", "-Wall", "-Werror", INCLUDE, stamp()])

    def run(*args):
        r = h.record([p, *args], ["--events"])
        h.check(r.status == 0 and not r.err, str(r))
        h.check_trace(r.trace)
        return sorted(r.out.decode().splitlines()), notes(r.trace)
    equal(run("sums", "9")[0], sorted([f"rank {k}: 45 in all, 0 alive" for k in range(9)]
                                      + [f"rank {k}: 3600, 0 alive" for k in range(9)]))
    equal(run("alone")[0], ["rank 0: 7 in all, 0 alive"])
    r = h.record([p, "wrong"], ["--events"])
    equal(r.out.decode(),
          "-1 -1\nrank 0: 1, 0 alive\nwithin: -1\n0 0 0 0\n16 of 20\n1 4 new 256 0 256\n")
    equal(h.run([p, "wrong"]).out.decode().splitlines()[:2], ["2 2", "rank 0: status 2, 0 alive"])
    for function in ("merge", "pack", "unpack", "encode"):
        lines, said = run(f"throw-{function}", "5")
        reported = [f"rank {k}: 15 in all, 0 alive" if function == "pack"
                    else f"rank {k}: status -7, 0 alive" for k in range(5)]
        again = [f"rank {k}: status -7, 0 alive" for k in range(5)]
        equal(lines, sorted(line.replace("0 alive", "1 alive") if "rank 0" in line
                            and (function == "merge" or (function == "pack" and "-7" in line))
                            else line for line in reported + again))
        h.check(f"could not be united, what came from rank {int(function == 'unpack')}" in said,
                said)
        h.check(function == "encode" or f"`{function}` of its sets has thrown" in said, said)
        lines, said = run(f"jump-{function}", "5")
        equal([line for line in lines if "rank 0" not in line],
              sorted(["jumped"] + [line for line in reported + again if "rank 0" not in line]))
        h.check("an exchange of hooks was left by a jump" in said
                and "in Finalize already is rank 0 (4 times)" in said, said)


for mpi in m.MPIS:
    @suite.case(f"{mpi}: compared while they run")
    def while_they_run(mpi=mpi):
        p = m.program(mpi, h.PROG / "events" / "grouped.c", [INCLUDE, stamp()])

        def run(n, odd, how, at, wait="30"):
            r = m.record(mpi, n, [p, str(odd), how], ["--mpi", "--plugin=cluster"],
                         env={"BOBBIN_CLUSTER_AT": at, "BOBBIN_MERGE_WAIT": wait})
            h.check(r.status == 0 and not r.err, str(r))
            return r
        for n, odd, how, at, phases in ((8, 5, "barrier", "MPI_Barrier/1,all", [1, 2, 3, 4]),
                                        (11, 0, "phase", "phase/2,all", [2, 4]),
                                        (8, 7, "barrier", "MPI_Barrier:4,all", [4]),
                                        (1, 3, "phase", "phase:1,all", [1])):
            r = run(n, odd, how, at)
            check_groups(r, n, odd if odd < n else None, phases, 3)
            text = clusters(r.trace, at.split(":")[0].split("/")[0])
            h.check(re.fullmatch(both(n, odd) if n > 1 else "1 cluster of 1 rank: 0 like 0", text),
                    text)
        # a rank that has no such event, or has it too late: once all have waited, no rank waits
        # again
        for how in ("skips", "late"):
            r = run(8, 3, how, "phase/1,all" if how == "skips" else "phase:1,all",
                    "30" if how == "skips" else "2")
            h.check(set(reported(r)[0].values()) == {None}, str(r))
            info = notes(r.trace)
            why = ("in Finalize already is rank 3" if how == "skips" else
                   "nothing came from rank 3 in time")
            h.check(f"hook 'cluster': ranks have not come together: {why} (2 times)\n" in info,
                    info)
            h.check("not united" not in info and "merging while" not in info, info)
            h.check(f"will be when they finalize ({7 if how == 'skips' else 8} times)" in info,
                    info)
            h.check_trace(r.trace)
            text = clusters(r.trace, "phase")
            h.check(re.fullmatch("1 cluster of 7 ranks: 0-2,4-7 like 0" if how == "skips"
                                 else both(8, 3), text), text)
        # one that has many below it
        for odd in (0, 4):
            r = run(8, odd, "skips", "phase:4,all")
            info = notes(r.trace)
            h.check(f"in Finalize already is rank {odd}" in info and "(7 times)" in info
                    and "not united" not in info, info)
            h.check(re.fullmatch("1 cluster of 7 ranks: .* like .", clusters(r.trace, "phase")),
                    clusters(r.trace, "phase"))
        # not from a thread that may not call MPI
        r = run(4, 2, "thread", "phase:3,all")
        h.check(set(reported(r)[0].values()) == {None}
                and "will be when they finalize (4 times)" in notes(r.trace), notes(r.trace))

    @suite.case(f"{mpi}: one rank of each cluster goes on being recorded")
    def quiet(mpi=mpi):
        p = m.program(mpi, h.PROG / "events" / "grouped.c", [INCLUDE, stamp()])
        r = m.record(mpi, 8, [p, "5", "quiet"], ["--mpi", "--plugin=cluster"],
                     env={"BOBBIN_CLUSTER_AT": "MPI_Barrier:3,all"})
        h.check(r.status == 0 and not r.err, str(r))
        h.check_trace(r.trace)
        steps = {rank: h.bobbin("show", "-x", "--lines=0", f"--rank={rank}",
                                r.trace).out.decode().count(" step(") for rank in range(8)}
        equal(steps, {rank: 396 if rank in (0, 5) else 297 for rank in range(8)})
        # who is not recorded leaves nothing out
        for n, times in ((4, 2), (3, 6)):
            h.check(f"{n} events are left out: 'step: i < 99' is not true of them ({times} times)"
                    in notes(r.trace), notes(r.trace))


if __name__ == "__main__":
    sys.exit(suite.run())
