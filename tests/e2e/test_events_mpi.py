#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program's own events among calls of MPI, and of ranks without any: exact for each rank and
thread, merged in MPI_Finalize, by level, after a kill; what the verbs say of them; sizes that do
not grow with ranks."""
import csv
import json
import os
import re
import signal
import subprocess
import sys
import time

import harness as h
import mpi_events as m
from test_events import PARAMETERS, expected, program

suite = h.Suite("events_mpi", jobs=1)
EVERYTHING = ["--mpi", "--events"]


def build(mpi):
    stamp = max(p.stat().st_mtime_ns for p in (h.PROG / "events").iterdir())
    return h.compile(f"mpi.{mpi}", ["events/mpi.c"], m.compiler(mpi),
                     ["-O1", "-g", "-Wall", "-pthread", f"-I{h.ROOT / 'include'}",
                      f"-DSTAMP={stamp}"])


def record(mpi, ranks, argv, options=(), **kw):
    trace = h.fresh("mpi") / "t"
    r = h.run([*m.mpirun(mpi, ranks), h.BOBBIN, "record", "-q", *options, "-o", trace, "--", *argv],
              env=m.environment(mpi), **kw)
    r.trace = trace
    return r


def of_ranks(trace):
    """{rank: [lines of a thread]}; of calls of MPI only the name."""
    r = h.bobbin("show", "-x", "--lines=0", trace)
    h.check(r.status == 0, f"show fails\n{r}")
    out, lines = {}, None
    for line in r.out.decode().splitlines():
        if line.startswith("thread "):
            lines = []
            out.setdefault(int(re.search(r"  rank (\d+)", line).group(1)), []).append(lines)
        elif re.match(r" *[\d,]+  ", line):
            text = re.sub(r"   [^ ].*$", "", line.split(None, 1)[1])
            lines.append(re.sub(r"^MPI_(\w+).*", r"M \1", text))
    return out


def said(folder, without=()):
    """The same, as the program has it. `without`: functions that were not recorded."""
    out = {}
    for rank in folder.iterdir():
        threads = [said_by(p, without) for p in rank.iterdir()]
        out[int(rank.name)] = [t for t in threads if t]
    return out


def said_by(path, without):
    lines = [line for line in path.read_text().splitlines()
             if not (line.startswith("M ") and line[2:] in without)]
    cut = h.fresh("cut") / "0"
    cut.write_text("\n".join(lines) + "\n")
    return expected(cut)


def same(want, have):
    h.check(sorted(want) == sorted(have), f"ranks {sorted(have)}, not {sorted(want)}")
    total = 0
    for rank in want:
        for w, g in zip(sorted(want[rank]), sorted(have[rank])):
            at = next((i for i, (a, b) in enumerate(zip(w, g)) if a != b), min(len(w), len(g)))
            h.check(w == g, f"rank {rank}, event {at} of {len(w)} and {len(g)}: {g[at:at + 1]}, "
                    f"not {w[at:at + 1]}")
        h.check(len(want[rank]) == len(have[rank]), f"rank {rank}: {len(have[rank])} threads")
        total += sum(map(len, want[rank]))
    return total


NOT_CUSTOM = {"Comm_rank", "Comm_size", "Op_create", "Op_free", "Sendrecv", "Allreduce"}


def ranks_of(mpi):
    p = build(mpi)
    total = 0
    for options, without in ((EVERYTHING, ()), ([*EVERYTHING, "--mpi-level=custom"], NOT_CUSTOM),
                             ([*EVERYTHING, "--mpi-level=flat"], ())):
        folder = h.fresh("said")
        r = record(mpi, 4, [p, folder, 12, 2], options)
        h.check(r.status == 0, str(r))
        h.check_trace(r.trace)
        total += same(said(folder, without), of_ranks(r.trace))
        info = h.bobbin("info", r.trace).out.decode()
        h.check("began in a callback of MPI" in info, info)
        h.check("MPI calls and events" in info and ", calls of MPI and the program's own" in info,
                info)
    return f"{total} events"


for name in m.MPIS:
    suite.case(f"ranks that register in another order, {name}")(lambda name=name: ranks_of(name))


@suite.case("the size does not depend on the ranks")
def size():
    p = build("openmpi")
    sizes = []
    for ranks in (2, 4, 16):
        r = record("openmpi", ranks, [p, h.fresh("said"), 40, 0], [*EVERYTHING, "--time=none"])
        h.check(r.status == 0, str(r))
        sizes.append(h.info(r.trace)["stream_bytes"])
    # numbers of ranks, and how many there are of each kind
    h.check(sizes[2] <= sizes[1] * 1.15 + 16, f"{sizes} bytes")
    return f"{sizes} bytes"


@suite.case("a rank is killed")
def killed():
    p = build("mpich")
    folder, trace = h.fresh("said"), h.fresh("mpi") / "t"
    run = subprocess.Popen([*m.mpirun("mpich", 2), str(h.BOBBIN), "record", "-q", *EVERYTHING, "-o",
                            str(trace), "--", str(p), str(folder), "30", "1", "hang"],
                           env=m.environment("mpich"), stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, start_new_session=True)
    end = time.monotonic() + 60
    while time.monotonic() < end and not all((folder / r / "0").exists()
                                             and (folder / r / "0").read_text().count("E step")
                                             == 30 for r in "01"):
        time.sleep(0.05)
    time.sleep(0.3)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    h.await_end(trace)
    h.check_trace(trace)
    have, want = of_ranks(trace), said(folder)
    for rank in want:
        main = max(have[rank], key=len)
        w = max(want[rank], key=len)
        h.check(main[: len(w) - 1] == w[:-1], f"rank {rank}: {len(main)} events of {len(w)}")
    return f"{sum(len(t) for r in have.values() for t in r)} events"


@suite.case("ranks that do not call MPI")
def without_mpi():
    p = program("all.c")
    folder = h.fresh("said")
    r = record("openmpi", 2, ["sh", "-c", f'mkdir {folder}/$OMPI_COMM_WORLD_RANK && exec {p} '
                              f'{folder}/$OMPI_COMM_WORLD_RANK 1 20'], ["--events"])
    h.check(r.status, str(r))  # the program's own
    have = of_ranks(r.trace)
    h.check(sorted(have) == [0, 1], str(have.keys()))
    same({rank: [t for t in threads if t] for rank, threads in said(folder).items()}, have)


@suite.case("what verbs say")
def verbs():
    p = program("all.c")
    r = h.record([p, h.fresh("said"), 1, 20], ["--events"])
    words = {v: h.bobbin(*v.split(), r.trace).out.decode()
             for v in ("info", "check", "show", "show -x", "report", "report --by=site",
                       "report --by=rank")}
    for verb, text in words.items():
        h.check("MPI" not in text and " sent" not in text
                and (verb == "info" or "rank" not in text), f"{verb} speaks of MPI\n{text[:3000]}")
    begun = len(re.findall(r"^ *[\d,]+  (?:begin )?step\(",
                           h.bobbin("show", "-x", "--lines=0", r.trace).out.decode(), re.M))
    row = re.search(r"^ *([\d,]+) .*  step$", words["report"], re.M)
    h.check(row and int(row.group(1).replace(",", "")) == begun,
            f"step {begun} times\n{words['report']}")
    h.check("begin " not in words["report"] and "end " not in words["report"], words["report"])
    only = h.bobbin("show", "-x", "--lines=0", "-F", "st*", r.trace).out.decode()
    h.check(len(re.findall(r"(?:begin |end )?step\(", only))
            == len(re.findall(r"^ *\d[\d,]*  ", only, re.M)) >= begun, only)
    none = h.bobbin("show", "-x", "--lines=0", "-N", "step", r.trace).out.decode()
    h.check("step(" not in none and "leaf(" in none, none)


@suite.case("exports")
def exports():
    p = program("all.c")
    r = h.record([p, h.fresh("said"), 2, 15], ["--events", "--time=exact:mpi"])
    out = h.fresh("exports")
    for name in ("csv", "chrome", "otf2"):
        e = h.bobbin("export", f"--format={name}", "-o", out / name, r.trace)
        h.check(e.status == 0, str(e))
    shown = [line for line in h.bobbin("show", "-x", "--lines=0", r.trace).out.decode().splitlines()
             if re.match(r" *\d", line)]
    rows = list(csv.DictReader((out / "csv").open()))
    h.check(len(rows) == len(shown) and all(row["result"] == "" for row in rows),
            f"{len(rows)} rows of {len(shown)}")
    for row, line in zip(rows, shown):
        value = re.search(r"(?:leaf|residual)\(.*?\b(?:x|value)=([^),]*)", line)
        h.check(f" {row['function']}(" in line
                and (not value or row["in"].endswith("=" + value.group(1))), f"{row}\n{line}")
    h.check(balanced([(e["ph"], (e["pid"], e["tid"]), e["name"])
                      for e in json.loads((out / "chrome").read_text())["traceEvents"]
                      if e["ph"] in "BE"], "BE"), "chrome")
    h.need("otf2-print")
    text = h.run(["otf2-print", "-Werror", out / "otf2" / "traces.otf2"])
    h.check(text.status == 0, str(text))
    pairs = re.findall(r'^(ENTER|LEAVE) +(\d+) .*Region: "([^"]*)"', text.out.decode(), re.M)
    h.check(len(pairs) > len(rows) and balanced(pairs, ("ENTER", "LEAVE")), f"otf2: {len(pairs)}")
    return f"{len(rows)} events"


def balanced(events, words):
    """[(begin or end, thread, name)]: each end is that of the innermost beginning, and nothing is
    left."""
    open_ones = {}
    for what, thread, name in events:
        nest = open_ones.setdefault(thread, [])
        if what == words[0]:
            nest.append(name)
        elif not nest or nest.pop() != name:
            return False
    return events and not any(open_ones.values())


@suite.case("what lies between two of them")
def between():
    p = program("all.c")
    for options, verb in ((["--events"], ["show", "-x"]),
                          (["--events", "--calls"], ["show", "--mpi", "-x"]),
                          (["--events", "--mem"], ["show", "--mpi", "-x"])):
        r = h.record([p, h.fresh("said"), 1, 6], options)
        part = h.bobbin(*verb, "--between=step:2..step:3", "--lines=0", r.trace)
        h.check(part.status == 0, str(part))
        lines = [re.sub(r"   [^ ].*$", "", line.split(None, 1)[1])
                 for line in part.out.decode().splitlines() if re.match(r" *[\d,]+  ", line)]
        h.check(lines[0].startswith("begin step(n=1,") and lines[-1].startswith("begin step(n=2,")
                and len(lines) == 7, f"{options}: {lines}")

    # nothing is accessed twice, or left out: what lies before, between and after is all there is
    def replayed(*options):
        out = h.bobbin("replay", "--mem", "--format=text", "--group=0.1", *options,
                       r.trace).out.splitlines()
        return [line for line in out if not line.startswith(b"#")]

    parts = [replayed(f"--between={b}") for b in ("..step:2", "step:2..step:3", "step:3..")]
    whole = replayed()
    h.check(all(parts) and sum(parts, []) == whole, f"{[len(x) for x in parts]} of {len(whole)}")
    missing = h.bobbin("replay", "--mem", "--between=nothing:2..", r.trace)
    h.check(missing.status == 1 and b"no call or event that it begins with" in missing.err,
            str(missing))
    for x in (["cache", "--between=step:2..step:3"], ["report", "--between=step:2..step:3"],
              ["show", "--between=step:2..step:3"]):
        y = h.bobbin(*x, r.trace)
        h.check(y.status == 0 and y.out, str(y))
    return f"{len(whole)} accesses"


if __name__ == "__main__":
    sys.exit(suite.run())
