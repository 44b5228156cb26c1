#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The launcher: it is invisible to the program and its parent, older traces move away, LD_PRELOAD
alone does the same, and every way of choosing what is recorded."""

import fcntl
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import termios
import time

import harness as h

suite = h.Suite("launch")
SHELL = "/bin/sh"


def start(argv, trace, **kw):
    return subprocess.Popen(
        [h.BOBBIN, "record", "-q", "-o", str(trace), "--", *argv], env=h.environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True, **kw)


def wait_for(condition, text, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.01)
    raise h.Failure(text)


def state_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
        return f.read().rsplit(")", 1)[1].split()[0]


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(x) for x in f.read().split()]


@suite.case("a signal sent to the launcher reaches the program")
def forwarded():
    script = "trap 'echo got it; exit 7' USR1; echo ready; while :; do sleep 0.05; done"
    p = start([SHELL, "-c", script], h.fresh("launch") / "t")
    h.check(p.stdout.readline() == b"ready\n", "no start")
    p.send_signal(signal.SIGUSR1)
    out, err = p.communicate(timeout=20)
    h.check((p.returncode, out, err) == (7, b"got it\n", b""), f"{p.returncode} {out} {err}")


@suite.case("the launcher dies by the program's signal")
def same_death():
    for name in ("TERM", "KILL", "SEGV"):
        r = h.record([SHELL, "-c", f"kill -{name} $$"])
        h.check(r.status == -getattr(signal, "SIG" + name), f"SIG{name}: {r}")


@suite.case("stopped and continued together")
def stopped():
    p = start([SHELL, "-c", "echo ready; sleep 0.3; echo end"], h.fresh("launch") / "t")
    h.check(p.stdout.readline() == b"ready\n", "no start")
    child = child_of(p.pid)[0]
    os.kill(child, signal.SIGSTOP)
    wait_for(lambda: state_of(p.pid) == "T", "the launcher did not stop with the program")
    os.kill(p.pid, signal.SIGCONT)
    wait_for(lambda: state_of(p.pid) != "T", "the launcher did not go on")
    out, _ = p.communicate(timeout=20)
    h.check((p.returncode, out) == (0, b"end\n"), f"{p.returncode} {out}")


@suite.case("of the environment what says how a job runs is kept")
def kept_environment():
    kept = {"SLURM_PROCID": "7", "PMIX_RANK": "3", "OMPI_COMM_WORLD_X": "1", "MPIX": "2",
            "OMP_": "5", "HOSTNAME": "h"}
    left = {"PMIX_RANKS": "4", "OMPI_MCA_X": "2", "PATHS": "4", "HOSTNAMES": "i", "OMP": "6",
            "XOMP_NUM": "7"}
    trace = h.fresh("launch") / "t"
    h.record([SHELL, "-c", ":"], ["--events"], trace, env=h.environment({**kept, **left}))
    with open(next(trace.glob("p*.bob")), "rb") as f:
        said = f.read().split(b"\0")
    for names, is_there in ((kept, True), (left, False)):
        for name, value in names.items():
            h.check((f"{name}={value}".encode() in said) is is_there,
                    f"{name}: kept is not {is_there}")


@suite.case("older traces move away, the newest three of them stay")
def moved():
    d = h.fresh("launch") / "t"
    pids = []
    for _ in range(6):
        h.check(h.record(["/bin/true"], trace=d).status == 0, "record failed")
        pids.append(h.info(d)["process_list"][0]["pid"])
    names = ("t", "t.old", "t.old.1", "t.old.2")
    h.check(sorted(p.name for p in d.parent.iterdir()) == sorted(names),
            f"{list(d.parent.iterdir())}")
    for name, pid in zip(names, reversed(pids)):
        h.check_trace(d.parent / name)
        h.check(h.info(d.parent / name)["process_list"][0]["pid"] == pid,
                f"{name}: not the one of process {pid}")
    (d.parent / "mine").mkdir()
    (d.parent / "mine" / "thesis.txt").write_text("x")
    r = h.record(["/bin/true"], trace=d.parent / "mine")
    h.check(r.status == 125 and b"not a trace" in r.err, f"a foreign directory was taken: {r}")
    h.check((d.parent / "mine" / "thesis.txt").exists(), "a foreign file is gone")


@suite.case("two recordings at once have a trace each, with its own marks")
def at_once():
    d = h.fresh("launch") / "t"
    argv = [h.BOBBIN, "record", "-q", "-o", d, "--", SHELL, "-c",
            "read line; for i in 1 2 3; do /bin/true; done; sleep 0.3"]
    first, second = (subprocess.Popen([str(a) for a in argv], env=h.environment(),
                                      stdin=subprocess.PIPE, stderr=subprocess.PIPE) for _ in "12")
    said = []
    for p in first, second:
        p.stdin.write(b"\n")
        p.stdin.flush()
    for p in first, second:
        said.append(p.communicate()[1].decode())
        h.check(p.returncode == 0, f"{p.returncode}: {said}")
    h.check(sorted(p.name for p in d.parent.iterdir()) == ["t", "t.2"],
            f"{list(d.parent.iterdir())}")
    h.check(sorted(said)[0] == ""
            and (f"another recording is being written to {d}; this one is in {d}.2"
                 in sorted(said)[1]), said)
    for trace in d, pathlib.Path(f"{d}.2"):
        h.check_trace(trace)
        info = h.info(trace)
        h.check(len(info["process_list"]) == 5 and len(list(trace.glob("marks.*"))) == 1,
                f"{trace}: {info['process_list']}")


@suite.case("who may read the directory may read all of it, whatever umask the program sets")
def modes():
    for options in [], ["--mem"]:
        r = h.record([SHELL, "-c", "umask 077; /bin/true; umask 0; /bin/true; exec /bin/true"],
                     options)
        want = r.trace.stat().st_mode & 0o666
        found = {p.name: oct(p.stat().st_mode & 0o777) for p in r.trace.iterdir()}
        h.check(r.status == 0 and len(h.info(r.trace)["process_list"]) == 4
                and set(found.values()) == {oct(want)}, f"{oct(want)}: {found}")


@suite.case("eval $(bobbin env) records without the launcher")
def by_environment():
    d = h.fresh("launch") / "t"
    lines = h.bobbin("env", "-o", d, "--images=all")
    h.check(lines.status == 0, f"{lines}")
    script = lines.out.decode() + "\n/bin/ls / >/dev/null; exec /bin/true\n"
    r = h.run([SHELL, "-c", script])
    h.check(r.status == 0 and not r.err, f"{r}")
    exes = {os.path.basename(p["exe"]) for p in h.info(d)["process_list"]}
    h.check({"ls", "true"} <= exes, f"recorded: {exes}")
    h.check_trace(d)


class Counted:
    """tests/prog/deliveries.c, natively or recorded; pid is what the outside sends to."""

    def __init__(self, mode, traced, before=(), preload=None, **kw):
        argv = [h.compile("deliveries", ["deliveries.c"], flags=("-O1",)), mode]
        if traced:
            trace = h.fresh("launch") / "t"
            argv = [h.BOBBIN, "record", "-q", "-o", trace, "--", *argv]
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "start_new_session": True}
        self.p = subprocess.Popen([*before, *argv],
                                  env=h.environment(preload and {"LD_PRELOAD": str(preload)}),
                                  **{**streams, **kw})
        self.pid, self.traced = self.p.pid, traced
        h.check(self.p.stdout.readline() == b"ready\n", "no start")

    def program(self):
        return child_of(self.pid)[0] if self.traced else self.pid

    def end(self):
        os.kill(self.pid, signal.SIGRTMAX)
        out, _ = self.p.communicate(timeout=20)
        h.check(self.p.returncode == 0, f"status {self.p.returncode}")
        return out.decode().strip()


def both(name, want, mode="none", send=lambda c: None, **kw):
    for traced in (False, True):
        c = Counted(mode, traced, **kw)
        send(c)
        out = c.end()
        h.check(out == want, f"{name}, {'recorded' if traced else 'native'}: {out}; want: {want}")


GROUP = signal.SIGRTMIN + 1


def to_group(c):
    for sig in (GROUP, GROUP, signal.SIGHUP, GROUP, signal.SIGINT):
        os.killpg(c.pid, sig)


@suite.case("every signal reaches the program once")
def once():
    for mode in ("self", "child", "grandchild"):
        both(f"to the group, by {mode}", "group 3 hup 0 int 0 alrm 0 cont 0", mode)
    both("to the group by us", "group 3 hup 1 int 1 alrm 0 cont 0", send=to_group)
    both("by us", "group 1 hup 0 int 0 alrm 0 cont 0", send=lambda c: os.kill(c.pid, GROUP))


@suite.case("nor is one doubled that comes as soon as the program runs")
def at_once():
    slow = h.compile("late_parent", ["late_parent.c"], flags=("-shared", "-fPIC"))
    both("to the group by us", "group 3 hup 1 int 1 alrm 0 cont 0", send=to_group, preload=slow)


@suite.case("a signal whose sender is gone reaches the program")
def sender_gone():
    def send(c):
        os.kill(c.pid, signal.SIGSTOP)
        wait_for(lambda: state_of(c.pid) == "T", "not stopped")
        h.run([SHELL, "-c", f"kill -HUP {c.pid}"])
        os.kill(c.pid, signal.SIGCONT)

    both("kill(1)", "group 0 hup 1 int 0 alrm 0 cont 1", send=send)


@suite.case("a stopped group that is continued learns it once")
def continued():
    def send(c):
        os.kill(c.program(), signal.SIGSTOP)
        wait_for(lambda: state_of(c.pid) == "T", "not stopped")
        os.killpg(c.pid, signal.SIGCONT)
        wait_for(lambda: state_of(c.pid) != "T" and state_of(c.program()) != "T", "still stopped")

    both("fg", "group 0 hup 0 int 0 alrm 0 cont 1", send=send)


@suite.case("Ctrl-C and the end of the terminal reach the program once")
def terminal():
    def keys(c):
        os.write(master, b"\x03")
        seen = b""
        while b"^C" not in seen:  # its echo comes after the signal
            seen += os.read(master, 100)

    for name, want, send in (("Ctrl-C", "group 0 hup 0 int 1 alrm 0 cont 0", keys),
                             ("the end", "group 0 hup 1 int 0 alrm 0 cont 1",
                              lambda c: os.close(master))):
        for traced in (False, True):
            master, slave = pty.openpty()
            c = Counted("none", traced, stdin=slave,
                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
            os.close(slave)
            send(c)
            out = c.end()
            h.check(out == want,
                    f"{name}, {'recorded' if traced else 'native'}: {out}; want: {want}")
            if send is keys:
                os.close(master)


@suite.case("an alarm that was set before ends the program")
def alarm():
    code = ("import os, signal, sys; signal.setitimer(signal.ITIMER_REAL, 0.5); "
            "os.execvp(sys.argv[1], sys.argv[1:])")
    for words in ([], [h.BOBBIN, "record", "-q", "-o", h.fresh("launch") / "t", "--"]):
        r = h.run([sys.executable, "-c", code, *words, "sleep", "10"])
        h.check(r.status == -signal.SIGALRM, f"{r}")


PROGRAM = r"""
#include <stdio.h>
__attribute__((noinline)) int f_leaf(int n) { __asm__ volatile(""); return n + 1; }
__attribute__((noinline)) int f_mid(int n)
{ __asm__ volatile(""); return f_leaf(n) + f_leaf(n + 1); }
__attribute__((noinline)) int f_top(int n) { __asm__ volatile(""); return f_mid(n) * 2; }
int main(void)
{ int s = 0; for (int i = 0; i < 10; i++) s += f_top(i); printf("%d\n", s + f_leaf(1)); return 0; }
"""


def names(trace):
    counts = {}
    for _, _, events in h.dump(trace):
        for e in events:
            if e.entry:
                name = e.function.rsplit("!", 1)[-1]
                counts[name] = counts.get(name, 0) + 1
    return counts


@suite.case("functions, depth and trigger are chosen")
def chosen():
    d = h.fresh("launch")
    (d / "p.c").write_text(PROGRAM)
    exe = h.compile("chosen", [d / "p.c"], flags=("-O1", "-falign-functions=16"))
    got = names(h.record([exe], ["-F", "f_l*", "-F", "f_top"]).trace)
    h.check(got == {"f_leaf": 21, "f_top": 10}, f"-F: {got}")
    got = names(h.record([exe], ["-F", "f_*", "-N", "*leaf"]).trace)
    h.check(got == {"f_mid": 10, "f_top": 10}, f"-N: {got}")
    got = names(h.record([exe], ["-F", "f_*", "--depth=2"]).trace)
    h.check(got == {"f_top": 10, "f_mid": 10, "f_leaf": 1}, f"--depth: {got}")
    got = names(h.record([exe], ["--trigger=f_mid"]).trace)
    h.check(got == {"f_mid": 10, "f_leaf": 20}, f"--trigger: {got}")
    got = names(h.record([exe], ["--interface=libc.so*"]).trace)
    h.check("printf" in got and "f_top" not in got, f"--interface: {got}")
    inner = [h.BOBBIN, "record", "-q", "-o", d / "inner", "--", exe]
    h.record(inner, ["-F", "f_top", "--depth=1"])
    got = names(d / "inner")
    h.check(got["f_leaf"] == 21 and got["main"] == 1, f"inside another recording: {got}")


CXX = r"""
#include <cstdio>
#define N __attribute__((noinline))
namespace shape {
template <typename T> N T twice(T x) { __asm__ volatile(""); return x + x; }
struct box {
	int side;
	N int area() const { __asm__ volatile(""); return side * side; }
	N int operator()(int k) { __asm__ volatile(""); return area() * k; }
};
N int area(int side) { __asm__ volatile(""); return box{side}.area(); }
}
int main() { shape::box b{3}; std::printf("%d\n", b(2) + shape::area(4) + shape::twice(5)); }
"""


@suite.case("C++ functions are chosen by the names that people write")
def chosen_cxx():
    d = h.fresh("launch")
    (d / "p.cc").write_text(CXX)
    exe = h.compile("cxx", [d / "p.cc"], "g++", ("-O1", "-falign-functions=16"))

    def got(*options):
        counts = names(h.record([exe], ["--images=main", *options]).trace)
        return {k: n for k, n in counts.items() if k.startswith("_ZN")}

    area, box_area, call = "_ZN5shape4areaEi", "_ZNK5shape3box4areaEv", "_ZN5shape3boxclEi"
    for pattern, want in (
        ("shape::area", {area: 1}),
        ("shape::area(int)", {area: 1}),
        ("shape::*area", {area: 1, box_area: 2}),
        ("shape::box::operator()", {call: 1}),
        (area, {area: 1}),
        ("shape::nothing", {}),
    ):
        h.check(got("-F", pattern) == want, f"-F {pattern}: {got('-F', pattern)}")
    h.check(box_area not in got("-N", "shape::box::area"), "-N leaves it in")
    h.check(got("--trigger=shape::area") == {area: 1, box_area: 1}, "--trigger")


INTERFACES = r"""
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
int MPI_Init(int *argc, char ***argv);
void mpi_barrier_(int *comm, int *ierr);
int other(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return p;
}
int main(void)
{
	pthread_t t;
	int n = MPI_Init(NULL, NULL);
	for (int i = 0; i < 3; i++)
		mpi_barrier_(&n, &n);
	if (pthread_create(&t, NULL, work, NULL) || pthread_join(t, NULL))
		return 1;
	for (int i = 0; i < 4; i++) {
#pragma omp parallel num_threads(2) reduction(+ : n)
		n += omp_get_num_threads();
	}
	printf("%d\n", n + other());
	return 0;
}
"""
LIBRARY = r"""
int MPI_Comm_rank(int comm, int *rank)
{
	return *rank = comm;
}
int MPI_Init(int *argc, char ***argv)
{
	int rank;
	return MPI_Comm_rank(argc || argv, &rank) + rank;
}
void mpi_barrier_(int *comm, int *ierr)
{
	*ierr = *comm;
}
int other(void)
{
	return 5;
}
"""


@suite.case("calls across interfaces alone are recorded")
def interfaces():
    d = h.fresh("launch")
    (d / "p.c").write_text(INTERFACES)
    (d / "lib.c").write_text(LIBRARY)
    (d / "names").write_text("# what we look for\nother\n\nprintf*\nmain\n")
    lib = h.compile("libfake.so", [d / "lib.c"],
                    flags=("-O0", "-shared", "-fPIC", "-Wl,-soname,libfake.so"))
    exe = h.compile("interfaces", [d / "p.c"], flags=("-O1", "-fopenmp", "-pthread"),
                    libs=(lib, f"-Wl,-rpath,{lib.parent}"))

    def got(what, *only):
        return names(h.record([exe], [f"--interface={what}", *only]).trace)

    # MPI_Comm_rank is called from the library itself
    h.check(got("mpi") == {"MPI_Init": 1, "mpi_barrier_": 3}, f"mpi: {got('mpi')}")
    seen = got("openmp")
    h.check(seen == {"GOMP_parallel": 4, "omp_get_num_threads": 8}, f"openmp: {seen}")
    seen = got("pthread")
    h.check(seen.get("pthread_mutex_lock", 0) >= 1
            and {"pthread_create", "pthread_join"} <= set(seen)
            and all(n.startswith(("pthread_", "sem_")) for n in seen), f"pthread: {seen}")
    seen = got(d / "names")
    h.check(seen == {"other": 1, "printf": 1}, f"a file: {seen}")
    seen = got("libfake.so*")
    h.check(seen == {"MPI_Init": 1, "mpi_barrier_": 3, "other": 1}, f"an image: {seen}")
    seen = got("libfake.so*", "-N", "other")
    h.check(seen == {"MPI_Init": 1, "mpi_barrier_": 3}, f"an image and -N: {seen}")
    for what in (d / "nothing", d):
        r = h.record([exe], [f"--interface={what}"])
        h.check(r.status == 125 and r.err and not r.out, f"--interface={what}: {r}")


@suite.case("bobbin PROGRAM records and prints a short report")
def bare():
    d = h.fresh("launch")
    (d / "p.c").write_text(PROGRAM)
    exe = h.compile("chosen", [d / "p.c"], flags=("-O1", "-falign-functions=16"))
    native = h.run([exe])
    for words in ([exe], ["--", exe]):
        r = h.run([h.BOBBIN, *words], cwd=d)
        h.check((r.status, r.out) == (native.status, native.out), f"{r}")
        text = r.err.decode()
        h.check(re.search(r"^ +21 .* f_leaf$", text, re.M) and "next: bobbin report" in text,
                f"{r}")
    h.check((d / "bobbin.data" / "run.key").exists() and (d / "bobbin.data.old").exists(),
            "no traces")
    r = h.run([h.BOBBIN, SHELL, "-c", "exit 7"], cwd=d)
    h.check(r.status == 7, f"the program's status is lost: {r}")
    for word, status in ((d / "nothing", 127), ("./p.c", 126), (d, 126)):
        r = h.run([h.BOBBIN, word], cwd=d)
        h.check(r.status == status and r.err.count(b"\n") == 1, f"{r}")


@suite.case("children are left alone with --no-follow")
def no_follow():
    r = h.record([SHELL, "-c", "ls / >/dev/null; true"], ["--no-follow"])
    h.check(len(h.info(r.trace)["process_list"]) == 1, "a child was recorded")


@suite.case("the C path alone gives the same trace")
def slow_path():
    d = h.fresh("launch")
    (d / "p.c").write_text(PROGRAM)
    exe = h.compile("chosen", [d / "p.c"], flags=("-O1", "-falign-functions=16"))
    fast = h.record([exe], ["--images=main"])
    slow = h.record([exe], ["--images=main"], env=h.environment({"BOBBIN_CHECK": "slow"}))
    a, b = (h.bobbin("dump", r.trace).out for r in (fast, slow))
    h.check(a == b and a.count(b"f_leaf") == 42, "the traces differ")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
