#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Exports of MPI calls: a line, a slice or a region for each, arrows and messages between the right
ranks, as added up event by event; read by a JSON parser and by OTF2's own printer. Nothing
half-written is left."""
import csv
import io
import json
import os
import re
import subprocess
import sys
from collections import Counter

import harness as h
import mpi_events as m
import mpi_sums

suite = h.Suite("mpi_export", jobs=1)
traces = {}


def recorded(kind):
    """One trace for all cases that read the same."""
    if kind not in traces:
        exact = ["--time=exact:mpi"] if kind == "exact" else []
        # wildcards, probes, persistent requests, communicators, any order of completion
        if kind == "random":
            said = h.fresh("said")
            r = m.record("openmpi", 4, [m.program("openmpi", "random.c"), "700", "12"],
                         env={"ORACLE_DIR": str(said)}, timeout=100)
        else:
            r = m.record("openmpi", 4, [h.compile("mpi_reading", ["mpi_reading.c"],
                                                  m.compiler("openmpi"), ["-O0", "-w"])], exact)
        h.check(r.status == 0, f"the program fails\n{r}")
        traces[kind] = r.trace, m.read(r.trace)
    return traces[kind]


def exported(trace, name, *options):
    path = h.fresh("export") / "out"
    r = h.bobbin("export", f"--format={name}", "-o", path, *options, trace)
    h.check(r.status == 0 and not r.err, f"{r}")
    return path


# --- csv ---


def lines(kind):
    trace, threads = recorded(kind)
    rows = list(csv.DictReader(io.StringIO(exported(trace, "csv").read_text())))
    want = [(str(t.rank), "0", str(i), "MPI_" + e.name, str(e.values["result"]))
            for t in threads for i, e in enumerate(t.events)]
    got = [(x["rank"], x["thread"], x["call"], x["function"], x["result"]) for x in rows]
    h.check(got == want,
            f"{[p for p in zip(got, want) if p[0] != p[1]][:3]} of {len(got)} and {len(want)}")
    for row, e in zip(rows, (e for t in threads for e in t.events)):
        fields = dict(re.findall(r"([\w.]+)=(\[[^]]*\]|\"[^\"]*\"|\S+)",
                                 row["in"] + " " + row["out"]))
        for name in ("count", "dest", "source", "tag", "root"):
            if name in e.values:
                h.check(fields.get(name) == str(e.values[name]), f"{name} of {row}: {e}")
    if kind == "exact":
        last = {}
        for row in rows:
            begin, end = int(row["begin_ns"]), int(row["end_ns"])
            h.check(last.get(row["rank"], 0) <= begin <= end, f"times of {row}")
            last[row["rank"]] = end
    else:
        h.check("begin_ns" not in rows[0], "times that were not measured")
    return f"{len(rows)} lines"


# --- chrome ---


def slices(kind):
    trace, threads = recorded(kind)
    whole = json.loads(exported(trace, "chrome").read_text())
    h.check(whole["otherData"]["times"].startswith("exact" if kind == "exact" else "not recorded"),
            f"{whole['otherData']}")
    events = whole["traceEvents"]
    calls, _, pairs = mpi_sums.add_up(threads)
    named = Counter(e["name"][4:] for e in events if e["ph"] == "X")
    h.check(named == calls, f"{named} are not {calls}")
    last = {}
    for e in (e for e in events if e["ph"] == "X"):
        h.check(last.get(e["pid"], 0) <= e["ts"] + 0.0005 and e["dur"] >= 0, f"slices overlap: {e}")
        last[e["pid"]] = e["ts"] + e["dur"]
    rank = {e["pid"]: int(e["args"]["name"].split()[1])
            for e in events if e.get("name") == "process_name"}
    begins = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    h.check(begins.keys() == ends.keys(), "arrows without a begin or an end")
    drawn = Counter((rank[begins[i]["pid"]], rank[ends[i]["pid"]]) for i in begins)
    h.check(drawn == {p: n for p, (n, _) in pairs.items()}, f"{drawn} are not {pairs}")
    if kind == "exact":
        h.check(not [i for i in begins if ends[i]["ts"] < begins[i]["ts"] - 1000],
                "a message arrives before it was sent")
    return f"{len(begins)} arrows"


def arrows_of_threads(mpi):
    """Messages of which one thread sends all with their communicator, receiver and tag, and one
    posts all receives, have arrows; the order those of the others are unknown, and their number is
    printed."""
    rounds, ranks, threads = 5, 3, 3
    r = m.record(mpi, ranks, [m.program(mpi, "threads.c"), str(rounds)])
    h.check(r.status == 0, r)
    path = h.fresh("export") / "out"
    said = h.bobbin("export", "--format=chrome", "-o", path, r.trace).err.decode()
    events = json.loads(path.read_text())["traceEvents"]
    rank = {e["pid"]: int(e["args"]["name"].split()[1])
            for e in events if e.get("name") == "process_name"}
    calls = {}
    for e in (e for e in events if e["ph"] == "X"):
        calls.setdefault((rank[e["pid"]], e["tid"]), []).append(e)

    def at(arrow):
        """The thread is named by its first tag: they are numbered as they come."""
        where = rank[arrow["pid"]], arrow["tid"]
        tag = int(re.search(r"\btag=(\d+)", calls[where][0]["args"]["in"])[1])
        return (where[0], tag), next(i for i, e in enumerate(calls[where])
                                     if e["ts"] <= arrow["ts"] < e["ts"] + max(e["dur"], 0.001))

    begins = {e["id"]: at(e) for e in events if e["ph"] == "s"}
    ends = {e["id"]: at(e) for e in events if e["ph"] == "f"}
    h.check(begins.keys() == ends.keys(), "arrows without a begin or an end")
    got = Counter((begins[i], ends[i]) for i in begins)
    want = Counter()
    for k in range(ranks):
        for t in range(threads):
            a, b = (k, t), ((k + 1) % ranks, t)
            # Irecv Irecv Isend Send Wait Wait Wait: the first message is for the first receive
            for i in range(rounds):
                want[(a, 7 * i + 2), (b, 7 * i + 5)] += 1
                want[(a, 7 * i + 3), (b, 7 * i + 4)] += 1
            want[(a, 10 * rounds), (b, 10 * rounds)] += 1
    h.check(got == want, f"{sorted((got - want).items())}\n{sorted((want - got).items())}")
    h.check(f"{2 * ranks * threads * rounds} sends and receives have no arrows or events" in said,
            said)
    return f"{len(begins)} arrows"


def arrows_between_groups(mpi):
    """Each message on an intercommunicator leads to the call that waits for it, at the same rank of
    the other half."""
    rounds, ranks = 10, 4
    r = m.record(mpi, ranks, [m.program(mpi, "follow.c"), "groups", str(rounds)])
    h.check(r.status == 0, r)
    events = json.loads(exported(r.trace, "chrome").read_text())["traceEvents"]
    rank = {e["pid"]: int(e["args"]["name"].split()[1])
            for e in events if e.get("name") == "process_name"}
    begins, ends = ({e["id"]: e for e in events if e["ph"] == ph} for ph in "sf")
    h.check(begins.keys() == ends.keys(), "arrows without a begin or an end")
    got = Counter((rank[begins[i]["pid"]], rank[ends[i]["pid"]]) for i in begins)
    h.check(got == {(k, (k + 2) % ranks): 3 * 2 * rounds for k in range(ranks)}, f"{got}")
    calls = {k: [e for e in events if e["ph"] == "X" and rank[e["pid"]] == k] for k in range(ranks)}

    def nth(arrow, name):
        """Which of the rank's calls of this name the arrow touches."""
        own = [e for e in calls[rank[arrow["pid"]]] if e["name"] == name]
        return next(i for i, e in enumerate(own)
                    if e["ts"] <= arrow["ts"] < e["ts"] + max(e["dur"], 0.001))

    for i in begins:  # of two that are sent, the second is waited for first
        h.check(nth(ends[i], "MPI_Wait") == nth(begins[i], "MPI_Send") ^ 1,
                f"{begins[i]} {ends[i]}")
    return f"{len(begins)} arrows"


def arrows_after_cancelled(mpi):
    """Whether a receive that was cancelled got a message is known, of messages without bytes,
    too."""
    rounds = 10
    r = m.record(mpi, 2, [m.program(mpi, "follow.c"), "wait", str(rounds)])
    h.check(r.status == 0, r)
    events = json.loads(exported(r.trace, "chrome").read_text())["traceEvents"]
    ids = [sorted(e["id"] for e in events if e["ph"] == ph) for ph in "sf"]
    h.check(ids[0] == ids[1] and len(set(ids[0])) == 10 * rounds,
            f"{len(ids[0])} begins, {len(ids[1])} ends")
    return f"{len(ids[0])} arrows"


def first_only():
    trace, _ = recorded("plain")
    path = h.fresh("export") / "out"
    r = h.bobbin("export", "--format=chrome", "--max-events=40", "-o", path, trace)
    n = Counter(e["ph"] for e in json.loads(path.read_text())["traceEvents"])
    h.check(r.status == 0 and n["X"] == 40 and b"312 calls were left out" in r.err, f"{n} {r}")


# --- otf2 ---


def printed(trace):
    """Events of an OTF2 archive of the trace: kind, location, the rest of the line."""
    h.need("otf2-print")
    path = h.fresh("export") / "out"
    r = h.bobbin("export", "--format=otf2", "-o", path, trace)
    if b"built without OTF2" in r.err:
        raise h.Skip("bobbin was built without OTF2")
    h.check(r.status == 0 and not r.err, f"{r}")
    said = subprocess.run(["otf2-print", "-Werror", path / "traces.otf2"], capture_output=True,
                          text=True, check=False)
    h.check(said.returncode == 0 and not said.stderr, said.stderr)
    for line in said.stdout.splitlines():
        f = line.split(None, 3)
        if len(f) > 2 and f[1].isdigit():
            yield f[0], int(f[1]), f[3] if len(f) > 3 else ""


def archive(kind):
    trace, threads = recorded(kind)
    entered, left, sent, received, posted = Counter(), Counter(), Counter(), Counter(), Counter()
    size, collectives = Counter(), Counter()
    for kind_of, at, rest in printed(trace):
        if kind_of in ("ENTER", "LEAVE"):
            (entered if kind_of == "ENTER" else left)[re.search(r'"MPI_(\w+)"', rest)[1]] += 1
        elif kind_of in ("MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV"):
            # a rank of the communicator, and in brackets the location: here that is the rank
            peer = int(re.search(r"(?:Receiver|Sender): \d+ \(\".*?\" <(\d+)>\)", rest)[1])
            pair = (at, peer) if "SEND" in kind_of else (peer, at)
            (sent if "SEND" in kind_of else received)[pair] += 1
            if "SEND" in kind_of:
                size[pair] += int(re.search(r"Length: (\d+)", rest)[1])
        elif kind_of == "MPI_COLLECTIVE_END":
            collectives[re.search(r"Operation: (\w+)", rest)[1]] += 1
        posted[kind_of] += 1
    calls, _, pairs = mpi_sums.add_up(threads)
    h.check(entered == calls and left == calls, f"{entered} {left} {calls}")
    h.check(sent == {p: n for p, (n, _) in pairs.items()}, f"sent {sent}, {pairs}")
    h.check({p: n for p, n in size.items() if n} == {p: n for p, (_, n) in pairs.items() if n},
            f"bytes {size}, {pairs}")
    h.check(received == sent, f"received {received}, sent {sent}")
    freed = posted["MPI_ISEND"] - posted["MPI_ISEND_COMPLETE"]
    h.check(0 <= freed <= calls.get("Request_free", 0), f"{posted}, {calls}")
    h.check(posted["MPI_IRECV_REQUEST"] == posted["MPI_IRECV"] + posted["MPI_REQUEST_CANCELLED"],
            f"{posted}")
    for name, op in (("Barrier", "BARRIER"), ("Bcast", "BCAST"), ("Allreduce", "ALLREDUCE")):
        h.check(collectives[op] == calls.get(name, 0), f"{collectives}, {calls}")
    return f"{sum(posted.values())} events"


def eager(mpi):
    """Sends that are complete at once have one handle, and each is complete in the archive, however
    it is waited for."""
    rounds, ranks = 3, 3
    r = m.record(mpi, ranks, [m.program(mpi, "eager.c"), str(rounds)])
    h.check(r.status == 0 and r.out == b"ok\n", f"{r}")
    sent, open_now = 0, set()
    for kind_of, at, rest in printed(r.trace):
        if kind_of in ("MPI_ISEND", "MPI_ISEND_COMPLETE"):
            request = at, re.search(r"Request: (\d+)", rest)[1]
            h.check((request in open_now) == (kind_of == "MPI_ISEND_COMPLETE"),
                    f"{kind_of} {request}")
            open_now ^= {request}
            sent += kind_of == "MPI_ISEND"
    h.check(sent == 7 * 4 * rounds * ranks, f"{sent} sends")
    # MPI may be unable to send at once, and then the completion of a send whose request was freed
    # is unknown
    h.check(len(open_now) <= 4 * rounds * ranks // 3,
            f"{len(open_now)} of {sent} sends are never complete")
    return f"{sent} sends, {len(open_now)} freed under way"


def some_ranks():
    h.need("otf2-print")
    trace, _ = recorded("plain")
    path = h.fresh("export") / "out"
    if b"built without OTF2" in h.bobbin("export", "--format=otf2", "--group=rank=1", "-o", path,
                                         trace).err:
        raise h.Skip("bobbin was built without OTF2")
    said = subprocess.run(["otf2-print", "-Werror", "-G", path / "traces.otf2"],
                          capture_output=True, text=True, check=False)
    h.check(said.returncode == 0 and said.stdout.count('not in the trace", Type') == 0, said.stderr)
    h.check(len(re.findall(r"^LOCATION ", said.stdout, re.M)) == 4, said.stdout)


# --- failures ---


def says(text, *args):
    r = h.bobbin("export", *args)
    h.check(r.status in (1, 2) and text in r.err and r.err.count(b"\n") == 1, f"{r}")


def misuse():
    trace, _ = recorded("plain")
    says(b"is not for MPI calls", "--format=folded", trace)
    says(b"say -o NAME", "--format=otf2", trace)
    there = h.fresh("there")
    says(b"is there already", "--format=otf2", "-o", there, trace)
    says(b"cannot write", "--format=otf2", "-o", there / "no" / "such", trace)
    for name in ("csv", "chrome"):
        says(b"No space left", f"--format={name}", "-o", "/dev/full", trace)


def full_disk():
    trace, _ = recorded("random")
    small = h.fresh("small")
    mount = ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", small]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        raise h.Skip("a small file system cannot be mounted")
    try:
        for name in ("csv", "chrome", "otf2"):
            r = h.bobbin("export", f"--format={name}", "-o", small / "out", trace)
            if b"built without OTF2" in r.err:
                continue
            h.check(r.status == 1 and r.err.count(b"\n") == 1 and b"No space left" in r.err,
                    f"{name} {r}")
            h.check(not list(small.iterdir()), f"{name} leaves {list(small.iterdir())}")
    finally:
        subprocess.run(["umount", "-l", small], check=False)


for trace_of in ("plain", "random", "exact"):
    suite.add(f"csv: {trace_of}", lines, trace_of)
    suite.add(f"chrome: {trace_of}", slices, trace_of)
    suite.add(f"otf2: {trace_of}", archive, trace_of)
for mpi in m.MPIS:
    suite.add(f"chrome: arrows of threads, {mpi}", arrows_of_threads, mpi)
    suite.add(f"chrome: arrows between groups, {mpi}", arrows_between_groups, mpi)
    suite.add(f"chrome: arrows after cancelled receives, {mpi}", arrows_after_cancelled, mpi)
    suite.add(f"otf2: sends that are complete at once, {mpi}", eager, mpi)
suite.add("chrome: the first calls", first_only)
suite.add("otf2: one rank of four", some_ranks)
suite.add("what makes no sense", misuse)
suite.add("a full disk", full_disk)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
