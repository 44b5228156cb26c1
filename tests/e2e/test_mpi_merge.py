#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bobbin merge, started by mpirun as several processes: the bytes are those of one process alone,
whichever processes come, die or hang."""
import fcntl
import os
import random
import shutil
import struct
import subprocess
import sys
import time

import harness as h
import mpi_events as m

suite = h.Suite("mpi_merge")
RANKS = 7


@h.cached
def trace(mpi):
    """Files of all ranks, none merged, and what one process makes of them."""
    exe = m.program(mpi, "late.c")
    r = m.record(mpi, RANKS, [exe, "3"], options=["--mpi-level=rank", "--time=exact:mpi"])
    h.check(r.status == 0 and len(list(r.trace.glob("p*.bob"))) == RANKS, f"{r}")
    alone = copy(r.trace)
    done = h.bobbin("merge", alone)
    h.check(done.status == 0, f"{done}")
    return r.trace, (alone / "trace.bob").read_bytes()


def copy(directory):
    to = h.fresh("merge") / "t"
    shutil.copytree(directory, to)
    return to


def merged(directory, want):
    names = sorted(p.name for p in directory.iterdir() if not p.name.startswith("i"))
    h.check(names == ["run.key", "trace.bob"], f"left: {names}")
    h.check((directory / "trace.bob").read_bytes() == want, "not what one process makes")


def launched(mpi, processes):
    whole, want = trace(mpi)
    t = copy(whole)
    r = h.run([*m.mpirun(mpi, processes), h.BOBBIN, "merge", t], env=m.environment(mpi))
    h.check(r.status == 0 and not r.err and r.out.count(b"\n") == 1, f"{r}")
    merged(t, want)


def start(directory, rank, ranks, **env):
    env = m.environment("openmpi", {"OMPI_COMM_WORLD_RANK": str(rank),
                                    "OMPI_COMM_WORLD_SIZE": str(ranks),
                                    "PMIX_NAMESPACE": directory.parent.name, **env})
    return subprocess.Popen([h.BOBBIN, "merge", directory], env=env, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def end(p, status=0):
    out, err = p.communicate(timeout=60)
    h.check(p.returncode == status, f"status {p.returncode}\n{h.show(out)}\n{h.show(err)}")
    return err


def marker(directory, rank):
    """The test is this rank: its marker, locked as if it had begun."""
    for _ in range(1000):
        found = list(directory.glob(f"merge.*.{rank}"))
        if found:
            f = open(found[0], "r+b", buffering=0)
            fcntl.flock(f, fcntl.LOCK_EX)
            h.check(f.read() == b"g", "the marker does not say go")
            f.write(b"s")
            return f
        time.sleep(0.02)
    raise h.Failure("rank 0 makes no marker")


def dies():
    whole, want = trace("openmpi")
    t = copy(whole)
    others = [start(t, 1, 3), start(t, 0, 3)]
    marker(t, 2).close()
    end(others[0])
    h.check(b"rank 2: it died; rank 0 does its share" in end(others[1]), "nothing is said of it")
    merged(t, want)


def hangs():
    whole, want = trace("openmpi")
    t = copy(whole)
    zero = start(t, 0, 2, BOBBIN_MERGE_WAIT="1")
    f = marker(t, 1)
    h.check(b"rank 1: it takes too long" in end(zero), "nothing is said of it")
    h.check(not os.fstat(f.fileno()).st_nlink, "it could still give its share")
    merged(t, want)


def kill_9(moment):
    whole, want = trace("openmpi")
    t = copy(whole)
    others = [start(t, rank, 3) for rank in range(3)]
    time.sleep(moment)
    others[1].kill()
    others[1].communicate()
    h.check(others[2].wait(60) == 0, "rank 2")
    end(others[0])
    merged(t, want)


def kill_9_first():
    """Whatever has been given is part of the trace, and the next merge goes on from there."""
    whole, want = trace("openmpi")
    t = copy(whole)
    zero, one = start(t, 0, 3), start(t, 1, 3)
    with marker(t, 2):  # so that rank 0 waits
        end(one)
        h.check(list(t.glob("trace.*.1.bob")), "rank 1 gave nothing")
        zero.kill()
        zero.communicate()
    r = h.bobbin("check", t)
    h.check(r.status == 0 and len(h.info(t)["process_list"]) == RANKS, f"{r}")
    r = h.bobbin("merge", t)
    h.check(r.status == 0, f"{r}")
    for p in t.glob("merge.*"):
        p.unlink()
    merged(t, want)


def bad(spoil, says, status, left=(), quiet=()):
    """What is wrong is said, and never lost by merging."""
    t = copy(trace("openmpi")[0])
    files = sorted(t.glob("p*.bob"))
    spoil(t, files)
    r = h.bobbin("merge", *quiet, t)
    h.check(r.status == status and says.format(*[p.name for p in files]).encode() in r.out + r.err,
            f"{r}")
    h.check({p.name for p in t.glob("p*.bob")} == {files[i].name for i in left},
            f"left: {list(t.iterdir())}")
    r = h.bobbin("check", t)
    h.check(r.status == (status if left else 3)
            and (left or b"missing ranks without a file: " in r.out), f"{r}")


def sealed(data):
    """Kinds and places of the payloads of chunks that have a checksum."""
    at = h.chunks_at(data)
    while at + 64 <= len(data):
        magic, kind, flags, _, _, size, _, used = struct.unpack_from("<IHHIIQQQ", data, at)
        h.check(magic, f"no chunk at {at}")
        if flags & 1 and used:
            yield kind, at + 64, used
        at = (at + 64 + size + 63) & ~63


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def byte_changed(kinds):
    """Opening a trace looks at few of the checksums; what is merged gets new ones."""
    t = trace("openmpi")[0]
    chunks = {kind: at + used // 2
              for kind, at, used in sealed(sorted(t.glob("p*.bob"))[2].read_bytes())}
    h.check(kinds <= set(chunks), f"kinds of chunks: {chunks}")
    for at in chunks.values():
        bad(lambda t, f: flip(f[2], at), "{2} is left as it is: ", 1, [2])


def outer_damaged():
    """A file that others lie in is no less than trace.bob."""
    t = copy(trace("openmpi")[0])
    one = sorted(t.glob("p*.bob"))[0]
    kept = one.read_bytes()
    one.unlink()
    h.check(h.bobbin("merge", t).status == 0, "ranks but one")
    one.write_bytes(kept)
    outer = t / "trace.0.1.bob"
    (t / "trace.bob").rename(outer)
    # else nothing is known to lie in it
    at, used = next(c[1:] for c in sealed(outer.read_bytes()) if c[0] != 22)
    flip(outer, at + used // 2)
    before = sorted(p.name for p in t.iterdir())
    r = h.bobbin("merge", t)
    h.check(r.status == 1 and b"nothing is merged: trace.0.1.bob: " in r.err, f"{r}")
    h.check(sorted(p.name for p in t.iterdir()) == before, f"left: {list(t.iterdir())}")


def other_run(directory, files):
    """A file of the same program from another run."""
    exe = m.program("openmpi", "late.c")
    r = m.record("openmpi", 2, [exe, "3"], options=["--mpi-level=rank"])
    mine = list(r.trace.glob("p*.bob"))[0]
    shutil.copy(mine, directory / files[0].name)


def several_runs(processes):
    t = copy(trace("openmpi")[0])
    other_run(t, sorted(t.glob("p*.bob")))
    before = sorted(p.name for p in t.iterdir())
    launch = m.mpirun("openmpi", processes) if processes > 1 else []
    r = h.run([*launch, h.BOBBIN, "merge", t], env=m.environment("openmpi"))
    h.check(r.status == 1 and b"are of different runs: " in r.err, f"{r}")
    h.check(sorted(p.name for p in t.iterdir()) == before, f"left: {list(t.iterdir())}")


def damaged_result(processes):
    """What is in a damaged trace.bob is not written over, nor is anything left beside it."""
    t = copy(trace("openmpi")[0])
    kept = {p: p.read_bytes() for p in sorted(t.glob("p*.bob"))[:4]}
    for p in kept:
        p.unlink()
    h.check(h.bobbin("merge", t).status == 0, "the other ranks")
    for p, data in kept.items():
        p.write_bytes(data)
    _, at, used = next(sealed((t / "trace.bob").read_bytes()))
    flip(t / "trace.bob", at + used // 2)
    damaged = (t / "trace.bob").read_bytes()
    before = sorted(p.name for p in t.iterdir())
    launch = m.mpirun("openmpi", processes) if processes > 1 else []
    r = h.run([*launch, h.BOBBIN, "merge", t], env=m.environment("openmpi"))
    h.check(r.status == 1 and b"nothing is merged: trace.bob: " in r.err, f"{r}")
    h.check(all(p.read_bytes() == data for p, data in kept.items()), "a file was written")
    h.check((t / "trace.bob").read_bytes() == damaged, "trace.bob was written")
    h.check(sorted(p.name for p in t.iterdir()) == before, f"left: {list(t.iterdir())}")


def nothing_to_share():
    """What is for one alone to do, the others leave to it."""
    t = copy(trace("openmpi")[0])
    others = [start(t, 1, 2)]
    r = h.bobbin("merge", "--drop-below=1", t, env=m.environment("openmpi", {
        "OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2", "PMIX_NAMESPACE": t.parent.name}))
    h.check(r.status == 0, f"{r}")
    end(others[0])
    h.check(not list(t.glob("p*.bob")) and not list(t.glob("merge.*")), "files are left")


for name in m.MPIS:
    for n in (2, 3, 4):
        suite.add(f"{name}: {n} processes", launched, name, n)
suite.add("one dies while it merges", dies)
suite.add("one hangs", hangs)
random.seed(1)
for i in range(5):  # who has not begun yet is waited for
    suite.add(f"one is killed at a random moment {i}", kill_9, random.random() / 20)
suite.add("rank 0 is killed", kill_9_first)
suite.add("nothing to share", nothing_to_share)
suite.add("a file is missing", bad, lambda t, f: f[2].unlink(), "ranks without a file: ", 0)
suite.add("a file is cut off", bad, lambda t, f: os.truncate(f[2], f[2].stat().st_size // 2),
          "{2} is left as it is: the file is shorter than it says at byte ", 1, [2])
suite.add("... and it is to be quiet", bad, lambda t,
          f: os.truncate(f[2], f[2].stat().st_size // 2),
          "{2} is left as it is: the file is shorter than it says at byte ", 1, [2], ["-q"])
suite.add("a file is empty", bad, lambda t, f: os.truncate(f[2], 0),
          "{2} is left as it is: the file is empty", 1, [2])
suite.add("a file is no trace", bad, lambda t, f: f[2].write_bytes(b"nothing" * 999),
          "{2} is left as it is: not a bobbin trace file", 1, [2])
suite.add("a file of another run", several_runs, 1)
suite.add("a file of another run, 3 processes", several_runs, 3)
suite.add("the merged file is damaged", damaged_result, 1)
suite.add("the merged file is damaged, 3 processes", damaged_result, 3)
suite.add("a file that others lie in is damaged", outer_damaged)
suite.add("a byte of a file is changed", byte_changed, {1, 20, 68, 71, 72})

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
