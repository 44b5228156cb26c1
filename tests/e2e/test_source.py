#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""record --source: what instrumented sources report is in the trace, access by access, and nothing
else. The programs of tests/prog/source are instrumented by hand and write down themselves what must
be there (oracle.h)."""

import os
import random
import re
import signal
import subprocess
import sys
import time

import harness as h

h.link_fast()
suite = h.Suite("source")
INCLUDE = f"-I{h.ROOT / 'include'}"
LINE = re.compile(rb"([LS]) 0x([0-9a-f]+) (\d+) (.*)\+0x([0-9a-f]+)$")
LEVELS = ("-O0", "-O1", "-O2", "-O3")


def program(name, cc="gcc", flags=("-O2",), libs=()):
    flags = [*flags, INCLUDE, "-Wall", "-Wextra", "-Werror"]
    return h.compile(name, [f"source/{name}.c"], cc, flags, libs)


def replay(trace, *options):
    r = h.bobbin("replay", "--mem", "--order=threads", *options, trace)
    h.check(r.status == 0 and not r.err, f"replay\n{r}")
    return r.out


def accesses(text):
    """[[(kind, variable, offset, size, site, file)] of each thread]."""
    threads = []
    for line in text.splitlines():
        if line.startswith(b"# thread"):
            threads.append([])
            continue
        m = LINE.match(line)
        h.check(m, f"replay: {line!r} is not understood")
        address = int(m[2], 16)
        file, rest = (address >> 49) - 1, address & ((1 << 49) - 1)
        threads[-1].append((m[1].decode(), (rest >> 36) - 1, rest & ((1 << 36) - 1), int(m[3]),
                            int(m[5], 16) - 1, file))
    return threads


def read_log(path):
    rows = []
    with open(path, encoding="ascii") as f:
        for line in f:
            w = line.split()
            if w[0] == "thread":
                rows.append([])
            else:
                rows[-1].append((w[0], *map(int, w[1:])))
    return rows


def same(got, want, what=""):
    for i, (a, b) in enumerate(zip(got, want)):
        h.check(a == b, f"{what}access {i} of {len(want)}: recorded {a}, happened {b}; before it "
                f"{want[max(0, i - 3):i]}")
    h.check(len(got) == len(want), f"{what}{len(got)} recorded, {len(want)} happened; the rest: "
            f"{(got + want)[min(len(got), len(want)):][:3]}")


def busy(rows):
    return sorted(row for row in rows if row)


def recorded(argv, options=(), env=None):
    """Recorded, as it is without; with .log and .rows."""
    argv = [str(a) for a in argv]
    native = h.run(argv, env=h.environment(env))
    h.check(native.status == 0, f"{native}")
    log = h.fresh("log") / "log"
    r = h.record(argv, ["--source", *options],
                 env=h.environment({**(env or {}), "BOB_LOG": str(log)}))
    h.same(native, r)
    h.check_trace(r.trace)
    r.log = log
    return r


def outside(r):
    """(untraced accesses that probes reported, those that the program counts, if it does)"""
    m = re.search(rb"outside (\d+)", r.out)
    reported = re.search(rb"probes counted (\d+) accesses to untraced data",
                         h.bobbin("info", r.trace).out)
    return int(reported[1]) if reported else 0, int(m[1]) if m else None


def truth(argv, options=(), env=None):
    """All threads of a process did what its log says."""
    r = recorded(argv, options, env)
    r.text = replay(r.trace)
    rows, want = busy(accesses(r.text)), busy(read_log(r.log))
    h.check(len(rows) == len(want), f"{len(rows)} threads recorded, {len(want)} did something")
    for row, expected in zip(rows, want):
        same(row, expected)
    counted, replayed = h.info(r.trace)["accesses"], sum(map(len, accesses(r.text)))
    h.check(counted == replayed, f"{counted} counted, {replayed} replayed")
    r.reported, happened = outside(r)
    h.check(happened is None or r.reported == happened,
            f"{r.reported} accesses of nothing that is wanted, of {happened}")
    r.count = sum(map(len, want))
    return r


# --- variables ---


def variables(kernel, options):
    r = truth([program("truth"), kernel], options)
    return f"{r.count} accesses"


for k in "scalars dimensions boxes structs aliases heap recursion".split():
    suite.add(k, variables, k, [])
suite.add("scalars, not folded", variables, "scalars", ["--codec=none"])
suite.add("aliases, not folded", variables, "aliases", ["--codec=none"])


def beside(how, flags):
    """However code is left; as a part of the program, and as what may be loaded later."""
    r = truth([program("beside", flags=[*flags, "-pthread"]), how])
    return f"{r.count} accesses, {r.reported} of nothing that is wanted"


for k in "threads stays jumps handlers".split():
    suite.add(f"what is not wanted is counted: {k}", beside, k, ["-O2"])
    suite.add(f"what is not wanted is counted: {k}, -fPIC", beside, k, ["-O1", "-fPIC"])


@suite.case("what is not wanted is counted: fork, each process for itself")
def beside_fork():
    r = recorded([program("beside", flags=["-O2", "-pthread"]), "forks"])
    reported = re.findall(rb"probes counted (\d+) accesses to untraced data",
                          h.bobbin("info", r.trace).out)
    happened = re.findall(rb"(?:child|outside) (\d+)", r.out)
    h.check(len(happened) == 2 and sorted(reported) == sorted(happened),
            f"{reported}, happened {happened}")


@suite.case("the trace is the same at -O0 to -O3, of gcc and clang")
def compilers():
    h.need("clang")
    first = None
    for cc in ("gcc", "clang"):
        for level in LEVELS:
            r = truth([program("truth", cc, (level,))])
            first = first or r.text
            h.check(r.text == first, f"{cc} {level} differs from gcc -O0")
    return f"{r.count} accesses each"


# --- nests ---


def nests(seed, options):
    r = truth([program("nests"), seed, 300], options)
    return f"{r.count} accesses"


for n in range(1, 7):
    suite.add(f"nests {n}", nests, n, [])
suite.add("nests, not folded", nests, 7, ["--codec=none"])


@suite.case("the size of a nest's trace does not grow")
def sizes():
    found = [h.info(truth([program("nests"), "stencil", n]).trace)["stream_bytes"]
             for n in (2, 30, 90)]
    h.check(max(found) <= min(found) + 8, f"{found} bytes")
    return f"{found} bytes"


# --- threads, processes, handlers ---


def library(name, source, cc="gcc"):
    return h.compile(name, [f"source/{source}"], cc,
                     ["-O2", "-fPIC", "-shared", INCLUDE, "-Wall", "-Wextra"])


def team(flags=()):
    """With library.c, linked; the oracle's rows are the program's."""
    lib = library("liblibrary.so", "library.c")
    return program("team", flags=["-O2", "-rdynamic", *flags],
                   libs=[lib, f"-Wl,-rpath,{lib.parent}", "-lpthread"])


def plugin():
    return library("plugin.so", "plugin.cc", "g++")


for k in ("threads", "linked"):
    suite.add(k, lambda k=k: f"{truth([team(), k]).count} accesses")
suite.add("threads, not folded",
          lambda: f"{truth([team(), 'threads'], ['--codec=none']).count} accesses")
suite.add("OpenMP", lambda: f"{truth([team(['-fopenmp']), 'openmp']).count} accesses")
suite.add("a library that is loaded, left and loaded again; C++",
          lambda: f"{truth([team(), 'load', plugin()]).count} accesses")


def by_process(trace):
    """The rows of each process's threads."""
    found = {}
    for part in re.split(rb"^# thread ", replay(trace), flags=re.M)[1:]:
        found.setdefault(part.split(b".")[0], []).extend(accesses(b"# thread " + part))
    return [busy(rows) for rows in found.values()]


def two_processes(argv, logs):
    r = recorded([team(), *argv])
    h.check(len(h.info(r.trace)["process_list"]) == 2, "processes")
    found = sorted(by_process(r.trace))
    want = sorted(busy(read_log(f"{r.log}{suffix}")) for suffix in logs)
    for got, expected in zip(found, want):
        h.check(len(got) == len(expected), f"{len(got)} threads, {len(expected)}")
        for row, e in zip(got, expected):
            same(row, e)


suite.add("fork", two_processes, ["fork"], ["", ".child"])
suite.add("fork in a thread, which then ends", two_processes, ["fork-in-thread"], ["", ".child"])
suite.add("exec", two_processes, ["exec"], ["", ".before"])


LEFT = """
#include <pthread.h>
#include <setjmp.h>
static jmp_buf back;
static void parse(int depth, double *of)
{
	double stack[64];
	for (int i = 0; i < 64; i++)
		stack[i] = of[0];
	if (depth == 3)
		longjmp(back, 1);
	parse(depth + 1, stack);
	stack[0] = of[1];
}
static double work(int n)
{
	double w[70], s = 0;
	for (int i = 0; i < 70; i++)
		w[i] = i;
	for (int i = 0; i < n; i++)
		s += w[i];
	return s;
}
static void *leave(void *p)
{
	double q[32];
	for (int i = 0; i < 32; i++)
		q[i] = i;
	pthread_exit(q[3] > 0 ? p : 0);
}
static void *stay(void *p)
{
	double z[48];
	for (int i = 0; i < 48; i++)
		z[i] = i;
	return z[3] > 0 ? p : 0;
}
int main(void)
{
	double top[2] = { 1, 2 }, s = 0;
	pthread_t t;
	for (volatile int k = 0; k < 3; k++) {
		if (!setjmp(back))
			parse(0, top);
		s += work(20);
		pthread_create(&t, 0, leave, 0);
		pthread_join(t, 0);
		pthread_create(&t, 0, stay, 0);
		pthread_join(t, 0);
	}
	return s < 0;
}
"""


@suite.case("what longjmp and pthread_exit leave has no say in what comes after it")
def left_over():
    where = h.fresh("left")
    (where / "left.c").write_text(LEFT)
    names = ["main:top", "parse:stack", "work:w", "leave:q", "stay:z"]
    (where / "commands").write_text("trace file left.c\n"
                                    + "".join(f"trace variable {n}\n" for n in names))
    i = h.bobbin("instrument", "-o", "out", "commands", cwd=where)
    h.check(i.status == 0, f"{i}")
    want = {"stack in parse[64]": (576, 768), "w in work[70]": (60, 210), "q in leave[32]": (3, 96),
            "z in stay[48]": (3, 144), "top in main[2]": (192, 1)}
    for level in LEVELS:
        c = h.run(["gcc", level, "-w", "-Iout", "out/left.c", "-pthread", "-o", "left"], cwd=where)
        h.check(c.status == 0, f"{c}")
        r = h.record([where / "left"], ["--source"])
        h.check(r.status == 0, f"{r}")
        h.check_trace(r.trace)
        out = h.bobbin("arrays", r.trace).out.decode()
        found = {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(r"^(\S.*\])   .*\n +(\d+) "
                                                                   r"reads?, (\d+) writes?;", out,
                                                                   re.M)}
        h.check(found == want, f"{level}: {found}, not {want}\n{out}")


FILES = {
    "one.c": """
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
double a[8];
void work(double *p);
void more(double *p);
static void own(int i) { a[i] = i; }
int main(void)
{
	int st;
	own(0);
	work(a);
	if (!fork()) {
		a[1] = 7;
		more(a);
		work(a);
		own(6);
		_exit(0);
	}
	wait(&st);
	more(a);
	return st;
}
""",
    "two.c": "void work(double *p)\n{\n\tp[2] = 1;\n\tp[3] = 1;\n}\n",
    "three.c": "\n\n\n\nvoid more(double *p)\n{\n\tp[4] = 1;\n}\n",
}
WORK, MORE = ["2 work two.c:3", "3 work two.c:4"], ["4 more three.c:7"]


@suite.case("fork of several files: function, file and line of each access of the child")
def fork_of_files():
    where = h.fresh("files")
    for name, text in FILES.items():
        (where / name).write_text(text)
    (where / "commands").write_text("".join(f"trace file {name}\n"
                                            for name in FILES).replace("one.c",
                                                                       "one.c\ntrace variable a"))
    i = h.bobbin("instrument", "-o", "out", "commands", cwd=where)
    h.check(i.status == 0, f"{i}")
    c = h.run(["gcc", INCLUDE, *FILES, "-o", "app"], cwd=where / "out")
    h.check(c.status == 0, f"{c}")
    want = [["0 own one.c:8", *WORK, *MORE], ["1 main one.c:15", *MORE, *WORK, "6 own one.c:8"]]
    for options in (["--collector=none"], ["--collector=process"]):
        r = h.record([where / "out" / "app"], ["--source", *options])
        h.check(r.status == 0, f"{r}")
        h.check_trace(r.trace)
        found = [[f"{m[1]} {m[2]} {m[3]}"
                  for m in re.finditer(r"a\[(\d)\]  +(\w+)  +(\S+)", part)]
                 for part in re.split("^thread ", h.bobbin("show", "-x", r.trace).out.decode(),
                                      flags=re.M)[1:]]
        h.check(found == want, f"{options}: {found}, not {want}")


@suite.case("fork, and a library that only the child loads")
def load_in_child():
    two_processes(["load-in-child", plugin()], [".child", ""])


for k in ("exit-in-thread", "quick_exit", "_exit"):
    suite.add(k, lambda k=k: f"{truth([team(), k]).count} accesses")


def signals(options):
    """What the handlers did, and what the program did, is each in order; and nothing else is
    there."""
    r = recorded([team(), "signals"], options)
    got, = busy(accesses(replay(r.trace)))
    want, = busy(read_log(r.log))
    for name, mine in (("the program: ", (0, 1)), ("handlers' count: ", (2,)),
                       ("handlers' own: ", (3,))):
        mine = [[a for a in row if a[1] in mine] for row in (got, want)]
        if name[0] == "h":  # handlers interrupt each other: what each does is there as often
            mine = [sorted(row) for row in mine]
        same(*mine, name)
    h.check(len(got) == len(want), f"{len(got)} recorded, {len(want)} happened")
    count = sum(a[1] == 3 for a in want)
    h.check(count > 10, f"{count} handlers ran: this proves nothing")
    return f"{len(want)} accesses, {count} handlers"


suite.add("signals", signals, [])
suite.add("signals, not folded", signals, ["--codec=none"])


def killed(options):
    exe, rng = team(), random.Random(11)
    for _ in range(4):
        where = h.fresh("kill")
        shared = where / "shared"
        shared.write_bytes(bytes(4096))
        p = subprocess.Popen([h.BOBBIN, "record", "-q", "--source", "-o", where / "t", *options,
                              "--", exe, "for-ever", shared], env=h.environment(),
                             start_new_session=True, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not int.from_bytes(shared.read_bytes()[:8], "little") and time.monotonic() < end:
            time.sleep(0.002)
        time.sleep(rng.random() / 100)
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()
        h.await_end(where / "t")
        done = int.from_bytes(shared.read_bytes()[:8], "little")
        h.check_trace(where / "t")
        got, = busy(accesses(replay(where / "t")))
        x = 1
        for i, a in enumerate(got):
            h.check(a == ("S", 4, 4 * x, 4, 6, 1), f"access {i} is {a}")
            x = (x * 5 + 3) % 4096
        h.check(done <= len(got) <= done + 1, f"{done} were done, {len(got)} recorded")
    return f"{done} in the last one"


suite.add("kill -9", killed, [])
suite.add("kill -9, not folded", killed, ["--codec=none"])


# --- with a full disk, without a recorder, with ranks ---


@suite.case("a file system that is full ends the trace, not the program")
def full():
    where = h.fresh("full")
    # the program writes nothing but its output
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", where],
                                      capture_output=True).returncode:
        raise h.Skip("a small file system cannot be mounted")
    try:
        log = h.fresh("log") / "log"
        r = h.run([h.BOBBIN, "record", "-o", where / "t", "--source", "--codec=none", "--", team(),
                   "many", "30000"], env=h.environment({"BOB_LOG": str(log)}))
        h.check((r.status, r.out) == (0, b"ok\n") and b"no space for the trace" in r.err, f"{r}")
        got, = busy(accesses(h.bobbin("replay", "--mem", "--order=threads", where / "t").out))
        want, = busy(read_log(log))
        same(got, want[:len(got)])
        h.check(1000 < len(got) < len(want), f"{len(got)} of {len(want)}")
        return f"{len(got)} of {len(want)} accesses"
    finally:
        subprocess.run(["umount", "-l", where], check=False)


@suite.case("without --source nothing is recorded of it, and nothing happens")
def no_recorder():
    for argv in ([team(), "threads"], [program("truth")], [team(), "load", plugin()]):
        native = h.run(argv)
        h.check(native.status == 0, f"{native}")
        for options in (["--calls"], ["--events"], ["--mem"]):
            r = h.record(argv, options)
            h.same(native, r, f"{options} ")
            h.check_trace(r.trace)
            r = h.bobbin("report", *(["--by=variable"] if options == ["--mem"] else []), r.trace)
            h.check(b"  team.c" not in r.out and b"  truth.c" not in r.out, f"{r}")


AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@suite.case("Open MPI: four ranks, merged, are little more than one", alone=True)
def ranks():
    h.need("mpicc.openmpi")
    exe = program("ranks", "mpicc.openmpi")
    size = {}
    for n in (1, 4):
        log, trace = h.fresh("log") / "log", h.fresh("ranks") / "t"
        r = h.run(["mpirun.openmpi", "-n", n, "--oversubscribe", "--mca", "mpi_yield_when_idle",
                   "1", h.BOBBIN, "record", "-q", "--source", "-o", trace, "--", exe, 300],
                  env=h.environment({**AS_ROOT, "BOB_LOG": str(log)}), timeout=200)
        h.check(r.status == 0, f"{r}")
        h.check(h.bobbin("merge", "-q", trace).status == 0, "merge")
        h.check_trace(trace)
        found = sorted(by_process(trace))
        want = sorted(busy(read_log(f"{log}.{k}")) for k in range(n))
        h.check(len(found) == n, f"{len(found)} processes of {n}")
        for got, expected in zip(found, want):
            same(got[0], expected[0])
        size[n] = h.info(trace)["stream_bytes"]
    h.check(size[4] < 1.25 * size[1], f"{size}")
    return f"bytes by ranks: {size}"


@suite.case("names, lines and notes")
def names():
    r = truth([program("truth"), "boxes"])
    found = h.bobbin("report", "--by=variable", r.trace).out.decode()
    for name in ("box", "cube", "line"):
        h.check(re.search(rf"  truth\.c +{name}$", found, re.M), found)
    found = h.bobbin("report", "--by=line", r.trace).out.decode()
    for line in sorted({10 + a[4] for a in read_log(r.log)[0]}):
        h.check(re.search(rf"truth\.c:{line}\b", found), f"line {line}: {found}")
    found = h.bobbin("info", r.trace).out.decode()
    h.check("accesses to untraced data" in found, found)


@suite.case("a file of an older bobbin/probe.h is not recorded, and the trace says so")
def older():
    old = h.fresh("older") / "truth.c"
    text = (h.PROG / "source/truth.c").read_text()
    old.write_text(text.replace(".size = sizeof(bob_probe_here)",
                                ".size = offsetof(struct bob_probe_file, untraced)"))
    h.check(old.read_text() != text, "truth.c has another text")
    exe = h.compile("older", [old], flags=["-O2", INCLUDE, f"-I{h.PROG / 'source'}"])
    r = recorded([exe, "scalars"])
    said = h.bobbin("replay", "--mem", r.trace)
    h.check(said.status == 1 and b"no memory accesses" in said.err, f"{said}")
    found = h.bobbin("info", r.trace).out.decode()
    h.check("of another version of bobbin/probe.h, instrument it again" in found, found)


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
