#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""record --time=exact:mpi: the begin and end of each call say what the statistics say, in ended and
in killed processes; clocks of the ranks are known to what is said; who waited for whom."""
import random
import re
import sys

import harness as h
import mpi_events as m

suite = h.Suite("mpi_exact", jobs=1)
EXACT = ["--time=exact:mpi"]
SHIFT = 1000000000


def bobbin(*argv):
    r = h.run([h.BOBBIN, *argv])
    h.check(r.status == 0, f"{r}")
    return r.out.decode()


class Thread:
    def __init__(self, name):
        self.name, self.sites, self.open, self.moments = name, [], False, []


def dump(trace):
    """Threads, the clocks' lines, and the rows of statistics."""
    threads, clocks, rows, mode = [], [], [], ""
    for line in bobbin("dump", trace).splitlines():
        f = line.split()
        if f[0] == "thread":
            threads.append(Thread(f[1]))
            mode = ""
        elif line in ("events", "moments", "times"):
            mode = line
        elif f[0] == "clock":
            clocks.append([int(x) for x in f[1:5]])
        elif f[0] == "source":
            break
        elif mode == "events":
            t = threads[-1]
            h.check(not t.open, f"thread {t.name}: an open call is not the last one")
            t.open = "!open" in f
            t.sites.append((f[1], *(x for x in f if x[0] == "@")))
        elif mode == "moments":
            threads[-1].moments += [int(x) for x in f[1:] if x != "-"]
        elif mode == "times":
            rows.append(line)
    return [t for t in threads if t.sites], clocks, rows


def site(text):
    return tuple(text.split()) if text != "-" else None


def said(rows):
    """{(site before, site): [count, interval: min, max, sum, duration: min, max, sum]}"""
    out = {}
    for row in rows:
        head, interval, duration = re.match(r"(.*) gap (.*) duration (.*)", row).groups()
        count, before, of = re.match(r"(\d+) (.*) > (.*)", head).groups()
        numbers = [re.match(r"(\d+) \(\S+\) (\d+) \(\S+\) (\d+) ", x).groups()
                   for x in (interval, duration)]
        out[site(before), site(of)] = [int(count), *(int(n) for x in numbers for n in x)]
    return out


def found(threads):
    out = {}
    for t in threads:
        n = len(t.sites)
        h.check(len(t.moments) == 2 * n, f"thread {t.name}: {n} events, {len(t.moments)} moments")
        h.check(t.moments == sorted(t.moments), f"thread {t.name}: moments go back")
        for i in range(n):
            interval = t.moments[2 * i] - t.moments[2 * i - 1] if i else 0
            took = t.moments[2 * i + 1] - t.moments[2 * i]
            row = out.setdefault((t.sites[i - 1] if i else None, t.sites[i]),
                                 [0, interval, 0, 0, took, 0, 0])
            row[0] += 1
            for at, value in ((1, interval), (4, took)):
                row[at] = min(row[at], value)
                row[at + 1] = max(row[at + 1], value)
                row[at + 2] += value
    return out


def recorded(mpi, ranks, name, *args, env=None, flags=()):
    r = m.record(mpi, ranks, [m.program(mpi, name, flags), *args], options=EXACT, env=env)
    h.check(r.status == 0, f"{r}")
    return r


def sums(mpi, ranks, name, *args):
    r = recorded(mpi, ranks, name, *args, env={"ORACLE_DIR": str(h.fresh("said"))})
    bobbin("check", r.trace)
    threads, _, rows = dump(r.trace)
    h.check(len(threads) == ranks, f"{len(threads)} threads")
    want, have = said(rows), found(threads)
    differ = [(k, want.get(k), have.get(k)) for k in want.keys() | have.keys()
              if want.get(k) != have.get(k)]
    h.check(want == have, f"differ: {differ[:3]}")
    return f"{sum(len(t.sites) for t in threads)} calls, {len(have)} pairs of sites"


def killed(mpi, times):
    random.seed(mpi)
    calls = 0
    for _ in range(times):
        argv = [m.program(mpi, "ends.c"), "killed", str(random.randrange(1000, 200000))]
        r = m.record(mpi, 4, argv, options=EXACT, env={"ORACLE_DIR": str(h.fresh("said"))})
        h.check(r.status != 0, f"no rank was killed\n{r}")
        check = h.run([h.BOBBIN, "check", r.trace])
        h.check(b"do not go together" not in check.out, f"{check}")
        for t in dump(r.trace)[0]:
            complete, n = len(t.sites) - t.open, len(t.moments)
            h.check(2 * complete <= n <= 2 * complete + 2,
                    f"thread {t.name}: {complete} calls and {t.open}, {n} moments")
            calls += complete
    return f"{calls} calls"


def clocks(mpi, ranks):
    """All ranks have the same clock here, made to differ: what is measured is wrong by no more than
    it says."""
    r = recorded(mpi, ranks, "late.c", "3", env={"BOBBIN_TEST_CLOCK": str(SHIFT)})
    lines = dump(r.trace)[1]
    h.check([x[0] for x in lines] == [p for p in range(ranks) for _ in range(2)], f"{lines}")
    for rank, _, offset, uncertainty in lines:
        h.check(abs(offset + rank * SHIFT) <= uncertainty,
                f"rank {rank}: {offset}, known to {uncertainty}")
        h.check((uncertainty == 0) == (rank == 0), f"rank {rank}: {uncertainty}")
    same = dump(recorded(mpi, ranks, "late.c", "3").trace)[1]
    h.check(len(same) == 2 * ranks and all(x[2:] == [0, 0] for x in same), f"{same}")
    return f"to {max(x[3] for x in lines)} ns"


ROW = re.compile(r" *(\S+(?: [a-z]+)?) +(\S+(?: [a-z]+)?) +([\d,]+) +([\d,]+) +(\S+) +MPI_(\w+)  "
                 r"(\w+)")


def rows_of(text):
    return {(f[7], f[6]): f for f in filter(None, map(ROW.match, text.splitlines()))}


def row(rows, where, function):
    h.check((where, function) in rows, f"no row of {function} in {where}\n{sorted(rows)}")
    f = rows[where, function]
    return int(f[3].replace(",", "")), int(f[4].replace(",", "")), 0 if f[5] == "-" else int(f[5])


def late(mpi, ranks, env=None):
    rounds = 20
    r = recorded(mpi, ranks, "late.c", str(rounds), env=env, flags=["-g"])
    text = bobbin("report", "--by=late", r.trace)
    rows = rows_of(text)
    times, was_late, undecided = row(rows, "waits_for_answer", "Sendrecv")
    h.check(times == rounds == was_late + undecided and (env or not undecided), f"\n{text}")
    if was_late:
        h.check(re.search(r"Sendrecv.*MPI_Send  waits_for_answer.* rank 1 \(100", text),
                f"\n{text}")
    times, was_late, undecided = row(rows, "finds_it_there", "Waitall")
    h.check(times == rounds and not was_late and (env or not undecided), f"\n{text}")
    times, was_late, undecided = row(rows, "finds_it_there", "Wait")
    h.check(times == rounds, f"\n{text}")
    times, was_late, undecided = row(rows, "meets", "Barrier")
    h.check(times == rounds * ranks and was_late <= rounds * (ranks - 1), f"\n{text}")
    h.check("unmatched" not in text and "not all" not in text, f"\n{text}")
    return text.splitlines()[0].split(": ")[1]


def cancelled(mpi):
    """Calls after a cancelled receive are followed, whether that got a message or not."""
    rounds = 20
    text = bobbin("report", "--by=late",
                  recorded(mpi, 2, "follow.c", "wait", str(rounds), flags=["-g"]).trace)
    h.check(f" {10 * rounds} messages received" in text.splitlines()[0], f"\n{text}")
    h.check(row(rows_of(text), "wait_for", "Wait") == (4 * rounds, 0, 0), f"\n{text}")
    h.check(not re.search("unmatched|not all|unfollowed", text), f"\n{text}")
    return text.splitlines()[0].split(": ")[1]


def freed(mpi):
    """How many messages are not followed is said, and why."""
    rounds = 20
    text = bobbin("report", "--by=late",
                  recorded(mpi, 2, "follow.c", "free", str(rounds), flags=["-g"]).trace)
    h.check(f" {10 * rounds} messages received" in text.splitlines()[0], f"\n{text}")
    h.check(re.search(rf"^unfollowed  5 of {10 * rounds + 5} messages sent: 5 to or from processes "
                      rf"that are not followed", text, re.M), f"\n{text}")
    h.check(re.search(r"^not all     messages of 1 process are followed", text, re.M), f"\n{text}")


def groups(mpi):
    """Messages between groups: as others."""
    rounds, ranks = 10, 4
    text = bobbin("report", "--by=late",
                  recorded(mpi, ranks, "follow.c", "groups", str(rounds), flags=["-g"]).trace)
    times, was_late, undecided = row(rows_of(text), "wait_for", "Wait")
    h.check((times, was_late, undecided) == (3 * rounds * ranks, 0, 0), f"\n{text}")
    h.check(f" {2 * times} messages received" in text.splitlines()[0] and "unfollowed" not in text,
            f"\n{text}")
    return text.splitlines()[0].split(": ")[1]


def without(mpi):
    r = m.record(mpi, 2, [m.program(mpi, "late.c"), "2"])
    report = h.run([h.BOBBIN, "report", "--by=late", r.trace])
    h.check(report.status == 1 and b"record with --time=exact:mpi" in report.err, f"{report}")


def some_ranks(mpi):
    """Not all ranks are recorded: nothing is measured together, and no rank waits for those that do
    not take part."""
    exe, trace = m.program(mpi, "late.c"), h.fresh("some") / "t"
    own = [h.BOBBIN, "record", "-q", "--mpi", *EXACT, "-o", trace, "--", exe, "3"]
    r = h.run([*m.mpirun(mpi, 1), *own, ":", "-n", "2", exe, "3"], env=m.environment(mpi))
    h.check(r.status == 0 and r.out == b"ok\n", f"{r}")
    threads, lines, rows = dump(trace)
    h.check(len(threads) == 1 and not lines, f"{len(threads)} threads, {lines}")
    h.check(said(rows) == found(threads), "statistics differ")


for one in m.MPIS:
    suite.add(f"{one}: sums", sums, one, 4, "ends.c", "full", "400")
    suite.add(f"{one}: sums of wildcards and waits", sums, one, 3, "late.c", "50")
    suite.add(f"{one}: a rank is killed at random moments", killed, one, 3)
    suite.add(f"{one}: clocks", clocks, one, 5 if one == "openmpi" else 3)
    suite.add(f"{one}: late", late, one, 3)
    suite.add(f"{one}: late, by clocks that differ", late, one, 3,
              {"BOBBIN_TEST_CLOCK": str(SHIFT)})
    suite.add(f"{one}: late, after receives that are cancelled", cancelled, one)
    suite.add(f"{one}: late, after one that is cancelled and freed", freed, one)
    suite.add(f"{one}: late, between groups", groups, one)
    suite.add(f"{one}: without exact times", without, one)
    suite.add(f"{one}: some ranks", some_ranks, one)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
