#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
# ctest: memory main memory
"""Many threads, children, programs, signals and frames: the program does not notice, nothing is
lost, every life is closed in the trace with the calls it made, and memory does not grow with
them."""

import re
import sys

import harness as h

suite = h.Suite("stress")
STEP = re.compile(rb"^\d+ > \d+ [^!\n]*!swarm_step\b", re.M)


def program():
    return h.compile("swarm", ["swarm.c"], "gcc", ["-O1", "-w", "-pthread"])


def run(mode, n, images, timeout=100):
    exe = program()
    native = h.run([exe, mode, str(n)], timeout=timeout)
    h.check(native.status == 0, f"the program fails natively\n{native}")
    r = h.record([exe, mode, str(n)], [f"--images={images}"], timeout=timeout)
    h.same(native, r)
    h.check_trace(r.trace)
    info = h.info(r.trace)
    lost = sum(t["lost"] for p in info["process_list"] for t in p["thread_list"])
    h.check(lost == 0, f"{lost} events lost")
    h.check(not info["problems"], f"problems: {info['problems']}")
    return r, info


def steps(trace):
    """Calls of swarm_step by (process, thread)."""
    r = h.bobbin("dump", trace)
    h.check(r.status == 0, f"bobbin dump\n{r.err}")
    found = {}
    for part in re.split(rb"(?m)^thread ", r.out)[1:]:
        process, thread = part.split(None, 1)[0].split(b".")
        found[int(process), int(thread)] = len(STEP.findall(part))
    return found


def ended(info, count, of_program="swarm"):
    mine = [p for p in info["process_list"] if p["exe"].endswith(of_program)]
    h.check(len(mine) == count, f"{len(mine)} processes of {of_program}, not {count}")
    open_ones = [p["pid"] for p in mine if p["state"] in ("killed", "unknown")]
    h.check(not open_ones, f"{len(open_ones)} processes ended, the trace says they did not")



def threads(images):
    n = 1000 if h.MEM else 10000
    r, info = run("threads", n, images)
    (process,) = info["process_list"]
    states = [t["state"] for t in process["thread_list"]]
    h.check(len(states) == n + 1, f"{len(states)} threads in the trace, there were {n + 1}")
    h.check(states.count("ended") == n, f"{n - states.count('ended')} ended threads are not closed")
    moments = [(t["start_mono_ns"], t["end_mono_ns"]) for t in process["thread_list"]]
    late = [m for m in moments
            if not process["start_mono_ns"] < m[0] < m[1] <= process["end_mono_ns"]]
    h.check(not late, f"{len(late)} threads begin or end outside their process: {late[:3]}")
    if h.MEM:
        return None
    count = steps(r.trace)
    wrong = {k: v for k, v in count.items() if v != (0 if k[1] == 0 else 3)}
    h.check(not wrong,
            f"{len(wrong)} threads with a wrong number of calls: {list(wrong.items())[:5]}")
    size = sum(f.stat().st_size for f in r.trace.iterdir())
    h.check(size < n * 8192, f"{size} bytes of trace")
    return f"{size // n} bytes of trace a thread"


def bounded():
    """Ten times the threads, the same peak of memory (pages of the trace file included)."""
    exe = program()
    peaks = []
    for n in (400, 4000):
        code = (
            "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True,"
            " stdout=subprocess.DEVNULL); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        engine = ["--mem", "--engine=native"] if h.MEM else []
        line = [h.BOBBIN, "record", "-q", "-o", h.fresh("trace") / "t", "--exec", *engine, "--",
                exe, "threads", n]
        r = h.run([sys.executable, "-c", code, *line])
        h.check(r.status == 0, f"recorded\n{r}")
        peaks.append(int(r.out) * 1024)
    each = (peaks[1] - peaks[0]) // 3600
    h.check(each < (24576 if h.MEM else 16384),
            f"{each} bytes of resident memory for each thread that ended: {peaks}")
    return f"{each} resident bytes for each thread that ended"


def forks(images):
    n = 200
    r, info = run("forks", n, images)
    ended(info, n + 1)
    if h.MEM:
        return None
    count = sorted(steps(r.trace).values())
    h.check(count == [0] + [5] * n, f"calls by process: {count[:3]}...{count[-3:]}")
    parents = {p["parent"] for p in info["process_list"]}
    h.check(parents == {-1, 0} or parents == {None, 0}, f"parents {parents}")


def born_with_threads(images):
    """The first call of a child comes from many threads at once."""
    exe = h.compile("fork_threads", ["fork_threads.c"], "gcc", ["-O2", "-w", "-pthread"])
    r = h.record([exe], [f"--images={images}"])
    h.same(h.run([exe]), r)
    h.check_trace(r.trace)
    info = h.info(r.trace)
    count = [len(p["thread_list"]) for p in info["process_list"]]
    h.check(sorted(count) == [1] + 20 * [17], f"threads of the processes: {count}")
    if not h.MEM:
        made = h.bobbin("dump", r.trace).out
        made = len(re.findall(rb"^\d+ > \d+ [^!\n]*!step\b", made, re.M))
        h.check(made == 20 + 20 * 17 * 10, f"{made} calls")


def nested(images):
    r, info = run("nested", 20, images)
    ended(info, 20)
    if h.MEM:
        return None
    count = list(steps(r.trace).values())
    h.check(count == [2] * 20, f"calls by process {count}")


def vforks(images):
    n = 100
    r, info = run("vforks", n, images)
    ended(info, 1)
    ended(info, n, "true")
    if h.MEM:
        return None
    count = steps(r.trace)
    h.check(count[0, 0] == n and sum(count.values()) == n, f"calls {count}")


def chain(images):
    r, info = run("exec", 20, images)
    h.check(len(info["process_list"]) == 20, f"{len(info['process_list'])} programs, not 20")
    h.check(len({p["pid"] for p in info["process_list"]}) == 1, "exec keeps the pid")
    if h.MEM:
        return None
    count = list(steps(r.trace).values())
    h.check(count == [4] * 20, f"calls by program {count}")


def signals(images):
    n = 300 if images == "all" else 3000  # the loop around them is 8,000 events each
    r, info = run("signals", n, images)
    if h.MEM:
        return None
    got = steps(r.trace)[0, 0]
    h.check(n <= got <= n + 50, f"{got} handlers in the trace, at least {n} ran")
    thread = info["process_list"][0]["thread_list"][0]
    return (f"{thread['events']} events, {thread['queued']} of them queued, {thread['restarts']} "
            f"restarts")


def deep(images):
    n = 50000
    r, _ = run("deep", n, images)
    if h.MEM:
        return None
    got = sum(steps(r.trace).values())
    h.check(got == 2 * n, f"{got} calls, the program made {2 * n}")


def mixture(images):
    """Threads x fork x dlopen/dlclose in one process."""
    exe = h.compile("stress", ["stress.c"], "gcc", ["-O1", "-w", "-pthread"], ["-ldl"])
    libs = [
        h.compile(f"libstress{i}.so", ["stress_lib.c"], "gcc",
                  ["-O1", "-w", "-shared", "-fPIC", f"-DCOPY={i}"])
        for i in range(3)
    ]
    native = h.run([exe, *libs])
    h.check(native.status == 0, f"the program fails natively\n{native}")
    for _ in range(5):
        r = h.record([exe, *libs], [f"--images={images}"], timeout=60)
        h.same(native, r)
        h.check_trace(r.trace)
    info = h.info(r.trace)
    ended(info, 51, "stress")


for images in ("main", "app", "all"):
    suite.add(f"10,000 threads, {images}", threads, images)
    suite.add(f"200 children, {images}", forks, images)
    suite.add(f"children born with threads, {images}", born_with_threads, images)
    suite.add(f"20 generations, {images}", nested, images)
    suite.add(f"100 times vfork, {images}", vforks, images)
    suite.add(f"20 programs by exec, {images}", chain, images)
    suite.add(f"signals, {images}", signals, images)
    suite.add(f"50,000 frames, {images}", deep, images)
    suite.add(f"threads, fork, dlopen and dlclose, {images}", mixture, images)
suite.add("memory of ended threads", bounded)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
