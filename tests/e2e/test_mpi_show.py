#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MPI calls as show, report, commmatrix and info print them, of a program of four ranks whose calls
are known: exact texts."""

import json
import re
import sys
import xml.etree.ElementTree

import harness as h
import mpi_events as m
import mpi_sums as s

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
OPTIONS = ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]

EVEN = """\
ranks 0, 2: 88 MPI calls each
  MPI_Init()   main
  MPI_Comm_rank(COMM_WORLD) -> rank=rank   main
  MPI_Comm_size(COMM_WORLD) -> size=4   main
  loop 0, 10 times
    MPI_Irecv(1 INT, source={0: 3; 2: 1}, tag=0..9, COMM_WORLD)   ring
    MPI_Isend(1 INT, dest=rank+1, tag=0..9, COMM_WORLD)   ring
    MPI_Waitall(requests=[last-1, request?]) -> statuses={0: [from 3, tag 0..9, 4 B; -]; \
2: [from 1, tag 0..9, 4 B; -]}   ring
  loop 1, 10 times
    MPI_Sendrecv(send 8 DOUBLE, dest=rank+1, sendtag=1, recv 8 DOUBLE, \
source={0: PROC_NULL; 2: 1}, recvtag=1, COMM_WORLD) -> \
from {0: PROC_NULL; 2: 1}, tag {0: ANY_TAG; 2: 1}, {0: 0; 2: 64} B   row
  MPI_Comm_split(COMM_WORLD, color={0: 0; 2: 1}, key=rank) -> comm#1 of [rank, rank+1]   halves
  MPI_Type_vector(count=4, blocklength=1, stride=4, DOUBLE) -> type#1 of 32 B   halves
  MPI_Type_commit(type#1)   halves
  MPI_Comm_rank(comm#1) -> rank=0   halves
  loop 2, 10 times
    MPI_Send(1 type#1, dest=1, tag=2, comm#1)   halves
  MPI_Type_free(type#1)   halves
  MPI_Comm_free(comm#1)   halves
  MPI_Send_init(3 FLOAT, dest=rank+1, tag=3, COMM_WORLD)   persistent
  MPI_Recv_init(3 FLOAT, source=rank+1, tag=3, COMM_WORLD)   persistent
  loop 3, 10 times
    MPI_Startall(requests=[last-1, last])   persistent
    MPI_Waitall(requests=[last-1, last]) -> statuses=[-; from rank+1, tag 3, 12 B]   persistent
  MPI_Request_free(last-1)   persistent
  MPI_Request_free(last)   persistent
  MPI_Bcast(1 INT, root=1, COMM_WORLD)   together
  MPI_Alltoallv(sendcounts=[1, 2, 1, 2], sdispls={0: [0, 2, 4, 6]; 2: [4, 6, 0, 2]}, \
sendtype=INT, recvcounts=[1, 2, 1, 2], \
rdispls={0: [0, 2, 4, 6]; 2: [4, 6, 0, 2]}, recvtype=INT, COMM_WORLD)   together
  MPI_Gather(send 1 INT, recv {0: 1; 2: 0} {0: INT; 2: no type}, root=0, COMM_WORLD)   together
  MPI_Allreduce(sendbuf=IN_PLACE, 1 INT, MAX, COMM_WORLD)   together
  MPI_Finalize()   main
"""

FIRST = """\
           0  MPI_Init()   main
           1  MPI_Comm_rank(COMM_WORLD) -> rank=3   main
           2  MPI_Comm_size(COMM_WORLD) -> size=4   main
           3  MPI_Irecv(1 INT, source=2, tag=0, COMM_WORLD) -> request#1   ring
           4  MPI_Isend(1 INT, dest=0, tag=0, COMM_WORLD) -> request?   ring
           5  MPI_Waitall(requests=[request#1, request?]) -> statuses=[from 2, tag 0, 4 B; -]   ring
           6  MPI_Irecv(1 INT, source=2, tag=1, COMM_WORLD) -> request#3   ring
              ... more calls: --lines, --events
"""

SENDS = """\
           4  MPI_Isend(1 INT, dest=0, tag=0, COMM_WORLD) -> request?   ring
           7  MPI_Isend(1 INT, dest=0, tag=1, COMM_WORLD) -> request?   ring
"""

FUNCTIONS = """\
   80  22.7%        -     640 B      4            1.00              -  MPI_Waitall
   40  11.4%  1.92 kB   1.92 kB      4            1.00           1.33  MPI_Sendrecv
   40  11.4%    480 B         -      4            1.00           1.00  MPI_Startall
   40  11.4%    160 B         -      4            1.00           1.00  MPI_Isend
   40  11.4%        -         -      4            1.00              -  MPI_Irecv
   20   5.7%    640 B         -      2            2.00           2.00  MPI_Send
   20   5.7%        -     640 B      2            2.00              -  MPI_Recv
"""

COMMUNICATORS = """\
calls  share     sent  received  ranks  calls max/mean  sent max/mean  communicator
  196  55.7%  2.69 kB   1.92 kB      4            1.00           1.24  COMM_WORLD of 4
  108  30.7%        -     640 B      4            1.00              -  none
   48  13.6%    640 B     640 B      4            1.00           2.00  comm#1 of 2 by MPI_Comm_split
"""

RANKS = """\
calls  share     sent  received  rank
   88  25.0%  1.15 kB     160 B  rank 0
   88  25.0%    836 B   1.12 kB  rank 1
   88  25.0%  1.15 kB     800 B  rank 2
   88  25.0%    192 B   1.12 kB  rank 3
"""

# messages: the ring's ten of 4 bytes, the row's ten of 64, the halves' ten of 32, ten starts of 12
PAIRS = """\
from,to,messages,bytes,unknown
0,1,40,1120,0
1,0,10,120,0
1,2,20,680,0
2,3,40,1120,0
3,0,10,40,0
3,2,10,120,0
"""

GRID = """\
{trace}: 130 messages, 3.20 kB, between 6 pairs of 4 ranks

messages, senders down, receivers across

             0        1        2        3
    0        .       40        .        .
    1       10        .       20        .
    2        .        .        .       40
    3       10        .       10        .
"""

# Bcast of 4 from rank 1; Alltoallv of 1 + (i + rank) mod 2 ints; Gather of 4 to rank 0
COLLECTIVES = """\
from,to,messages,bytes,unknown
0,1,1,8,0
0,2,1,4,0
0,3,1,8,0
1,0,3,16,0
1,2,2,12,0
1,3,2,8,0
2,0,2,8,0
2,1,1,8,0
2,3,1,8,0
3,0,2,12,0
3,1,1,4,0
3,2,1,8,0
"""

STUCK = """\
not complete: 4 calls had not come back when recording ended
  rank 0: MPI_Recv(1 INT, source=1, tag=99, COMM_WORLD)  IN PROGRESS when recording ended   stuck
  rank 1: MPI_Barrier(COMM_WORLD)  IN PROGRESS when recording ended   stuck
  rank 2: MPI_Barrier(COMM_WORLD)  IN PROGRESS when recording ended   stuck
  rank 3: MPI_Barrier(COMM_WORLD)  IN PROGRESS when recording ended   stuck
"""

NOW_AND_THEN = """\
  loop 3, 2 times
    loop 0, (9, 8, 8) times
      MPI_Barrier(COMM_WORLD)   now_and_then
      MPI_Bcast(1 INT, root=0, COMM_WORLD)   now_and_then
    MPI_Barrier(COMM_WORLD)   now_and_then
    loop 2, (3, 4, 3) times
      MPI_Allreduce(1 INT, SUM, COMM_WORLD)   now_and_then
      loop 1, (10, 10, 1, 10 x3, ...) times
        MPI_Bcast(1 INT, root=0, COMM_WORLD)   now_and_then
        MPI_Barrier(COMM_WORLD)   now_and_then
    MPI_Bcast(1 INT, root=0, COMM_WORLD)   now_and_then
    MPI_Reduce(1 INT, SUM, root=0, COMM_WORLD)   now_and_then
"""

suite = h.Suite("mpi_show", jobs=1)
traces = {}


def recorded(*words):
    """One trace for all cases that read the same."""
    if words not in traces:
        h.need("mpirun.openmpi", "mpicc.openmpi")
        exe = h.compile("mpi_reading", ["mpi_reading.c"], "mpicc.openmpi", ["-O0", "-w"])
        trace = h.fresh("mpi_show") / "t"
        line = ["mpirun.openmpi", "-n", "4", *OPTIONS, h.BOBBIN, "record", "-q", "--mpi", "-o",
                trace, "--", exe, *words]
        r = h.run(line, env=h.environment(AS_ROOT))
        h.check(words or r.status == 0, f"the program fails\n{r}")
        traces[words] = trace
    return traces[words]


def said(*words, status=0):
    r = h.bobbin(*words)
    h.check(r.status == status, f"status {status} is expected\n{r}")
    text = re.sub(r" +[\d.]+ [mun]?s(?=  MPI_)", "", r.out.decode())  # times of functions
    return re.sub(r"\+0x[0-9a-f]+$|  mpi_reading\.c:\d+$", "", text, flags=re.M)


def has(text, part):
    h.check(part in text, f"expected\n{part}\nin\n{text}")


def is_text(text, want):
    h.check(text == want, f"expected\n{want}\nnot\n{text}")


def folded():
    text = said("show", recorded())
    sets = text.split("\n\n")
    h.check(len(sets) == 2, f"{len(sets)} sets of ranks\n{text}")
    is_text(sets[0] + "\n", EVEN)
    has(sets[1], "ranks 1, 3: 88 MPI calls each\n")
    has(sets[1], "MPI_Recv(1 type#1, source=0, tag=2, comm#1) -> from 0, tag 2, 32 B   halves\n")


def now_and_then():
    """Loops with calls that come in some rounds only; a value that comes in pieces is one."""
    text = said("show", recorded("now-and-then"))
    has(text, NOW_AND_THEN)
    h.check("error" not in text, text)


def one_rank():
    text = said("show", "--rank=2", recorded())
    has(text, "rank 2: 88 MPI calls\n")
    has(text, "MPI_Irecv(1 INT, source=1, tag=0..9, COMM_WORLD)   ring\n")
    text = said("show", "-F", "MPI_Send*", "-N", "*_init", recorded())
    h.check(set(re.findall(r"MPI_\w+(?=\()", text)) == {"MPI_Send", "MPI_Sendrecv"}, text)


def one_by_one():
    text = said("show", "--rank=3", "--expand", "--lines=7", recorded())
    head, rest = text.split("\n", 1)
    h.check(re.fullmatch(r"thread 3\.0  \S+  pid \d+  tid \d+  rank 3  88 MPI calls", head), head)
    is_text(rest, FIRST)
    text = said("show", "-r3", "-x", "--events=0..8", "-F", "MPI_Isend", recorded())
    is_text(text.split("\n", 1)[1], SENDS)
    every = said("show", "--expand", "--lines=0", recorded())
    h.check(len(re.findall(r"^ +\d+  MPI_", every, re.M)) == 352, "not all calls are there")


def reports():
    text = said("report", recorded())
    has(text, ": 352 MPI calls of 4 processes, 3.33 kB sent, 3.20 kB received\n")
    has(text, FUNCTIONS)
    h.check("not complete" not in text and "Finalize:" not in text, text)
    has(said("report", "--by=comm", recorded()), COMMUNICATORS)
    has(said("report", "--by=rank", recorded()), RANKS)
    text = said("report", "--by=site", recorded())
    has(text, "  MPI_Isend  ring\n")
    has(text, "  MPI_Waitall  persistent\n")


def matrix():
    trace = recorded()
    is_text(said("commmatrix", "--format=csv", trace), PAIRS)
    is_text(said("commmatrix", "--show=messages", trace), GRID.format(trace=trace))
    is_text(said("commmatrix", "--of=collectives", "--format=csv", trace), COLLECTIVES)
    has(said("commmatrix", "--of=onesided", trace),
        ": 0 one-sided messages, 0 B, between 0 pairs of 4 ranks\n")
    picture = trace.parent / "m.svg"
    said("commmatrix", "--format=svg", "-o", picture, trace)
    root = xml.etree.ElementTree.parse(picture).getroot()
    titles = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")]
    h.check(len(titles) == 6 and titles[0] == "0 to 1: 40 messages, 1.12 kB", str(titles))


def one_sided(mpi):
    """What is put goes to the target, what is got comes from it; report counts that as received."""
    env = {"OMPI_MCA_osc": "^rdma"}  # Open MPI's atomics crash in that
    r = m.record(mpi, 3, [m.program(mpi, "onesided.c")], env=env)
    h.check(r.status == 0, r)
    put, got = [3, 5, 7], [7, 9, 13, 11]  # doubles, by rank 0 to and from rank 2
    want = {(0, 2): (len(put), 8 * sum(put)), (2, 0): (len(got), 8 * sum(got)),
            (1, 0): (100, 100 * 8 * 64),
            # an operand, except for NO_OP, and what it replaces
            (1, 2): (2 + 5, 7 * 8), (2, 1): (2 + 10, 12 * 8),
            (1, 1): (1, 16)}
    rows = said("commmatrix", "--of=onesided", "--format=csv", r.trace).splitlines()[1:]
    reported = {(int(a), int(b)): (int(n), int(size))
                for a, b, n, size, _ in (x.split(",") for x in rows)}
    h.check(reported == want, f"{reported}\n{want}")
    has(said("commmatrix", r.trace),
        "one-sided calls, such as MPI_Put and MPI_Get, are shown by --of=onesided")
    s.check(r.trace)


def sizes():
    text = said("info", recorded())
    has(text, "\nMPI calls   352\n")
    h.check("not traced" not in text, f"no function was to be\n{text}")
    h.check(re.search(r"^process +pid  rank  threads  MPI calls +bytes +each", text, re.M), text)
    j = json.loads(h.bobbin("info", "--json", recorded()).out)
    h.check(j["mpi_calls"] == 352, f"info --json says {j['mpi_calls']}")
    h.check([t["mpi_calls"] for p in j["process_list"] for t in p["thread_list"]] == [88] * 4,
            "calls of threads")


def grows():
    """What follows no rule is named, and how many values that are in a longer run; nothing else
    is."""
    def of(steps):
        text = said("info", recorded("chance", str(steps)))
        has(text, "\nfolding     parameters and loops: 22 of 24 follow simple rules, ")
        rows = re.findall(r"^ *[\d,]+ +1 +([\d,]+) +4  (sendcount|bytes of status) +MPI_Sendrecv   "
                          r"by_chance", text, re.M)
        h.check(len(rows) == 2 and {r[1] for r in rows} == {"sendcount", "bytes of status"}, text)
        return {int(r[0].replace(",", "")) for r in rows}
    short, long = of(200), of(2000)
    h.check(len(short) == 1 and long == {short.pop() + 1800}, f"{short}, {long}")
    text = said("info", recorded())
    rows = re.findall(r"^ *[\d,]+ +4 +- +-  (.*\S) +MPI_Alltoallv   together", text, re.M)
    h.check(sorted(rows) == ["elements of rdispls", "elements of sdispls"]
            and text.count(" MPI_") == 2, text)


def stuck():
    """Killed while they wait: what each waits for is said."""
    trace = recorded("stuck")
    has(said("report", trace), STUCK)
    text = said("show", trace)
    has(text, "rank 0: 13 MPI calls, the last one in progress when recording ended\n")
    has(text, "ranks 1-3: 13 MPI calls each, the last one in progress when recording ended\n")
    has(text, "  MPI_Recv(1 INT, source=1, tag=99, COMM_WORLD)  IN PROGRESS when recording ended   "
        "stuck\n")


def refused():
    trace = recorded()
    h.check(b"are for memory" in h.bobbin("report", "--by=line", trace).err or
            h.bobbin("report", "--by=line", trace).status == 2, "--by=line of MPI calls")
    h.check(h.bobbin("commmatrix", "--group=rank=9", trace).status == 1, "a rank that is not there")
    for options, one_by_one_too in (("--time=1s..2s", 0), ("--stack-at=3", 0), ("--depth=2", 0),
                                    ("--image=x", 0),
                                    ("--events=1..2", 1), ("--between=#1..#2", 1)):
        r = h.bobbin("show", options, trace)
        h.check(r.status == 2 and r.out == b"" and b"does not choose among folded calls" in r.err,
                str(r))
        r = h.bobbin("show", "--expand", options, trace)
        h.check(r.status == (0 if one_by_one_too else 2), str(r))


suite.add("ranks that do the same", folded)
suite.add("calls that come now and then", now_and_then)
suite.add("one rank, and patterns", one_rank)
suite.add("calls one by one", one_by_one)
suite.add("report", reports)
suite.add("commmatrix", matrix)
suite.add("info", sizes)
suite.add("what grows", grows)
suite.add("calls that never came back", stuck)
suite.add("what makes no sense", refused)

for mpi in m.MPIS:
    suite.add(f"one-sided calls, {mpi}", one_sided, mpi)

if __name__ == "__main__":
    sys.exit(suite.run())
