#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of MPI calls, waiting, pairs of ranks, hooks and parameters: text, CSV and JSON have the
same numbers, sums are those of `bobbin info`, options mean what docs/tables.md says."""

import re
import sys

import harness as h
import mpi_events as m
from tables import agree, common, lines, objects, out

suite = h.Suite("tables_mpi", jobs=1)
INCLUDE = f"-I{h.ROOT / 'include'}"


@h.cached
def ranks():
    mpi = m.MPIS[0]
    h.need(*{"openmpi": ("mpirun.openmpi", "mpicc.openmpi"),
             "mpich": ("mpirun.mpich", "mpicc.mpich")}[mpi])
    r = m.record(mpi, 4, [m.program(mpi, h.PROG / "mpi_reading.c", ["-w", "-g"])])
    h.check(r.status == 0, f"recording\n{r}")
    return r.trace


@h.cached
def late():
    mpi = m.MPIS[0]
    r = m.record(mpi, 2, [m.program(mpi, "late.c", ["-g"]), "5"],
                 options=["--mpi", "--time=exact:mpi"])
    h.check(r.status == 0, f"recording\n{r}")
    return r.trace


@h.cached
def events():
    program = h.compile("tables_hooks", ["events/hooks.c"], "gcc",
                        ["-O1", "-g", "-pthread", INCLUDE])
    r = h.record([program, "1"], ["--events"])
    h.check(r.status == 0, f"recording\n{r}")
    return r.trace


def number(row, key):
    return int(row[key])


@suite.case("report: MPI calls by function, site, communicator, rank")
def calls():
    total = h.info(ranks())["mpi_calls"]
    sums = set()
    for by in ("function", "site", "comm", "rank"):
        rows = common("report", [f"--by={by}"], ranks(), "calls")
        h.check(sum(number(r, "calls") for r in rows) == total, f"by {by}: not {total}\n{rows}")
        h.check({r["sent_bytes_is"] for r in rows} == {"exact"}, f"by {by}: {rows}")
        sums.add((sum(number(r, "sent_bytes") for r in rows),
                  sum(number(r, "received_bytes") for r in rows)))
    h.check(len(sums) == 1, f"sums of bytes differ: {sums}")
    text = out("report", "--no-pager", "--by=site", "--limit=1", ranks())
    rest = total - number(lines(out("report", "--by=site", "-f", "csv", ranks()))[0], "calls")
    h.check(f" more call sites with {rest:,} calls (" in text, text)
    rows = lines(out("report", "--by=rank", "-f", "csv", "--sort=-rank", ranks()))
    h.check([(r["process"], r["rank"]) for r in rows] == [(f"rank {i}", str(i)) for i in range(4)],
            f"{rows}")
    h.check({"late", "hook", "site"} <= set(out("report", "--by=help").split()), "--by=help")


@suite.case("report: call sites have parts")
def sites():
    rows = lines(out("report", "--by=site", "-f", "csv", ranks()))
    for r in rows:
        h.check(r["site"] == f"{r['call']}  {r['place']}", f"{r}")
        h.check(r["place"] == f"{r['function']}  {r['file'].rsplit('/', 1)[-1]}:{r['line']}"
                and r["address"], f"{r}")
    h.check({"ring", "main"} <= {r["function"] for r in rows}, f"{rows}")


@suite.case("report: bytes that are not known are bounds")
def bounds():
    """Without vectors of counts, the bytes of MPI_Alltoallv are not known."""
    mpi = m.MPIS[0]
    r = m.record(mpi, 4, [m.program(mpi, h.PROG / "mpi_reading.c", ["-w", "-g"])],
                 ["--mpi-vectors=none"])
    rows = lines(out("report", "-f", "csv", r.trace))
    for row in rows:
        h.check((row["sent_bytes_is"] == "at least") == (row["unknown_calls"] != "0"), f"{row}")
        h.check((row["function"] == "MPI_Alltoallv") == (row["unknown_calls"] == "4"), f"{row}")
    text = out("report", r.trace)
    h.check(re.search(r"(?m) >=0 B .* MPI_Alltoallv$", text)
            and "unknown     bytes of 4 calls" in text, text)


@suite.case("report: late senders")
def waiting():
    rows = common("report", ["--by=late"], late(), "times")
    lost = [number(r, "lost_ns") for r in rows]
    h.check(lost == sorted(lost, reverse=True) and any(lost), f"{lost}")
    for r in rows:
        h.check(r["site"].startswith(r["call"] + "  " + r["function"]), f"{r}")
        h.check((r["cause_rank"] == "") == (r["waits_for"] == "") == (r["cause_ns"] == ""), f"{r}")
        h.check(not r["cause_call"] or r["waits_for"].startswith(r["cause_call"]), f"{r}")


@suite.case("report: hooks and parameters")
def brought():
    for by, key in (("hook", "sum"), ("parameter", "count")):
        args = ["report", f"--by={by}", "--no-pager"]
        rows = lines(out(*args, "-f", "csv", events()))
        agree(rows, objects(out(*args, "-f", "json", events())), by)
        text = out(*args, "-n", "0", events())
        h.check(len(text.splitlines()) == len(rows) + 1, f"{rows}\n{text}")
        for r in rows:
            h.check(r["values"] in text and r["event"] in text, f"{r}\n{text}")
        with_sum = [float(r[key]) for r in lines(out(*args, "-f", "csv", f"--sort={key}", events()))
                    if r[key]]
        h.check(with_sum == sorted(with_sum, reverse=True) and with_sum, f"{with_sum}")
        file = h.fresh("out") / "x"
        said = out(*args, "-o", file, "--sort=nothing_like_it", events(), status=2)
        h.check("no column" in said and not file.exists(), said)
    large = h.compile("tables_large", ["events/large.c"], "gcc", ["-O1", INCLUDE])
    r = h.record([large], ["--events"])
    row = objects(out("report", "--by=parameter", "-f", "json", r.trace))[0]
    h.check(row["sum"] == 2 * -(1 << 63) + 1 + 4 * (1 << 53) + 2 and row["min"] == -(1 << 63),
            f"{row}")


@suite.case("show: rows of calls with MPI calls among them")
def among_calls():
    mpi = m.MPIS[0]
    of = m.record(mpi, 2, [m.program(mpi, "late.c", ["-g"]), "5"],
                  options=["--calls", "--mpi", "--images=main"]).trace
    info = h.info(of)
    rows = lines(out("show", "-f", "csv", of))
    for kind, total in (("call", "events"), ("mpi", "mpi_calls")):
        chosen = [r for r in rows if r["kind"] == kind]
        h.check(sum(number(r, "calls") for r in chosen) == info[total],
                f"not {info[total]}\n{chosen}")
        h.check({bool(r["call"]) for r in chosen} == {kind == "call"}, f"{chosen}")
        h.check({r["function"].startswith("MPI_") for r in chosen} == {kind == "mpi"}, f"{chosen}")
    text = out("show", "-f", "json", ranks(), status=2)
    h.check("are for calls; " in text and text.count("\n") == 1, text)


@suite.case("commmatrix: pairs")
def pairs():
    rows = common("commmatrix", ["--sort=-from,-to"], ranks(), "messages")
    h.check([(number(r, "from"), number(r, "to")) for r in rows]
            == sorted((number(r, "from"), number(r, "to")) for r in rows), f"{rows}")
    h.check(out("commmatrix", "-f", "csv", ranks()).splitlines()[0]
            == "from,to,messages,bytes,unknown", "names of columns")
    text = out("commmatrix", ranks())
    messages = sum(number(r, "messages") for r in rows)
    h.check(f": {messages} messages, " in text and "senders down, receivers across" in text, text)
    for show in "bytes", "messages":
        text = out("commmatrix", f"--show={show}", "--limit=2", ranks())
        most = sorted(rows, key=lambda r: -number(r, show))
        found = re.findall(r"(?m)^ *(\d+) +(\d+) +([\d,]+) +", text)
        h.check([(r["from"], r["to"], r["messages"]) for r in most[:2]] == found, f"{text}\n{most}")
        h.check(re.search(rf"(?m)^\.\.\. {len(rows) - 2} more pairs with \d+ messages \(", text),
                text)
    h.check("svg" in out("commmatrix", "--format=help"), "--format=help")
    h.check("not for a picture" in out("commmatrix", "-f", "svg", "--sort=bytes", ranks(),
                                       status=2), "svg")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
