#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""record --source --collector=process: another process folds. Whichever process is killed, and
whenever: the program's output and status are its own, and the trace is what --collector=none
records, up to where the program was killed."""

import os
import random
import re
import signal
import struct
import subprocess
import sys
import time

import harness as h

sys.path.insert(0, str(h.ROOT / "tools"))
import spec_decoder  # pylint: disable=wrong-import-position

suite = h.Suite("collector")
INCLUDE = f"-I{h.ROOT / 'include'}"
COUNT = 300000
KILLS = 8
COLLECTOR = 31 # the kind of a chunk, and states in it:
THERE, ALONE = 1, 3
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def collected():
    return h.compile("collected", ["source/collected.c"], "gcc",
                     ["-O2", INCLUDE, "-Wall", "-Wextra", "-Werror"], ["-pthread"])


def accesses(trace):
    """The accesses of each thread, by thread, as bytes."""
    r = h.bobbin("replay", "--mem", "--order=threads", trace)
    h.check(r.status == 0 and not r.err, f"replay\n{r}")
    rows = []
    for line in r.out.splitlines():
        if line.startswith(b"# thread"):
            rows.append([])
        else:
            rows[-1].append(line)
    return rows


def without(*args):
    r = h.record([collected(), *map(str, args)], ["--source", "--collector=none"])
    h.check((r.status, r.out) == (3, b"ok\n"), f"{r}")
    h.check_trace(r.trace)
    return accesses(r.trace)


def environment():
    return h.environment({})


class Run:
    """A program under record, in the background."""

    def __init__(self, *args, options=(), command=None):
        self.trace = h.fresh("collector") / "t"
        self.log = open(self.trace.parent / "err", "w+b")
        argv = [str(a) for a in (h.BOBBIN, "record", "-o", self.trace, "--source", *options, "--",
                                 *(command or (collected(), *args)))]
        self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=self.log, env=environment())

    def users(self, name):
        """Processes of this name that have a file of the trace in their memory."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/comm") as f:
                    if f.read().strip() != name:
                        continue
                with open(f"/proc/{pid}/maps") as f:
                    if str(self.trace) in f.read():
                        found.append(int(pid))
            except OSError:
                pass
        return found

    def await_users(self, name, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.users(name)
            if found:
                return found
            time.sleep(0.005)
        return []

    def shared(self):
        """The shared state of the program and its collector (src/archive/write/ring.h): state,
        process of the collector. (None, None): nothing yet."""
        for path in self.trace.glob("p*.bob"):
            try:
                chunks = spec_decoder.File(path.name, path.read_bytes()).chunks
            except (spec_decoder.Damaged, struct.error):
                continue
            for c in chunks:
                if c.kind == COLLECTOR:
                    return struct.unpack_from("<2I", c.payload, 20)
        return None, None

    def await_state(self, *wanted, seconds=60):
        """A collector that is only starting, without its number in the file yet, does not exist for
        the program. Returns state and process."""
        end = time.monotonic() + seconds
        state, pid = self.shared()
        while state not in wanted and time.monotonic() < end:
            time.sleep(0.005)
            state, pid = self.shared()
        h.check(state in wanted,
                f"the collector's state is {state}, not of {wanted}, for {seconds} s")
        return state, pid

    def half(self):
        h.check(self.p.stdout.readline() == b"half\n", "it did not come to its first half")

    def go_on(self):
        self.p.stdin.write(b"\n")
        self.p.stdin.flush()

    def end(self):
        self.out, _ = self.p.communicate(timeout=h.TIMEOUT)
        self.log.seek(0)
        self.err = self.log.read()
        self.log.close()
        return self.p.returncode

    def notes(self):
        return h.bobbin("info", self.trace).out


def no_collectors(run):
    end = time.monotonic() + 5
    while run.users("bobbin-collect") and time.monotonic() < end:
        time.sleep(0.01)
    h.check(not run.users("bobbin-collect"), "a collector is left")


def kill_all(pids):
    """How many of them were still there."""
    killed = 0
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
            killed += 1
        except ProcessLookupError:
            pass
    return killed


@suite.case("another process folds, and the trace is that of --collector=none")
def same():
    for args in ((1, COUNT), (4, COUNT // 4), (3, 1000, "fork"), (1, 0), (8, 1)):
        want = without(*args)
        r = h.record([collected(), *map(str, args)], ["--source", "--collector=process"])
        h.check((r.status, r.out) == (3, b"ok\n"), f"{r}")
        h.check_trace(r.trace)
        h.check(sorted(accesses(r.trace)) == sorted(want), f"{args}: another trace")


@suite.case("it is there while the program runs, and is not the program's child")
def there():
    run = Run(2, COUNT, "pause")
    run.half()
    program, = run.await_users("collected")
    collector, = run.await_users("bobbin-collect")
    with open(f"/proc/{collector}/stat") as f:
        host = int(f.read().rsplit(")", 1)[1].split()[1])
    with open(f"/proc/{host}/stat") as f:
        launcher = int(f.read().rsplit(")", 1)[1].split()[1])
    h.check(launcher == run.p.pid, f"the host's parent is {launcher}, not the launcher {run.p.pid}")
    h.check(os.getsid(collector) == host != os.getsid(program),
            "the collector is in the program's session")
    h.check(not [f for f in os.listdir(f"/proc/{collector}/fd") if int(f) < 3
                 and os.readlink(f"/proc/{collector}/fd/{f}") != "/dev/null"],
            "the collector has the program's output")
    run.go_on()
    h.check((run.end(), run.out) == (3, b"ok\n"), f"{run.out} {run.err}")
    no_collectors(run)
    h.check(sorted(accesses(run.trace)) == sorted(without(2, COUNT)), "another trace")


@suite.case("the program is killed: what it recorded is folded, to the last access")
def program_killed():
    want = without(2, COUNT)
    rnd = random.Random(7)
    counts = []
    for i in range(KILLS):
        run = Run(2, COUNT)
        program = run.await_users("collected")
        time.sleep(rnd.random() ** 2 * 0.1)
        if program:
            try:
                os.kill(program[0], signal.SIGKILL)
            except ProcessLookupError:
                pass
        status = run.end()
        h.check(status in (-9, 3), f"status {status}: {run.err}")
        no_collectors(run)
        if not list(run.trace.glob("i*.bob")): # it was killed before it had described itself
            continue
        h.check_trace(run.trace)
        got = accesses(run.trace)
        for row in got:
            h.check(any(row == w[:len(row)] for w in want),
                    f"run {i}: {len(row)} accesses, not those that happened")
        counts.append(sum(map(len, got)))
    h.check(counts, "no run left a trace")
    return f"{min(counts)} to {max(counts)} accesses"


@suite.case("program and launcher are killed: the collector finishes the trace all the same")
def both_killed():
    want = without(1, COUNT)
    run = Run(1, COUNT, "pause")
    run.half()
    program, = run.await_users("collected")
    h.check(run.await_users("bobbin-collect"), "no collector")
    os.kill(run.p.pid, signal.SIGKILL)
    run.p.wait()
    os.kill(program, signal.SIGKILL)
    no_collectors(run)
    h.check_trace(run.trace)
    row, = accesses(run.trace)
    h.check(row == want[0][:len(row)] and len(row) == COUNT // 2,
            f"{len(row)} accesses of {COUNT // 2}")
    file, = (spec_decoder.File(p.name, p.read_bytes()) for p in run.trace.glob("p*.bob"))
    chunks = {c.off: c for c in file.chunks}
    head, = (c.payload for c in file.chunks if c.kind == 16)
    commit, *rests = struct.unpack_from("<3Q", head)
    rest = chunks.get(rests[commit & 1]) or chunks[rests[commit & 1] + 64]
    h.check(rest.kind == 18 and struct.unpack_from("<I", rest.payload, 24)[0] & 1,
            "the stream has not ended: it is for the reader to fold it")
    r = h.run([sys.executable, str(h.ROOT / "tools/spec_decoder.py"), str(run.trace)])
    h.check(r.status == 0 and r.out == h.bobbin("dump", run.trace).out,
            "the decoder that is written from the specification reads something else")


@suite.case("the collector is killed: another one goes on, and nothing is lost")
def collector_killed():
    want = without(2, COUNT)
    rnd = random.Random(11)
    killed = reported = 0
    for i in range(KILLS):
        run = Run(2, COUNT)
        collectors = run.await_users("bobbin-collect", 2)
        time.sleep(rnd.random() ** 2 * 0.1)
        killed += kill_all(collectors)
        h.check((run.end(), run.out) == (3, b"ok\n"), f"{run.out} {run.err}")
        no_collectors(run)
        h.check_trace(run.trace)
        h.check(sorted(accesses(run.trace)) == sorted(want), f"run {i}: another trace")
        reported += b"a collector was killed" in run.notes()
    h.check(killed and reported, f"{killed} were killed, {reported} traces say so")
    return f"{reported} of {killed}"


@suite.case("collector and host are killed: the program folds for itself, and nothing is lost")
def host_killed():
    want = without(2, COUNT)
    for early in (True, False):
        run = Run(2, COUNT, "pause")
        if not early:
            run.half()
        _, collector = run.await_state(THERE)
        with open(f"/proc/{collector}/stat") as f:
            host = int(f.read().rsplit(")", 1)[1].split()[1])
        os.kill(host, signal.SIGKILL)
        os.kill(collector, signal.SIGKILL)
        if early:
            run.half()
        run.go_on()
        h.check((run.end(), run.out) == (3, b"ok\n"), f"{run.out} {run.err}")
        h.check_trace(run.trace)
        h.check(sorted(accesses(run.trace)) == sorted(want), "another trace")
        h.check(b"the collector died: the process folds for itself" in run.notes(),
                run.notes().decode())


@suite.case("no collector comes: the program folds for itself")
def no_collector():
    want = without(1, COUNT)
    trace = h.fresh("alone") / "t"
    trace.mkdir()
    # as record does it, with a launcher that starts none
    env = environment()
    r = h.run([h.BOBBIN, "record", "-q", "--source", "-o", trace.parent / "other", "--", "env",
               "-0"], env=env)
    h.check(b"BOBBIN_LAUNCHER=" in r.out, f"{r}")
    env.update(v.split("=", 1) for v in r.out.decode().split("\0")
               if v.startswith(("BOBBIN_", "LD_PRELOAD=")))
    env.update(BOBBIN_DIR=str(trace), BOBBIN_LAUNCHER="1")
    r = h.run([str(collected()), "1", str(COUNT)], env=env)
    h.check((r.status, r.out) == (3, b"ok\n"), f"{r}")
    h.check_trace(trace)
    h.check(accesses(trace) == want, "another trace")
    h.check(b"the collector did not start: the process folds for itself" in h.bobbin("info",
                                                                                     trace).out,
            "no note")


@suite.case("it is killed as soon as it comes, again and again: the program folds for itself, and "
            "nothing is lost")
def killed_always():
    want = without(1, COUNT)
    run = Run(1, COUNT, "pause")
    run.half()
    killed = set()
    while (now := run.await_state(THERE, ALONE))[0] == THERE:
        killed.add(now[1])
        kill_all([now[1]])
        time.sleep(0.005)
        h.check(len(killed) < 100, "there is no end of collectors")
    run.go_on()
    h.check((run.end(), run.out) == (3, b"ok\n"), f"{run.out} {run.err}")
    h.check_trace(run.trace)
    h.check(accesses(run.trace) == want, "another trace")
    h.check(b"the collector died: the process folds for itself" in run.notes(),
            run.notes().decode())
    return f"{len(killed)} killed"


@suite.case("fork and exec while collectors are killed: nothing is lost in any of the processes")
def killed_around_forks():
    (one,) = without(1, COUNT)
    shell = f"{collected()} 1 {COUNT} fork; exec {collected()} 1 {COUNT}"
    run = Run(command=["sh", "-c", shell])
    killed = 0
    while run.p.poll() is None:
        killed += kill_all(run.users("bobbin-collect"))
        time.sleep(0.02)
    h.check((run.end(), run.out) == (3, b"ok\nok\n"), f"{run.out} {run.err}")
    h.check(killed > 0, "no collector was met")
    h.check_trace(run.trace)
    got = [rows for rows in accesses(run.trace) if rows]
    h.check(len(got) == 3 and all(rows == one for rows in got),
            f"{[len(rows) for rows in got]} accesses, {len(one)} each")
    return f"{killed} killed"


@suite.case("Open MPI: four ranks with calls of MPI, merged while they run", alone=True)
def ranks():
    h.need("mpicc.openmpi")
    exe = h.compile("ranks", ["source/ranks.c"], "mpicc.openmpi", ["-O2", INCLUDE], [])
    found = []
    for how in ("none", "process"):
        trace = h.fresh("ranks") / "t"
        r = h.run(["mpirun.openmpi", "-n", "4", "--oversubscribe", "--mca", "mpi_yield_when_idle",
                   "1", h.BOBBIN, "record", "-q", "--source", "--mpi", f"--collector={how}", "-o",
                   trace, "--", exe, "300"], env=h.environment(AS_ROOT), timeout=200)
        h.check(r.status == 0, f"{r}")
        h.check_trace(trace)
        found.append((sorted(row for row in accesses(trace) if row), h.info(trace)["stream_bytes"]))
    h.check(found[0][0] == found[1][0] and len(found[0][0]) == 4,
            f"{[len(rows) for rows, _ in found]} threads, or other accesses")
    h.check(found[1][1] < 1.25 * found[0][1],
            f"{found[1][1]} bytes, {found[0][1]} without a collector")
    return f"{found[1][1]} bytes, {found[0][1]} without"


@suite.case("options")
def options():
    for args, what in ((["--source", "--collector=x"], b"--collector is one of process|none"),
                       (["--collector=none"], b"--collector is of --source")):
        r = h.run([h.BOBBIN, "record", *args, "--", "true"])
        h.check(r.status == 125 and what in r.err, f"{r}")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
